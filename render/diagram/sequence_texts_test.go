package diagram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// crowd is a run of n processes that send to all others in each of three rounds, and deliver when the first message of the
// last one arrives: a note of each is where most arrows are.
func crowd(n int) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{Problem: tracefmt.Broadcast, TimeUnit: tracefmt.Delays})
	for p := range n {
		m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: fmt.Sprint(p + 1), Position: p + 1})
	}
	seq, sends := tracefmt.Seq(0), []tracefmt.Event{}
	write := func(e tracefmt.Event) tracefmt.Event {
		seq++
		e.Seq, e.Lamport = seq, int64(seq)
		m.Write(&e)
		return e
	}
	each := func(f func(p tracefmt.ProcessID)) {
		for p := range n {
			f(tracefmt.ProcessID(p + 1))
		}
	}
	const rounds = 3
	delivered := make([]bool, n+1)
	for round := range rounds + 1 {
		now := tracefmt.Time(round) * tracefmt.Unit
		for _, e := range sends {
			write(tracefmt.Event{
				Time: now, Kind: tracefmt.Receive, Process: e.Peer, Peer: e.Process, Type: e.Type,
				Payload: e.Payload, Message: e.Message, Cause: e.Seq,
			})
			if round == rounds && !delivered[e.Peer] {
				delivered[e.Peer] = true
				write(tracefmt.Event{Time: now, Kind: tracefmt.Note, Process: e.Peer, Type: "deliver", Payload: []byte(`{"m":"1.1","sender":1}`)})
			}
		}
		sends = sends[:0]
		if round == rounds {
			break
		}
		each(func(p tracefmt.ProcessID) {
			each(func(q tracefmt.ProcessID) {
				if p != q {
					sends = append(sends, write(tracefmt.Event{
						Time: now, Kind: tracefmt.Send, Process: p, Peer: q, Type: "READY",
						Payload: []byte(`{"sender":1,"number":1,"m":"1.1"}`), Message: tracefmt.MessageID(seq + 1),
					}))
				}
			})
		})
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// TestNotesHaveTheirLabels: among any number of arrows the text of each note is readable, in its own lane, at the right
// of its lifeline and before the mark on the next one; what is written at the last lifeline is in the picture.
func TestNotesHaveTheirLabels(t *testing.T) {
	for _, n := range []int{3, 4, 5, 8} {
		d := build(t, sequenceDiagram, crowd(n), story.Options{})
		heads := make([]drawing.Node, n)
		for _, node := range d.Layers[Lines].Nodes {
			for p := range n {
				if node.ID == nodeID(tracefmt.ProcessID(p+1)) {
					heads[p] = node
				}
			}
		}
		labels := nodesOf(d, markLabel)
		if len(labels) != n {
			t.Errorf("%d processes: %d of the notes have a label", n, len(labels))
		}
		for _, label := range labels {
			p := 0
			for p+1 < n && heads[p+1].X < label.X {
				p++
			}
			end := d.Width
			if p+1 < n {
				end = heads[p+1].X - noteHalf
			}
			if from, to := label.X-label.W/2, label.X+label.W/2; from <= heads[p].X+noteHalf || to >= end {
				t.Errorf("%d processes: %q from %g to %g is not between %g and %g", n, label.Text, from, to, heads[p].X, end)
			}
		}
	}
}

// TestMarksSideBySide: where timers of all processes expire at once, each has its label at its right, before the mark on the next
// lifeline.
func TestMarksSideBySide(t *testing.T) {
	const n = 5
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays})
	for p := range n {
		m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: fmt.Sprint(p + 1), Position: p + 1})
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(p + 1), Kind: tracefmt.Timeout, Process: tracefmt.ProcessID(p + 1), Type: "work"})
	}
	m.Finish(tracefmt.Stopped)
	d := build(t, sequenceDiagram, m, story.Options{})
	labels := nodesOf(d, markLabel)
	if len(labels) != n {
		t.Errorf("%d of %d timeouts have a label", len(labels), n)
	}
	for i, mark := range nodesOf(d, timeoutMark)[:len(labels)] {
		if labels[i].X-labels[i].W/2 <= mark.X || labels[i].Y != mark.Y {
			t.Errorf("process %d: the label at %g, %g is not at the right of %g, %g", i+1, labels[i].X, labels[i].Y, mark.X, mark.Y)
		}
	}
}

// noteHalf is half the size of the mark of a note.
const noteHalf = 4

// TestTextsLeaveStartsFree: no text hides where messages leave.
func TestTextsLeaveStartsFree(t *testing.T) {
	rec := load(t, "bully")
	for _, past := range []string{"22", "40"} {
		selected := view.Selection{Past: past}
		v, err := selected.Resolve(t.Context(), rec)
		if err != nil {
			t.Fatal(err)
		}
		d := build(t, sequenceDiagram, rec, story.Options{View: v})
		for _, dot := range nodesOf(d, sendDot) {
			for _, style := range []*drawing.Style{messageLabel, markLabel, valueLabel} {
				for _, n := range nodesOf(d, style) {
					if bounds(&n).overlaps(bounds(&dot)) {
						t.Errorf("past %s: %q is upon the send at %g, %g", past, n.Text, dot.X, dot.Y)
					}
				}
			}
		}
	}
}

// textsOf returns the texts of a drawing.
func textsOf(d *drawing.Drawing) (texts []string) {
	for _, n := range nodes(d) {
		if n.Text != "" {
			texts = append(texts, n.Text)
		}
	}
	return texts
}

// TestTextsAreWhole: a type that does not fit between two lifelines is not written in part, as the arrow has its look. A message
// to a crashed process has its payload. A type fits where its payload does not. The line of a fold has all its words, if these fit.
func TestTextsAreWhole(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Nanoseconds})
	for p := range 12 {
		m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: fmt.Sprint(p + 1), Position: p + 1})
	}
	write := func(e tracefmt.Event) tracefmt.Seq {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		e.Time = tracefmt.Time(e.Seq) * tracefmt.Unit / 32
		m.Write(&e)
		return e.Seq
	}
	id := tracefmt.MessageID(0)
	send := func(receiver tracefmt.ProcessID, typ, payload string, end tracefmt.Kind) {
		id++
		sent := write(tracefmt.Event{
			Kind: tracefmt.Send, Process: 1, Peer: receiver, Type: typ, Message: id, Payload: []byte(payload),
		})
		if end == tracefmt.Lose {
			payload = `{"reason":"receiver crashed"}`
		}
		write(tracefmt.Event{Kind: end, Process: receiver, Peer: 1, Type: typ, Message: id, Cause: sent, Payload: []byte(payload)})
	}
	for range 9 {
		send(2, "beat", "{}", tracefmt.Receive)
	}
	send(2, "announcement", "{}", tracefmt.Receive)
	send(3, "result", `{"members":"n1 and n2 and n3"}`, tracefmt.Receive)
	write(tracefmt.Event{Kind: tracefmt.Crash, Process: 12})
	send(12, "ask", `{"id":7}`, tracefmt.Lose)
	m.Finish(tracefmt.Stopped)
	s, err := story.Read(t.Context(), m, story.Options{View: view.View{Fold: true, KeepIdle: true}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := sequenceDiagram.Build(t.Context(), s, Layout{Width: 900, Height: 700, Spacing: Tight})
	if err != nil {
		t.Fatal(err)
	}
	texts := textsOf(d)
	if at := slices.Index(texts, "result"); !slices.Contains(texts[at+1:], "result") { // in the legend, and on the arrow
		t.Errorf("no arrow with result in %q", texts)
	}
	for _, want := range []string{"ask(7)", "the same 8 times more, to +531.250 ms: 16 events not shown"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
	for _, text := range texts {
		if strings.HasPrefix(text, "ann") && text != "announcement" {
			t.Errorf("a part of a type: %q", text)
		}
	}
}

// TestSteepArrows: a label nearly as wide as the gap between two lifelines may be high or low on a steep arrow, which crosses
// the label anywhere.
func TestSteepArrows(t *testing.T) {
	s := &sequence{width: 190}
	sent, arrives := drawing.At(200, 0), drawing.At(10, 130)
	const label = "AppendEntries {Term:1}"
	w := messageLabel.TextWidth(label) + 4
	high, low := false, false
	for _, at := range s.alongArrow(sent, arrives, label) {
		b := box{at.X - w/2, at.Y - labelHeight/2, at.X + w/2, at.Y + labelHeight/2}
		if b.x0 < 10+6-1e-6 || b.x1 > 200-6+1e-6 || !(segment{sent, arrives}).crosses(b.grow(-2)) {
			t.Errorf("a label from %.0f to %.0f at the height %.0f is on a lifeline, or not on the arrow", b.x0, b.x1, at.Y)
		}
		high, low = high || at.Y < 65-2*labelHeight, low || at.Y > 65+2*labelHeight
	}
	if !high || !low {
		t.Error("all places are in the middle of the arrow")
	}
}
