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

// Result is the outcome of one property on one run. Monitors fill it in; the verdict follows from their findings
// and from what is unrecorded.
type Result struct {
	Property *Property
	Verdict  Verdict
	// Violations counts the violations; Witness and Explanation are those of the first.
	Violations int
	// Witness lists the events that together show the violation; it is empty if the initial state of a run without
	// events violates the property.
	Witness     []tracefmt.Seq
	Explanation string
	// Cut is the consistent cut that violates the property, if there is one: the last event of each process with
	// events in it.
	Cut []tracefmt.Seq
	// Open lists the obligations of a pending property.
	Open []string
	// Needs are the facts whose record would decide an unknown property.
	Needs []Need
	// LogNext are lists of facts. To record the facts of a list decides the property, or shows a violation if the list
	// can show nothing else. Lists that decide come first, the shortest of them at the beginning.
	LogNext []Wanted
	// Named is set if the user named the property; see [Options] and [Property].
	Named bool
	// Counts: the verdict is open, and had to be decided; see weigh.
	Counts bool
	// Examined counts the situations that the property examined.
	Examined int
	// MaxSteps bounds the work of monitors that search, in steps of the search, so that the verdict does not depend
	// on the machine. A monitor that needs more is undecided.
	MaxSteps int64
	// Skew is the least difference of clocks that changes the finding, 0 if it is unknown or no clock changes it.
	Skew tracefmt.Time
	// Kept are the first violations, then the same number of violations that unrecorded facts may excuse; [Options] has
	// the number; Excused counts the latter. They are set at the end.
	Kept    []Violation
	Excused int

	unknown, notApplicable bool
	idle                   string // the reason why nothing was examined
	mistaken               string // see Mistaken
	keep                   int
	keptExcused            []Violation

	state *replay.State // the state of the pass; nil in a complete recording
	// excused is the first violation that unrecorded facts may explain; lacking are the facts that would show a
	// violation if they happened unrecorded.
	excused *finding
	lacking needList
	// held are violations that may be excused, grouped by the facts and gaps that may excuse them. The end shows
	// which of these facts are unrecorded.
	held           map[string]*finding
	heldAtSettling int // the number that remained at the last settling
	// orders is the number of findings so far, firstOrder the place of the first certain one among them.
	orders, firstOrder int
	// unknownFor are the missing facts that left the property undecided.
	unknownFor []Need
	// firstPossiblyOwed is the first obligation that unrecorded facts may have fulfilled; owedNeeds are the facts that
	// may have fulfilled any.
	firstPossiblyOwed *finding
	// owedNeeds are the facts that may have fulfilled some obligation.
	owedNeeds needList

	orphans orphans // the orphans of the whole pass
	guesses *guesses

	part     *partial       // nil if the whole run is examined
	deadline *tracefmt.Time // see Deadline
}

// finding is a violation, or a group of violations that the same unrecorded facts may explain.
type finding struct {
	order       int // its number among the findings of the result
	count       int // number of violations of the group
	explanation string
	witness     []tracefmt.Seq
	excuses     []Need
	inferred    bool        // the excuses are that events of the witness were inferred
	kept        []Violation // the first ones of the group
	place       *Found      // the place of the finding, in a part of a run
}

// Violate counts a violation. The first one keeps its explanation and witness, the events that together show
// it; a seq of 0 is ignored. If a fact of ExcusedBy may have happened unrecorded, the violation may be
// explained by it and is no verdict. A monitor that knows when such a fact would matter calls
// [Result.ViolateUnless].
func (r *Result) Violate(explain func() string, witness ...tracefmt.Seq) {
	if r.partial() {
		r.ViolateUnless(Needs(AnyProcess, 0, r.state.Now(), r.Property.ExcusedBy...), explain, witness...)
		return
	}
	r.countViolation(explain, witness)
}

// inferences returns a need for each event of the witness that was inferred: it may not have happened.
func (r *Result) inferences(witness []tracefmt.Seq) []Need {
	var needs []Need
	for _, seq := range witness {
		if e, ok := r.state.Inferred(seq); ok {
			needs = append(needs, Need{
				Process: e.Process, Fact: tracefmt.Fact{Kind: e.Kind}, From: seq - 1,
				To: seq + 1,
			})
		}
	}
	return needs
}

// ViolateUnless counts a violation, unless one of the excuses may have happened unrecorded: then the
// violation is no verdict.
func (r *Result) ViolateUnless(excuses []Need, explain func() string, witness ...tracefmt.Seq) {
	if !r.partial() {
		r.countViolation(explain, witness)
		return
	}
	if inferred := r.inferences(witness); inferred != nil {
		if r.excused == nil {
			r.excused = &finding{
				explanation: explain(), witness: sortedWitness(witness), excuses: inferred,
				inferred: true,
			}
		}
		r.keepExcused(explain, witness, inferred)
		return
	}
	excuses = unrecorded(r.state.Coverage(), r.state.Run, excuses)
	if len(excuses) == 0 {
		r.countViolation(explain, witness)
		return
	}
	r.holdUnless(excuses, explain, witness)
}

// Sure reports whether the run declares that all of the facts are recorded. Without a declaration, that is
// known only at the end, and Sure is false.
func (r *Result) Sure(needs []Need) bool {
	return !r.partial() || !r.state.Coverage().Silent() && len(unrecorded(r.state.Coverage(), r.state.Run, needs)) == 0
}

// holdUnless stores a violation whose excuses are possible until the end.
func (r *Result) holdUnless(excuses []Need, explain func() string, witness []tracefmt.Seq) {
	key := r.groupKey(excuses)
	if f := r.held[key]; f != nil {
		f.count++
		f.kept = r.appendKept(f.kept, explain, witness, excuses)
		return
	}
	if r.held == nil {
		r.held = make(map[string]*finding)
	}
	if len(r.held) > max(minHeld, r.heldAtSettling) {
		r.settle()
		r.heldAtSettling = 2 * len(r.held)
	}
	r.orders++
	f := &finding{
		order: r.orders, count: 1, explanation: explain(), witness: sortedWitness(witness), excuses: excuses,
		kept: r.appendKept(nil, explain, witness, excuses),
	}
	r.part.held(r, f)
	r.held[key] = f
}

// minHeld is the number of groups from which on settle merges groups that are decided.
const minHeld = 1 << 10

// settle merges the groups whose excuses later events have excluded. It bounds the memory of a run with many
// violations.
func (r *Result) settle() {
	const settled = ""
	list := r.held[settled]
	for key, f := range r.held {
		switch {
		case f == list || !r.allEnded(f.excuses) || len(unrecorded(r.state.Coverage(), r.state.Run, f.excuses)) > 0:
			continue
		case list == nil:
			list = &finding{order: f.order, explanation: f.explanation, witness: f.witness, place: f.place}
		case f.order < list.order:
			list.order, list.explanation, list.witness, list.place = f.order, f.explanation, f.witness, f.place
		}
		list.count += f.count
		list.kept = inOrder(append(list.kept, f.kept...), r.keep)
		delete(r.held, key)
	}
	if list != nil {
		r.held[settled] = list
	}
}

// allEnded reports whether the stretches of all needs end before the present event.
func (r *Result) allEnded(needs []Need) bool {
	return !slices.ContainsFunc(needs, func(n Need) bool { return n.To == 0 || n.To > r.state.Seq })
}

// groupKey returns the key by which violations are grouped: the facts that may excuse them, the gaps that may
// hide these, and the next steps of processes that may have been down. All violations of a group have the
// same outcome.
func (r *Result) groupKey(excuses []Need) string {
	var key strings.Builder
	for _, n := range excuses {
		fmt.Fprintf(&key, "%d %s %t", n.Process, n.Fact, n.Anew)
		for _, p := range n.processes(r.state.Run) {
			switch c := r.state.Coverage(); {
			case c.InGap(p, n.From, n.To):
				fmt.Fprintf(&key, " %d", p)
			case c.ShowsUp(p, n.Fact):
				// The next step of the process shows that it was up, so the missing fact matters only until then.
				fmt.Fprintf(&key, " %d@%d-%d", p, n.From, r.state.StepAt(p))
			}
		}
		key.WriteByte('\n')
	}
	return key.String()
}

// partial reports whether the recording is incomplete.
func (r *Result) partial() bool { return r.state != nil && !r.state.Coverage().Complete() }

// countViolation counts a certain violation; the first one gives the witness and the explanation.
func (r *Result) countViolation(explain func() string, witness []tracefmt.Seq) {
	r.Kept = r.appendKept(r.Kept, explain, witness, nil)
	r.orders++
	if r.Violations++; r.Violations == 1 {
		r.firstOrder = r.orders
		r.Explanation, r.Witness = explain(), sortedWitness(witness)
		r.part.noteFirst(r)
	}
}

// sortedWitness returns a witness in order, without 0 and duplicates.
func sortedWitness(witness []tracefmt.Seq) []tracefmt.Seq {
	list := slices.DeleteFunc(slices.Clone(witness), func(s tracefmt.Seq) bool { return s == 0 })
	slices.Sort(list)
	return slices.Compact(list)
}

// Lacks records facts that would show a violation if they happened unrecorded: unless they are recorded
// completely, the verdict is unknown.
func (r *Result) Lacks(needs ...Need) {
	if !r.partial() {
		return
	}
	c := r.state.Coverage()
	for _, n := range needs {
		if c.Silent() || n.missingAnywhere(c, r.state.Run) {
			r.lacking.add(n)
		}
		if start, may := n.startInstead(c, r.state.Run); may {
			r.lacking.add(start)
		}
	}
}

// restsOn calls Lacks for the facts on which a positive verdict rests. If the property does not apply to the
// run, it stops at the first missing fact, since there may be one for each process.
func (r *Result) restsOn(needs iter.Seq[Need]) {
	if needs == nil {
		return
	}
	applies := r.appliesTo()
	for n := range needs {
		if !applies && len(r.lacking.list) >= 1<<6 {
			if len(r.missingOf(r.lacking.sorted())) > 0 {
				return
			}
			r.lacking.list = r.lacking.list[:0]
		}
		r.Lacks(n)
	}
}

// appliesTo reports whether the events show that the property applies to the run.
func (r *Result) appliesTo() bool {
	found := r.Violations > 0 || len(r.held) > 0 || r.excused != nil || len(r.Open) > 0 || r.firstPossiblyOwed != nil
	if r.notApplicable {
		return false
	}
	if found || r.unknown || r.Examined > 0 {
		return true
	}
	// A complete recording without a trigger makes the property vacuous; a partial one may never record triggers.
	return !r.partial() || !r.lacksTriggers()
}

// Owe records an obligation that is open at the end. Only a stopped run may have one.
func (r *Result) Owe(obligation string) {
	r.Open = append(r.Open, obligation)
	r.part.owes(obligation, nil, nil)
}

// MostOwed is the number of open obligations of a kind that are listed.
const MostOwed = 100

// OweMore records the number of obligations that are not listed.
func (r *Result) OweMore(n int) {
	if r.part == nil {
		r.addUnlisted(n)
		return
	}
	r.part.found.Owed += n
}

// addUnlisted adds obligations that are not listed. The facts that may have met them are not known. If unrecorded
// facts may have met each listed obligation, the others are not certainly open either, and add nothing.
func (r *Result) addUnlisted(n int) {
	if r.firstPossiblyOwed == nil || len(r.Open) > 0 {
		r.Open = append(r.Open, moreOwed(n))
	}
}

// moreOwed returns the text for obligations that are not listed.
func moreOwed(n int) string { return fmt.Sprintf("%d more of the kind", n) }

// OweUnless records an open obligation, unless one of the facts may have fulfilled it unrecorded. It must be
// called at the end of a run.
func (r *Result) OweUnless(met []Need, obligation string, witness ...tracefmt.Seq) {
	if r.part != nil && r.partial() { // the join decides, of all that the run shows
		r.part.owes(obligation, met, witness)
		return
	}
	if r.partial() {
		met = r.missingOf(met)
		if len(met) > 0 {
			if r.firstPossiblyOwed == nil {
				r.firstPossiblyOwed = &finding{explanation: obligation, witness: sortedWitness(witness), excuses: met}
			}
			r.owedNeeds.add(met...)
			return
		}
	}
	r.Owe(obligation)
}

// NotApplicable records that the run lacks the subject of the property.
func (r *Result) NotApplicable(reason string) {
	r.notApplicable, r.Explanation = true, reason
}

// NeverRecorded is NotApplicable with all findings removed: they rest on variables that the recording lacks
// and the run may have had.
func (r *Result) NeverRecorded(reason string) {
	r.NotApplicable(reason)
	r.Violations, r.Witness, r.Cut, r.Kept, r.Open = 0, nil, nil, nil, nil
	r.held, r.excused, r.keptExcused = nil, nil, nil
}

// NoFacts records that no fact of the property is recorded, and returns whether the property is therefore not
// applicable. It stays applicable if the run declares the property's problem and a complete record of the
// facts: then none happened.
func (r *Result) NoFacts(reason string, facts ...tracefmt.Fact) bool {
	return r.NothingRecorded(reason, r.state.Run, r.state.Coverage().Whole(facts...))
}

// NothingRecorded is [Result.NoFacts] for callers that know whether the record is complete.
func (r *Result) NothingRecorded(reason string, run *tracefmt.Run, complete bool) bool {
	about := r.Property.Problem != "" && run.Problem != "" && run.Solves(r.Property.Problem)
	if about && complete {
		r.Examined = 0
		return false
	}
	r.NeverRecorded(reason)
	return true
}

// Undecided records that the property could not be decided, unless it is violated. The first call keeps its
// reason and the facts that would decide; without needs, these are all facts of ViolatedBy.
func (r *Result) Undecided(reason func() string, needs ...Need) {
	if !r.unknown && r.Violations == 0 {
		r.unknown, r.Explanation, r.unknownFor = true, reason(), needs
		r.part.noteUnknown(r)
	}
}

// WitnessJSON returns the witness as a JSON array, for the view verdicts.
func (r *Result) WitnessJSON() string {
	b, err := json.Marshal(r.Witness)
	if err != nil || r.Witness == nil {
		return "[]"
	}
	return string(b)
}
