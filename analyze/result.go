package analyze

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
)

// Result is the outcome of one property on one run. Monitors fill it in;
// the verdict follows from what they found, and from what the run does not tell.
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
	// Needs are the facts whose record would decide a property that is unknown.
	Needs []Need
	// LogNext are lists of facts. To record the facts of a list decides the property, or shows a violation if the list
	// convicts. Lists that decide come first, the shortest of them at the beginning.
	LogNext []Wanted
	// Named: the property was asked for by name; see [Options] and [Property].
	Named bool
	// Counts: the verdict is open, and had to be decided; see weigh.
	Counts bool
	// Examined counts how often the property had something to say.
	Examined int
	// MaxSteps bounds the work of monitors that search, in steps of the search,
	// so that the verdict is the same on any machine; one that needs more is
	// undecided.
	MaxSteps int64
	// Skew is by how much clocks must differ at least to change what was found, 0 where that is not known or no clock does.
	Skew tracefmt.Time
	// Kept are the first violations, as many as [Options] ask for, and then as many of those
	// that what is not recorded may excuse; Excused counts all of the latter. At the end only.
	Kept    []Violation
	Excused int

	unknown, notApplicable bool
	idle                   string // why nothing was examined
	keep                   int
	keptExcused            []Violation

	state *replay.State // of the pass; nil where everything is told
	// excused is the first violation that what is not recorded may excuse, and lacking
	// are facts that may show one.
	excused *finding
	lacking needList
	// held are violations that may be excused, by the facts that may, and the gaps in which:
	// it is known at the end which of these are not told at all, and of which the run has no
	// word.
	held      map[string]*finding
	heldOrder int // how many were
	heldFull  int // how many were left when those without excuses were made one
	// unknownFor are the facts for want of which the property could not be decided.
	unknownFor []Need
	// mayOwe is the first obligation that what is not recorded may have met, and owing are
	// the facts that may have met any.
	mayOwe *finding
	owing  needList

	orphans orphans // of the pass
	guesses *guesses

	part     *partial       // nil where the whole run is examined
	deadline *tracefmt.Time // see Deadline
}

// finding is a violation, with those that are like it.
type finding struct {
	order       int // among the findings of the result
	count       int
	explanation string
	witness     []tracefmt.Seq
	excuses     []Need
	inferred    bool        // the excuses are that events of the witness were
	kept        []Violation // the first that are like it
}

// Violate counts a violation. Only the first one is explained and keeps its
// witness, the events that together show it; 0 stands for no event. If a fact that the
// property says acquits may have happened anywhere without being recorded, the violation
// is no verdict; [Result.ViolateUnless] is for who knows better where.
func (r *Result) Violate(explain func() string, witness ...tracefmt.Seq) {
	if r.partial() {
		r.ViolateUnless(Needs(AnyProcess, 0, r.state.Now(), r.Property.Acquits...), explain, witness...)
		return
	}
	r.convict(explain, witness)
}

// inferences are what a violation needs to be recorded of the events that show it and were
// inferred: these may not have happened.
func (r *Result) inferences(witness []tracefmt.Seq) []Need {
	var needs []Need
	for _, seq := range witness {
		if e, ok := r.state.Inferred(seq); ok {
			needs = append(needs, Need{Process: e.Process, Fact: tracefmt.Fact{Kind: e.Kind}, From: seq - 1, To: seq + 1})
		}
	}
	return needs
}

// ViolateUnless counts a violation that there is none of if one of the excuses happened
// without being recorded.
func (r *Result) ViolateUnless(excuses []Need, explain func() string, witness ...tracefmt.Seq) {
	if !r.partial() {
		r.convict(explain, witness)
		return
	}
	if inferred := r.inferences(witness); inferred != nil {
		if r.excused == nil {
			r.excused = &finding{explanation: explain(), witness: events(witness), excuses: inferred, inferred: true}
		}
		r.keepExcused(explain, witness, inferred)
		return
	}
	excuses = unrecorded(r.state.Coverage(), r.state.Run, excuses)
	if len(excuses) == 0 {
		r.convict(explain, witness)
		return
	}
	r.hold(excuses, explain, witness)
}

// Sure reports whether none of the facts may have happened without being recorded, as far
// as the run says so itself: what the events decide is decided at the end.
func (r *Result) Sure(needs []Need) bool {
	return !r.partial() || !r.state.Coverage().Silent() && len(unrecorded(r.state.Coverage(), r.state.Run, needs)) == 0
}

// hold keeps a violation whose excuses stand until all events have been.
func (r *Result) hold(excuses []Need, explain func() string, witness []tracefmt.Seq) {
	key := r.likeness(excuses)
	if f := r.held[key]; f != nil {
		f.count++
		f.kept = r.with(f.kept, explain, witness, excuses)
		return
	}
	if r.held == nil {
		r.held = make(map[string]*finding)
	}
	if len(r.held) > max(mostHeld, r.heldFull) {
		r.settle()
		r.heldFull = 2 * len(r.held)
	}
	r.heldOrder++
	r.held[key] = &finding{
		order: r.heldOrder, count: 1, explanation: explain(), witness: events(witness), excuses: excuses,
		kept: r.with(nil, explain, witness, excuses),
	}
}

// mostHeld is how many findings are held one by one at least.
const mostHeld = 1 << 10

// settle makes one finding of those that have no excuse any more, since what has happened
// after them shows that none of it happened.
func (r *Result) settle() {
	const settled = ""
	all := r.held[settled]
	for key, f := range r.held {
		switch {
		case f == all || !r.past(f.excuses) || len(unrecorded(r.state.Coverage(), r.state.Run, f.excuses)) > 0:
			continue
		case all == nil:
			all = &finding{order: f.order, explanation: f.explanation, witness: f.witness}
		case f.order < all.order:
			all.order, all.explanation, all.witness = f.order, f.explanation, f.witness
		}
		all.count += f.count
		all.kept = inOrder(append(all.kept, f.kept...), r.keep)
		delete(r.held, key)
	}
	if all != nil {
		r.held[settled] = all
	}
}

// past reports whether all of the needs are about what is over.
func (r *Result) past(needs []Need) bool {
	return !slices.ContainsFunc(needs, func(n Need) bool { return n.To == 0 || n.To > r.state.Seq })
}

// likeness is what findings have in common of which all come to the same in the end: the
// facts that may excuse them, where a gap may hide one, and what a process has done that may have
// gone down.
func (r *Result) likeness(excuses []Need) string {
	var key strings.Builder
	for _, n := range excuses {
		fmt.Fprintf(&key, "%d %s %t", n.Process, n.Fact, n.Anew)
		for _, p := range n.processes(r.state.Run) {
			switch c := r.state.Coverage(); {
			case c.InGap(p, n.From, n.To):
				fmt.Fprintf(&key, " %d", p)
			case c.ShowsUp(p, n.Fact): // what the process does next decides
				fmt.Fprintf(&key, " %d@%d-%d", p, n.From, r.state.StepAt(p))
			}
		}
		key.WriteByte('\n')
	}
	return key.String()
}

// partial reports whether something may have happened that is not recorded.
func (r *Result) partial() bool { return r.state != nil && !r.state.Coverage().Complete() }

func (r *Result) convict(explain func() string, witness []tracefmt.Seq) {
	r.Kept = r.with(r.Kept, explain, witness, nil)
	if r.Violations++; r.Violations == 1 {
		r.Explanation, r.Witness = explain(), events(witness)
		r.part.met(r)
	}
}

// events returns a witness in order, without 0 and repetitions.
func events(witness []tracefmt.Seq) []tracefmt.Seq {
	all := slices.DeleteFunc(slices.Clone(witness), func(s tracefmt.Seq) bool { return s == 0 })
	slices.Sort(all)
	return slices.Compact(all)
}

// Lacks states that a fact may show a violation if it happened without being recorded:
// the property is not satisfied unless it is told.
func (r *Result) Lacks(needs ...Need) {
	if !r.partial() {
		return
	}
	c := r.state.Coverage()
	for _, n := range needs {
		if c.Silent() || n.anywhere(c, r.state.Run) {
			r.lacking.add(n)
		}
		if start, may := n.orStart(c, r.state.Run); may {
			r.lacking.add(start)
		}
	}
}

// restsOn is Lacks for the facts on which a positive verdict rests, at the end, or nil. Where the property does not
// apply it counts only whether there are any: it may have one for each process, and the first is enough.
func (r *Result) restsOn(needs iter.Seq[Need]) {
	if needs == nil {
		return
	}
	applies := r.appliesTo()
	for n := range needs {
		if !applies && len(r.lacking.all) >= 1<<6 {
			if len(r.untoldOf(r.lacking.all)) > 0 {
				return
			}
			r.lacking.all = r.lacking.all[:0]
		}
		r.Lacks(n)
	}
}

// appliesTo reports whether the property has something to say of the run, as far as the events show it.
func (r *Result) appliesTo() bool {
	found := r.Violations > 0 || len(r.held) > 0 || r.excused != nil || len(r.Open) > 0 || r.mayOwe != nil
	return !r.notApplicable && (found || r.unknown || r.Examined > 0 || !r.partial() || !r.silent())
}

// Owe states an open obligation. Only a run that was stopped may owe.
func (r *Result) Owe(obligation string) {
	r.Open = append(r.Open, obligation)
	r.part.owes(obligation)
}

// MostOwed is how many obligations of a kind are listed one by one.
const MostOwed = 100

// OweMore states that there are so many obligations more than those that are listed.
func (r *Result) OweMore(n int) {
	if r.part == nil {
		r.Open = append(r.Open, moreOwed(n))
		return
	}
	r.part.found.Owed += n
}

func moreOwed(n int) string { return fmt.Sprintf("%d more of the kind", n) }

// OweUnless states an obligation that is open unless one of the facts happened without
// being recorded. It is for the end of a run.
func (r *Result) OweUnless(met []Need, obligation string, witness ...tracefmt.Seq) {
	if r.partial() {
		if met = r.untoldOf(met); len(met) > 0 {
			if r.mayOwe == nil {
				r.mayOwe = &finding{explanation: obligation, witness: events(witness), excuses: met}
			}
			r.owing.add(met...)
			return
		}
	}
	r.Owe(obligation)
}

// NotApplicable states that the run lacks what the property is about.
func (r *Result) NotApplicable(reason string) {
	r.notApplicable, r.Explanation = true, reason
}

// NeverRecorded is NotApplicable where what was found counts for nothing: it rests on variables that
// the recording lacks, and that the run may have had.
func (r *Result) NeverRecorded(reason string) {
	r.NotApplicable(reason)
	r.Violations, r.Witness, r.Cut, r.Kept, r.Open = 0, nil, nil, nil, nil
	r.held, r.excused, r.keptExcused = nil, nil, nil
}

// NothingTold states that the run has nothing of the facts that the property is about, which the reason says,
// and reports whether the property does not apply for that. It does to a run that says to be about
// the problem of the property, and to tell all of these facts: there were none, so that nothing was examined
// until now.
func (r *Result) NothingTold(reason string, facts ...tracefmt.Fact) bool {
	return r.NothingRecorded(reason, r.state.Run, r.state.Coverage().Whole(facts...))
}

// NothingRecorded is [Result.NothingTold] for who knows whether all of the facts are recorded completely.
func (r *Result) NothingRecorded(reason string, run *tracefmt.Run, complete bool) bool {
	about := r.Property.Problem != "" && run.Problem != "" && run.Solves(r.Property.Problem)
	if about && complete {
		r.Examined = 0
		return false
	}
	r.NeverRecorded(reason)
	return true
}

// Undecided states that the property could not be decided, unless it turns
// out to be violated; the first reason is kept, with the facts that would decide it. Where
// none are given these are all that may show a violation.
func (r *Result) Undecided(reason func() string, needs ...Need) {
	if !r.unknown && r.Violations == 0 {
		r.unknown, r.Explanation, r.unknownFor = true, reason(), needs
		r.part.stuck(r)
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
