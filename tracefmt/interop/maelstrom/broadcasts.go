package maelstrom

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// replies are the replies of a node to reads of all its values.
type replies struct {
	count  int                  // the number of replies so far
	values map[string]*returned // by JSON text of the value
	held   []*returned          // the values that the node has returned and not lost, by since
}

// returned is a value that a node has returned to a client.
type returned struct {
	value string
	times int // the greatest number of its copies in one reply
	since int // the first reply with the value since the node began or lost it; 0 for none
	last  int // the last reply with the value
}

// addBroadcast notes the broadcast of a value that a client requests, by the message broadcast or, for a set, add.
// The node that has read the request broadcasts if it answers that this is done. Otherwise the client gets the
// note, so that no node owes the value.
func (j *journal) addBroadcast(rec *record, e interop.Entry) {
	value := cmp.Or(string(rec.body.Message), string(rec.body.Element))
	isRequest := rec.body.Type == "broadcast" || rec.body.Type == "add"
	if !isRequest || !isScalar(value) || !isClient(rec.Msg.Src) || len(rec.body.MsgID) == 0 {
		return
	}
	// The line of the broadcast is the receive by the node if this is done, otherwise the send by the client.
	broadcasts := e.Kind == tracefmt.Send && rec.Node == rec.Msg.Src
	if j.done[call{rec.Msg.Src, string(rec.body.MsgID)}] {
		broadcasts = e.Kind == tracefmt.Receive && !isClient(rec.Node)
	}
	if !broadcasts {
		return
	}
	j.addNote(e, "broadcast", interop.JSON("m", []byte(value)))
}

// addReply adds notes for a reply of a node to a client that reads all its values: deliver for each value that
// the node returns for the first time, or more often than before, read for the reply, and lost for missing
// values. A value is lost if a reply from before the client's request had it. The note lost names the number of
// that reply.
func (j *journal) addReply(rec *record, e interop.Entry) {
	// A read of a key returns a value, and a read without a key all values of the node.
	if rec.body.Type == "read" && isClient(rec.Node) && len(rec.body.Key) == 0 {
		j.lists[call{rec.Node, string(rec.body.MsgID)}] = j.repliesOf(rec.Msg.Dest).count
		return
	}
	asked := call{rec.Msg.Dest, string(rec.body.InReplyTo)}
	before, waits := j.lists[asked]
	list := rec.body.Messages
	if len(list) == 0 {
		list = rec.body.Value
	}
	var values []json.RawMessage
	if rec.body.Type != "read_ok" || isClient(rec.Node) || !waits || json.Unmarshal(list, &values) != nil {
		return
	}
	delete(j.lists, asked)
	r := j.repliesOf(rec.Node)
	r.count++
	times := map[string]int{}
	for _, raw := range values {
		value := string(bytes.TrimSpace(raw))
		if !isScalar(value) {
			continue
		}
		times[value]++
		if r.addValue(value, times[value]) {
			j.addNote(e, "deliver", interop.JSON("m", []byte(value)))
		}
	}
	j.addNote(e, "read", interop.Int("read", int64(r.count)), interop.Int("values", int64(len(times))))
	for _, l := range r.removeLost(before) {
		j.addNote(e, "lost", interop.Int("read", int64(l.read)), interop.JSON("values", []byte("["+strings.Join(l.values, ",")+"]")))
	}
}

// repliesOf returns the replies of a node so far.
func (j *journal) repliesOf(node string) *replies {
	r := j.replies[node]
	if r == nil {
		r = &replies{values: map[string]*returned{}}
		j.replies[node] = r
	}
	return r
}

// addValue adds the times-th copy of a value in the present reply. It returns true if no reply has had as many
// copies.
func (r *replies) addValue(value string, times int) (more bool) {
	v := r.values[value]
	if v == nil {
		v = &returned{value: value}
		r.values[value] = v
	}
	v.last = r.count
	if v.since == 0 {
		v.since, r.held = r.count, append(r.held, v)
	}
	more = times > v.times
	v.times = max(v.times, times)
	return more
}

// loss is the number of a reply, and its values that a later reply lacks.
type loss struct {
	read   int
	values []string
}

// removeLost returns the values that the present reply lacks though one of the first before replies had them, grouped
// by that reply. Each value is lost once.
func (r *replies) removeLost(before int) (lost []loss) {
	// The cost is that of the present reply and of the lost values: values since later replies stay where they are.
	first := 0
	for ; first < len(r.held) && r.held[first].since <= before; first++ {
		v := r.held[first]
		if v.last == r.count {
			continue
		}
		if n := len(lost); n == 0 || lost[n-1].read != v.since {
			lost = append(lost, loss{read: v.since})
		}
		at := &lost[len(lost)-1]
		at.values = append(at.values, v.value)
		v.since = 0
	}
	// Moves the values that are not lost to the end of the examined part, which then loses its beginning.
	stay := first
	for i := first - 1; i >= 0; i-- {
		if r.held[i].since != 0 {
			stay--
			r.held[stay] = r.held[i]
		}
	}
	r.held = r.held[stay:]
	return lost
}

// restart is called when the node restarts: it may have forgotten the values that it returned before.
func (r *replies) restart() {
	for _, v := range r.held {
		v.since = 0
	}
	r.held = nil
}

// addNote adds a note with a label.
func (j *journal) addNote(e interop.Entry, label string, fields ...interop.Field) {
	e.Kind, e.Type, e.Fields = tracefmt.Note, label, fields
	j.Add(e)
}

// isScalar reports whether a JSON value is a number or a text.
func isScalar(value string) bool {
	return value != "" && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}
