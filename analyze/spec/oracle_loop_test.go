package spec_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// rounds is how often the oracle goes round a loop: often enough for any rule
// that is drawn to show what it ever will.
const rounds = 8

// loopKinds are what processes do by themselves. Twice the same of these leads
// to the same state, whatever was before.
var loopKinds = []tracefmt.Kind{tracefmt.Suspect, tracefmt.Trust, tracefmt.State, tracefmt.Timeout}

// unrolled is a stem and a number of rounds.
func unrolled(stem, loop []tracefmt.Event, rounds int) []tracefmt.Event {
	events := slices.Clone(stem)
	for range rounds {
		start := tracefmt.Time(0)
		if len(events) > 0 {
			start = events[len(events)-1].Time
		}
		for _, e := range loop {
			e.Seq, e.Time = tracefmt.Seq(len(events)+1), start+e.Time
			events = append(events, e)
		}
	}
	return events
}

// looping is the run that goes round the loop twice, and notes that it is one.
func looping(run tracefmt.Run, stem, loop []tracefmt.Event) *tracefmt.Memory {
	m := tracefmt.NewMemory(run)
	events := unrolled(stem, loop, 2)
	for i := range events {
		_ = m.Write(&events[i]) // a Memory takes every event
	}
	last := events[len(events)-1]
	_ = m.Write(&tracefmt.Event{
		Seq: last.Seq + 1, Time: last.Time, Kind: tracefmt.Note, Type: tracefmt.LoopNote,
		Payload: fmt.Appendf(nil, `{"from":%d,"to":%d}`, len(stem)+len(loop), len(events)),
	})
	m.Finish(tracefmt.Stopped)
	return m
}

// TestOracleOfLoops: the verdict on a run that ends in a loop is true of the run that repeats the loop many times. It
// may be unknown.
func TestOracleOfLoops(t *testing.T) {
	seen := map[string]int{}
	size.Check(t, 150, 1_200, 10_000, func(t *rapid.T) {
		run := drawProcesses(t)
		run.Source = tracefmt.Simulated // of others, no loop is proven
		stem := drawEvents(t, drawnKinds, len(run.Members), 0, 6)
		loop := drawEvents(t, loopKinds, len(run.Members), 1, 4)
		form, rule, decide := drawRule(t)
		o := oracle{run: &run, events: unrolled(stem, loop, rounds), due: len(stem) + 2*len(loop)}
		want := decide(o, true)
		if form == "at end" { // every state of the loop is an end
			want.wrong = 0
			for i := range loop {
				o.events = unrolled(stem, loop, rounds)[:o.due-i]
				want.wrong += decide(o, true).wrong
			}
		}
		report := check(t, looping(run, stem, loop), rule)
		if !report.Ending.Looping() {
			t.Fatalf("the loop of %v and %v is not believed: %s", stem, loop, report.Ending.Doubt)
		}
		r := report.Results[0]
		switch {
		case r.Verdict == analyze.Unknown, r.Verdict == analyze.NotApplicable && r.Examined == 0:
		case r.Verdict == analyze.Violated && want.wrong > 0:
		case r.Verdict == analyze.Satisfied && want.wrong == 0 && want.examined > 0:
		case r.Verdict == analyze.Vacuous && want.examined == 0:
		default:
			t.Fatalf("%s over %v and again and again %v: got %s (%s), the oracle says %+v", rule, stem, loop, r.Verdict, r.Explanation, want)
		}
		seen[form+" "+string(r.Verdict)]++
	})
	expectDrawn(t, seen, forms, analyze.Violated, analyze.Satisfied)
}
