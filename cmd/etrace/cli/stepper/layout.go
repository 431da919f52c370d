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

// layout is what the columns of the screen follow from, found in one pass over
// the run: so they stay where they are while one steps.
type layout struct {
	clock
	// variables are the names of all that any process ever has.
	variables []string
	// widths of the columns of the table, by heading.
	widths map[string]int
	// message is the first event of a message, 0 for none.
	message tracefmt.Seq

	// names are the shortened names of the processes, by the number of columns.
	names map[int][]string
	words *replay.Sentences
}

// measured is the message at the end of the pass over the whole run.
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
		l.clock.take(e.Time)
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
	l.widths["variables"] = max(l.widths["variables"], wide) // where they are too many for a column each
	l.widths[vectors] = len(run.Members) * (l.widths["clock"] + 1)
	l.clock.settle()
	return l
}

// wide is wider than any column, and vectors the heading of that of vector clocks.
const (
	wide    = 1 << 10
	vectors = "vector clock"
	legible = 8 // columns, which no column is cut to less than
)

// changeMark marks a cell that the event changed.
const changeMark = "*"

// widen makes a column wide enough for a text.
func (l *layout) widen(heading, cell string) {
	l.widths[heading] = max(l.widths[heading], width(cell))
}

// shownNames are the names of the processes in at most that many columns.
func (l *layout) shownNames(run *tracefmt.Run, widest int) []string {
	if l.names[widest] == nil {
		l.names[widest] = text.Distinct(replay.ShownNames(run), widest, func(r rune) int { return ansi.StringWidthWc(string(r)) })
	}
	return l.names[widest]
}

// columns are the widths of the columns of a table, as wide as anything in them
// ever is, and how far they are apart. Where there is no room for all of that,
// vector clocks are left out, then the columns move together, then the widest are
// cut, and at last the rightmost are not seen.
func (l *layout) columns(table [][]replay.Cell, room int) (widths []int, gap int) {
	widest, sum := max(room/4, narrowest), 0
	for i, heading := range table[0] {
		w := max(l.widths[heading.Text], width(heading.Text))
		if l.widths[heading.Text] == 0 { // names, and what is beyond the part that was measured
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

// Init implements [tea.Model]: a long run is measured in the background.
func (m *model) Init() tea.Cmd {
	if m.last <= soon {
		return nil
	}
	return func() tea.Msg { return measured{measure(m.rec, m.last)} }
}
