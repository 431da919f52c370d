package termination_test

import (
	"fmt"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/termination"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) {
	interaction.Run(t, termination.All(), func(m *tracefmt.Memory) string { return watch(m).String() })
}

// watched is what an onlooker who sees everything knows of the base computation of a run.
type watched struct {
	m *tracefmt.Memory
	// ended is the event with which it ended: none is active, and no WORK on its way.
	ended     tracefmt.Seq
	announced []tracefmt.Seq
	// early are the announcements where it had not ended.
	early []tracefmt.Seq
}

// watch follows a run event by event.
func watch(m *tracefmt.Memory) *watched {
	w := &watched{m: m}
	active, flying := map[tracefmt.ProcessID]bool{}, map[tracefmt.MessageID]bool{}
	for e := range m.Events(1) {
		before := len(active) + len(flying)
		switch {
		case e.Kind == tracefmt.Note && e.Type == "active":
			active[e.Process] = true
		case e.Kind == tracefmt.Note && e.Type == "passive", e.Kind == tracefmt.Crash:
			delete(active, e.Process)
		case e.Kind == tracefmt.Send && e.Type == "WORK":
			flying[e.Message] = true
		case e.Kind == tracefmt.Note && e.Type == "announce":
			w.announced = append(w.announced, e.Seq)
			if len(active)+len(flying) > 0 {
				w.early = append(w.early, e.Seq)
			}
		case e.Kind == tracefmt.Lose || e.Kind == tracefmt.Receive:
			delete(flying, e.Message) // who receives it is active in the same step
		}
		if now := len(active) + len(flying); now == 0 && before > 0 {
			w.ended = e.Seq
		}
	}
	return w
}

func (w *watched) at(seq tracefmt.Seq) string {
	return fmt.Sprintf("%s@%v", w.m.Run().ProcessName(w.m.At(seq).Process), w.m.At(seq).Time)
}

// String describes the end of the computation, its time, and the announcement.
func (w *watched) String() string {
	s := "ended: "
	if w.ended == 0 {
		s += "there was nothing to do"
	} else {
		s += w.at(w.ended)
	}
	s += "; announced:"
	for _, seq := range w.announced {
		s += " " + w.at(seq)
	}
	if w.announced == nil {
		s += " never"
	}
	if w.early != nil {
		s += ", too early"
	}
	return s + "\n"
}
