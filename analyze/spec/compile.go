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
	scope *scope // outside of every pattern
}

// plan is a compiled rule.
type plan struct {
	kind analyze.Kind
	// needs says what a run must hold for the rule to apply.
	needs string
	// kinds are the events that the monitor must see.
	kinds   kindSet
	monitor func(base) analyze.Monitor
	// relies are the facts on which a positive verdict rests, excuses those that may excuse a
	// violation, and triggers those without each of which the rule has nothing to say.
	relies, excuses, triggers []tracefmt.Fact
	split                     *split
	demands                   []demand
}

// demand is of which events the run must have one for the rule to apply, and lacks says that it has
// none.
type demand struct {
	*matcher
	lacks string
}

// newCompiler returns a compiler with a program of its own. The fluents that
// the rule names come into it as it names them.
func newCompiler(rule *ruleItem, fluents []*fluentItem, o Options) *compiler {
	p := newProgram(sourceText(rule.Body.Tokens))
	return &compiler{o, &scope{program: p, inFile: fluents, asked: &p.asked}}
}

// base is what the monitors of all forms have in common.
type base struct {
	frame    *frame
	program  *program
	kinds    kindSet
	relies   []tracefmt.Fact
	triggers []tracefmt.Fact
	rests    []tracefmt.Fact // all
	share    share
	round    round
	// arrived are the messages that did without a recorded send, and looksAtShown says that
	// the rule counts their sends.
	arrived      tracefmt.MessageTable[struct{}]
	looksAtShown bool
	// occurred: there was an event of the kinds that the rule is about.
	occurred bool
	// vague is the first event that should count and does not say for what, where it matters to
	// all others that there is one.
	vague tracefmt.Seq
	// lost: the rule cannot be decided any more; nothing is looked at.
	lost bool
	// demands are those of the plan of which there was no event.
	demands []demand
}

// lose gives up.
func (b *base) lose(r *analyze.Result, reason string) {
	b.lost, b.demands = true, nil
	r.Undecided(func() string { return reason })
}

// room reports whether a rule that keeps an entry for each key may keep one
// more.
func (b *base) room(r *analyze.Result, entries int) bool {
	if entries >= mostPast || len(b.frame.folded) > mostPast { // the key at hand is folded
		b.lose(r, fmt.Sprintf("more than %d keys would have to be kept at seq %d", mostPast, b.frame.event.Seq))
	}
	return !b.lost
}

// wants takes in an event, and reports whether it is one that the rule looks
// at, and that is owned where but a part of the run is examined.
func (b *base) wants(s *replay.State, e *tracefmt.Event) bool {
	b.share.owned = false
	return b.looksAt(s, e) && (b.share.owns == nil || b.share.takes(b.frame))
}

func (b *base) looksAt(s *replay.State, e *tracefmt.Event) bool {
	looks := b.kinds.has(e.Kind) || s.Restarted()
	if !looks && !slices.ContainsFunc(b.demands, func(d demand) bool { return d.kinds.has(e.Kind) }) {
		b.frame.follow(s, e)
		return false
	}
	b.frame.begin(s, e)
	if len(b.demands) > 0 {
		b.demands = slices.DeleteFunc(b.demands, func(d demand) bool { return d.matches(b.frame) })
	}
	return looks
}

// meets reports whether the event at hand is one that the rule is about.
func (b *base) meets(m *matcher) bool {
	b.occurred = b.occurred || m.kinds.has(b.frame.event.Kind)
	return m.matches(b.frame)
}

// close ends the pass: a run that lacks what the rule refers to is not one
// that keeps to it.
func (b *base) close(r *analyze.Result, s *replay.State) {
	b.conclude(r, b.survey(s))
}

func (b *base) conclude(r *analyze.Result, found surveyed) {
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
	switch lacking := b.lacking(r, found); {
	case found.Unrecorded:
		r.NeverRecorded(lacking)
	case lacking != "" && r.Violations == 0:
		r.NotApplicable(lacking)
	case len(b.frame.untold) == 0:
	case r.Violations > 0: // it may be due to that
		r.Explanation += b.noSuchField()
	case len(r.Open) > 0:
		r.Open[0] += b.noSuchField()
	}
}

// noSuchField says of a name that may be meant as a text that it is no field.
func (b *base) noSuchField() string {
	field := b.frame.untold[0].field
	return fmt.Sprintf("; no event has a field %s%s", b.nameOf(field), b.textMeant(field))
}

// textMeant asks whether a text is meant by the name of a field that no event has.
func (b *base) textMeant(field int) string {
	for _, t := range b.frame.untold {
		if t.field == field {
			return fmt.Sprintf("; did you mean the text %q in line %d, column %d?", b.nameOf(field), t.at.Line, t.at.Column)
		}
	}
	return ""
}

// nameOf is the name of a field, fit for an explanation.
func (b *base) nameOf(field int) string { return shorten(b.frame.fields[field].name) }

// noElection is the reason for rules of the variable elected.
const noElection = "no process has a variable elected"

// lacking names what the rule asks for and the run does not have at all. A rule that
// somebody named may hold without it, and yet it was not examined as it reads: the
// name may be misspelt.
func (b *base) lacking(r *analyze.Result, found surveyed) string {
	if found.Lacking != "" {
		return found.Lacking
	}
	if len(found.Unheld) > 0 {
		return fmt.Sprintf("no process has a variable %s", shorten(found.Unheld[0]))
	}
	unseen := found.Unseen
	if r.Named {
		unseen = slices.DeleteFunc(slices.Clone(unseen), func(i int) bool { return slices.Contains(b.program.optional, i) })
	} else if r.Examined > 0 || !found.Occurred {
		return ""
	}
	if len(unseen) == 0 {
		return ""
	}
	return fmt.Sprintf("none of the events that the rule looks at has a field %s%s", b.nameOf(unseen[0]), b.hint(unseen[0]))
}

// lackingState is what the rule asks of the state and no event tells.
func (b *base) lackingState(s *replay.State) string {
	switch {
	case b.program.elected && !s.HasElected():
		return noElection
	case b.program.leads && !s.TellsLeader():
		return "no process has a variable elected or role"
	}
	return ""
}

// lackingFacts are the variables of processes that the rule asks for and no event has.
func (b *base) lackingFacts(s *replay.State) (facts []tracefmt.Fact) {
	if b.lackingState(s) != "" {
		facts = append(facts, tracefmt.StateOf(electedVariable))
		if b.program.leads {
			facts = append(facts, tracefmt.StateOf(roleVariable))
		}
	}
	for _, name := range b.frame.unheld {
		facts = append(facts, tracefmt.StateOf(name))
	}
	return facts
}

// hint asks what may be meant by the name of a field that no event has.
func (b *base) hint(field int) string {
	of := b.program.fields[field]
	switch text, unit := b.textMeant(field), longUnits[of.root]; {
	case unit != "" && len(of.steps) == 0:
		return fmt.Sprintf("; a time is said by: within 1%s", unit)
	case text != "":
		return text
	case len(of.steps) > 0 && of.steps[0].index < 0:
		return fmt.Sprintf(", nor is an event named %s", shorten(of.root))
	}
	return columnNear(of.root)
}

// vain is the reason for a verdict that a missing field, or a number that is too great, leaves open.
func (b *base) vain() func() string {
	return func() string {
		switch {
		case b.frame.missing != "":
		case b.frame.unordered != nil:
			return fmt.Sprintf("%s, where %s is null, which is neither less nor greater than anything; expected "+
				"%[2]s != null and ... before it", b.frame.tell(), b.frame.unordered)
		case b.frame.refused != nil:
			return fmt.Sprintf("%s, where %s is beyond the whole numbers of 64 bits, with which rules compute", b.frame.tell(), b.frame.refused)
		default:
			return fmt.Sprintf("%s, which can neither be said to keep to the rule nor to break it", b.frame.tell())
		}
		return fmt.Sprintf("%s without the field %s, which the rule asks for%s", b.frame.tell(), shorten(b.frame.missing), b.misspelt())
	}
}

// misspelt asks whether a column is meant by the name that was asked for in vain, if no
// event has had such a field so far.
func (b *base) misspelt() string {
	for _, field := range b.frame.fields {
		if field.name == b.frame.missing && !field.seenBy(b.frame.event.Seq) && !field.term {
			return columnNear(b.frame.missing)
		}
	}
	return ""
}

// facts are all that the rule is about. The term may be told by any event that changes the
// state of a process.
func (p *plan) facts(program *program) []tracefmt.Fact {
	facts := distinct(p.relies, p.excuses, p.triggers, program.reads)
	if slices.Contains(facts, tracefmt.StateOf(termField)) {
		facts = append(facts, anyVariable)
	}
	return facts
}

// property completes the property of a plan.
func (p *plan) property(head analyze.Property, program *program) *analyze.Property {
	kinds := p.kinds
	for _, def := range program.fluents {
		kinds |= def.kinds
	}
	head.Kind, head.Rule = p.kind, strings.Join(append(program.sources, program.rule), "\n")
	head.Convicts, head.Acquits, head.Triggers = p.relies, p.excuses, p.triggers
	head.New = func(run *tracefmt.Run) analyze.Monitor {
		seen := kinds
		if kinds.has(tracefmt.Send) && !run.RecordsAll() {
			seen |= setOf(arrivals) // these show sends
		}
		frame := newFrame(run, program)
		rests := orStarts(p.facts(program))
		frame.leavesOut = !tracefmt.NewCoverage(run).Whole(rests...)
		split := p.split
		if split == nil {
			split = whole("it looks at the state of the whole run")
		}
		return p.monitor(base{
			frame: frame, program: program, kinds: seen, relies: p.relies, triggers: p.triggers, rests: rests,
			share: share{split: split}, demands: slices.Clone(p.demands),
		})
	}
	return &head
}
