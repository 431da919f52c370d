package lint

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// quiet is the End of a monitor that reports everything in Step.
type quiet struct{}

func (quiet) End(*analyze.Result, *replay.State, analyze.Ending) {}

// flawMonitor returns a constructor of monitors that report these kinds of flaws, as the validator that guards
// imports finds them. Other rules report the other flaws.
func flawMonitor(sorts ...tracefmt.FlawOf) func(*tracefmt.Run) analyze.Monitor {
	asked := make(map[tracefmt.FlawOf]bool, len(sorts))
	for _, sort := range sorts {
		asked[sort] = true
	}
	return func(*tracefmt.Run) analyze.Monitor { return &formMonitor{asked: asked} }
}

// formMonitor is one of the rules that flawMonitor makes.
type formMonitor struct {
	quiet
	asked map[tracefmt.FlawOf]bool // the kinds of flaws that the rule reports
	flaws *flaws
}

// flaws is the fold of the validator.
type flaws struct {
	validator *tracefmt.Validator
	last      *tracefmt.Flaw // the flaw of the current event
}

// Step implements [analyze.Fold].
func (f *flaws) Step(_ *replay.State, e *tracefmt.Event) { f.last = f.validator.Examine(e) }

// Follow implements [analyze.Follower].
func (m *formMonitor) Follow(f *analyze.Folds) {
	m.flaws = analyze.Shared(f, func(run *tracefmt.Run) *flaws { return &flaws{validator: tracefmt.NewValidator(run)} })
}

// Step implements [analyze.Monitor].
func (m *formMonitor) Step(r *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	r.Examined++
	flaw := m.flaws.last
	if flaw == nil || !m.asked[flaw.Of] || flaw.Of == tracefmt.FlawOfMessage && e.Kind != tracefmt.Lose {
		return
	}
	r.ViolateUnless(nil, func() string { return fmt.Sprintf("the %s event at seq %d: %s", e.Kind, e.Seq, flaw) },
		flaw.With, e.Seq)
}

// causesMonitor is the monitor of effect-before-cause.
type causesMonitor struct{ quiet }

func newCauses(*tracefmt.Run) analyze.Monitor { return causesMonitor{} }

// Step implements [analyze.Monitor].
func (causesMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	for cause := range e.Causes() {
		r.Examined++
		if cause < e.Seq && cause > 0 {
			continue
		}
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("the %s of process %s at seq %d names seq %d as its cause, expected an earlier event",
				e.Kind, s.Run.ProcessName(e.Process), e.Seq, cause)
		}, max(cause, 0), e.Seq)
	}
}

// inferredMonitor is the monitor of inferred.
type inferredMonitor struct{ quiet }

func newInferred(*tracefmt.Run) analyze.Monitor { return inferredMonitor{} }

// Step implements [analyze.Monitor].
func (inferredMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Inferred() {
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("the %s of process %s at seq %d is inferred, not recorded", e.Kind,
				s.Run.ProcessName(e.Process), e.Seq)
		}, e.Seq)
	}
}
