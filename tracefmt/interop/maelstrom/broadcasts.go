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

// replies are those of a node to reads of all its values.
type replies struct {
	count  int                  // of them so far
	values map[string]*returned // by JSON text
	order  []string             // of the values, by their first replies
}

// returned is a value that a node has returned to a client.
type returned struct {
	times int // most often in one reply
	// since and last are the first reply that the node must repeat it after, 0 for none, and the last that has it.
	since, last int
}

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
	j.note(e, "broadcast", interop.JSON("m", []byte(value)))
}

// show notes what a node returns to a client that reads all its values: that it delivers the values that it returns for the
// first time, twice what is twice in one reply, and that it reads. Lost are the values that the node returned before the client
// asked, and returns no more: a note lost has them, with the number of the earlier read.
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

func (j *journal) repliesOf(node string) *replies {
	r := j.replies[node]
	if r == nil {
		r = &replies{values: map[string]*returned{}}
		j.replies[node] = r
	}
	return r
}

// take takes in a value of the present reply with its count so far, and reports whether no reply had the value as often.
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

// loss is the number of a reply, and the values of it that a later reply lacks.
type loss struct {
	read   int
	values []string
}

// lost returns the values that the present reply lacks, though one of the first replies had them: by that reply. Each value is
// lost once.
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

// restart takes in that the node begins anew: it may have forgotten what it returned before.
func (r *replies) restart() {
	for _, v := range r.values {
		v.since = 0
	}
}

func (j *journal) note(e interop.Entry, label string, fields ...interop.Field) {
	e.Kind, e.Type, e.Fields = tracefmt.Note, label, fields
	j.Add(e)
}

// scalar reports whether a JSON value is a number or a text.
func scalar(value string) bool {
	return value != "" && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}
