package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compiler compiles one rule of a file.
type compiler struct {
	Options
	scope *scope // the scope outside of every pattern
}

// plan is a compiled rule.
type plan struct {
	kind analyze.Kind
	// needs describes what a run must contain for the rule to apply.
	needs string
	// kinds are the events that the monitor receives.
	kinds   kindSet
	monitor func(base) analyze.Monitor
	// A positive verdict rests on the facts relies. A missing fact of excuses may explain a violation.
	// Without a fact of each of triggers the rule is never examined.
	relies, excuses, triggers []tracefmt.Fact
	split                     *split
	demands                   []demand
}

// demand is a pattern that must match at least one event for the rule to apply. lacks is the reason that is reported
// if no event matches.
type demand struct {
	*matcher
	lacks string
}

// newCompiler returns a compiler with a new program. A fluent is added to the program when the rule
// first names it.
func newCompiler(rule *ruleItem, fluents []*fluentItem, o Options) *compiler {
	p := newProgram(sourceText(rule.Body.Tokens))
	return &compiler{o, &scope{program: p, fluents: fluents, demanded: &p.demanded}}
}

// base is the common part of the monitors of all forms.
type base struct {
	frame    *frame
	program  *program
	kinds    kindSet
	relies   []tracefmt.Fact
	triggers []tracefmt.Fact
	// allFacts are all facts that the rule reads.
	allFacts []tracefmt.Fact
	// share is the part of the run that this monitor examines, if the check is divided.
	share share
	// round is what the monitor saw in the loop at the end of the run.
	round loopRound
	// arrived has the messages that arrived without a recorded send. countsShownSends is set if the rule
	// counts these sends.
	arrived tracefmt.MessageTable[struct{}]
	// arrived has the messages that arrived without a recorded send. countsShownSends is set if the rule counts such
	// sends when the arrival proves them.
	countsShownSends bool
	// occurred is set once an event of the rule's kinds was seen.
	occurred bool
	// firstKeyless is the first event that counts but lacks the field for which it counts; 0 without one. If an event
	// may be missing, it may be the one whose key matters.
	firstKeyless tracefmt.Seq
	// gaveUp is set once the rule cannot be decided; later events are ignored.
	gaveUp bool
	// demands are the demands of the plan that no event has met yet.
	demands []demand
}

// giveUp makes the rule undecided for the given reason. Later events are ignored.
func (b *base) giveUp(r *analyze.Result, reason string) {
	b.gaveUp, b.demands = true, nil
	r.Undecided(func() string { return reason })
}

// hasRoom reports whether a rule that stores an entry per key may store one more. If not, it gives up.
func (b *base) hasRoom(r *analyze.Result, entries int) bool {
	// The key of the current event may have been folded already, so folded keys count, too.
	if entries >= maxPast || len(b.frame.folded) > maxPast {
		b.giveUp(r, fmt.Sprintf("more than %d keys would have to be kept at seq %d", maxPast, b.frame.event.Seq))
	}
	return !b.gaveUp
}

// beginEvent makes e the current event and reports whether the rule examines it. If only a part of the run is checked,
// the part must own the event (analyze.Splitting).
func (b *base) beginEvent(s *replay.State, e *tracefmt.Event) bool {
	return b.beginIfRelevant(s, e) && (b.share.owns == nil || b.share.ownsAny(b.frame))
}

// beginIfRelevant reports whether an event can matter to the rule by its kind. If so, it makes the event the current
// one, and removes the demands that the event meets.
func (b *base) beginIfRelevant(s *replay.State, e *tracefmt.Event) bool {
	// A restart matters to a rule that reads the state; a part of the run need not show it to others.
	looks := b.kinds.has(e.Kind) || s.Restarted() && len(b.program.stateFacts) > 0
	if !looks && !slices.ContainsFunc(b.demands, func(d demand) bool { return d.kinds.has(e.Kind) }) {
		b.frame.updateFormer(s, e)
		return false
	}
	b.frame.begin(s, e)
	if len(b.demands) > 0 {
		b.demands = slices.DeleteFunc(b.demands, func(d demand) bool { return d.matches(b.frame) })
	}
	return looks
}

// matches reports whether the current event matches the rule's own pattern.
func (b *base) matches(m *matcher) bool {
	b.occurred = b.occurred || m.kinds.has(b.frame.event.Kind)
	return m.matches(b.frame)
}

// finish ends the pass. A run that lacks what the rule refers to makes the rule not applicable, not satisfied.
func (b *base) finish(r *analyze.Result, s *replay.State) {
	b.reportLacking(r, b.survey(s))
}

// reportLacking reports, at the end of the run, what the rule refers to and the run lacks: demanded events, fields,
// variables and constants.
func (b *base) reportLacking(r *analyze.Result, found surveyed) {
	for i := range b.frame.fluents {
		if fluent := &b.frame.fluents[i]; fluent.keyed != nil && fluent.keyed.full {
			r.Undecided(func() string {
				return fmt.Sprintf("more than %d values of %s would have to be kept for the fluent %s", maxPast, fluent.def.key, fluent.def.name)
			})
		}
	}
	examined := r.Examined
	for _, d := range found.Unmet {
		if r.NothingRecorded(d.Lacks, b.frame.run, d.Complete) {
			return
		}
		r.Examined = examined
	}
	if len(found.Unmet) > 0 {
		return
	}
	if r.Named {
		r.Mistaken(found.Strange)
	}
	switch lacking := b.lacking(r, found); {
	case found.Unrecorded:
		r.NeverRecorded(lacking)
	case lacking != "" && r.Violations == 0:
		r.NotApplicable(lacking)
	case len(b.frame.possibleTexts) == 0:
	case r.Violations > 0:
		// The missing field may be the cause of the violation.
		r.Explanation += b.noSuchField()
	case len(r.Open) > 0:
		r.Open[0] += b.noSuchField()
	}
}

// noSuchField remarks that no event has a field of that name, and asks whether a text was meant.
func (b *base) noSuchField() string {
	field := b.frame.possibleTexts[0].field
	return fmt.Sprintf("; no event has a field %s%s", b.nameOf(field), b.textMeant(field))
}

// textMeant asks whether the name of a missing field was meant as a text.
func (b *base) textMeant(field int) string {
	for _, t := range b.frame.possibleTexts {
		if t.field == field {
			return fmt.Sprintf("; did you mean the text %q in line %d, column %d?", b.nameOf(field), t.at.Line,
				t.at.Column)
		}
	}
	return ""
}

// nameOf returns the name of a field, shortened for an explanation.
func (b *base) nameOf(field int) string { return shorten(b.frame.fields[field].name) }

// noElection is the reason for rules that use the variable elected in a run without it.
const noElection = "no process has a variable elected"

// lacking names what the rule refers to and the run does not contain. A rule that the user named may
// hold vacuously without it, but it was not examined as written: the name may be misspelt.
func (b *base) lacking(r *analyze.Result, found surveyed) string {
	if found.Lacking != "" {
		return found.Lacking
	}
	if len(found.Unheld) > 0 {
		return fmt.Sprintf("no process has a variable %s", shorten(found.Unheld[0]))
	}
	unseen := found.Unseen
	if r.Named {
		unseen = slices.DeleteFunc(slices.Clone(unseen),
			func(i int) bool { return slices.Contains(b.program.optional, i) })
	} else if r.Examined > 0 || !found.Occurred {
		return ""
	}
	if len(unseen) == 0 {
		return ""
	}
	return fmt.Sprintf("none of the events that the rule looks at has a field %s%s", b.nameOf(unseen[0]),
		b.hint(unseen[0]))
}

// lackingState names the part of the state that the rule reads and no event assigns.
func (b *base) lackingState(s *replay.State) string {
	switch {
	case b.program.readsElected && !s.HasElected():
		return noElection
	case b.program.readsLeads && !s.HasLeader():
		return "no process has a variable elected or role"
	}
	return ""
}

// lackingFacts returns the variables of processes that the rule reads and no event assigns.
func (b *base) lackingFacts(s *replay.State) (facts []tracefmt.Fact) {
	if b.lackingState(s) != "" {
		facts = append(facts, tracefmt.StateOf(electedVariable))
		if b.program.readsLeads {
			facts = append(facts, tracefmt.StateOf(roleVariable))
		}
	}
	for _, name := range b.frame.unsetVariables {
		facts = append(facts, tracefmt.StateOf(name))
	}
	return facts
}

// hint suggests what may be meant by the name of a field that no event has.
func (b *base) hint(field int) string {
	asked := b.program.fields[field]
	switch text, unit := b.textMeant(field), longUnits[asked.root]; {
	case unit != "" && len(asked.steps) == 0:
		return fmt.Sprintf("; a time is written: within 1%s", unit)
	case text != "":
		return text
	case len(asked.steps) > 0 && asked.steps[0].index < 0:
		return fmt.Sprintf(", and no event is named %s", shorten(asked.root))
	}
	return columnNear(asked.root)
}

// openReason returns the reason for a verdict that stays open because of a missing field or of a
// number beyond 64 bits.
func (b *base) openReason() func() string {
	return func() string {
		switch {
		case b.frame.missingField != "":
		case b.frame.unorderedOperand != nil:
			return fmt.Sprintf("%s, where %s is null, which is neither less nor greater than anything; expected "+
				"%[2]s != null and ... before it", b.frame.describe(), b.frame.unorderedOperand)
		case b.frame.inexact != nil:
			return fmt.Sprintf("%s, where %s is beyond the whole numbers of 64 bits, with which rules compute",
				b.frame.describe(), b.frame.inexact)
		default:
			return fmt.Sprintf("%s, for which the rule can be neither true nor false", b.frame.describe())
		}
		return fmt.Sprintf("%s without the field %s, which the rule asks for%s", b.frame.describe(),
			shorten(b.frame.missingField), b.suggestColumn())
	}
}

// suggestColumn suggests a column for the name of the missing field, if no event so far has such a field.
func (b *base) suggestColumn() string {
	for _, field := range b.frame.fields {
		if field.name == b.frame.missingField && !field.seenBy(b.frame.event.Seq) && !field.term {
			return columnNear(b.frame.missingField)
		}
	}
	return ""
}

// facts returns all facts that the rule reads. Any event that changes the state of a process may
// record the term.
func (p *plan) facts(program *program) []tracefmt.Fact {
	facts := distinct(p.relies, p.excuses, p.triggers, program.facts)
	if slices.Contains(facts, tracefmt.StateOf(termField)) {
		facts = append(facts, anyVariable)
	}
	return facts
}

// property completes the analyze.Property of a plan.
func (p *plan) property(head analyze.Property, program *program) *analyze.Property {
	kinds := p.kinds
	for _, def := range program.fluents {
		kinds |= def.kinds
	}
	head.Kind, head.Rule = p.kind, strings.Join(append(program.sources, program.rule), "\n")
	head.ViolatedBy, head.ExcusedBy, head.Triggers = p.relies, p.excuses, p.triggers
	head.New = func(run *tracefmt.Run) analyze.Monitor {
		seen := kinds
		if kinds.has(tracefmt.Send) && !run.RecordsAll() {
			seen |= setOf(arrivals) // an arrival shows that a send happened
		}
		frame := newFrame(run, program)
		rests := orStarts(p.facts(program))
		frame.incomplete = !tracefmt.NewCoverage(run).Whole(rests...)
		split := p.split
		if split == nil {
			split = noSplit("it looks at the state of the whole run")
		}
		if frame.incomplete && len(program.facts) > 0 &&
			len(split.sides) == 1 { // events that do not match may have matched
			opened := *split
			opened.sides = slices.Clone(split.sides)
			opened.sides[0].matches, opened.sides[0].allEvents = nil, true
			split = &opened
		}
		return p.monitor(base{
			frame: frame, program: program, kinds: seen, relies: p.relies, triggers: p.triggers, allFacts: rests,
			share: share{split: split}, demands: slices.Clone(p.demands),
		})
	}
	return &head
}
