package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Repair removes contradictory statements. It adds no event and prefers no side: of two statements that
// contradict each other, neither remains an event, and the header declares that events may be missing there.
// Statements from which others are computed stay. Only computed data is computed again: the numbers of events,
// their order as far as messages demand it, and clocks. A check does not examine recomputed clocks (see
// [tracefmt.Run.Repaired]). So every verdict on the repaired run holds for any run that fits the damaged record.

// Change is a change of an event, or of the header, by a repair.
type Change struct {
	Rule *Rule
	// At is the event before the change, without a seq for a change of the header.
	At Place
	// Part is the changed part: event, order, cause, message, time, clock, lamport, end or complete.
	Part string
	// Before and After are the old and the new value, in words or as recorded.
	Before, After string
}

// Repaired is a recording without contradictory statements.
type Repaired struct {
	// Memory is the run; it is unchanged if there are no changes.
	*tracefmt.Memory
	Changes []Change
	// Left has the remaining findings.
	Left *RunReport
}

// maxRounds bounds the rounds of a repair. Each round removes statements, so that two or three are enough.
const maxRounds = 64

// Repair repairs a run by the rules, in memory; it only reads the recording. The error is one of reading.
func Repair(rec tracefmt.Recording, rules []*Rule) (*Repaired, error) {
	p, err := newPatient(rec)
	if err != nil {
		return nil, err
	}
	remaining, err := examine(p.memory(), rules, len(p.events))
	if err != nil {
		return nil, err
	}
	// A repair may make another one possible or necessary, so all rules are examined again.
	for range maxRounds {
		if !p.repairAll(remaining) {
			break
		}
		remaining, err = examine(p.memory(), rules, len(p.events))
		if err != nil {
			return nil, err
		}
	}
	if err := tracefmt.Validate(p.memory()); err != nil {
		return nil, fmt.Errorf("it cannot be repaired: %w", err)
	}
	for _, result := range remaining.Results {
		result.Findings = result.Findings[:min(len(result.Findings), maxListed)]
	}
	return &Repaired{p.memory(), p.changes, remaining}, remaining.locate(p.memory())
}

// repairedRun is a run under repair, in memory.
type repairedRun struct {
	run    tracefmt.Run
	events []tracefmt.Event
	// recordedSeq is the seq of each event in the recording.
	recordedSeq []tracefmt.Seq
	changes     []Change
	// recorded is the completeness of the recording before any change.
	recorded *tracefmt.Coverage
	// given are the declared gaps, so that none is declared twice.
	given map[tracefmt.Gap]bool
	// The next fields are about the round: the current rule, and the withdrawn events.
	rule      *Rule
	withdrawn map[tracefmt.Seq]bool
}

// newPatient reads a recording.
func newPatient(rec tracefmt.Recording) (*repairedRun, error) {
	p := &repairedRun{run: *rec.Run(), given: make(map[tracefmt.Gap]bool), recorded: tracefmt.NewCoverage(rec.Run())}
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		p.events = append(p.events, *e.Clone())
		p.recordedSeq = append(p.recordedSeq, e.Seq)
		p.recorded.Show(e)
	}
	return p, nil
}

// declare copies the run's declaration, for changes. A run without a declaration stays without one: its events
// still show what is recorded.
func (p *repairedRun) declare() {
	// An earlier change has copied the declaration already.
	if len(p.changes) > 0 {
		return
	}
	copied := &tracefmt.Completeness{}
	switch {
	case p.run.Completeness != nil:
		under := p.run.Completeness
		copied.Levels, copied.Processes, copied.Gaps = tracefmt.Levels{
			Default: under.Default,
			Kinds:   maps.Clone(under.Kinds),
		}, maps.Clone(under.Processes), slices.Clone(under.Gaps)
	case p.run.RecordsAll():
		copied.Default = tracefmt.All
	}
	if copied.Kinds == nil {
		copied.Kinds = make(map[string]tracefmt.Level)
	}
	if copied.Processes == nil {
		copied.Processes = make(map[string]tracefmt.Levels)
	}
	for _, g := range copied.Gaps {
		p.given[g] = true
	}
	p.run.Completeness, p.run.Repaired = copied, maps.Clone(p.run.Repaired)
	if p.run.Repaired == nil {
		p.run.Repaired = make(map[string]int64)
	}
}

// memory returns the run in its present state.
func (p *repairedRun) memory() *tracefmt.Memory {
	m := tracefmt.NewMemory(p.run)
	for i := range p.events {
		_ = m.Write(&p.events[i]) // writing to memory cannot fail
	}
	_ = m.Finish(p.run.End)
	return m
}

// repair describes how findings of a rule are repaired.
type repair struct {
	rule string
	// doc describes the result of a repair.
	doc   string
	apply func(p *repairedRun, f *Finding)
	// alone is set if a repair may renumber or reorder events, so that all findings must be computed again.
	alone bool
}

// repairs lists the repairs in the order in which they are made.
var repairs = []repair{
	{
		"event-order",
		"the events are sorted by their numbers and renumbered; where numbers were missing, the header declares that " +
			"events of any process may be missing", renumber, true,
	},
	{
		"event-form",
		"the event becomes a note with its text, and the header declares that events of its process may be missing there",
		withdrawLast, true,
	},
	{
		"effect-before-cause",
		"effects are moved behind their causes, and the header declares that events may be missing where they were " +
			"moved; in a cycle, the first event loses its causes", reorderCaused, true,
	},
	{"receive-without-send", "", reorderSent, true},
	{
		"sent-twice",
		"the second send and all receives and losses of the message become notes, and events may be missing there",
		withdrawMessage, false,
	},
	{"altered-message", "the send and the receive become notes, and events may be missing there", withdrawEnds, false},
	{
		"receive-without-send",
		"a receive before its send is moved behind it; without any send, the header declares the sends of the sender " +
			"incomplete", hideSend, false,
	},
	{
		"send-without-receive", "the header declares the receives of the receiver incomplete, and the run stopped",
		hideArrival, false,
	},
	{
		"no-duplication", "the second receive becomes a note, and another receive may be missing there",
		withdrawLast, false,
	},
	{"answer-to-nothing", "the header declares the sends of the other process incomplete", hideNumbered, false},
	{
		"no-step-when-crashed",
		"the crash becomes a note, and the header declares crashes, halts, recoveries and starts of the process incomplete",
		hideLife, false,
	},
	{
		"crash-recovery-alternate", "the header declares that events of the process may be missing between the two",
		hideTurn, false,
	},
	{"timers-well-behaved", "the header declares the timers of the process incomplete", hideTimers, false},
	{
		"unknown-host",
		"the header declares that a process without events has no records; a process that the run does not list stays unknown",
		silence, false,
	},
	{"declared-none", "the header declares the kind or variable as partly recorded", raiseCompleteness, false},
	{
		"process-time-monotone",
		"as few events as possible get the time of the previous event; checks then ignore times", repairTimes,
		false,
	},
	{
		"lamport-clocks",
		"where a clock jumps, events may be missing; if a clock does not grow, all clocks are computed anew, and " +
			"checks ignore them", repairLamport, false,
	},
	{
		"own-sequence", "the header declares one missing event for each missing number, and clocks are computed anew",
		repairSequence, false,
	},
	{
		"known-events", "the header declares that the last events of the process are missing, and clocks are computed anew",
		repairVectors, false,
	},
	{
		"vector-clocks",
		"clocks are computed anew from messages and causes, and checks do not use clocks. An old clock that counted more " +
			"events than the new one shows that messages are missing", repairVectors, false,
	},
	{"false-end", "the run was stopped", repairEnd, false},
}

// Repair describes the result of repairing the findings of a rule, or returns "" if they are not repaired.
func (r *Rule) Repair() string {
	for _, repair := range repairs {
		if repair.rule == r.Name && repair.doc != "" {
			return repair.doc
		}
	}
	return ""
}

// repairAll repairs the findings, and reports whether the run has changed.
func (p *repairedRun) repairAll(found *RunReport) bool {
	before := len(p.changes)
	p.withdrawn = make(map[tracefmt.Seq]bool)
	for _, step := range repairs {
		for _, result := range found.Results {
			if result.Rule.Name == step.rule {
				p.rule = result.Rule
				p.apply(step, result.Findings)
			}
		}
		if step.alone && len(p.changes) > before {
			break
		}
	}
	return len(p.changes) > before
}

// apply repairs the findings of a rule without excuses.
func (p *repairedRun) apply(step repair, findings []Finding) {
	for i := range findings {
		if f := &findings[i]; f.Severity != Note && !p.isWithdrawn(f) {
			step.apply(p, f)
		}
	}
}

// isWithdrawn reports whether an event of the finding was withdrawn.
func (p *repairedRun) isWithdrawn(f *Finding) bool {
	return slices.ContainsFunc(f.Events, func(at Place) bool { return p.withdrawn[at.Seq] })
}

// eventAt returns the event with this seq, or nil.
func (p *repairedRun) eventAt(seq tracefmt.Seq) *tracefmt.Event {
	if seq < 1 || int(seq) > len(p.events) {
		return nil
	}
	return &p.events[seq-1]
}

// lastEvent returns the last event of a finding: this event broke the rule.
func (p *repairedRun) lastEvent(f *Finding) *tracefmt.Event {
	if len(f.Events) == 0 {
		return nil
	}
	return p.eventAt(f.Events[len(f.Events)-1].Seq)
}

// change notes a change of an event, or of the header if e is nil.
func (p *repairedRun) change(e *tracefmt.Event, part, before, after string) {
	p.declare()
	c := Change{Rule: p.rule, Part: part, Before: before, After: after}
	if e != nil {
		c.At = Place{p.recordedSeq[e.Seq-1], e.Process, e.Kind, e.Origin()}
	}
	p.changes = append(p.changes, c)
	p.run.Repaired[p.rule.Name]++
}

// lower declares that these facts of a process are recorded at most partly.
func (p *repairedRun) lower(process tracefmt.ProcessID, facts ...tracefmt.Fact) {
	p.declareLevel(process, tracefmt.Some, func(present tracefmt.Level) bool { return present == tracefmt.All }, facts)
}

// declareLevel declares a level for each of the facts whose present level satisfies the condition.
func (p *repairedRun) declareLevel(
	process tracefmt.ProcessID, level tracefmt.Level, matches func(tracefmt.Level) bool, facts []tracefmt.Fact,
) {
	if process == 0 {
		return
	}
	name := p.run.ProcessName(process)
	for _, f := range facts {
		declared := p.level(process, f)
		if !matches(declared) {
			continue
		}
		p.change(nil, "complete", fmt.Sprintf("%s:%s=%s", name, f, declared), fmt.Sprintf("%s:%s=%s", name, f, level))
		levels := p.run.Completeness.Processes[name]
		levels.Kinds = maps.Clone(levels.Kinds)
		if levels.Kinds == nil {
			levels.Kinds = make(map[string]tracefmt.Level)
		}
		levels.Kinds[f.String()] = level
		p.run.Completeness.Processes[name] = levels
	}
}

// level returns the completeness of a fact at the process, as the run declares or shows it.
func (p *repairedRun) level(process tracefmt.ProcessID, f tracefmt.Fact) tracefmt.Level {
	if p.run.Completeness != nil {
		if declared := tracefmt.NewCoverage(&p.run).Declared(process, f); declared != tracefmt.Undeclared {
			return declared
		}
	}
	return p.recorded.Level(process, f)
}

// gap declares that events of a process may be missing between two events, 0 for the ends of the run. dropped is
// their number, 0 if it is unknown.
func (p *repairedRun) gap(process tracefmt.ProcessID, from, end tracefmt.Seq, dropped int64) {
	if process == 0 {
		return
	}
	p.declare()
	g := tracefmt.Gap{Process: p.run.ProcessName(process), From: from, To: end, Dropped: dropped}
	if p.given[g] {
		return
	}
	p.given[g] = true
	p.change(nil, "complete", "nothing missing there", g.Text())
	p.run.Completeness.Gaps = append(p.run.Completeness.Gaps, g)
	if len(p.run.Completeness.Gaps) > maxGaps {
		p.run.Completeness.Gaps = joinedGaps(p.run.Completeness.Gaps)
	}
}

// gapOfAll declares the gap for all processes.
func (p *repairedRun) gapOfAll(from, end tracefmt.Seq) {
	for i := range p.run.Members {
		p.gap(tracefmt.ProcessID(i+1), from, end, 0)
	}
}

// maxGaps bounds the separately declared gaps of a run: a header has room for 4096 keys.
const maxGaps = 1024

// joinedGaps merges the gaps of each process into one, from the first to the last.
func joinedGaps(gaps []tracefmt.Gap) []tracefmt.Gap {
	merged := make(map[string]tracefmt.Gap)
	for _, g := range gaps {
		if known, ok := merged[g.Process]; ok {
			g.From, g.To, g.Dropped = min(g.From, known.From), toTheLater(g.To, known.To), 0
		}
		merged[g.Process] = g
	}
	return slices.SortedFunc(maps.Values(merged),
		func(a, b tracefmt.Gap) int {
			return cmp.Compare(a.Process, b.Process)
		})
}

// toTheLater returns the later end of two gaps; 0 is the end of the run.
func toTheLater(a, b tracefmt.Seq) tracefmt.Seq {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}
