package lint

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strconv"

	"etrace/tracefmt"
)

// repairTimes repairs processes that go back in time: as few events as possible get the time of the event before
// them.
func repairTimes(p *repairedRun, f *Finding) {
	process := p.lastEvent(f).Process
	var steps []*tracefmt.Event
	for i := range p.events {
		if e := &p.events[i]; e.Process == process && e.Kind != tracefmt.Lose {
			steps = append(steps, e)
		}
	}
	keeps := withRisingTimes(steps)
	earliest := steps[slices.Index(keeps, true)].Time // the time for events before the first that keeps its own
	for i, e := range steps {
		if keeps[i] {
			earliest = e.Time
		} else if earliest != e.Time {
			p.change(e, "time", p.run.TimeUnit.Units(e.Time).String(), p.run.TimeUnit.Units(earliest).String())
			storeFormer(e, fmt.Sprintf(`"time":%d`, e.Time))
			e.Time = earliest
		}
	}
}

// withRisingTimes reports which events belong to the first of the longest lists with rising times.
func withRisingTimes(steps []*tracefmt.Event) []bool {
	// ends[n] is the last event of the rising list of length n+1 that ends with the least time.
	var ends []int
	predecessor, last := make([]int, len(steps)), 0
	for i, e := range steps {
		n := sort.Search(len(ends), func(k int) bool { return steps[ends[k]].Time > e.Time })
		predecessor[i] = -1
		if n > 0 {
			predecessor[i] = ends[n-1]
		}
		if n < len(ends) {
			ends[n] = i
		} else {
			ends, last = append(ends, i), i
		}
	}
	keeps := make([]bool, len(steps))
	for i := last; i >= 0; i = predecessor[i] {
		keeps[i] = true
	}
	return keeps
}

// repairLamport repairs Lamport clocks. An event equal to the one before it, with an equal clock, is a copy
// and is withdrawn. If the clock grows, it jumps: steps are missing, so there is a gap. Otherwise all clocks
// of the run are computed again.
func repairLamport(p *repairedRun, f *Finding) {
	e := p.lastEvent(f)
	previous := p.eventAt(f.Events[0].Seq)
	if isCopy(previous, e) {
		p.withdraw(e)
	}
	// The first clock of a process that is too great, or a jump, shows that steps are missing.
	if e.Kind != tracefmt.Lose && (previous == e && e.Lamport > 0 || previous.Lamport < e.Lamport) {
		p.gapBefore(e, 0)
		return
	}
	last := make([]int64, len(p.run.Members)+1)
	// Causes have smaller seqs, so one pass in the order of the file computes all clocks. A loss ticks no clock.
	for i := range p.events {
		e := &p.events[i]
		if e.Process == 0 {
			continue
		}
		previous := last[e.Process]
		if e.Kind == tracefmt.Lose {
			previous = 0
		}
		for cause := range e.Causes() {
			if c := p.eventAt(cause); c != nil && cause < e.Seq {
				previous = max(previous, c.Lamport)
			}
		}
		if previous++; e.Lamport != previous {
			p.change(e, "lamport", strconv.FormatInt(e.Lamport, 10), strconv.FormatInt(previous, 10))
			storeFormer(e, fmt.Sprintf(`"lamport":%d`, e.Lamport))
			e.Lamport = previous
		}
		if e.Kind != tracefmt.Lose {
			last[e.Process] = previous
		}
	}
}

// isCopy reports whether an event equals another one of its process in everything but its number.
func isCopy(before, e *tracefmt.Event) bool {
	same := *before
	same.Seq, same.Payload = e.Seq, e.Payload
	return before != e && e.Lamport != 0 && reflect.DeepEqual(same, *e) && bytes.Equal(before.Payload, e.Payload)
}

// gapBefore declares a gap between an event and the one before it at the same process.
func (p *repairedRun) gapBefore(e *tracefmt.Event, dropped int64) {
	previous := tracefmt.Seq(0)
	for i := int(e.Seq) - 2; i >= 0 && previous == 0; i-- {
		if o := &p.events[i]; o.Process == e.Process && o.Kind != tracefmt.Lose {
			previous = o.Seq
		}
	}
	p.gapBetween(e.Process, previous, e.Seq, dropped)
}

// gapBetween declares a gap after one event and before another, 0 for the beginning.
func (p *repairedRun) gapBetween(process tracefmt.ProcessID, after, before tracefmt.Seq, dropped int64) {
	from := tracefmt.Seq(0)
	if after != 0 {
		from = after + 1
	}
	p.gap(process, from, max(before-1, 1), dropped)
}

// repairSequence handles a vector clock whose entry for its own process rises by more than one. Each skipped number
// is a missing event, so it declares a gap of that size.
func repairSequence(p *repairedRun, f *Finding) {
	e, before := p.lastEvent(f), int64(0)
	after := p.eventAt(f.Events[0].Seq)
	switch {
	case after == e:
		after = &tracefmt.Event{}
	case after != nil:
		before = p.ownEntry(after)
	}
	if entry := p.ownEntry(e); entry > before+1 {
		p.gapBetween(e.Process, after.Seq, e.Seq, entry-before-1)
	}
	repairVectors(p, f)
}

// ownEntry returns the entry of the event's own process in its logged clock, 0 for none.
func (p *repairedRun) ownEntry(e *tracefmt.Event) int64 {
	name := p.run.ProcessName(e.Process)
	for key, value := range tracefmt.Fields(e.LoggedClock()) {
		if string(key) == name {
			n, _ := tracefmt.ParseInteger(value)
			return n
		}
	}
	return 0
}

// repairVectors computes the vector clocks of the log again, from the messages and causes of the run. Where a
// logged clock knew more than these, messages are missing.
func repairVectors(p *repairedRun, _ *Finding) {
	v := &vectors{
		repairedRun: p, ids: make(map[string]tracefmt.ProcessID), last: make([][]int64, len(p.run.Members)+1),
		ownEntries: make([][]int64, len(p.run.Members)+1), byCause: make(map[tracefmt.Seq][]int64),
	}
	for i := range p.run.Members {
		v.ids[p.run.Members[i].Name] = tracefmt.ProcessID(i + 1)
		v.last[i+1] = make([]int64, len(p.run.Members)+1)
	}
	asked := make(map[tracefmt.Seq]bool)
	for i := range p.events {
		for cause := range p.events[i].Causes() {
			asked[cause] = true
		}
	}
	for i := range p.events {
		v.step(&p.events[i], asked)
	}
	for q := range v.claims {
		if process := tracefmt.ProcessID(q); v.isBeyond(process) {
			p.gap(process, p.lastOf(process)+1, 0, 0)
		}
	}
}

// vectors computes vector clocks.
type vectors struct {
	*repairedRun
	ids        map[string]tracefmt.ProcessID
	last       [][]int64 // by process: its knowledge of each process
	ownEntries [][]int64 // by process: the own entries of its logged clocks, in order
	// byCause has the clocks of the events that are causes of others.
	byCause map[tracefmt.Seq][]int64
	claims  []int64 // by process: the greatest entry of a logged clock for it
}

// step computes the clock of an event, and stores it if the event is one of the asked, the causes of others.
func (v *vectors) step(e *tracefmt.Event, asked map[tracefmt.Seq]bool) {
	if e.Process == 0 || e.Kind == tracefmt.Lose {
		return
	}
	clock := v.last[e.Process]
	for cause := range e.Causes() {
		for q, n := range v.byCause[cause] {
			clock[q] = max(clock[q], n)
		}
	}
	if logged := e.LoggedClock(); logged != nil {
		v.ownEntries[e.Process] = append(v.ownEntries[e.Process], v.ownEntry(e))
		clock[e.Process]++
		v.replace(e, logged, clock)
	}
	if asked[e.Seq] {
		v.byCause[e.Seq] = slices.Clone(clock)
	}
}

// replace writes the clock of an event if it has changed.
func (v *vectors) replace(e *tracefmt.Event, logged []byte, now []int64) {
	same, seen := true, 0
	for name, value := range tracefmt.Fields(logged) {
		n, _ := tracefmt.ParseInteger(value)
		q := v.ids[string(name)]
		if n != 0 {
			seen++
		}
		// An entry of 0 may be written or left out.
		same = same && (n == 0 || q != 0 && n == now[q])
		// The logged clock knows steps of q that the record lacks: sends and receives must be missing.
		if q != 0 && q != e.Process && v.rank(q, n) > now[q] {
			v.lower(q, sendFacts...)
			v.lower(e.Process, receiveFacts...)
			v.claim(q, n)
		}
	}
	clock, count := []byte{'{'}, 0
	for q, n := range now {
		if n != 0 {
			clock, count = appendMember(clock, v.run.ProcessName(tracefmt.ProcessID(q)),
				strconv.AppendInt(nil, n, 10)), count+1
		}
	}
	clock = append(clock, '}')
	if same && seen == count {
		return
	}
	v.change(e, "clock", string(logged), string(clock))
	before := fmt.Sprintf(`"clock":%s`, logged)
	e.Payload = bytes.Replace(e.Payload, slices.Concat([]byte(`"clock":`), logged), slices.Concat([]byte(`"clock":`), clock), 1)
	storeFormer(e, before)
}

// rank returns the number of events of q that a clock with this entry knows, among those so far. It is greater
// than that number if the entry is greater than all of them.
func (v *vectors) rank(q tracefmt.ProcessID, entry int64) int64 {
	entries := v.ownEntries[q]
	n, found := slices.BinarySearch(entries, entry)
	knowsMore := n == len(entries) && entry > 0 // the clock knows an event that is not among those so far
	if found || knowsMore {
		n++
	}
	return int64(n)
}

// claim records that a logged clock has this entry for a process.
func (v *vectors) claim(q tracefmt.ProcessID, entry int64) {
	if v.claims == nil {
		v.claims = make([]int64, len(v.run.Members)+1)
	}
	v.claims[q] = max(v.claims[q], entry)
}

// isBeyond reports whether a clock knows of events of the process that the run lacks.
func (v *vectors) isBeyond(q tracefmt.ProcessID) bool {
	entries := v.ownEntries[q]
	return v.claims[q] > 0 && (len(entries) == 0 || entries[len(entries)-1] < v.claims[q])
}

// lastOf returns the last event of a process, 0 for none.
func (p *repairedRun) lastOf(process tracefmt.ProcessID) tracefmt.Seq {
	for i := len(p.events) - 1; i >= 0; i-- {
		if p.events[i].Process == process && p.events[i].Kind != tracefmt.Lose {
			return p.events[i].Seq
		}
	}
	return 0
}
