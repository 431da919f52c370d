package maelstrom

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// replies are the replies of a node to reads of all its values.
type replies struct {
	// count is the number of replies so far.
	count  int
	values map[string]*returned // by JSON text
	// order has the values in the order of their first replies.
	order []string
}

// returned is a value that a node has returned to a client.
type returned struct {
	// times is the greatest number of copies in one reply.
	times int
	// since is the first reply after which the node must return the value again, 0 for none. last is the last reply
	// with the value.
	since, last int
}

// broadcast notes that a node broadcasts a value at the request of a client: broadcast or, for a set, add. The note
// is at the node that received the request, if the node confirms it. An unanswered request is noted at the client, so
// that no node owes the value.
func (j *journal) broadcast(rec *record, e interop.Entry) {
	value := cmp.Or(string(rec.body.Message), string(rec.body.Element))
	if rec.body.Type != "broadcast" && rec.body.Type != "add" || !scalar(value) || !isClient(rec.Msg.Src) || len(rec.body.MsgID) == 0 {
		return
	}
	done := j.done[call{rec.Msg.Src, string(rec.body.MsgID)}]
	if done != (e.Kind == tracefmt.Receive) || done && isClient(rec.Node) || !done && rec.Node != rec.Msg.Src {
		return
	}
	j.note(e, "broadcast", interop.JSON("m", []byte(value)))
}

// show notes what a node returns when a client reads all its values. The node delivers each value that it returns for
// the first time; a value that is twice in one reply is delivered twice. A note lost has the values that the node
// returned before the client asked and does not return now, with the number of the earlier read.
func (j *journal) show(rec *record, e interop.Entry) {
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
		if !scalar(value) {
			continue
		}
		times[value]++
		if r.take(value, times[value]) {
			j.note(e, "deliver", interop.JSON("m", []byte(value)))
		}
	}
	j.note(e, "read", interop.Int("read", int64(r.count)), interop.Int("values", int64(len(times))))
	for _, l := range r.lost(before) {
		j.note(e, "lost", interop.Int("read", int64(l.read)), interop.JSON("values", []byte("["+strings.Join(l.values, ",")+"]")))
	}
}

// repliesOf returns the replies of a node, which it creates if necessary.
func (j *journal) repliesOf(node string) *replies {
	r := j.replies[node]
	if r == nil {
		r = &replies{values: map[string]*returned{}}
		j.replies[node] = r
	}
	return r
}

// take records a value of the present reply with its number of copies so far. It reports whether no earlier reply had
// as many.
func (r *replies) take(value string, times int) (more bool) {
	v := r.values[value]
	if v == nil {
		v = new(returned)
		r.values[value], r.order = v, append(r.order, value)
	}
	v.last = r.count
	if v.since == 0 {
		v.since = r.count
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

// lost returns the values that the present reply lacks, although an earlier reply, up to the number before, had them.
// They are grouped by that reply. Each value is lost once.
func (r *replies) lost(before int) (lost []loss) {
	for _, value := range r.order {
		v := r.values[value]
		if v.last == r.count || v.since == 0 || v.since > before {
			continue
		}
		i := slices.IndexFunc(lost, func(l loss) bool { return l.read == v.since })
		if i < 0 {
			i, lost = len(lost), append(lost, loss{read: v.since})
		}
		lost[i].values = append(lost[i].values, value)
		v.since = 0
	}
	return lost
}

// restart records that the node restarted: it may have forgotten the values that it returned before.
func (r *replies) restart() {
	for _, v := range r.values {
		v.since = 0
	}
}

// note adds a note with a label.
func (j *journal) note(e interop.Entry, label string, fields ...interop.Field) {
	e.Kind, e.Type, e.Fields = tracefmt.Note, label, fields
	j.Add(e)
}

// scalar reports whether a JSON value is a number or a text.
func scalar(value string) bool {
	return value != "" && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}
