package diagram

import (
	"cmp"
	"slices"

	"etrace/render/story"
	"etrace/tracefmt"
)

// slot is the place of a step in time. The steps of one key, such as an instant, share a band, and within it each
// process stacks its steps in rows. A step with row -1 has no place of its own.
type slot struct{ band, row int32 }

// band has the steps with one key, see keysOf.
type band struct {
	key  int64
	rows int32
	// steps are those of the band with a place of their own, in order.
	steps []int32
}

// schedule is the vertical order of a story.
type schedule struct {
	slots []slot
	bands []band
	unit  keyUnit
	// hops is by band the most hops of a message since the band before, see [sequence.hopRows].
	hops []int
}

// planner assigns slots in one pass over the steps.
type planner struct {
	story *story.Story
	schedule
	// next is, by process, the first free row in the current band; it is valid if epoch is that band.
	next, epoch []int32
	// last is, by process, the step in the row before.
	last  []int
	floor int32 // rows taken by lines across all processes
	// valued is, by process, the last row of the band with values, counted from 1; valid if epoch is that band.
	valued []int32
}

// newSchedule assigns each step a band and a row.
func newSchedule(s *story.Story) *schedule {
	n := len(s.Column)
	p := &planner{story: s, next: make([]int32, n), epoch: make([]int32, n), last: make([]int, n), valued: make([]int32, n)}
	p.slots = make([]slot, len(s.Steps))
	keys, unit := keysOf(s, s.Axis())
	p.unit = unit
	for _, i := range sorted(len(keys), func(a, b int) int { return cmp.Compare(keys[a], keys[b]) }) {
		p.place(i, keys[i])
	}
	p.countHops()
	return &p.schedule
}

// countHops counts the hops between bands.
func (p *planner) countHops() {
	p.hops = make([]int, len(p.bands))
	for i := range p.story.Steps {
		between := make(map[int]int)
		for _, hop := range p.story.Steps[i].Via {
			b, met := slices.BinarySearchFunc(p.bands, int64(hop.Time), func(b band, key int64) int { return cmp.Compare(b.key, key) })
			if p.unit != instant || met || b == len(p.bands) {
				continue
			}
			between[b]++
			p.hops[b] = max(p.hops[b], between[b])
		}
	}
}

// place places the next step, in the present band or in a new one.
func (p *planner) place(i int, key int64) {
	st := &p.story.Steps[i]
	if st.Opening || st.OnTheWay() {
		p.slots[i].row = -1 // the header or the arrow of the message shows the step
		return
	}
	if n := len(p.bands); n == 0 || p.bands[n-1].key != key {
		p.bands = append(p.bands, band{key: key})
		p.floor = 0
	}
	b := int32(len(p.bands) - 1)
	row := p.row(i, st, b)
	p.slots[i] = slot{b, row}
	current := &p.bands[b]
	current.rows = max(current.rows, row+1)
	current.steps = append(current.steps, int32(i))
}

// cause returns the slot of the step that directly happened before.
func (p *planner) cause(i int) (slot, bool) {
	j, ok := p.story.CauseOf(i)
	if !ok || p.slots[j].row < 0 {
		return slot{}, false
	}
	return p.slots[j], true
}

// free returns the first free row of the process in the band.
func (p *planner) free(process tracefmt.ProcessID, b int32) int32 {
	if p.epoch[process] != b+1 {
		p.epoch[process], p.next[process], p.last[process], p.valued[process] = b+1, 0, -1, 0
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
	if st.Quiet() && p.valued[st.Process] <= max(row-1, 0) {
		row = max(row-1, 0) // beside the previous step of the process
		p.addValues(st, row)
		return row
	}
	sendsInARow := st.Kind == tracefmt.Send && last >= 0 && p.story.Steps[last].Kind == tracefmt.Send
	if sendsInARow && p.slots[last].row >= p.floor {
		row = p.slots[last].row // messages sent one after the other fan out from one point
	}
	if from, ok := p.cause(i); ok && from.band == b && st.Kind != tracefmt.Send {
		row = max(row, from.row+1)
	}
	framed := func(st *story.Step) bool { return st.Leads && st.Tag() != "" }
	if last >= 0 && framed(st) && framed(&p.story.Steps[last]) && row == p.slots[last].row+1 {
		row++ // the frames of leaders are higher than a row
	}
	p.next[st.Process], p.last[st.Process] = row+1, i
	p.addValues(st, row)
	return row
}

// addValues records that the row of the step has values, so that other steps cannot share it. Long diagrams show no
// values.
func (p *planner) addValues(st *story.Step, row int32) {
	if st.Kind == tracefmt.State && st.Text != "" && len(p.story.Steps) <= denseFrom {
		p.valued[st.Process] = row + 1
	}
}

// wideRow returns a row that is free for all processes, and takes it.
func (p *planner) wideRow(b int32) int32 {
	row := max(p.floor, p.bands[b].rows)
	p.floor = row + 1
	return row
}
