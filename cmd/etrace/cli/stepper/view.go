package stepper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// maxExplained is the greatest number of lines for the explanations of violations.
const maxExplained = 3

// draw draws the screen. While the cursor moves in the background, only the last line changes.
func (m *model) draw() {
	s := m.screen
	if m.busy == "" {
		m.screen = newScreen(s.width, s.height)
		s = m.screen
		if m.page != nil {
			m.page.draw(s)
		} else {
			m.drawRun(s)
		}
	}
	m.drawLast(s)
}

// drawRun draws title, event, lifelines, table of processes, and messages in flight. The table takes up to half of
// the room, the lifelines the rest.
func (m *model) drawRun(s *screen) {
	m.drawTitle(s)
	y := m.drawEvent(s, 1)
	table := m.cursor.Table(m.layout.variables...)
	room := s.height - y - 4 // two headings, the messages, the last line
	rows := min(len(table)-1, max(room/2, min(room, 1)))
	m.drawLifelines(s, y, max(room-rows, 0))
	y += max(room-rows, 0) + 1
	m.drawTable(s, y, table, max(rows, 0))
	m.drawFlights(s, s.height-2)
}

// drawTitle writes the name of the run and the position of the cursor.
func (m *model) drawTitle(s *screen) {
	run, at := m.rec.Run(), "before the first event"
	if e := m.cursor.Event(); e != nil {
		at = fmt.Sprintf("seq %d of %d  t=%v", e.Seq, m.last, run.When(e.Time))
	}
	s.fill(0, s.width, 0, bar, " ")
	s.put(max(s.width-width(at)-1, 0), 0, s.width, bar, at)
	s.put(1, 0, s.width-width(at)-4, bar, fmt.Sprintf("run %d: %s", run.Number, run.Titled(cmp.Or(run.Name, run.Algorithm, "no name"))))
}

// drawEvent writes the current event in words, the gaps there, and the violations that it shows. It returns the next
// free line.
func (m *model) drawEvent(s *screen, y int) int {
	sentence := "Nothing has happened yet."
	if e := m.cursor.Event(); e != nil {
		sentence = m.layout.words.Of(e)
	}
	s.put(0, y, s.width, bold, sentence)
	y++
	for _, gap := range m.gapsHere() {
		s.put(0, y, s.width, faint, lineGap+" "+gap)
		y++
	}
	limit := min(maxExplained, s.height/6)
	for _, explanation := range m.explanations() {
		for _, line := range wrap("! "+explanation, s.width, limit) {
			limit--
			if limit >= 0 {
				s.put(0, y, s.width, broken, line)
				y++
			}
		}
	}
	return y
}

// gapsHere describes the declared gaps at the cursor, at most three.
func (m *model) gapsHere() (texts []string) {
	tells := m.cursor.Run().Completeness
	if tells == nil || m.cursor.Event() == nil {
		return nil
	}
	for _, g := range tells.Gaps {
		if g.Spans(m.cursor.Seq()) {
			texts = append(texts, g.Text())
		}
	}
	return text.Few(texts, min(maxExplained, m.screen.height/6))
}

// drawLifelines draws the events around the cursor in this number of rows.
func (m *model) drawLifelines(s *screen, y, rows int) {
	l := newLifelines(s, m.rec.Run(), m.last, m.column, m.layout)
	if e := m.cursor.Event(); e != nil && !m.scrolled {
		l.scrollTo(e.Peer)
		l.scrollTo(e.Process)
	}
	m.column = l.first
	l.drawHeader(y)
	now := m.cursor.Seq()
	lo := max(min(now-tracefmt.Seq(rows*3/5), m.last-tracefmt.Seq(rows)+1), 1)
	events, err := m.cursor.Around(lo, lo+tracefmt.Seq(rows)-1)
	if err != nil {
		m.note = err.Error() // the events before the error are shown
	}
	l.drawRows(y+1, events, m.cursor, m.inWitness)
}

// leaderSign precedes the name of a process that leads; see [replay.State.Leads].
const leaderSign = "★"

// drawTable draws the table of the processes. If there are more than rows processes, it shows those around the
// process of the current event.
func (m *model) drawTable(s *screen, y int, table [][]replay.Cell, rows int) {
	widths, gap := m.layout.columns(table, s.width-1)
	columns := columns{widths, gap}
	for i, name := range m.layout.shownNames(m.rec.Run(), widths[0]) {
		table[i+1][0].Text = name
	}
	if e := m.cursor.Event(); e != nil && e.Process > 0 && !m.scrolled {
		p := int(e.Process) - 1
		m.row = min(max(m.row, p-rows+1), p)
	}
	m.row = max(min(m.row, len(table)-1-rows), 0)
	m.drawRow(s, y, table[0], columns, bold)
	for i := range rows {
		if at := m.row + i + 1; at < len(table) {
			m.drawRow(s, y+1+i, table[at], columns, plain)
			if m.cursor.State().Leads(tracefmt.ProcessID(at)) {
				s.put(0, y+1+i, 1, bold, leaderSign)
			}
		}
	}
	if hidden := len(table) - 1 - rows; hidden > 0 {
		text := fmt.Sprintf(" %d-%d of %d", m.row+1, m.row+rows, len(table)-1)
		s.put(s.width-width(text), y, s.width, faint, text)
	}
}

// columns are the widths of the columns of a table, and the gap between them.
type columns struct {
	widths []int
	gap    int
}

// drawRow writes one row of the table. A crashed status and changed values have their own look.
func (m *model) drawRow(s *screen, y int, row []replay.Cell, columns columns, tone look) {
	widths, gap := columns.widths, columns.gap
	x := 1
	for i, c := range row {
		l := tone
		switch {
		case c.Changed:
			l = changed
		case i == 1 && strings.TrimSuffix(c.Text, replay.NotKnown) == replay.Crashed.String():
			l = broken
		}
		s.put(x, y, widths[i], l, c.String())
		if c.Changed && width(c.String()) > widths[i] {
			s.put(x+widths[i]-1, y, 1, l, "*") // a sign for terminals without colours
		}
		x += widths[i] + gap
	}
}

// drawFlights writes the messages in flight for which there is room. A message of the current event comes first, the
// others in the order of their sends.
func (m *model) drawFlights(s *screen, y int) {
	x := s.put(1, y, s.width, bold, "in flight")
	state := m.cursor.State()
	flights := state.Flights()
	if state.MoreFlights() {
		x = s.put(x, y, s.width, bold, " at least")
	}
	if len(flights) == 0 {
		s.put(x+2, y, s.width, plain, "nothing")
	}
	if i := slices.IndexFunc(flights, func(f replay.Flight) bool { return f.Sent == m.cursor.Seq() }); i > 0 {
		sent := flights[i]
		flights = slices.Insert(slices.Delete(flights, i, i+1), 0, sent)
	}
	for i, f := range flights {
		cell := replay.Cell{
			Text:    fmt.Sprintf("%s→%s %s", m.short(f.From), m.short(f.To), cmp.Or(f.Type, "message")),
			Changed: f.Sent == m.cursor.Seq(),
		}
		if state.DoubtfulFlight(f) {
			cell.Text += replay.NotKnown
		}
		more := fmt.Sprintf("and %d more", len(flights)-i)
		// A message that is not the last one must leave room for the words that count the others.
		isLast := i == len(flights)-1
		fitsAlone := x+2+width(cell.String()) <= s.width
		if fitsBefore := x+4+width(cell.String())+width(more) <= s.width; !fitsBefore && !(isLast && fitsAlone) {
			s.put(x+2, y, s.width, faint, more)
			return
		}
		l := plain
		if cell.Changed {
			l = changed
		}
		x = s.put(x+2, y, s.width, l, cell.String())
	}
}

// short returns the shortened name of a process.
func (m *model) short(p tracefmt.ProcessID) string {
	if names := m.layout.shownNames(m.rec.Run(), widest); p > 0 && int(p) <= len(names) {
		return names[p-1]
	}
	return m.rec.Run().ProcessName(p)
}

// drawLast writes the last line: the current move, the prompt, a note, or the keys.
func (m *model) drawLast(s *screen) {
	y := s.height - 1
	s.fill(0, s.width, y, plain, " ")
	switch {
	case m.busy != "":
		s.put(0, y, s.width, bar, m.busy+" ... (q quits)")
	case m.prompt != nil:
		x := s.put(0, y, s.width, bar, m.prompt.label)
		text := m.prompt.text
		for text != "" && width(text) > s.width-x-1 { // show the end, where the user types
			text = strings.TrimPrefix(text, string([]rune(text)[:1]))
		}
		x = s.put(x, y, s.width, plain, text)
		s.put(x, y, 1, bar, " ")
		m.drawError(s, y)
	case m.note != "":
		s.put(0, y, s.width, bold, m.note)
	default:
		s.put(0, y, s.width, faint, m.hint())
	}
}

// hint returns the most useful keys.
func (m *model) hint() string {
	switch {
	case m.page != nil:
		return "q quit"
	case m.shown() != nil:
		return "? help  q quit  → next  ← back  v next violation  w why"
	}
	return "? help  q quit  → next  ← back  / search  v violation  g go to"
}

// drawError writes the mistake in the typed text above the prompt.
func (m *model) drawError(s *screen, y int) {
	if m.prompt.err == "" {
		return
	}
	lines := wrap(m.prompt.err, s.width, maxExplained)
	for i, line := range lines {
		s.fill(0, s.width, y-len(lines)+i, plain, " ")
		s.put(0, y-len(lines)+i, s.width, broken, line)
	}
}

// scrollBy returns the action that scrolls to other processes, until the next move.
func scrollBy(processes int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		m.scrolled = true
		m.column, m.row = m.column+processes, m.row+processes
		return nil
	}
}
