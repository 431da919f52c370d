package rerun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// Fork is a run that was executed again with edits.
type Fork struct {
	// Run describes the new run. Its scenario includes the edits, so that it can be executed again like any
	// other.
	Run    *tracefmt.Run
	Result sim.Result
	// First is the first difference from the parent; nil if the edits change nothing.
	First *Divergence
	// Remarks lists the edits without effect, a sentence each.
	Remarks []string
}

// WhatIf executes a run again with edits and writes the new run to the sink. Up to the first edit it equals
// the recorded run; then the algorithm goes on. WhatIf fails if the run without edits does not execute as
// recorded, or if an edit refers to a message or event that the run does not have.
func WhatIf(
	ctx context.Context,
	known algorithm.Registry,
	rec tracefmt.Recording,
	edits []scenario.Edit,
	sink tracefmt.Sink,
) (*Fork, error) {
	run := rec.Run()
	x, err := executionOf(run, known)
	if err != nil {
		return nil, err
	}
	result, d, err := x.compare(ctx, rec)
	switch {
	case err != nil:
		return nil, err
	case d != nil && !d.interrupted():
		return nil, fmt.Errorf("%s does not execute again as it was recorded, the first difference is at seq %d; "+
			"replay --verify shows it", Title(run), d.Seq)
	}
	for i := range edits {
		if err := checkEdit(rec, &edits[i], result); err != nil {
			return nil, err
		}
	}
	fork, err := newExecution(edited(x.scenario, run, edits), run)
	if err != nil {
		return nil, err
	}
	f, err := fork.record(ctx, rec, sink)
	if err != nil {
		return f, err
	}
	before := x.scenario.Remarks(result)
	f.Remarks = slices.DeleteFunc(fork.scenario.Remarks(f.Result),
		func(remark string) bool { return slices.Contains(before, remark) })
	return f, nil
}

// interrupted reports whether the recording merely ends before the execution, and declares itself incomplete.
func (d *Divergence) interrupted() bool {
	return d.Recorded == nil && d.Executed != nil && (d.Run.End == tracefmt.Stopped || d.Run.End == tracefmt.Open)
}

// record executes the scenario into the sink, and compares the events with those of the parent up to the
// first difference.
func (x *execution) record(ctx context.Context, parent tracefmt.Recording, sink tracefmt.Sink) (*Fork, error) {
	c := newComparison(parent, x.run)
	defer c.stop()
	f := &Fork{}
	var err error
	f.Run, f.Result, err = scenario.Record(ctx, x.scenario, comparedSink{sink, c})
	if err := requireComplete(f.Result, err); err != nil {
		return f, err
	}
	f.First, err = c.finish(f.Result.End)
	return f, err
}

// comparedSink is a sink whose events are compared up to the first difference.
type comparedSink struct {
	tracefmt.Sink
	comparison *comparison
}

// Write compares the event until a difference is found, and writes it in any case.
func (s comparedSink) Write(e *tracefmt.Event) error {
	if s.comparison.found == nil {
		if err := s.comparison.Write(e); err != nil && !errors.Is(err, errDiverged) {
			return err
		}
	}
	return s.Sink.Write(e)
}

// edited returns a copy of the scenario with further edits, and a name that lists all edits since the
// original run.
func edited(s *scenario.Scenario, run *tracefmt.Run, edits []scenario.Edit) *scenario.Scenario {
	fork := *s
	fork.Edits = append(slices.Clone(s.Edits), edits...)
	root, before := rootName(s, run)
	var texts []string
	for _, e := range fork.Edits[before:] {
		texts = append(texts, e.String())
	}
	fork.Name = root + " with " + strings.Join(texts, ", ")
	return &fork
}

// rootName returns the name of the run before the edits that its name lists, and the number of the scenario's
// edits before those.
func rootName(s *scenario.Scenario, run *tracefmt.Run) (root string, before int) {
	listed := ""
	for i := len(s.Edits) - 1; i >= 0; i-- {
		listed = s.Edits[i].String() + listed
		if root, ok := strings.CutSuffix(run.Name, " with "+listed); ok && root != "" {
			return root, i
		}
		if !strings.HasSuffix(run.Name, listed) {
			break
		}
		listed = ", " + listed
	}
	return cmp.Or(run.Name, Title(run)), len(s.Edits)
}

// checkEdit returns an error if an edit refers to something that the run does not have; such an edit would
// have no effect.
func checkEdit(rec tracefmt.Recording, e *scenario.Edit, has sim.Result) error {
	name := Title(rec.Run())
	if err := e.Missing(name, has); err != nil || e.Message.Seq == 0 {
		return err
	}
	at, err := eventAt(rec, e.Message.Seq)
	if err == nil && at.Kind != tracefmt.Send {
		err = fmt.Errorf("%s: seq %d of %s is a %s, expected the send of a message", e, e.Message.Seq, name, at.Kind)
	}
	return err
}
