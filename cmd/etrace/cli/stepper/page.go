package stepper

import "etrace/replay"

// page is a list that covers the screen until a key is pressed. A long list takes several keys.
type page struct {
	title string
	rows  []pageRow
	// top is the index of the first row on the screen.
	top int
}

// pageRow is a line of a page: a name, and after it a text.
type pageRow struct {
	name, text string
	look       look
}

// turn scrolls to the following rows, and returns nil after the last one.
func (p *page) turn(height int) *page {
	p.top += max(height-2, 1)
	if p.top >= len(p.rows) {
		return nil
	}
	return p
}

// draw writes the rows of the page that fit on the screen.
func (p *page) draw(s *screen) {
	rows := p.rows[p.top:]
	s.fill(0, s.width, 0, bar, " ")
	hint := " (any key goes back)"
	if room := max(s.height-2, 1); len(rows) > room {
		rows, hint = rows[:room], " (any key shows more)"
	}
	x := s.put(1, 0, s.width-width(hint)-1, bar, p.title)
	s.put(x, 0, s.width, bar, hint)
	column := 0
	for _, r := range p.rows {
		column = max(column, width(r.name))
	}
	for i, r := range rows {
		s.put(1, 1+i, column, bold, r.name)
		s.put(column+3, 1+i, s.width, r.look, r.text)
	}
}

// showKeys opens a page with the keys and, for a partial recording, the signs of unrecorded events.
func (m *model) showKeys() {
	m.page = &page{title: "keys"}
	for _, b := range bindings() {
		m.page.rows = append(m.page.rows, pageRow{name: b.shown, text: b.help})
	}
	if m.cursor.State().Coverage().Complete() {
		return
	}
	for _, sign := range gapSigns {
		m.page.rows = append(m.page.rows, pageRow{name: sign[0], text: sign[1]})
	}
}

// gapSigns are the signs on the screen for unrecorded events, with their meanings.
var gapSigns = [][2]string{
	{replay.NotKnown, "not known, since not all is recorded; before it, what was recorded last"},
	{lineGap, "events of the process are not recorded here"},
	{lineUnrecorded, "nothing of the process is recorded"},
}
