package diagram

import (
	"etrace/render/story"
	"etrace/tracefmt"
)

// slot is where in time a step is: events that happen at one instant
// share a band, and within it each process stacks its own in rows. A step
// whose row is -1 has no place of its own.
type slot struct{ band, row int32 }

// band is one instant of the run, or, where no clock gives instants, a round:
// events none of which is the receipt of a message sent in the same round.
// Where time passes within a round, a row begins that is below all before.
type band struct {
	time    tracefmt.Time
	lamport int64
	rows    int32
	passes  []passage
	// steps are those of the band with a place of their own, in order.
	steps []int32
}

// passage is a row of a round at which time is later than above.
type passage struct {
	row  int32
	time tracefmt.Time
}

// schedule is the vertical order of a story.
type schedule struct {
	slots []slot
	bands []band
	timed bool // the rounds keep to the times of the run
}

// maxRoundRows bounds the height of a round, so that time stamps are frequent.
const maxRoundRows = 5

// planner assigns slots in one pass over the steps.
type planner struct {
	*story.Story
	schedule
	mode instants
	// times are those that the rounds keep to, by step.
	times []tracefmt.Time
	// next is, by ProcessID, the first free row in the current band, valid if
	// epoch says so; last is the step that took the row before.
	next, epoch []int32
	last        []int
	floor       int32 // rows taken by lines across all processes, or by earlier times
	since       int32 // the first row of the time now
	now         tracefmt.Time
}

func newSchedule(s *story.Story) *schedule {
	n := len(s.Column)
	p := &planner{
		Story: s, mode: instantsOf(s),
		next: make([]int32, n), epoch: make([]int32, n), last: make([]int, n),
	}
	p.slots = make([]slot, len(s.Steps))
	if p.mode == byRound {
		p.times = causalTimes(s)
		p.timed = passesAnywhere(p.times)
	}
	for _, i := range p.order() {
		p.place(i)
	}
	return &p.schedule
}

func (p *planner) place(i int) {
	st := &p.Steps[i]
	if st.Opening {
		p.slots[i].row = -1 // shown in the headers
		return
	}
	if onTheWay(st) {
		p.slots[i].row = -1 // shown on the way of the message
		return
	}
	later := p.timed && p.times[i] > p.now
	if p.opensBand(st, later) {
		p.bands = append(p.bands, band{time: st.Time, lamport: st.Lamport})
		p.floor, p.since = 0, 0
		later = p.timed
	}
	if later {
		p.pass(p.times[i])
	}
	b := int32(len(p.bands) - 1)
	row := p.row(i, st, b)
	p.slots[i] = slot{b, row}
	current := &p.bands[b]
	current.rows = max(current.rows, row+1)
	current.steps = append(current.steps, int32(i))
}

// pass begins a row that is below all others of the round, for a later time.
func (p *planner) pass(now tracefmt.Time) {
	current := &p.bands[len(p.bands)-1]
	p.now, p.since, p.floor = now, current.rows, current.rows
	current.passes = append(current.passes, passage{current.rows, now})
}

func (p *planner) opensBand(st *story.Step, later bool) bool {
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
	if later && current.rows >= maxRoundRows {
		return true
	}
	return p.free(st.Process, b) >= maxRoundRows || st.Process == 0
}

// cause returns the slot of the step that directly happened before.
func (p *planner) cause(st *story.Step) (slot, bool) {
	i, ok := causeOf(p.Story, st)
	if !ok || p.slots[i].row < 0 {
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
		return max(row-1, p.since)
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
