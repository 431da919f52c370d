package rerun_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/replay/rerun"
	"etrace/replay/rerun/conform"
	"etrace/tracefmt"
)

// small is a run of a handful of everything: starts, a crash, a recovery,
// timers, losses, a partition, lists and tables in other tests.
const small = "{algorithm: bully, ids: 1-4, down: 4, start: [1, 2@0.5], crash: 3@2.5, recover: 4@9, " +
	"drop: 'OK:3>1#1', partition: '1,2|3,4@4-5'}"

func parse(t rapid.TB, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s.Complete()
	return s
}

func record(t rapid.TB, text string) *tracefmt.Memory {
	t.Helper()
	m, err := rerun.Record(context.Background(), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	m.Run().Number = 1
	return m
}

func verify(t rapid.TB, rec tracefmt.Recording) *rerun.Divergence {
	t.Helper()
	d, err := rerun.Verify(context.Background(), builtin.Algorithms(), rec)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestVerify: what was simulated executes again identically, whatever is
// random in it.
func TestVerify(t *testing.T) {
	for _, text := range []string{
		small,
		"{ids: 0-7, down: 7, start: 4}",
		"{algorithm: ring, ids: '3,1,4,2', start: all}",
		"{algorithm: basu, ids: 1-6, down: '1,6', coordinator: 5, recover: 1@0, start: 2@3}",
		"{algorithm: bully-wikipedia, nodes: 6, start: all, delay: exponential(1), loss: 0.2, duplicate: 0.3, seed: 7, until: 60}",
		"{algorithm: chang-roberts, nodes: 5, start: 2, crash: 5@3.5}", // ends in a loop
		"{algorithm: chang-roberts, nodes: 5, start: all, reorder: true, delay: 'uniform(0.5,9)', seed: -3}",
		"{algorithm: bully, nodes: 3, max-events: 7, start: 1}",
	} {
		if d := verify(t, record(t, text)); d != nil {
			t.Errorf("%s: differs at seq %d in %v", text, d.Seq, d.Differences)
		}
	}
}

// fields names what differs.
func fields(d *rerun.Divergence) string {
	var names []string
	for _, x := range d.Differences {
		names = append(names, x.Field)
	}
	return strings.Join(names, ", ")
}

// changes are one change each of a field of an event.
var changes = []struct {
	field  string
	change func(e *tracefmt.Event)
}{
	{"seq", func(e *tracefmt.Event) { e.Seq++ }},
	{"time", func(e *tracefmt.Event) { e.Time++ }},
	{"kind", func(e *tracefmt.Event) { e.Kind ^= 1 }},
	{"process", func(e *tracefmt.Event) { e.Process ^= 1 }},
	{"peer", func(e *tracefmt.Event) { e.Peer ^= 1 }},
	{"type", func(e *tracefmt.Event) { e.Type += "x" }},
	{"message", func(e *tracefmt.Event) { e.Message++ }},
	{"cause", func(e *tracefmt.Event) { e.Cause++ }},
	{"lamport", func(e *tracefmt.Event) { e.Lamport-- }},
	{"term", func(e *tracefmt.Event) { e.Term++ }},
}

// TestVerifyFindsEveryChange: each field of each event, and each byte of each
// payload.
func TestVerifyFindsEveryChange(t *testing.T) {
	rec := record(t, small)
	if rec.Len() < 40 {
		t.Fatalf("%d events are too few to test with", rec.Len())
	}
	expect := func(seq tracefmt.Seq, field string) {
		t.Helper()
		d := verify(t, rec)
		if d == nil || d.Seq != seq || fields(d) != field || d.Recorded == nil || d.Executed == nil {
			t.Fatalf("seq %d, %s: found %+v", seq, field, d)
		}
	}
	for seq := tracefmt.Seq(1); int(seq) <= rec.Len(); seq++ {
		e := rec.At(seq)
		original := *e
		for _, c := range changes {
			c.change(e)
			expect(seq, c.field)
			*e = original
		}
		for i := range e.Payload {
			e.Payload[i] ^= 1
			expect(seq, "payload")
			e.Payload[i] ^= 1
		}
	}
	if d := verify(t, rec); d != nil {
		t.Errorf("what was changed and put back differs at seq %d", d.Seq)
	}
}

// TestVerifyFindsAnotherEnd: an event less, an event more, another word for the
// end, another count, another description.
func TestVerifyFindsAnotherEnd(t *testing.T) {
	complete := record(t, small)
	last := tracefmt.Seq(complete.Len())
	cut := func(n int, end tracefmt.End) *tracefmt.Memory {
		m := tracefmt.NewMemory(*complete.Run())
		for e := range complete.Events(1) {
			if m.Len() < n {
				_ = m.Write(e)
			}
		}
		m.Finish(end)
		return m
	}
	longer := cut(int(last), tracefmt.Quiescent)
	_ = longer.Write(&tracefmt.Event{Seq: last + 1, Kind: tracefmt.Note})
	longer.Finish(tracefmt.Quiescent)
	miscounted := cut(int(last), tracefmt.Quiescent)
	miscounted.Run().Events--
	renamed := cut(int(last), tracefmt.Quiescent)
	renamed.Run().Members = slices.Clone(renamed.Run().Members)
	renamed.Run().Members[2].Name = "33"
	for _, tt := range []struct {
		name               string
		rec                *tracefmt.Memory
		seq                tracefmt.Seq
		fields             string
		recorded, executed bool
	}{
		{"cut", cut(int(last)-1, tracefmt.Quiescent), last, "end", false, true},
		{"interrupted", cut(20, tracefmt.Stopped), 21, "end", false, true},
		{"empty", cut(0, tracefmt.Open), 1, "end", false, true},
		{"longer", longer, last + 1, "end", true, false},
		{"stopped", cut(int(last), tracefmt.Stopped), last + 1, "end", false, false},
		{"miscounted", miscounted, last + 1, "count of events", false, false},
		{"renamed", renamed, 0, "members", false, false},
	} {
		d := verify(t, tt.rec)
		if d == nil || d.Seq != tt.seq || fields(d) != tt.fields || (d.Recorded != nil) != tt.recorded || (d.Executed != nil) != tt.executed {
			t.Errorf("%s: found %+v", tt.name, d)
		}
	}
}

// TestPast: the events that led to a difference are the last ones of its
// process and the sends of what it received.
func TestPast(t *testing.T) {
	rec := record(t, "{ids: 1-3, down: 3, start: 1}")
	// 1 asks 2 at seq 5; 2 receives that and answers; 1 receives the answer.
	var answer *tracefmt.Event
	for e := range rec.Events(1) {
		if e.Kind == tracefmt.Receive && e.Type == "OK" {
			answer = rec.At(e.Seq)
			break
		}
	}
	answer.Lamport++
	d := verify(t, rec)
	if len(d.RecordedPast) != 4 {
		t.Fatalf("%d events led to it, want the last 3 of the process and the send", len(d.RecordedPast))
	}
	send := d.RecordedPast[len(d.RecordedPast)-1]
	if send.Kind != tracefmt.Send || send.Seq != answer.Cause {
		t.Errorf("the last before it is the %v at seq %d, want the send at seq %d", send.Kind, send.Seq, answer.Cause)
	}
	for _, e := range d.RecordedPast[:3] {
		if e.Process != 1 {
			t.Errorf("seq %d of process %d is among the last events of process 1", e.Seq, e.Process)
		}
	}
}

// TestPastFromTheFirst: the first event of the run is in the past of the second one of its process.
func TestPastFromTheFirst(t *testing.T) {
	rec := record(t, "{ids: 1-3, down: 3, start: 1}")
	for seq := tracefmt.Seq(2); ; seq++ {
		if e := rec.At(seq); e.Process == rec.At(1).Process {
			e.Lamport++
			break
		}
	}
	if d := verify(t, rec); len(d.RecordedPast) != 1 || d.RecordedPast[0].Seq != 1 {
		t.Errorf("led to it: %v, want seq 1", d.RecordedPast)
	}
}

func TestVerifyWithoutScenario(t *testing.T) {
	rec := record(t, small)
	rec.Run().Scenario = nil
	_, err := rerun.Verify(context.Background(), builtin.Algorithms(), rec)
	if !errors.Is(err, rerun.ErrNoScenario) || !strings.HasPrefix(err.Error(), "run 1 ") {
		t.Errorf("error %v, want one of %v that names the run", err, rerun.ErrNoScenario)
	}
	rec.Run().Scenario = []byte(`{"algorithm":"bulli","ids":"1-3"}`)
	if _, err := rerun.Verify(context.Background(), builtin.Algorithms(), rec); err == nil ||
		!strings.Contains(err.Error(), `did you mean "bully"?`) {
		t.Errorf("error %v, want one about the algorithm", err)
	}
}

// TestVerifyFindsAChangedAlgorithm: the same scenario, another rule.
func TestVerifyFindsAChangedAlgorithm(t *testing.T) {
	s := parse(t, "{ids: 1-4, down: 4, start: 1}")
	config, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	config.Protocol.Recover, config.Protocol.Timeout = nil, func(*sim.Process, sim.Timer) {}
	m := tracefmt.NewMemory(*run)
	result, err := sim.Run(context.Background(), config, m)
	if err != nil {
		t.Fatal(err)
	}
	m.Finish(result.End)
	if d := verify(t, m); d == nil || d.Executed.Kind != tracefmt.State {
		t.Errorf("found %+v, want the state that a timeout leads to", d)
	}
}

func TestVerifyAll(t *testing.T) {
	var subjects []rerun.Subject
	for i := range 20 {
		subjects = append(subjects, rerun.Subject{Open: func(context.Context) (tracefmt.Recording, error) {
			m := record(t, small)
			m.Run().Number = i
			switch i % 3 {
			case 1:
				m.At(tracefmt.Seq(i)).Time++
			case 2:
				m.Run().Scenario = nil
			}
			return m, nil
		}})
	}
	verifications, err := rerun.VerifyAll(context.Background(), subjects, rerun.Options{Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range verifications {
		if v.Run.Number != i || (v.Divergence != nil) != (i%3 == 1) || (v.Err != nil) != (i%3 == 2) {
			t.Errorf("subject %d: %+v", i, v)
		}
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rerun.VerifyAll(canceled, subjects, rerun.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// failing is a recording that cannot be read to its end.
type failing struct{ *tracefmt.Memory }

var errRead = errors.New("damaged")

func (f failing) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		for e := range f.Memory.Events(from) {
			if e.Seq == 30 {
				yield(nil, errRead)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestErrorsOfReading: what cannot be read is an error, never a difference.
func TestErrorsOfReading(t *testing.T) {
	rec := failing{record(t, small)}
	ctx := context.Background()
	if _, err := rerun.Verify(ctx, builtin.Algorithms(), rec); !errors.Is(err, errRead) {
		t.Errorf("Verify: %v", err)
	}
	if _, err := rerun.WhatIf(ctx, builtin.Algorithms(), rec, nil, &tracefmt.Memory{}); !errors.Is(err, errRead) {
		t.Errorf("WhatIf: %v", err)
	}
	if _, err := conform.Decide(ctx, rec, conform.Model{Known: builtin.Algorithms(), Algorithm: "bully"}); !errors.Is(err, errRead) {
		t.Errorf("Conform: %v", err)
	}
}

// TestInterrupted: an execution ends with its context and reports that.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rec := record(t, small)
	if _, err := rerun.Verify(ctx, builtin.Algorithms(), rec); err == nil || err.Error() != "interrupted while executing" {
		t.Errorf("Verify: %v", err)
	}
}
