package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Repair takes back what contradicts itself. It adds no event and decides for no side: of
// what cannot both be true, neither remains as an event, and the run says that events may be
// missing there. What others are computed from stays, and only that is computed anew: the
// numbers of events, their order as far as messages demand it, and clocks; a check asks nothing
// of clocks that were (see [tracefmt.Run.Repaired]). So what is decided of the repaired run is so
// of any run that the damaged record may be of.

// Change is what a repair made of an event, or of what the run says of itself.
type Change struct {
	Rule *Rule
	// At is the event as it was, without a seq where the change is of the header.
	At Place
	// Part is what was changed: event, order, cause, time, clock, lamport, end or tells.
	Part string
	// Before and After are what it was and is, in words or as the record has it.
	Before, After string
}

// Repaired is a recording of which what contradicts itself was taken back.
type Repaired struct {
	// Memory is the run; it is as it was where there are no changes.
	*tracefmt.Memory
	Changes []Change
	// Left is what the rules find in it.
	Left *RunReport
}

// mostRounds bounds how often a repair looks again at what it has made. Each round tells less
// than that before, so that two or three are enough.
const mostRounds = 64

// Repair repairs a run by the rules, which it keeps in memory. The recording is only read. The
// error is one of reading.
func Repair(rec tracefmt.Recording, rules []*Rule) (*Repaired, error) {
	p, err := newPatient(rec)
	if err != nil {
		return nil, err
	}
	left, err := examine(p.memory(), rules, len(p.events))
	if err != nil {
		return nil, err
	}
	for range mostRounds {
		if !p.treat(left) {
			break
		}
		left, err = examine(p.memory(), rules, len(p.events))
		if err != nil {
			return nil, err
		}
	}
	if err := tracefmt.Validate(p.memory()); err != nil {
		return nil, fmt.Errorf("it cannot be repaired: %w", err)
	}
	for _, result := range left.Results {
		result.Findings = result.Findings[:min(len(result.Findings), mostListed)]
	}
	return &Repaired{p.memory(), p.changes, left}, left.locate(p.memory())
}

// patient is a run under repair.
type patient struct {
	run    tracefmt.Run
	events []tracefmt.Event
	// was is the seq that each event had in the recording.
	was     []tracefmt.Seq
	changes []Change
	// told is what is recorded, as the recording shows it before any change.
	told *tracefmt.Coverage
	// given are the gaps that were declared, so that none is declared twice.
	given map[tracefmt.Gap]bool
	// Of the round: the rule that is at work, and the events that were withdrawn.
	rule      *Rule
	withdrawn map[tracefmt.Seq]bool
}

func newPatient(rec tracefmt.Recording) (*patient, error) {
	p := &patient{run: *rec.Run(), given: make(map[tracefmt.Gap]bool), told: tracefmt.NewCoverage(rec.Run())}
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		p.events = append(p.events, *e.Clone())
		p.was = append(p.was, e.Seq)
		p.told.Show(e)
	}
	return p, nil
}

// declare makes what the run says of itself a value of its own. A run that is silent about
// what it tells remains so: what occurs in it still says it.
func (p *patient) declare() {
	if len(p.changes) > 0 {
		return
	}
	own := &tracefmt.Completeness{}
	switch {
	case p.run.Completeness != nil:
		under := p.run.Completeness
		own.Levels, own.Processes, own.Gaps = tracefmt.Levels{Default: under.Default,
			Kinds: maps.Clone(under.Kinds)}, maps.Clone(under.Processes), slices.Clone(under.Gaps)
	case p.run.RecordsAll():
		own.Default = tracefmt.All
	}
	if own.Kinds == nil {
		own.Kinds = make(map[string]tracefmt.Level)
	}
	if own.Processes == nil {
		own.Processes = make(map[string]tracefmt.Levels)
	}
	for _, g := range own.Gaps {
		p.given[g] = true
	}
	p.run.Completeness, p.run.Repaired = own, maps.Clone(p.run.Repaired)
	if p.run.Repaired == nil {
		p.run.Repaired = make(map[string]int64)
	}
}

// memory is the run as it is now.
func (p *patient) memory() *tracefmt.Memory {
	m := tracefmt.NewMemory(p.run)
	for i := range p.events {
		_ = m.Write(&p.events[i]) // into memory
	}
	_ = m.Finish(p.run.End)
	return m
}

// repair is how findings of a rule are repaired.
type repair struct {
	rule string
	// Doc says what becomes of a finding.
	doc  string
	with func(p *patient, f *Finding)
	// alone: events are numbered or ordered anew, so that all else is to be found again.
	alone bool
}

// repairs are made in this order.
var repairs = []repair{
	{"event-order",
		"events are put in the order of their numbers and numbered anew; where numbers are left out events of " +
			"any process may be missing", renumber, true},
	{"event-form", "the event becomes a note that says what it was, and events of its process may be missing there", withdrawLast, true},
	{"effect-before-cause",
		"events are put after their causes, and others may be missing among those that were moved; in a cycle " +
			"the first loses its causes", reorderCaused, true},
	{"receive-without-send", "", reorderSent, true},
	{"sent-twice", "the second send and all arrivals of the message become notes, where others may be missing", withdrawMessage, false},
	{"altered-message", "the send and the arrival become notes, where others may be missing", withdrawEnds, false},
	{"receive-without-send", "it is put after its send if that comes later; else not all that the sender sends is recorded", hideSend, false},
	{"send-without-receive", "not all that arrives at the receiver is recorded, and the run was stopped", hideArrival, false},
	{"no-duplication", "the second receive becomes a note, where another one may be missing", withdrawLast, false},
	{"answer-to-nothing", "not all that the other process sends is recorded", hideNumbered, false},
	{"no-step-when-crashed",
		"the crash becomes a note, and not all crashes, halts, recoveries and starts of the process are recorded",
		hideLife, false},
	{"crash-recovery-alternate", "events of the process may be missing in between", hideTurn, false},
	{"timers-well-behaved", "not all timers of the process are recorded", hideTimers, false},
	{"unknown-host", "of a process without events nothing is recorded; whom the run does not have stays unknown", silence, false},
	{"told-as-untold", "some of it is recorded", raise, false},
	{"process-time-monotone",
		"as few events as possible get the time of the one before; checks ask nothing of times any more", repairTimes,
		false},
	{"lamport-clocks",
		"where a clock jumps events may be missing; where one does not grow all are computed anew, and checks " +
			"ask nothing of them", repairLamport, false},
	{"own-sequence", "as many events are missing there as numbers, and clocks are computed anew", repairSequence, false},
	{"known-events", "the last events of the process are missing, and clocks are computed anew", repairVectors, false},
	{"vector-clocks",
		"clocks are computed anew from messages and causes, and checks ask nothing of them; where they knew " +
			"more, messages are missing", repairVectors, false},
	{"false-end", "the run was stopped", falsifyEnd, false},
}

// Repair says what a repair makes of findings of the rule, "" for nothing.
func (r *Rule) Repair() string {
	for _, how := range repairs {
		if how.rule == r.Name && how.doc != "" {
			return how.doc
		}
	}
	return ""
}

// treat repairs what was found, and reports whether anything has changed.
func (p *patient) treat(found *RunReport) bool {
	before := len(p.changes)
	p.withdrawn = make(map[tracefmt.Seq]bool)
	for _, how := range repairs {
		for _, result := range found.Results {
			if result.Rule.Name == how.rule {
				p.rule = result.Rule
				p.apply(how, result.Findings)
			}
		}
		if how.alone && len(p.changes) > before {
			break
		}
	}
	return len(p.changes) > before
}

// apply repairs the findings of a rule that nothing excuses.
func (p *patient) apply(how repair, findings []Finding) {
	for i := range findings {
		if f := &findings[i]; f.Severity != Note && !p.isWithdrawn(f) {
			how.with(p, f)
		}
	}
}

// isWithdrawn reports whether an event of the finding is there no more.
func (p *patient) isWithdrawn(f *Finding) bool {
	return slices.ContainsFunc(f.Events, func(at Place) bool { return p.withdrawn[at.Seq] })
}

// at returns an event of the run by its seq, nil for 0 and for none.
func (p *patient) at(seq tracefmt.Seq) *tracefmt.Event {
	if seq < 1 || int(seq) > len(p.events) {
		return nil
	}
	return &p.events[seq-1]
}

// last is the event of a finding that it names last: the one that broke the rule.
func (p *patient) last(f *Finding) *tracefmt.Event {
	if len(f.Events) == 0 {
		return nil
	}
	return p.at(f.Events[len(f.Events)-1].Seq)
}

// change adds a change to the list; e is nil for the header.
func (p *patient) change(e *tracefmt.Event, part, before, after string) {
	p.declare()
	c := Change{Rule: p.rule, Part: part, Before: before, After: after}
	if e != nil {
		c.At = Place{p.was[e.Seq-1], e.Process, e.Kind, e.Origin()}
	}
	p.changes = append(p.changes, c)
	p.run.Repaired[p.rule.Name]++
}

// lower declares that of a process no more than some of these facts is told.
func (p *patient) lower(process tracefmt.ProcessID, facts ...tracefmt.Fact) {
	p.tell(process, tracefmt.Some, func(said tracefmt.Level) bool { return said == tracefmt.All }, facts)
}

// tell declares a level for those facts of which the declared one is such.
func (p *patient) tell(process tracefmt.ProcessID, level tracefmt.Level, is func(tracefmt.Level) bool, facts []tracefmt.Fact) {
	if process == 0 {
		return
	}
	name := p.run.ProcessName(process)
	for _, f := range facts {
		said := p.level(process, f)
		if !is(said) {
			continue
		}
		p.change(nil, "complete", fmt.Sprintf("%s:%s=%s", name, f, said), fmt.Sprintf("%s:%s=%s", name, f, level))
		own := p.run.Completeness.Processes[name]
		own.Kinds = maps.Clone(own.Kinds)
		if own.Kinds == nil {
			own.Kinds = make(map[string]tracefmt.Level)
		}
		own.Kinds[f.String()] = level
		p.run.Completeness.Processes[name] = own
	}
}

// level is how much of a fact the run says to tell of the process, or shows to.
func (p *patient) level(process tracefmt.ProcessID, f tracefmt.Fact) tracefmt.Level {
	if p.run.Completeness != nil {
		if said := tracefmt.NewCoverage(&p.run).Said(process, f); said != tracefmt.Unsaid {
			return said
		}
	}
	return p.told.Level(process, f)
}

// gap declares that events of a process may be missing beside those from one to another, 0
// for the ends of the run. dropped is how many, 0 where that is not known.
func (p *patient) gap(process tracefmt.ProcessID, from, to tracefmt.Seq, dropped int64) {
	if process == 0 {
		return
	}
	p.declare()
	g := tracefmt.Gap{Process: p.run.ProcessName(process), From: from, To: to, Dropped: dropped}
	if p.given[g] {
		return
	}
	p.given[g] = true
	p.change(nil, "complete", "nothing missing there", g.Text())
	p.run.Completeness.Gaps = append(p.run.Completeness.Gaps, g)
	if len(p.run.Completeness.Gaps) > mostGaps {
		p.run.Completeness.Gaps = joinedGaps(p.run.Completeness.Gaps)
	}
}

// gapOfAll declares the gap for all processes.
func (p *patient) gapOfAll(from, to tracefmt.Seq) {
	for i := range p.run.Members {
		p.gap(tracefmt.ProcessID(i+1), from, to, 0)
	}
}

// mostGaps is how many gaps a run declares one by one: a header has room for 4096 keys.
const mostGaps = 1024

// joinedGaps is one gap of each process, from the first to the last.
func joinedGaps(gaps []tracefmt.Gap) []tracefmt.Gap {
	all := make(map[string]tracefmt.Gap)
	for _, g := range gaps {
		if one, ok := all[g.Process]; ok {
			g.From, g.To, g.Dropped = min(g.From, one.From), toTheLater(g.To, one.To), 0
		}
		all[g.Process] = g
	}
	return slices.SortedFunc(maps.Values(all), func(a, b tracefmt.Gap) int { return cmp.Compare(a.Process, b.Process) })
}

// toTheLater is the later end of two gaps, of which 0 is the end of the run.
func toTheLater(a, b tracefmt.Seq) tracefmt.Seq {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}
