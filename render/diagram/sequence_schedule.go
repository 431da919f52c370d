package diagram

import (
	"cmp"
	"slices"

	"etrace/render/story"
	"etrace/tracefmt"
)

// slot is where in time a step is: events that happen at one instant
// share a band, and within it each process stacks its own in rows. A step
// whose row is -1 has no place of its own.
type slot struct{ band, row int32 }

// band is one instant of the run, or, where no clock gives instants, a round:
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

// instants says how bands are separated.
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
	*story.Story
	schedule
	mode instants
	// next is, by ProcessID, the first free row in the current band, valid if
	// epoch says so; last is the step that took the row before.
	next, epoch []int32
	last        []int
	floor       int32 // rows taken by lines across all processes
}

func newSchedule(s *story.Story) *schedule {
	n := len(s.Column)
	p := &planner{
		Story: s, mode: instantsOf(s),
		next: make([]int32, n), epoch: make([]int32, n), last: make([]int, n),
	}
	p.slots = make([]slot, len(s.Steps))
	for _, i := range timeOrder(s, p.mode) {
		p.place(i)
	}
	return &p.schedule
}

// instantsOf chooses how to separate bands. Logical times are taken from the
// Lamport clocks if every step has one that agrees with its cause.
func instantsOf(s *story.Story) instants {
	switch s.Run.TimeUnit {
	case tracefmt.Delays:
		return byTime
	case tracefmt.Logical:
		for i := range s.Steps {
			st := &s.Steps[i]
			if st.Lamport == 0 || st.Match >= 0 && st.Kind != tracefmt.Send && s.Steps[st.Match].Lamport >= st.Lamport {
				return byRound
			}
		}
		return byLamport
	}
	return byRound
}

// timeOrder returns the indices of the steps in the order of their bands.
func timeOrder(s *story.Story, mode instants) []int {
	order := make([]int, len(s.Steps))
	for i := range order {
		order[i] = i
	}
	if mode == byLamport {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Steps[a].Lamport, s.Steps[b].Lamport) })
	}
	return order
}

func (p *planner) place(i int) {
	st := &p.Steps[i]
	if st.Opening {
		p.slots[i].row = -1 // shown in the headers
		return
	}
	if st.Kind == tracefmt.Lose && st.Fate == tracefmt.Lost && st.Match >= 0 {
		p.slots[i].row = -1 // shown on the way of the message
		return
	}
	if p.opensBand(st) {
		p.bands = append(p.bands, band{time: st.Time, lamport: st.Lamport})
		p.floor = 0
	}
	b := int32(len(p.bands) - 1)
	row := p.row(i, st, b)
	p.slots[i] = slot{b, row}
	current := &p.bands[b]
	current.rows = max(current.rows, row+1)
	current.steps = append(current.steps, int32(i))
}

func (p *planner) opensBand(st *story.Step) bool {
	if len(p.bands) == 0 {
		return true
	}
	current := &p.bands[len(p.bands)-1]
	switch p.mode {
	case byTime:
		return st.Time != current.time
	case byLamport:
		return st.Lamport != current.lamport
	}
	b := int32(len(p.bands) - 1)
	if sendBand, ok := p.cause(st); ok && sendBand.band == b && st.Kind != tracefmt.Send {
		return true
	}
	return p.free(st.Process, b) >= maxRoundRows || st.Process == 0
}

// cause returns the slot of the step that directly happened before.
func (p *planner) cause(st *story.Step) (slot, bool) {
	i := st.Match
	if st.Kind == tracefmt.Send {
		i = -1
	}
	if i < 0 && st.Cause > 0 {
		if j, ok := p.Find(st.Cause); ok && p.Steps[j].Seq < st.Seq {
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
func (p *planner) row(i int, st *story.Step, b int32) int32 {
	if st.Process == 0 {
		return p.wideRow(b)
	}
	row := p.free(st.Process, b)
	last := p.last[st.Process]
	if quiet(st) {
		return max(row-1, 0)
	}
	if st.Kind == tracefmt.Send && last >= 0 && p.Steps[last].Kind == tracefmt.Send && p.slots[last].row >= p.floor {
		row = p.slots[last].row // a fan-out
	}
	if from, ok := p.cause(st); ok && from.band == b && st.Kind != tracefmt.Send {
		row = max(row, from.row+1)
	}
	p.next[st.Process], p.last[st.Process] = row+1, i
	return row
}

// quiet reports whether the step is no more than a small text beside what
// happened before it.
func quiet(st *story.Step) bool { return st.Kind == tracefmt.State && st.Elected == "" }

// wideRow returns a row that is free for all processes, and takes it.
func (p *planner) wideRow(b int32) int32 {
	row := max(p.floor, p.bands[b].rows)
	p.floor = row + 1
	return row
}
