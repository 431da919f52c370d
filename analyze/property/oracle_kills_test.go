package property_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"etrace/fixtures/mask"
	"etrace/tracefmt"
)

// drawKilled draws a run in which a process crashes and comes up again, and its recording that has no crashes: a
// crash before a restart is removed, or replaced by an inferred crash anywhere between the step before and the
// restart. Crashes are declared unrecorded, or recorded, so that an inferred one shows a gap. The process recovers, or
// starts a second time. nil if no such run was drawn.
func drawKilled(t *testing.T, th *theme, random *rand.Rand) *partialCase {
	t.Helper()
	c := &partialCase{theme: th, mask: mask.Mask{Name: "kills", Sort: "kills"}}
	for range 40 {
		c.original = restarting(th.draw(random), random)
		c.masked = withoutCrashes(c.original, inferences[random.IntN(len(inferences))], random)
		if c.masked != nil {
			break
		}
	}
	if c.masked == nil {
		return nil
	}
	if err := tracefmt.Validate(c.masked); err != nil {
		t.Fatalf("%v\n%s", err, inText(c.masked))
	}
	c.check(t)
	return c
}

// restarting is the run with half of its recoveries as starts.
func restarting(rec *tracefmt.Memory, random *rand.Rand) *tracefmt.Memory {
	copied := tracefmt.NewMemory(*rec.Run())
	for e := range rec.Events(1) {
		again := *e
		if e.Kind == tracefmt.Recover && random.IntN(2) == 0 {
			again.Kind = tracefmt.Start
		}
		_ = copied.Write(&again) // a Memory takes every event
	}
	_ = copied.Finish(rec.Run().End)
	return copied
}

// restarts reports whether the next step of the crashed process is a restart.
func restarts(rec *tracefmt.Memory, crash *tracefmt.Event) bool {
	for e := range rec.Events(crash.Seq + 1) {
		if e.Process == crash.Process && e.Kind != tracefmt.Lose {
			return e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover
		}
	}
	return false
}

// inference is the trace of a crash in a recording without crashes.
type inference struct {
	inferred bool           // by an inferred crash, and not only by the restart
	late     bool           // this crash is at any place before the restart, otherwise directly after the step before
	crashes  tracefmt.Level // the declared level of crashes
}

var inferences = []inference{
	{crashes: tracefmt.None},
	{inferred: true, crashes: tracefmt.None},
	{inferred: true, late: true, crashes: tracefmt.None},
	{inferred: true, crashes: tracefmt.All},
	{inferred: true, late: true, crashes: tracefmt.All},
}

// withoutCrashes is a run's recording without crashes, nil if no process restarts in it.
func withoutCrashes(rec *tracefmt.Memory, shown inference, random *rand.Rand) *tracefmt.Memory {
	type place struct {
		after tracefmt.Seq // of the run
		event tracefmt.Event
	}
	last, down := map[tracefmt.ProcessID]tracefmt.Seq{}, map[tracefmt.ProcessID]bool{}
	var kept []place
	again := false
	for e := range rec.Events(1) {
		switch e.Kind {
		case tracefmt.Crash:
			down[e.Process] = true
			if shown.crashes != tracefmt.All || restarts(rec, e) { // a declared crash is recorded, or inferred at a restart
				continue
			}
			down[e.Process] = false
		case tracefmt.Start, tracefmt.Recover:
			again = again || down[e.Process]
			if down[e.Process] && shown.inferred {
				at := last[e.Process]
				if shown.late {
					at += tracefmt.Seq(random.Int64N(int64(e.Seq - at)))
				}
				kept = append(kept, place{at, tracefmt.Event{
					Kind: tracefmt.Crash, Process: e.Process, Time: tracefmt.Time(max(at-1, 0)) * tracefmt.Unit,
					Payload: []byte(`{"inferred":true}`),
				}})
			}
			down[e.Process] = false
		}
		kept = append(kept, place{e.Seq, *e.Clone()})
		if e.Kind != tracefmt.Lose {
			last[e.Process] = e.Seq
		}
	}
	if !again {
		return nil
	}
	slices.SortStableFunc(kept, func(a, b place) int { return int(a.after - b.after) })
	run := *rec.Run()
	if shown.inferred {
		run.Source = "log" // a simulation records its crashes
	}
	run.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{
		Default: tracefmt.All,
		Kinds:   map[string]tracefmt.Level{"crash": shown.crashes},
	}}
	copied, now := tracefmt.NewMemory(run), map[tracefmt.Seq]tracefmt.Seq{}
	for i := range kept {
		e := kept[i].event
		if e.Seq != 0 {
			now[e.Seq] = tracefmt.Seq(i + 1)
		}
		e.Seq, e.Cause = tracefmt.Seq(i+1), now[e.Cause]
		_ = copied.Write(&e) // a Memory takes every event
	}
	_ = copied.Finish(run.End)
	return copied
}
