package stepper

import (
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// layout has the widths of the columns of the screen. One pass over the run computes them, so that columns do not move while
// the user steps.
type layout struct {
	clock
	// variables are the names of all variables of all processes.
	variables []string
	// widths are the widths of the columns of the table, by heading.
	widths map[string]int
	// message is the seq of the first send, receive or loss, 0 for none.
	message tracefmt.Seq

	// names are the shortened names of the processes, by the greatest allowed width.
	names map[int][]string
	words *replay.Sentences
}

// measured is the message that the model receives after the pass over the whole run.
type measured struct{ layout *layout }

// measure computes the layout from the events up to a seq. It ignores reading errors; the cursor reports them
// when it gets there.
func measure(rec tracefmt.Recording, last tracefmt.Seq) *layout {
	run := rec.Run()
	l := &layout{clock: newClock(run), widths: map[string]int{}, names: map[int][]string{}, words: replay.NewSentences(run)}
	state, variables := replay.NewState(run), map[string]bool{}
	for e, err := range rec.Events(1) {
		if err != nil || e.Seq > last {
			break
		}
		state.Apply(e)
		l.clock.add(e.Time)
		l.widen("clock", fmt.Sprint(e.Lamport))
		switch e.Kind {
		case tracefmt.Send, tracefmt.Receive, tracefmt.Lose:
			if l.message == 0 {
				l.message = e.Seq
			}
		case tracefmt.SetTimer:
			l.widen("timers", replay.TimersText(run, state, e.Process)+changeMark)
		}
		if !e.Kind.AssignsVariables() {
			continue
		}
		for name, value := range tracefmt.Fields(e.Payload) {
			if s := string(name); s != tracefmt.CausesKey && s != tracefmt.LogKey {
				variables[s] = true
				l.widen(s, replay.Plain(value)+changeMark)
			}
		}
	}
	for _, status := range []replay.Status{replay.Unknown, replay.Running, replay.Crashed, replay.Halted} {
		l.widen("status", status.String()+changeMark)
	}
	l.variables = slices.Sorted(maps.Keys(variables))
	l.widths["variables"] = max(l.widths["variables"], wide) // one column for all, if they are too many for a column each
	l.widths[vectors] = len(run.Members) * (l.widths["clock"] + 1)
	l.clock.chooseUnit()
	return l
}

// wide is greater than any column. vectors is the heading of the column of vector clocks.
const (
	wide    = 1 << 10
	vectors = "vector clock"
	legible = 8 // the least width of a cut column
)

// changeMark marks a cell that the event changed.
const changeMark = "*"

// widen makes a column wide enough for the text of a cell.
func (l *layout) widen(heading, cell string) {
	l.widths[heading] = max(l.widths[heading], width(cell))
}

// shownNames returns the names of the processes, shortened to at most widest columns.
func (l *layout) shownNames(run *tracefmt.Run, widest int) []string {
	if l.names[widest] == nil {
		l.names[widest] = text.Distinct(replay.ShownNames(run), widest, func(r rune) int { return ansi.StringWidthWc(string(r)) })
	}
	return l.names[widest]
}

// columns returns the widths of the columns of a table, and the gap between them. A column is as wide as its widest value in
// the run. If the screen lacks room, columns omits the vector clocks, then narrows the gap, then cuts the widest columns;
// the rightmost columns may remain invisible.
func (l *layout) columns(table [][]replay.Cell, room int) (widths []int, gap int) {
	widest, sum := max(room/4, narrowest), 0
	for i, heading := range table[0] {
		w := max(l.widths[heading.Text], width(heading.Text))
		if l.widths[heading.Text] == 0 { // names, and values after the measured part of the run
			for _, row := range table {
				w = max(w, width(row[i].String()))
			}
		}
		if heading.Text != vectors {
			w = min(w, widest)
		}
		widths, sum = append(widths, w), sum+w
	}
	last := len(widths) - 1
	if sum+2*last > room && table[0][last].Text == vectors {
		sum, widths[last] = sum-widths[last], 0
		last--
	}
	if sum+2*last <= room {
		return widths, 2
	}
	for ; sum+last > room && slices.Max(widths) > legible; sum-- {
		widths[slices.Index(widths, slices.Max(widths))]--
	}
	return widths, 1
}

// Init implements [tea.Model]: it measures a long run in the background.
func (m *model) Init() tea.Cmd {
	if m.last <= fewEvents {
		return nil
	}
	return func() tea.Msg { return measured{measure(m.rec, m.last)} }
}
