package diagram

import (
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// slot is where in time a step stands: events that happen at one instant
// share a band, and within it each process stacks its own in rows. A step
// whose row is -1 has no place of its own.
type slot struct{ band, row int32 }

// band is one instant of the run, or, where no clock tells instants, a round:
// events none of which is the receipt of a message sent in the same round.
type band struct {
	time    tracefmt.Time
	lamport int64
	rows    int32
	// steps are those of the band with a place of their own, in order.
	steps []int32
}

// schedule is the vertical order of a story.
type schedule struct {
	slots []slot
	bands []band
}

// instants says how bands are told apart.
type instants uint8

const (
	byTime instants = iota
	byLamport
	byRound
)

// maxRoundRows bounds the height of a round, so that time stamps are frequent.
const maxRoundRows = 5

// planner assigns slots in one pass over the steps.
type planner struct {
	*story
	schedule
	mode instants
	// next is, by ProcessID, the first free row in the current band, valid if
	// epoch says so; last is the step that took the row before.
	next, epoch []int32
	last        []int
	floor       int32 // rows taken by lines across all processes
}

func (s *story) schedule() *schedule {
	n := len(s.final)
	p := &planner{
		story: s, mode: s.instants(),
		next: make([]int32, n), epoch: make([]int32, n), last: make([]int, n),
	}
	p.slots = make([]slot, len(s.steps))
	for _, i := range s.timeOrder(p.mode) {
		p.place(i)
	}
	return &p.schedule
}

// instants chooses how to tell bands apart. Logical times are taken from the
// Lamport clocks if every step has one that agrees with its cause.
func (s *story) instants() instants {
	switch s.run.TimeUnit {
	case tracefmt.Delays:
		return byTime
	case tracefmt.Logical:
		for i := range s.steps {
			st := &s.steps[i]
			if st.lamport == 0 || st.send >= 0 && st.kind != tracefmt.Send && s.steps[st.send].lamport >= st.lamport {
				return byRound
			}
		}
		return byLamport
	}
	return byRound
}

// timeOrder returns the indices of the steps in the order of their bands.
func (s *story) timeOrder(mode instants) []int {
	order := make([]int, len(s.steps))
	for i := range order {
		order[i] = i
	}
	if mode == byLamport {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.steps[a].lamport, s.steps[b].lamport) })
	}
	return order
}

func (p *planner) place(i int) {
	st := &p.steps[i]
	if st.opening {
		p.slots[i].row = -1 // shown in the headers
		return
	}
	if st.kind == tracefmt.Lose && st.fate == dropped && st.send >= 0 {
		p.slots[i].row = -1 // shown on the way of the message
		return
	}
	if p.opensBand(st) {
		p.bands = append(p.bands, band{time: st.time, lamport: st.lamport})
		p.floor = 0
	}
	b := int32(len(p.bands) - 1)
	row := p.row(i, st, b)
	p.slots[i] = slot{b, row}
	current := &p.bands[b]
	current.rows = max(current.rows, row+1)
	current.steps = append(current.steps, int32(i))
}

func (p *planner) opensBand(st *step) bool {
	if len(p.bands) == 0 {
		return true
	}
	current := &p.bands[len(p.bands)-1]
	switch p.mode {
	case byTime:
		return st.time != current.time
	case byLamport:
		return st.lamport != current.lamport
	}
	b := int32(len(p.bands) - 1)
	if sendBand, ok := p.cause(st); ok && sendBand.band == b && st.kind != tracefmt.Send {
		return true
	}
	return p.free(st.process, b) >= maxRoundRows || st.process == 0
}

// cause returns the slot of the step that directly happened before.
func (p *planner) cause(st *step) (slot, bool) {
	i := st.send
	if st.kind == tracefmt.Send {
		i = -1
	}
	if i < 0 && st.cause > 0 {
		if j, ok := p.find(st.cause); ok && p.steps[j].seq < st.seq {
			i = j
		}
	}
	if i < 0 || p.slots[i].row < 0 {
		return slot{}, false
	}
	return p.slots[i], true
}

// free returns the first free row of the process in the band.
func (p *planner) free(process tracefmt.ProcessID, b int32) int32 {
	if p.epoch[process] != b+1 {
		p.epoch[process], p.next[process], p.last[process] = b+1, 0, -1
	}
	return max(p.next[process], p.floor)
}

// row chooses the row of the step within its band and takes it.
func (p *planner) row(i int, st *step, b int32) int32 {
	if st.process == 0 {
		return p.wideRow(b)
	}
	row := p.free(st.process, b)
	last := p.last[st.process]
	if quiet(st) {
		return max(row-1, 0)
	}
	if st.kind == tracefmt.Send && last >= 0 && p.steps[last].kind == tracefmt.Send && p.slots[last].row >= p.floor {
		row = p.slots[last].row // a fan-out
	}
	if from, ok := p.cause(st); ok && from.band == b && st.kind != tracefmt.Send {
		row = max(row, from.row+1)
	}
	p.next[st.process], p.last[st.process] = row+1, i
	return row
}

// quiet reports whether the step is no more than a small text beside what
// happened before it.
func quiet(st *step) bool { return st.kind == tracefmt.State && st.elected == "" }

// wideRow returns a row that is free for all processes, and takes it.
func (p *planner) wideRow(b int32) int32 {
	row := max(p.floor, p.bands[b].rows)
	p.floor = row + 1
	return row
}
