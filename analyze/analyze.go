package analyze

import (
	"errors"
	"fmt"
	"iter"
	"slices"

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
	// as "state events that assign elected". A run without it is not applicable, unless it says
	// that it is about the Problem and tells all of it: there was none.
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
	// Mentioned are traits that decide nothing, but with which an explanation says more.
	Mentioned []string
	// Assumption says in words what the environment is taken to promise, "" for
	// nothing. Assumes returns why it does not promise that in this run, "" if
	// it does. Such a run is examined only when the property was asked for by
	// name.
	Assumption string
	Assumes    func(run *tracefmt.Run) string
	// OnRequest: a stricter reading of another property, or anything else that a
	// good run need not satisfy; it is examined only when asked for by name.
	OnRequest bool
	// OfRecord: the property is about the recording itself, such as clocks and matching. Simulated
	// runs are examined for it; of other recordings lint judges that, unless it was asked for by name.
	OfRecord bool
	// Asked: the user named the property, so that it is examined whatever a run promises, and has
	// to be decided; see [Ask].
	Asked bool
	// Argument describes what the property must be given in parentheses after
	// its name, such as "T, a time in the units of the run"; "" for a property
	// that takes nothing. Bind returns the property with that argument.
	Argument string
	Bind     func(argument string) (*Property, error)
	// Convicts are the facts that may show a violation if they happened without being
	// recorded: where a recording does not tell them, the property is not satisfied.
	// Acquits are those that may excuse what looks like a violation.
	Convicts, Acquits []tracefmt.Fact
	// Triggers are the facts each of which the property needs to have something to say: a
	// recording that tells nothing of one of them is not applicable. Without them, that is
	// so of one that tells nothing of all of Convicts.
	Triggers []tracefmt.Fact
	// Times: verdicts rest on the times of events, so that there is none where times were
	// repaired (see [tracefmt.Run.Repaired]).
	Times bool
	// Pairs: verdicts rest on which send a receive belongs to, or on happened-before, so that
	// there is none where an import has guessed it (see [tracefmt.GuessKey]).
	Pairs bool
	// Shiftable: all that the property does with the counters that it reads is to compare them
	// with each other, so that a loop that shifts all of them is a loop to it, too (see
	// [Ending.LoopShift]). To others that read counters it is none.
	Shiftable bool
	// WitnessOmits says what a violation rests on beside the events of its witness, "" for nothing: then these
	// events alone violate the property, if no continuation of the run repairs it.
	WitnessOmits string
	// Rule is the property in the language of rules (package spec), if it is
	// written in it.
	Rule string
	// Text is the rule with its head, as a file of rules has it, "" of one without a name.
	Text string
	// New returns a monitor for one run. A property with an argument has none
	// before it is bound.
	New func(run *tracefmt.Run) Monitor
}

// Ask returns copies of the properties that the user named.
func Ask(named []*Property) []*Property {
	asked := make([]*Property, len(named))
	for i, p := range named {
		copied := *p
		copied.Asked = true
		asked[i] = &copied
	}
	return asked
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
	// Step is called for each event, after the state has taken it in. The event is lent: the
	// next one overwrites it, payload and all. What is kept is a copy, by [tracefmt.Event.Clone].
	Step(r *Result, s *replay.State, e *tracefmt.Event)
	// End is called once, after the last event.
	End(r *Result, s *replay.State, end Ending)
}

// A Recurrence is a [Monitor] of the end of a run that wants to see every
// state of the loop in which a run ends, since each of them recurs forever.
type Recurrence interface {
	Monitor
	// Recur is called after Step for each event of the loop that the run
	// claims. Only at the end is it known whether the loop is one. The event is lent, as in Step.
	Recur(s *replay.State, e *tracefmt.Event)
}

// A Relying monitor knows on which facts a positive verdict rests. Of others it is all
// that the property says may convict, of all processes and over the whole run.
type Relying interface {
	Monitor
	// Relies is called once, after End, and returns nil for none. It makes the needs one by one where each process may have some:
	// most properties of a large run ask only whether there are any.
	Relies(s *replay.State, end Ending) iter.Seq[Need]
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
	{Vacuous, "what the property is about never occurred", "0; if nothing else of the trace was examined, 3"},
	{NotApplicable, "the property is about things that this run does not have", "0; if the property was named, 3, or 0 with --allow-open; if nothing of the trace was examined, 3"},
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

// Ending says how the run ended, as far as the trace bears it out.
type Ending struct {
	// Quiescent: the run says that it is, and nothing is left that could
	// happen.
	Quiescent bool `json:"quiescent,omitempty"`
	// LoopFrom and LoopTo are events after which the global state is the
	// same, verified on the trace; 0 if there is no loop. A deterministic
	// run repeats what lies between forever.
	LoopFrom tracefmt.Seq `json:"loop_from,omitempty"`
	LoopTo   tracefmt.Seq `json:"loop_to,omitempty"`
	// LoopShift is what is added to all counters of the run in each round of the loop
	// ([tracefmt.Run.Counters]): but for it, the states are the same.
	LoopShift int64 `json:"loop_shift,omitempty"`
	// Doubt says why the run's own word about its end was not believed.
	Doubt string `json:"doubt,omitempty"`
	// MayLoop: the run says that it ends in a loop, and does not record all that would prove
	// it.
	MayLoop bool `json:"may_loop,omitempty"`
}

// Final reports whether no other continuation is possible: nothing can
// happen any more, or the run is in a loop.
func (e Ending) Final() bool { return e.Quiescent || e.Looping() }

// Looping reports whether the run ends in a proven loop.
func (e Ending) Looping() bool { return e.LoopTo != 0 }

// Loop says in words which loop ends the run.
func (e Ending) Loop() string {
	s := fmt.Sprintf("seq %d to %d", e.LoopFrom, e.LoopTo)
	if e.LoopShift != 0 {
		s += fmt.Sprintf(", all counters shifted by %d", e.LoopShift)
	}
	return s
}

// RunReport is the outcome of all properties on one run.
type RunReport struct {
	Run     *tracefmt.Run
	Verdict Verdict
	Results []*Result
	// Ending is how the run ended, as verified.
	Ending Ending
	// Remarks say what is odd about the run itself, a sentence each.
	Remarks []string
	// Advice says what decides the open properties; see Advise.
	Advice *Advice
	// Assumed says what was taken for told and what was not, where the run does not say
	// it; "" where it does.
	Assumed string
}

// Examined reports whether any property had something to examine in the run.
func (r *RunReport) Examined() bool { return r.Verdict != Vacuous && r.Verdict != NotApplicable }
