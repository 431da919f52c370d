package stepper

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/replay"
	"etrace/tracefmt"
)

// The least and the greatest width of the column of a process.
const (
	narrowest = 6
	widest    = 18
)

// lifelines draws the events around the current event. Time runs down, a process is a vertical line, and a message is an
// arrow: dashed at its send, solid at its receive.
type lifelines struct {
	s      *screen
	run    *tracefmt.Run
	gutter int
	// digits of a seq; timed is true if there is room for times.
	digits int
	timed  bool
	// The visible processes begin at first; column is the distance between two of them.
	first, visible, column int
	// names are the shortened names of the processes; clock formats times, words describes events.
	names []string
	clock *clock
	words *replay.Sentences
}

// newLifelines lays out the columns of the processes. The leftmost one is that of process first, counted from 0.
func newLifelines(s *screen, run *tracefmt.Run, last tracefmt.Seq, first int, o *layout) *lifelines {
	l := &lifelines{s: s, run: run, digits: max(len(fmt.Sprint(last)), 3), timed: s.width >= 60, clock: &o.clock, words: o.words}
	l.gutter = l.digits + 3
	if l.timed {
		l.gutter += o.clock.width + 1
	}
	n, room := max(len(run.Members), 1), max(s.width-l.gutter, narrowest)
	l.column = min(max(room/n, narrowest), widest)
	l.visible = min(max(room/l.column, 1), len(run.Members))
	l.first = min(max(first, 0), len(run.Members)-l.visible)
	l.names = o.shownNames(run, l.column-1)
	return l
}

// scrollTo scrolls as little as needed to make a process visible.
func (l *lifelines) scrollTo(p tracefmt.ProcessID) {
	if i := int(p) - 1; i >= 0 && i < len(l.run.Members) {
		l.first = min(max(l.first, i-l.visible+1), i)
	}
}

// x returns the column of a process. If the process is beyond the screen, it returns the column of that edge, and false.
func (l *lifelines) x(p tracefmt.ProcessID) (int, bool) {
	i := int(p) - 1 - l.first
	switch {
	case i < 0:
		return l.gutter - 1, false
	case i >= l.visible:
		return l.s.width - 1, false
	}
	return l.gutter + i*l.column, true
}

// drawHeader writes the names of the visible processes, and signs for hidden ones.
func (l *lifelines) drawHeader(y int) {
	l.s.put(l.digits-2, y, 3, faint, "seq")
	if l.timed {
		l.drawTime(y, faint, l.clock.heading())
	}
	for i := range l.visible {
		p := tracefmt.ProcessID(l.first + i + 1)
		x, _ := l.x(p)
		l.s.put(x, y, l.column-1, bold, l.names[p-1])
	}
	if l.first > 0 {
		l.s.put(l.gutter-1, y, 1, faint, "‹")
	}
	if l.first+l.visible < len(l.run.Members) {
		l.s.put(l.s.width-1, y, 1, faint, "›")
	}
}

// drawRows draws events, one on each line from y on. witness reports whether an event is part of a witness.
func (l *lifelines) drawRows(y int, events []*tracefmt.Event, c *replay.Cursor, witness func(tracefmt.Seq) bool) {
	down := l.down(events, c)
	for i, e := range events {
		for j := range l.visible {
			p := tracefmt.ProcessID(l.first + j + 1)
			if x, _ := l.x(p); !down[i][l.first+j] {
				l.s.put(x, y+i, 1, faint, lifeline(c.State().Coverage(), p, e.Seq))
			}
		}
		tone := plain
		if e.Seq > c.Seq() {
			tone = faint
		}
		l.drawEvent(y+i, e, tone)
		l.drawMargin(y+i, e, tone, e.Seq == c.Seq(), witness(e.Seq))
	}
}

// The signs of a process that is up: completely recorded, in a gap, and not recorded at all.
const (
	lineUp         = "│"
	lineGap        = "≈"
	lineUnrecorded = "┊"
)

// lifeline returns the sign for a process that is up: completely recorded, in a gap, or not recorded at all.
func lifeline(c *tracefmt.Coverage, p tracefmt.ProcessID, at tracefmt.Seq) string {
	switch {
	case c.Complete():
		return lineUp
	case c.NothingRecorded(p):
		return lineUnrecorded
	case c.Within(p, at):
		return lineGap
	}
	return lineUp
}

// drawMargin writes the columns left of the lifelines: the cursor, the sign of a witness, seq and time.
func (l *lifelines) drawMargin(y int, e *tracefmt.Event, tone look, current, witness bool) {
	if witness {
		l.s.put(0, y, 1, broken, "!")
	}
	if current {
		l.s.put(0, y, 1, bold, "▶")
		tone = bold
	}
	seq := strconv.FormatInt(int64(e.Seq), 10)
	l.s.put(1+l.digits-len(seq), y, l.digits, tone, seq)
	if witness && current {
		l.s.put(1+l.digits, y, 1, broken, "!")
	}
	if l.timed {
		l.drawTime(y, tone, l.clock.text(e.Time))
	}
}

// drawTime writes a text right-aligned into the column of times, so that decimal points are aligned.
func (l *lifelines) drawTime(y int, tone look, text string) {
	l.s.put(l.gutter-2-width(text), y, l.clock.width, tone, text)
}

// down returns, for each event, which processes are down after it. The cursor knows the state at its position; before and
// after it, the states follow from the events.
func (l *lifelines) down(events []*tracefmt.Event, c *replay.Cursor) [][]bool {
	if len(events) == 0 {
		return nil
	}
	states, at := make([][]bool, len(events)), 0
	for at < len(events)-1 && events[at].Seq < c.Seq() {
		at++
	}
	now := make([]bool, len(l.run.Members))
	for i := range now {
		now[i] = !c.State().Live(tracefmt.ProcessID(i + 1))
	}
	states[at] = now
	if c.Seq() < events[at].Seq { // the cursor is before all events
		states[at] = downAfter(now, events[at], true)
	}
	for i := at + 1; i < len(events); i++ {
		states[i] = downAfter(states[i-1], events[i], true)
	}
	for i := at - 1; i >= 0; i-- {
		states[i] = downAfter(states[i+1], events[i+1], false)
	}
	for i := 1; i < at; i++ { // forward again: only the past shows that a process was down before an unlogged restart
		states[i] = downAfter(states[i-1], events[i], true)
	}
	return states
}

// downAfter returns which processes are down after the event, given the processes that are down before it. With forward false it
// goes back: it returns those before the event, given those after it.
func downAfter(down []bool, e *tracefmt.Event, forward bool) []bool {
	next := slices.Clone(down)
	if p := int(e.Process) - 1; p >= 0 && p < len(next) {
		switch status, ok := replay.StatusAfter(e.Kind); {
		case ok && (forward || e.Kind != tracefmt.Start): // before a start, a process may be up or down
			next[p] = forward == (status != replay.Running)
		case replay.IsAct(e): // a step shows that the process is up
			next[p] = false
		}
	}
	return next
}
