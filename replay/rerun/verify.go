package rerun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// Verify executes a run again by the scenario that it carries, and compares the execution with the recording
// event by event. It returns nil if both are equal to the last byte and end in the same way. For a run without
// a scenario the error is [ErrNoScenario].
//
// An interrupted recording ends before its execution; the returned Divergence shows that.
func Verify(ctx context.Context, known algorithm.Registry, rec tracefmt.Recording) (*Divergence, error) {
	x, err := executionOf(rec.Run(), known)
	if err != nil {
		return nil, err
	}
	if differences := differingRuns(rec.Run(), x.run); differences != nil {
		return &Divergence{Run: rec.Run(), Differences: differences}, nil
	}
	_, d, err := x.compare(ctx, rec)
	return d, err
}

// compare executes the scenario and compares the events and the end with a recording.
func (x *execution) compare(ctx context.Context, rec tracefmt.Recording) (sim.Result, *Divergence, error) {
	c := newComparison(rec, x.run)
	defer c.stop()
	result, err := x.writeTo(ctx, c)
	if err != nil && !errors.Is(err, errDiverged) {
		return result, nil, err
	}
	d, err := c.finish(result.End)
	return result, d, err
}

// errDiverged stops an execution after the first difference.
var errDiverged = errors.New("diverged")

// comparison is a sink that compares each event with the recording.
type comparison struct {
	rec  tracefmt.Recording
	run  *tracefmt.Run // the description of rec
	next func() (*tracefmt.Event, error, bool)
	stop func()
	// seq is that of the last executed event.
	seq tracefmt.Seq
	// before are the last events that are equal on both sides.
	before recent
	found  *Divergence
}

// newComparison returns a comparison with a recording. Its stop must be called.
func newComparison(rec tracefmt.Recording, executed *tracefmt.Run) *comparison {
	c := &comparison{rec: rec, run: rec.Run(), before: newRecent(executed)}
	c.next, c.stop = iter.Pull2(rec.Events(1))
	return c
}

// finish returns the first difference with its past; nil if the execution equals the recording. end is the
// end of the execution, which matters only if no event differs.
func (c *comparison) finish(end tracefmt.End) (*Divergence, error) {
	if c.found == nil {
		if err := c.end(end); err != nil {
			return nil, err
		}
	}
	c.stop()
	if c.found == nil {
		return nil, nil
	}
	return c.found, c.found.explain(c.rec, c.before)
}

// Write compares the next event of the execution.
func (c *comparison) Write(executed *tracefmt.Event) error {
	c.seq = executed.Seq
	recorded, err, ok := c.next()
	switch {
	case err != nil:
		return err
	case !ok:
		c.differ(nil, executed, ending(string(c.run.End), continues))
	case sameEvent(recorded, executed):
		c.before.add(executed)
		return nil
	default:
		c.differ(recorded, executed, differingFields(c.run, recorded, executed))
	}
	return errDiverged
}

// end compares how the two sides end, after the last event of the execution: further recorded events, another
// end, or another number of events is a difference.
func (c *comparison) end(end tracefmt.End) error {
	recorded, err, ok := c.next()
	switch {
	case err != nil:
		return err
	case ok:
		c.seq++
		c.differ(recorded, nil, ending(continues, string(end)))
	case end != c.run.End:
		c.seq++
		c.differ(nil, nil, ending(string(c.run.End), string(end)))
	case c.run.Events != int64(c.seq):
		counted := []Difference{{"count of events", fmt.Sprint(c.run.Events), fmt.Sprint(c.seq)}}
		c.seq++
		c.differ(nil, nil, counted)
	}
	return nil
}

// continues is the end of a side that has further events.
const continues = "goes on"

// ending returns the difference of two ends.
func ending(recorded, executed string) []Difference { return []Difference{{"end", recorded, executed}} }

// differ stores copies of the two differing events.
func (c *comparison) differ(recorded, executed *tracefmt.Event, differences []Difference) {
	c.found = &Divergence{Run: c.run, Seq: c.seq, Differences: differences}
	if recorded != nil {
		c.found.Recorded = recorded.Clone()
	}
	if executed != nil {
		c.found.Executed = executed.Clone()
	}
}

// Subject is something to verify: a recorded run, or a scenario. Open of a scenario executes it a first time;
// see [Record].
type Subject struct {
	Name string
	Open func(ctx context.Context) (tracefmt.Recording, error)
}

// Verification is the outcome for a subject.
type Verification struct {
	Subject    Subject
	Run        *tracefmt.Run
	Divergence *Divergence
	// Err is the reason why the run could not be executed again.
	Err error
}

// Options of [VerifyAll].
type Options struct {
	// Algorithms is the registry of algorithms.
	Algorithms algorithm.Registry
	// Workers is the number of parallel verifications; 0 means the number of processors.
	Workers int
	// Progress, unless nil, is called with the number of finished verifications, one call at a time.
	Progress func(done int)
}

// VerifyAll verifies the subjects, several at a time, and returns the outcomes in their order. The error is
// that of the context.
func VerifyAll(ctx context.Context, subjects []Subject, o Options) ([]Verification, error) {
	verifications := make([]Verification, len(subjects))
	var group errgroup.Group
	group.SetLimit(cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
	var mu sync.Mutex
	done := 0
	for i, subject := range subjects {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			verifications[i] = subject.verify(ctx, o.Algorithms)
			mu.Lock()
			defer mu.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done)
			}
			return nil
		})
	}
	// Each outcome carries its own error, so the group has none.
	_ = group.Wait()
	return verifications, ctx.Err()
}

// verify opens the subject and verifies it.
func (s Subject) verify(ctx context.Context, known algorithm.Registry) Verification {
	v := Verification{Subject: s}
	rec, err := s.Open(ctx)
	if err != nil {
		v.Err = err
		return v
	}
	v.Run = rec.Run()
	v.Divergence, v.Err = Verify(ctx, known, rec)
	return v
}
