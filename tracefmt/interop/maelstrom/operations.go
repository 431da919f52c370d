package maelstrom

import (
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// request describes an operation of clients.
type request struct {
	keyed     bool // it accesses a key
	arguments func(b *body) []interop.Field
	// value returns the result in an answer; it is nil for an operation without a result.
	value func(b *body) []byte
}

// requests are the operations of clients by the type of the request: access to keys, echoes, and requests for a
// unique id.
var requests = map[string]request{
	"read": {keyed: true, value: func(b *body) []byte { return orNull(b.Value) }},
	"write": {keyed: true, arguments: func(b *body) []interop.Field {
		return []interop.Field{interop.JSON("value", orNull(b.Value))}
	}},
	"cas": {keyed: true, arguments: func(b *body) []interop.Field {
		return []interop.Field{interop.JSON("old", orNull(b.From)), interop.JSON("new", orNull(b.To))}
	}},
	"echo": {arguments: func(b *body) []interop.Field {
		return []interop.Field{interop.JSON("value", orNull(b.Echo))}
	}, value: func(b *body) []byte { return orNull(b.Echo) }},
	"generate": {value: func(b *body) []byte { return orNull(b.ID) }},
}

// orNull returns the JSON value, null for a missing one.
func orNull(value []byte) []byte {
	if len(value) == 0 {
		return []byte("null")
	}
	return value
}

// The errors of the protocol that are results of a request.
const (
	codeNoKey        = 20
	codePrecondition = 22
)

// definiteCodes are the errors after which an operation did not happen. After any other error, such as a timeout, it
// may have happened. (jepsen-io/maelstrom, doc/protocol.md: Errors)
var definiteCodes = []int64{1, 10, 11, 12, 14, codeNoKey, 21, codePrecondition, 30}

// invoke adds the invocation of an operation that a client requests.
func (j *journal) invoke(rec *record, e interop.Entry) {
	r, known := requests[rec.body.Type]
	if !known || r.keyed != (len(rec.body.Key) > 0) || len(rec.body.MsgID) == 0 || !isClient(rec.Node) {
		return
	}
	c := call{rec.Node, string(rec.body.MsgID)}
	j.open[c] = rec.body.Type
	e.Kind, e.Type = tracefmt.Invoke, rec.body.Type
	if r.arguments != nil {
		e.Fields = r.arguments(&rec.body)
	}
	if r.keyed {
		e.Fields = append(e.Fields, interop.JSON("key", rec.body.Key))
	}
	e.Fields = append(e.Fields, c.op())
	j.Add(e)
}

// op returns the id of the operation, unique among all clients.
func (c call) op() interop.Field { return interop.Text("op", c.client+"/"+c.id) }

// reply adds the return of the operation that a reply answers. A second reply adds nothing.
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

// result returns the outcome of an operation, and its value if it has one.
func (b *body) result(operation string) []interop.Field {
	outcome := func(result string) []interop.Field { return []interop.Field{interop.Text("outcome", result)} }
	withOutput := func(value string) []interop.Field {
		return append(outcome("ok"), interop.JSON("value", []byte(value)))
	}
	failed := b.Type == "error"
	switch {
	case !failed && b.Type != operation+"_ok":
		return outcome("unknown")
	case !failed && requests[operation].value != nil:
		return withOutput(string(requests[operation].value(b)))
	case !failed:
		return outcome("ok")
	// Some errors are results by Maelstrom's protocol: a read without a key finds nothing, and a cas without one
	// does not swap.
	case b.Code == codeNoKey && operation == "read":
		return withOutput("null")
	case operation == "cas" && (b.Code == codeNoKey || b.Code == codePrecondition):
		return withOutput("false")
	case slices.Contains(definiteCodes, b.Code):
		return outcome("fail")
	}
	return outcome("unknown")
}
