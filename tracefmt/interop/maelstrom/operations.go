package maelstrom

import (
	"cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// requests are what clients ask of a key, with the fields of the body that are arguments.
var requests = map[string]func(b *body) []interop.Field{
	"read":  func(*body) []interop.Field { return nil },
	"write": func(b *body) []interop.Field { return []interop.Field{interop.JSON("value", orNull(b.Value))} },
	"cas": func(b *body) []interop.Field {
		return []interop.Field{interop.JSON("old", orNull(b.From)), interop.JSON("new", orNull(b.To))}
	},
}

func orNull(value []byte) []byte {
	if len(value) == 0 {
		return []byte("null")
	}
	return value
}

// The errors of the protocol that do not mean that nothing has happened, and those that say
// what a request has found.
const (
	codeTimeout      = 0
	codeCrash        = 13
	codeNoKey        = 20
	codePrecondition = 22
	codeOwn          = 1000 // from here on codes are of the program
)

// invoke adds the operation that a client begins by a request.
func (j *journal) invoke(rec *record, e interop.Entry) {
	arguments, known := requests[rec.body.Type]
	if !known || len(rec.body.Key) == 0 || len(rec.body.MsgID) == 0 || !isClient(rec.Node) {
		return
	}
	c := call{rec.Node, string(rec.body.MsgID)}
	j.open[c] = rec.body.Type
	e.Kind, e.Type = tracefmt.Invoke, rec.body.Type
	e.Fields = append(arguments(&rec.body), interop.JSON("key", rec.body.Key), c.op())
	j.Add(e)
}

// op is the id of the operation, unique among those of all clients.
func (c call) op() interop.Field { return interop.Text("op", c.client+"/"+c.id) }

// reply adds the end of the operation that a client waits for. A second reply ends nothing.
func (j *journal) reply(rec *record, e interop.Entry) {
	c := call{rec.Node, string(rec.body.InReplyTo)}
	operation, waits := j.open[c]
	if !waits {
		return
	}
	delete(j.open, c)
	e.Kind, e.Type = tracefmt.Return, operation
	e.Fields = append(rec.body.result(operation), c.op())
	j.Add(e)
}

// result is how an operation ends by a reply.
func (b *body) result(operation string) []interop.Field {
	outcome := func(is string) []interop.Field { return []interop.Field{interop.Text("outcome", is)} }
	with := func(value string) []interop.Field {
		return append(outcome("ok"), interop.JSON("value", []byte(value)))
	}
	failed := b.Type == "error"
	switch {
	case !failed && b.Type != operation+"_ok":
		return outcome("unknown")
	case !failed && operation == "read":
		return with(cmp.Or(string(b.Value), "null"))
	case !failed:
		return outcome("ok")
	case b.Code == codeNoKey && operation == "read":
		return with("null")
	case operation == "cas" && (b.Code == codeNoKey || b.Code == codePrecondition):
		return with("false")
	case b.Code == codeTimeout, b.Code == codeCrash, b.Code >= codeOwn:
		return outcome("unknown")
	}
	return outcome("fail")
}
