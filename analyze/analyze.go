package analyze

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// Kind tells safety from liveness.
type Kind string

// The kinds of property. A safety property, once violated, is violated for
// good; a liveness property asks for something that is still to come.
const (
	Safety   Kind = "safety"
	Liveness Kind = "liveness"
)

// Property is a named property of runs: one value in one file.
type Property struct {
	Name string
	Kind Kind
	// Doc defines the property exactly, with the reading that is taken.
	Doc string
	// Source names the text that the property is from.
	Source string
	// Problem is the problem that the property belongs to, one of
	// tracefmt.Problems, "" for all. Runs of problems that do not include it are
	// not examined.
	Problem string
	// About are the problems for whose runs a property without a Problem is made
	// first of all, though it applies to every run that uses its words.
	About []string
	// Needs says what a trace must hold for the property to apply, such
	// as "state events that assign elected". A run without it is not applicable.
	Needs string
	// Required are the traits (see tracefmt.Traits) that give the property its
	// meaning: it is not applicable to a run that does not state them all.
	Required []string
	// NeedsBest: the property is about the best process, and not applicable to a run
	// that does not say who that is (see tracefmt.Run.BestKeys).
	NeedsBest bool
	// Presumed and Excluded are traits that say whether a run promises to keep
	// the property. One that does not state all of the former, or that states one
	// of the latter, is examined only when the property was asked for by name.
	Presumed, Excluded []string
	// Assumption says in words what the environment is taken to promise, "" for
	// nothing. Assumes returns why it does not promise that in this run, "" if
	// it does. Such a run is examined only when the property was asked for by
	// name.
	Assumption string
	Assumes    func(run *tracefmt.Run) string
	// OnRequest: a stricter reading of another property, or anything else that a
	// good run need not satisfy; it is examined only when asked for by name.
	OnRequest bool
	// Argument describes what the property must be given in parentheses after
	// its name, such as "T, a time in the units of the run"; "" for a property
	// that takes nothing. Bind returns the property with that argument.
	Argument string
	Bind     func(argument string) (*Property, error)
	// Rule is the property in the language of rules (package spec), if it is
	// written in it.
	Rule string
	// New returns a monitor for one run. A property with an argument has none
	// before it is bound.
	New func(run *tracefmt.Run) Monitor
}

// Key is the name under which a registry finds the property.
func (p *Property) Key() string { return p.Name }

// Check says what a registry must refuse: a property without a monitor.
func (p *Property) Check() error {
	if (p.New == nil) == (p.Bind == nil) {
		return errors.New("expected one of the functions New and Bind")
	}
	return nil
}

// Monitor examines one run for one property.
type Monitor interface {
	// Step is called for each event, after the state has taken it in.
	Step(r *Result, s *replay.State, e *tracefmt.Event)
	// End is called once, after the last event.
	End(r *Result, s *replay.State, end Ending)
}

// A Recurrence is a [Monitor] of the end of a run that wants to see every
// state of the loop in which a run ends, since each of them recurs forever.
type Recurrence interface {
	Monitor
	// Recur is called after Step for each event of the loop that the run
	// claims. Only at the end is it known whether the loop is one.
	Recur(s *replay.State, e *tracefmt.Event)
}

// Verdict is what is known about a property of a run.
type Verdict string

// The verdicts, from the worst to the most harmless.
const (
	Violated      Verdict = "violated"
	Unknown       Verdict = "unknown"
	Pending       Verdict = "pending"
	HoldsSoFar    Verdict = "holds-so-far"
	Satisfied     Verdict = "satisfied"
	Vacuous       Verdict = "vacuous"
	NotApplicable Verdict = "not-applicable"
)

// Verdicts lists all verdicts, the worst first, with their meanings, and what a check
// that finds nothing worse exits with.
var Verdicts = []struct {
	Verdict       Verdict
	Meaning, Exit string
}{
	{Violated, "no continuation can repair it; carries a witness", "1"},
	{Unknown, "could not be decided; says why", "3, or 0 with --allow-open"},
	{Pending, "an obligation is open and the run was stopped; lists the obligations", "3, or 0 with --allow-open"},
	{HoldsSoFar, "not broken, but the run was stopped", "0"},
	{Satisfied, "no continuation can break it", "0"},
	{Vacuous, "what the property is about never occurred", "0"},
	{NotApplicable, "the property is about things that this run does not have", "0; if the property was named, 3, or 0 with --allow-open"},
}

// Worst returns the verdict over several: the worst of them, NotApplicable of
// none.
func Worst(vs ...Verdict) Verdict {
	for _, v := range Verdicts {
		if slices.Contains(vs, v.Verdict) {
			return v.Verdict
		}
	}
	return NotApplicable
}

// Result is the outcome of one property on one run. Monitors fill it in;
// the verdict follows from what they found.
type Result struct {
	Property *Property
	Verdict  Verdict
	// Violations counts them; Witness and Explanation are of the first.
	Violations int
	// Witness lists the events that together show the violation; it is empty
	// where the initial state of a run without events does.
	Witness     []tracefmt.Seq
	Explanation string
	// Cut is the consistent cut in which the violation shows, where there is
	// one: the last event of each process that has any before the cut.
	Cut []tracefmt.Seq
	// Open lists the obligations of a pending property.
	Open []string
	// Named: the property was asked for by name; see [Options].
	Named bool
	// Examined counts how often the property had something to say.
	Examined int
	// MaxSteps bounds the work of monitors that search, in steps of the search,
	// so that the verdict is the same on any machine; one that needs more is
	// undecided.
	MaxSteps int64

	unknown, notApplicable bool
}

// Violate counts a violation. Only the first one is explained and keeps its
// witness, the events that together show it; 0 stands for no event.
func (r *Result) Violate(explain func() string, witness ...tracefmt.Seq) {
	if r.Violations++; r.Violations > 1 {
		return
	}
	r.Explanation = explain()
	r.Witness = slices.DeleteFunc(slices.Clone(witness), func(s tracefmt.Seq) bool { return s == 0 })
	slices.Sort(r.Witness)
	r.Witness = slices.Compact(r.Witness)
}

// Owe states an open obligation. Only a run that was stopped may owe.
func (r *Result) Owe(obligation string) { r.Open = append(r.Open, obligation) }

// NotApplicable states that the run lacks what the property is about.
func (r *Result) NotApplicable(reason string) {
	r.notApplicable, r.Explanation = true, reason
}

// Undecided states that the property could not be decided, unless it turns
// out to be violated; the first reason is kept.
func (r *Result) Undecided(reason func() string) {
	if !r.unknown && r.Violations == 0 {
		r.unknown, r.Explanation = true, reason()
	}
}

// WitnessJSON is the witness as a JSON array, for the view verdicts.
func (r *Result) WitnessJSON() string {
	b, err := json.Marshal(r.Witness)
	if err != nil || r.Witness == nil {
		return "[]"
	}
	return string(b)
}

// decide derives the verdict.
func (r *Result) decide(end Ending) {
	switch {
	case r.Violations > 0:
		r.Verdict = Violated
	case r.notApplicable:
		r.Verdict = NotApplicable
	case r.unknown:
		r.Verdict = Unknown
	case len(r.Open) > 0:
		r.Verdict, r.Explanation = Pending, obligations(r.Open)
	case r.Examined == 0:
		r.Verdict = Vacuous
	case end.Final():
		r.Verdict = Satisfied
	default:
		r.Verdict = HoldsSoFar
	}
}

// obligations lists them for people, at most a handful.
func obligations(open []string) string {
	const most = 8
	if len(open) <= most {
		return strings.Join(open, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(open[:most], "; "), len(open)-most)
}

// Ending says how the run ended, as far as the trace bears it out.
type Ending struct {
	// Quiescent: the run says that it is, and nothing is left that could
	// happen.
	Quiescent bool
	// LoopFrom and LoopTo are events after which the global state is the
	// same, verified on the trace; 0 if there is no loop. A deterministic
	// run repeats what lies between forever.
	LoopFrom, LoopTo tracefmt.Seq
	// Doubt says why the run's own word about its end was not believed.
	Doubt string
}

// Final reports whether no other continuation is possible: nothing can
// happen any more, or the run is in a loop.
func (e Ending) Final() bool { return e.Quiescent || e.Looping() }

// Looping reports whether the run ends in a proven loop.
func (e Ending) Looping() bool { return e.LoopTo != 0 }

// RunReport is the outcome of all properties on one run.
type RunReport struct {
	Run     *tracefmt.Run
	Verdict Verdict
	Results []*Result
	// Ending is how the run ended, as verified.
	Ending Ending
	// Remarks say what is odd about the run itself, a sentence each.
	Remarks []string
}
