package analyze

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Kind is safety or liveness.
type Kind string

// The kinds of property. A violated safety property stays violated; a liveness property demands something in the
// future.
const (
	Safety   Kind = "safety"
	Liveness Kind = "liveness"
)

// Property is a named property of runs: one value in one file.
type Property struct {
	Name string
	Kind Kind
	// Doc defines the property exactly, with the variant that is examined.
	Doc string
	// Source is the text that defines the property.
	Source string
	// Problem is the problem that the property belongs to, one of
	// tracefmt.Problems, "" for all. Runs of problems that do not include it are
	// not examined.
	Problem string
	// About are the problems for which a property without a Problem is mainly made; it still applies to every run
	// that uses its words.
	About []string
	// Needs describes what a trace must contain for the property to apply, such as "state events that assign
	// elected". A run without it is not applicable, unless it declares the Problem and a complete record: then there
	// was none.
	Needs string
	// Required are the traits (see tracefmt.Traits) that give the property its
	// meaning: it is not applicable to a run that does not state them all.
	Required []string
	// NeedsBest is set if the property is about the best process. It is not applicable to a run that does not define
	// it (see tracefmt.Run.BestKeys).
	NeedsBest bool
	// Presumed and Excluded are the traits by which a run promises to keep the property. A run without all of the
	// former, or with one of the latter, is examined only if the user named the property.
	Presumed, Excluded []string
	// Mentioned are traits that decide nothing, but add to an explanation.
	Mentioned []string
	// Assumption describes the assumed promise of the environment, "" for none. Assumes returns why the environment
	// does not promise that in this run, "" if it does. Such a run is examined only if the user named the property.
	Assumption string
	Assumes    func(run *tracefmt.Run) string
	// OnRequest is set for a stricter variant of another property, or another condition that a good run need not
	// satisfy; it is examined only if the user names it.
	OnRequest bool
	// OfRecord is set if the property is about the recording itself, such as clocks and matching. Simulated runs are
	// examined; other recordings are judged by lint, unless the user named the property.
	OfRecord bool
	// Asked is set if the user named the property: it is examined whatever a run promises, and must be decided; see
	// [Ask].
	Asked bool
	// Argument describes the argument in parentheses after the property's name, such as "T, a time in the units of
	// the run"; "" for a property without one. Bind returns the property with that argument.
	Argument string
	Bind     func(argument string) (*Property, error)
	// ViolatedBy are the facts that may show a violation if they happened unrecorded: if a recording lacks them, the
	// property is not satisfied. ExcusedBy are the facts that may explain an apparent violation.
	ViolatedBy, ExcusedBy []tracefmt.Fact
	// Triggers are the facts that the property needs to be examined: a recording without one of them
	// is not applicable. If Triggers is empty, a recording without all of ViolatedBy is not applicable.
	Triggers []tracefmt.Fact
	// Times is set if verdicts rest on the times of events. Repaired times leave no verdict (see
	// [tracefmt.Run.Repaired]).
	Times bool
	// Pairs is set if verdicts rest on the pairing of sends and receives, or on happened-before. A pairing that an
	// import has guessed leaves no verdict (see [tracefmt.GuessKey]).
	Pairs bool
	// Shiftable is set if the property only compares counters with each other, so that a loop that shifts all of
	// them is a loop (see [Ending.LoopShift]). For other properties that read counters it is not.
	Shiftable bool
	// WitnessOmits describes what a violation rests on beside its witness, "" for nothing: then these events alone
	// violate the property, if no continuation of the run repairs it.
	WitnessOmits string
	// Rule is the property in the rule language (package spec), if it is a rule.
	Rule string
	// Text is the rule with its head, as in a file of rules, "" for a rule without a name.
	Text string
	// New returns a monitor for one run. It is nil for a property whose argument is not bound.
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

// Key returns the name under which a registry finds the property.
func (p *Property) Key() string { return p.Name }

// Check returns an error for a property without a monitor.
func (p *Property) Check() error {
	if (p.New == nil) == (p.Bind == nil) {
		return errors.New("expected one of the functions New and Bind")
	}
	return nil
}

// Monitor examines one run for one property.
type Monitor interface {
	// Step is called for each event, after the state was updated. The event is lent: the next one overwrites it,
	// with its payload. A monitor must store copies, made by [tracefmt.Event.Clone].
	Step(r *Result, s *replay.State, e *tracefmt.Event)
	// End is called once, after the last event.
	End(r *Result, s *replay.State, end Ending)
}

// A Recurrence is a [Monitor] of the end of a run that receives every state of the final loop, since each of them
// recurs forever.
type Recurrence interface {
	Monitor
	// Recur is called after Step for each event of the claimed loop. Only the end shows whether the loop is real.
	// The event is lent, as in Step.
	Recur(s *replay.State, e *tracefmt.Event)
}

// A Relying monitor knows the facts on which a positive verdict rests. For other monitors these are all facts of
// ViolatedBy, of all processes and over the whole run.
type Relying interface {
	Monitor
	// Relies is called once, after End, and returns nil for none. It makes the needs one by one where each process
	// may have some: most properties of a large run ask only whether there are any.
	Relies(s *replay.State, end Ending) iter.Seq[Need]
}

// Verdict is the result of examining a run for a property.
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

// Verdicts lists all verdicts, the worst first, with their meanings, and the exit status of a check that finds
// nothing worse.
var Verdicts = []struct {
	Verdict       Verdict
	Meaning, Exit string
}{
	{Violated, "no continuation can repair it; carries a witness", "1"},
	{Unknown, "could not be decided; the reason is given", "3, or 0 with --allow-open"},
	{Pending, "an obligation is open and the run was stopped; lists the obligations", "3, or 0 with --allow-open"},
	{HoldsSoFar, "not broken, but the run was stopped", "0"},
	{Satisfied, "no continuation can break it", "0"},
	{
		Vacuous, "the situation that the property is about never occurred",
		"0; if nothing else of the trace was examined, 3",
	},
	{
		NotApplicable, "the property is about things that this run does not have",
		"0; if the property was named, 3, or 0 with --allow-open; if nothing of the trace was examined, 3",
	},
}

// Worst returns the worst of several verdicts, NotApplicable for an empty list.
func Worst(vs ...Verdict) Verdict {
	for _, v := range Verdicts {
		if slices.Contains(vs, v.Verdict) {
			return v.Verdict
		}
	}
	return NotApplicable
}

// Ending is the end of the run, if the trace supports it.
type Ending struct {
	// Quiescent is set if the run declares it, and nothing is left that could happen.
	Quiescent bool `json:"quiescent,omitempty"`
	// LoopFrom and LoopTo are events after which the global state is the same, verified on the trace; 0 if there is
	// no loop. A deterministic run repeats the events between them forever.
	LoopFrom tracefmt.Seq `json:"loop_from,omitempty"`
	LoopTo   tracefmt.Seq `json:"loop_to,omitempty"`
	// LoopShift is added to all counters of the run in each round of the loop ([tracefmt.Run.Counters]); the states
	// are equal otherwise.
	LoopShift int64 `json:"loop_shift,omitempty"`
	// Doubt is the reason why the run's own declaration of its end was not believed.
	Doubt string `json:"doubt,omitempty"`
	// MayLoop is set if the run declares a final loop, and does not record all that would prove it.
	MayLoop bool `json:"may_loop,omitempty"`
}

// Final reports whether there is no other continuation: nothing can happen any more, or the run is in a loop.
func (e Ending) Final() bool { return e.Quiescent || e.Looping() }

// Looping reports whether the run ends in a proven loop.
func (e Ending) Looping() bool { return e.LoopTo != 0 }

// Loop describes the loop that ends the run.
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
	// Ending is the verified end of the run.
	Ending Ending
	// Remarks describe what is unusual about the run itself, a sentence each.
	Remarks []string
	// Advice lists the facts that decide the open properties; see Advise.
	Advice *Advice
	// Assumed describes which facts were assumed to be recorded, and which not, if the run does not declare it; ""
	// if it does.
	Assumed string
}

// Examined reports whether any property was examined in the run.
func (r *RunReport) Examined() bool { return r.Verdict != Vacuous && r.Verdict != NotApplicable }
