package snapshot_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/snapshot"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) {
	interaction.Run(t, snapshot.All(), func(m *tracefmt.Memory) string { return watch(m).String() })
}

// part is what a process has recorded.
type part struct {
	name               string
	recorded, complete tracefmt.Seq
	State              int64
	Sent, Received     map[string]int64
	Channels           map[string]int64
	// Before is the sender of the last message before the recording, if that is not in the state.
	Before any
}

// watched is what an onlooker who sees everything knows of the snapshot of a run.
type watched struct {
	m     *tracefmt.Memory
	parts []part // by process, from 0
	// orphans are the receipts of MONEY before the receiver's recording that was sent after the
	// sender's.
	orphans []tracefmt.Seq
}

// watch follows a run.
func watch(m *tracefmt.Memory) *watched {
	w := &watched{m: m}
	for _, member := range m.Run().Members {
		w.parts = append(w.parts, part{name: member.Name})
	}
	for e := range m.Events(1) {
		if e.Kind != tracefmt.Note {
			continue
		}
		p := &w.parts[e.Process-1]
		if err := json.Unmarshal(e.Payload, p); err != nil {
			panic(err)
		}
		p.complete = e.Seq
		if e.Type == "record" {
			p.recorded = e.Seq
			if p.Received == nil {
				p.complete = 0 // its channels are to come
			}
		}
	}
	after := func(seq tracefmt.Seq, p tracefmt.ProcessID) bool {
		recorded := w.parts[p-1].recorded
		return recorded > 0 && seq > recorded
	}
	late := map[tracefmt.MessageID]bool{}
	for e := range m.Events(1) {
		switch {
		case e.Kind == tracefmt.Send && e.Type == "MONEY" && after(e.Seq, e.Process):
			late[e.Message] = true
		case e.Kind == tracefmt.Receive && late[e.Message] && w.parts[e.Process-1].recorded > e.Seq:
			w.orphans = append(w.orphans, e.Seq)
		case e.Process > 0 && w.parts[e.Process-1].recorded == e.Seq && w.parts[e.Process-1].Before != nil:
			w.notTaken(e)
		}
	}
	return w
}

// notTaken takes back the orphan that made its receiver record first.
func (w *watched) notTaken(record *tracefmt.Event) {
	last := len(w.orphans) - 1
	r := w.m.At(w.orphans[last])
	if before := fmt.Sprint(w.parts[record.Process-1].Before); r.Process != record.Process || r.Time != record.Time ||
		before != w.m.Run().ProcessName(r.Peer) {
		panic("the message before the recording is another one")
	}
	w.orphans = w.orphans[:last]
}

// isComplete reports whether all have recorded all.
func (w *watched) isComplete() bool {
	return !slices.ContainsFunc(w.parts, func(p part) bool { return p.complete == 0 })
}

// channel is what was on its way from p to q, as recorded.
func (w *watched) channel(p, q *part) int64 {
	if q.Channels != nil {
		return q.Channels[p.name]
	}
	return p.Sent[q.name] - q.Received[p.name]
}

// sum is what is recorded in all.
func (w *watched) sum() (sum int64) {
	for i := range w.parts {
		p := &w.parts[i]
		for j := range w.parts {
			if i != j {
				sum += w.channel(p, &w.parts[j])
			}
		}
		sum += p.State
	}
	return sum
}

// String lists the recorded states with times, the channels that were not empty, and the sum.
func (w *watched) String() string {
	line := "recorded:"
	channels := ""
	for i := range w.parts {
		p := &w.parts[i]
		if p.recorded == 0 {
			line += fmt.Sprintf(" %s never", p.name)
			continue
		}
		line += fmt.Sprintf(" %s %d@%v", p.name, p.State, w.m.At(p.recorded).Time)
		for j := range w.parts {
			if q := &w.parts[j]; i != j && q.recorded > 0 && w.channel(p, q) != 0 {
				channels += fmt.Sprintf(" %s>%s %d", p.name, q.name, w.channel(p, q))
			}
		}
	}
	line += strings.Replace("; channels:"+channels, "channels:", "channels empty", map[bool]int{true: 1}[channels == ""])
	if w.isComplete() {
		line += fmt.Sprintf("; sum %d of %d", w.sum(), 100*len(w.parts))
	} else {
		line += "; not complete"
	}
	for _, seq := range w.orphans {
		e := w.m.At(seq)
		line += fmt.Sprintf("; %s>%s of %v is received and not sent", w.m.Run().ProcessName(e.Peer), w.m.Run().ProcessName(e.Process), e.Time)
	}
	return line + "\n"
}
