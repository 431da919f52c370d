package complexity_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// drawDetailRun draws a run of four processes. Its messages have two types, and some are lost, duplicated or in
// transit. It has terms, timers, and spans from a note in to a note out.
func drawDetailRun(t *rapid.T) []tracefmt.Event {
	const n = 4
	var sends, events []tracefmt.Event
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	for range rapid.IntRange(0, 40).Draw(t, "events") {
		p := process.Draw(t, "process")
		e := tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: rapid.SampledFrom([]string{"in", "out", "tick"}).Draw(t, "note")}
		switch choice := rapid.IntRange(0, 9).Draw(t, "what"); {
		case choice < 4:
			e = send(p, process.Draw(t, "to"), tracefmt.MessageID(len(sends)+1), rapid.SampledFrom([]string{"A", "B"}).Draw(t, "type"))
			e.Term = rapid.Int64Range(0, 2).Draw(t, "term")
			sends = append(sends, e)
		case choice < 7 && len(sends) > 0:
			s := rapid.SampledFrom(sends).Draw(t, "of")
			e = receive(s.Process, s.Peer, s.Message)
		case choice == 7 && len(sends) > 0:
			s := rapid.SampledFrom(sends).Draw(t, "of")
			e = lose(s.Process, s.Peer, s.Message, rapid.SampledFrom([]string{"dropped", "receiver crashed"}).Draw(t, "reason"))
		case choice == 8:
			e = tracefmt.Event{Kind: rapid.SampledFrom([]tracefmt.Kind{tracefmt.SetTimer, tracefmt.Timeout}).Draw(t, "timer"), Process: p, Type: "t"}
		}
		events = append(events, e)
	}
	return events
}

// tallied counts messages by looking through all events for each.
func tallied(events []tracefmt.Event, counts func(i int) bool) (t complexity.Tally) {
	for i, s := range events {
		if s.Kind != tracefmt.Send || !counts(i) {
			continue
		}
		fate := tracefmt.InFlight
		for _, e := range events[i:] {
			if e.Message == s.Message {
				fate = max(fate, e.Fate())
			}
		}
		t.Sent++
		switch fate {
		case tracefmt.Delivered:
			t.Delivered++
		case tracefmt.Lost:
			t.Lost++
		case tracefmt.ReceiverCrashed:
			t.ToCrashed++
		default:
			t.InFlight++
		}
	}
	return t
}

// inOut are the spans of drawDetailRun.
type inOut struct{ since []tracefmt.Seq }

func (s *inOut) Step(_ *replay.State, e *tracefmt.Event) {
	switch {
	case e.Kind != tracefmt.Note:
	case e.Type == "in" && s.since[e.Process] == 0:
		s.since[e.Process] = e.Seq
	case e.Type == "out":
		s.since[e.Process] = 0
	}
}
func (s *inOut) Since(p tracefmt.ProcessID) tracefmt.Seq { return s.since[p] }
func (s *inOut) Local() bool                             { return true }

// spanAt returns the index of the event that began the open span of p after the given number of events, -1 if
// it is in none.
func spanAt(events []tracefmt.Event, p tracefmt.ProcessID, after int) int {
	began := -1
	for i, e := range events[:after] {
		switch {
		case e.Kind != tracefmt.Note || e.Process != p:
		case e.Type == "in" && began < 0:
			began = i
		case e.Type == "out":
			began = -1
		}
	}
	return began
}

// spanOf is the span that caused an event: by definition, that which began in its step, else that of
// what the step began with.
func spanOf(events []tracefmt.Event, i int) int {
	p := events[i].Process
	for j := i; j >= 0; j-- {
		e := events[j]
		switch {
		case e.Process != p:
		case e.Kind == tracefmt.Note && e.Type == "in" && spanAt(events, p, j) < 0:
			return j
		// The step began with a message or a timer, so its cause decides; both lie before j.
		case e.Kind == tracefmt.Receive:
			for k := j; k >= 0; k-- {
				if events[k].Kind == tracefmt.Send && events[k].Message == e.Message {
					return spanOf(events, k)
				}
			}
		case e.Kind == tracefmt.Timeout:
			for k := j - 1; k >= 0; k-- {
				if events[k].Kind == tracefmt.SetTimer && events[k].Process == p {
					return timerKey(events, k)
				}
			}
			return -1
		}
	}
	return -1
}

// timerKey returns the cause of a timer by definition: the span in which it is set. In a step that a timer began
// it is the cause of the step.
func timerKey(events []tracefmt.Event, i int) int {
	p := events[i].Process
	for j := i; j >= 0; j-- {
		if e := events[j]; e.Process == p && (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Timeout) {
			if e.Kind == tracefmt.Timeout {
				return spanOf(events, i)
			}
			break
		}
	}
	if began := spanAt(events, p, i); began >= 0 {
		return began
	}
	return spanOf(events, i)
}

var (
	ticks = spec.Operation{Name: "tick", Moments: func(*tracefmt.Run) func(*replay.State, *tracefmt.Event) bool {
		return func(_ *replay.State, e *tracefmt.Event) bool { return e.Kind == tracefmt.Note && e.Type == "tick" }
	}}
	inside = spec.Operation{Name: "inside", Spans: func(run *tracefmt.Run) spec.Spans {
		return &inOut{make([]tracefmt.Seq, len(run.Members)+1)}
	}}
)

func detailed(t *rapid.T, events []tracefmt.Event) (*complexity.Stats, []tracefmt.Event) {
	m := write(newRun(4), events...)
	d := complexity.Detail{Path: true, Per: []*spec.Operation{&ticks, &inside}}
	for _, name := range []string{"type", "process", "link", "term"} {
		g, err := complexity.ParseGrouping(name)
		if err != nil {
			t.Fatal(err)
		}
		d.By = append(d.By, g)
	}
	s, err := complexity.CountDetailed(m, d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		events[i].Seq = tracefmt.Seq(i + 1)
	}
	return s, events
}

// TestBreakdowns: each group has the messages that a search through all events finds, and together
// they are all that are sent.
func TestBreakdowns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, events := detailed(t, drawDetailRun(t))
		names := map[string]func(e *tracefmt.Event) []string{
			"type":    func(e *tracefmt.Event) []string { return []string{e.Type} },
			"process": func(e *tracefmt.Event) []string { return []string{fmt.Sprint(e.Process)} },
			"link":    func(e *tracefmt.Event) []string { return []string{fmt.Sprint(e.Process), fmt.Sprint(e.Peer)} },
		}
		for _, b := range s.Breakdowns {
			var sum int64
			for _, g := range b.Groups {
				if groupOf := names[b.Grouping]; groupOf != nil {
					want := tallied(events, func(i int) bool { return slices.Equal(groupOf(&events[i]), g.Name) })
					want.Carried = g.Carried
					if g.Tally != want {
						t.Fatalf("by %s: %v has %+v, want %+v", b.Grouping, g.Name, g.Tally, want)
					}
				}
				sum += g.Sent
			}
			if sum != s.Messages.Sent && !(b.Grouping == "term" && sum == 0) {
				t.Fatalf("by %s: %d messages, want %d", b.Grouping, sum, s.Messages.Sent)
			}
		}
	})
}

// TestCriticalPath: it is as long as the causal depth, and each message of it is sent after the one
// before was received, at the same process.
func TestCriticalPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, events := detailed(t, drawDetailRun(t))
		if int64(len(s.CriticalPath)) != s.CausalDepth || s.CausalDepth != chain(events) {
			t.Fatalf("the path has %d messages, the causal depth is %d, want %d", len(s.CriticalPath), s.CausalDepth, chain(events))
		}
		for i, h := range s.CriticalPath {
			sent, received := events[h.Sent-1], events[h.Received-1]
			if sent.Kind != tracefmt.Send || received.Kind != tracefmt.Receive || sent.Message != received.Message || h.Sent > h.Received {
				t.Fatalf("hop %d: %+v and %+v are no message", i, sent, received)
			}
			if i == 0 {
				continue
			}
			before := s.CriticalPath[i-1]
			if before.To != h.From || before.Received > h.Sent {
				t.Fatalf("hop %d: %+v does not follow %+v", i, h, before)
			}
		}
	})
}

// TestPerMoment: what is sent from one to the next, by counting sends between their seqs.
func TestPerMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, events := detailed(t, drawDetailRun(t))
		cuts := []int{0}
		for i, e := range events {
			if e.Kind == tracefmt.Note && e.Type == "tick" {
				cuts = append(cuts, i)
			}
		}
		cuts = append(cuts, len(events))
		per := s.Per[0]
		got := []complexity.Tally{per.WarmUp}
		for _, each := range per.Each {
			got = append(got, each.Tally)
		}
		if len(cuts) > 2 { // else all is warm-up
			got = append(got, per.Rest)
		}
		for k, g := range got {
			start, end := cuts[k], cuts[k+1]
			want := tallied(events, func(i int) bool { return start <= i && i < end })
			want.Carried = g.Carried
			if g != want {
				t.Fatalf("part %d of %v: %+v, want %+v", k, cuts, g, want)
			}
		}
	})
}

// TestPerSpan: what a span causes, by the definition. All messages belong to a span, to
// the warm-up or to the rest.
func TestPerSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, events := detailed(t, drawDetailRun(t))
		per := s.Per[1]
		first := len(events)
		for i := range events {
			if spanAt(events, events[i].Process, i+1) == i {
				first = min(first, i)
			}
		}
		check := func(name string, got complexity.Tally, counts func(i int) bool) {
			want := tallied(events, counts)
			want.Carried = got.Carried
			if got != want {
				t.Fatalf("%s: %+v, want %+v", name, got, want)
			}
		}
		for _, each := range per.Each {
			check(fmt.Sprint("the span from ", each.From), each.Tally, func(i int) bool { return spanOf(events, i) == int(each.From)-1 })
		}
		check("warm-up", per.WarmUp, func(i int) bool { return i < first })
		check("rest", per.Rest, func(i int) bool { return i > first && spanOf(events, i) < 0 })
		if per.Count > 0 {
			mean, sum := per.Mean, int64(0)
			for _, each := range per.Each {
				sum += each.Sent
			}
			if mean.Num().Int64()*per.Count != sum*mean.Denom().Int64() {
				t.Fatalf("the mean of %d in %d is %s", sum, per.Count, mean.RatString())
			}
			smallest := slices.MinFunc(per.Each, func(a, b complexity.OneOfThese) int { return cmp.Compare(a.Sent, b.Sent) })
			if *per.Min != smallest.Sent {
				t.Fatalf("the least is %d, want %d", *per.Min, smallest.Sent)
			}
		}
	})
}
