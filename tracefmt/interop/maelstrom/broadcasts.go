package maelstrom

import (
	"bytes"
	"cmp"
	"encoding/json"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// shown is a value that a node has returned to a client.
type shown struct{ node, value string }

// broadcast notes that a value is broadcast, which a client asks for by broadcast or, of a set, by add: by the node that has
// read the request if it answers that this is done. The client notes an unanswered request, so that no node owes the value.
func (j *journal) broadcast(rec *record, e interop.Entry) {
	value := cmp.Or(string(rec.body.Message), string(rec.body.Element))
	if rec.body.Type != "broadcast" && rec.body.Type != "add" || !scalar(value) || !isClient(rec.Msg.Src) || len(rec.body.MsgID) == 0 {
		return
	}
	done := j.done[call{rec.Msg.Src, string(rec.body.MsgID)}]
	if done != (e.Kind == tracefmt.Receive) || done && isClient(rec.Node) || !done && rec.Node != rec.Msg.Src {
		return
	}
	j.note(e, "broadcast", value)
}

// show notes the values that a node returns to a client for the first time: it has delivered them. A value that is twice in one
// answer was delivered twice. A later answer without the value takes nothing back.
func (j *journal) show(rec *record, e interop.Entry) {
	// A read of a key returns a value, and a read without a key all values of the node.
	if rec.body.Type == "read" && isClient(rec.Node) && len(rec.body.Key) == 0 {
		j.lists[call{rec.Node, string(rec.body.MsgID)}] = true
		return
	}
	asked := call{rec.Msg.Dest, string(rec.body.InReplyTo)}
	list := rec.body.Messages
	if len(list) == 0 {
		list = rec.body.Value
	}
	var values []json.RawMessage
	if rec.body.Type != "read_ok" || isClient(rec.Node) || !j.lists[asked] || json.Unmarshal(list, &values) != nil {
		return
	}
	delete(j.lists, asked)
	times := map[shown]int{}
	for _, raw := range values {
		value := shown{rec.Node, string(bytes.TrimSpace(raw))}
		if !scalar(value.value) {
			continue
		}
		times[value]++
		if times[value] > j.shown[value] {
			j.shown[value]++
			j.note(e, "deliver", value.value)
		}
	}
}

func (j *journal) note(e interop.Entry, label, value string) {
	e.Kind, e.Type, e.Fields = tracefmt.Note, label, []interop.Field{interop.JSON("m", []byte(value))}
	j.Add(e)
}

// scalar reports whether a JSON value is a number or a text.
func scalar(value string) bool {
	return value != "" && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}
