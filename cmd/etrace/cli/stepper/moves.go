package stepper

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"etrace/replay"
	"etrace/tracefmt"
)

// fewEvents is the number of events that may be read between a key press and the next screen. A longer move runs in the
// background.
const fewEvents = 20_000

// moved is the message that the model receives at the end of a move.
type moved struct {
	err error
	// note is the text to show, "" for none.
	note string
}

// move moves the cursor by do, which reads this number of events: at once or, if these are more than fewEvents, in the
// background. task describes the move to the user.
func (m *model) move(events int64, task string, do func(*replay.Cursor) moved) tea.Cmd {
	if events <= fewEvents {
		return m.endMove(do(m.cursor))
	}
	m.busy = task
	c := m.cursor
	return func() tea.Msg { return do(c) }
}

// endMove ends a move. A reading error ends the session; Run returns it.
func (m *model) endMove(end moved) tea.Cmd {
	m.note, m.scrolled = end.note, false
	if end.err != nil {
		m.failure = end.err
		return tea.Quit
	}
	return nil
}

// seek moves the cursor to a seq, or to the nearest existing seq.
func (m *model) seek(seq tracefmt.Seq) tea.Cmd {
	seq = min(max(seq, 0), m.last)
	return m.move(m.cursor.Distance(seq), "reading events", func(c *replay.Cursor) moved { return moved{err: c.Seek(seq)} })
}

// step returns the action that moves the cursor by a number of events, back if it is negative.
func step(events tracefmt.Seq) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd { return m.seek(m.cursor.Seq() + events) }
}

// find moves the cursor to the next match of the pattern or, with back, to the previous one. After the last match it
// continues with the first, as editors do.
func (m *model) find(p *replay.Pattern, back bool) tea.Cmd {
	if p == nil {
		m.note = "search first: /"
		return nil
	}
	return m.move(int64(m.last), "searching", func(c *replay.Cursor) moved {
		search, from, round := p.Next, tracefmt.Seq(0), "no match after this one: on from the beginning"
		if back {
			search, from, round = p.Previous, m.last+1, "no match before this one: on from the end"
		}
		note := ""
		seq, err := search(m.rec, c.Seq())
		if err == nil && seq == 0 {
			note = round
			seq, err = search(m.rec, from)
		}
		switch {
		case err != nil:
			return moved{err: err}
		case seq == 0:
			return moved{note: m.unmatched(p)}
		case seq == c.Seq():
			return moved{note: "no other event matches"}
		}
		return moved{err: c.Seek(seq), note: note}
	})
}

// unmatched returns a note on a pattern without a match: a word in it is misspelt, or there is no such event.
func (m *model) unmatched(p *replay.Pattern) string {
	if misspelt := replay.Misspelt(m.rec, p); misspelt != nil {
		return misspelt.Error()
	}
	return "no event matches"
}

// goTo moves the cursor to a position that the user typed.
func (m *model) goTo(position replay.Position) tea.Cmd {
	switch {
	case position.Pattern != nil:
		m.pattern = position.Pattern
		return m.find(position.Pattern, false)
	case position.End:
		return m.seek(m.last)
	case position.Time == nil:
		if position.Seq < 0 || position.Seq > m.last {
			m.note = fmt.Sprintf("there is no event %d, the run has %d", position.Seq, m.last)
			return nil
		}
		return m.seek(position.Seq)
	}
	return m.move(int64(m.last), "reading events", func(c *replay.Cursor) moved { return moved{err: c.SeekTime(*position.Time)} })
}

// cause moves the cursor to the event of another process that caused the current event.
func (m *model) cause() tea.Cmd {
	e := m.cursor.Event()
	if e == nil || e.Cause == 0 {
		m.note = "no event of another process caused this one"
		return nil
	}
	return m.seek(e.Cause)
}

// sameProcess returns the action that moves the cursor to the next event of the process of the current event or, with back,
// to the previous one.
func sameProcess(back bool) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		e := m.cursor.Event()
		if e == nil || e.Process == 0 {
			m.note = "no process takes this step"
			return nil
		}
		p, beyond := &replay.Pattern{Process: e.Process}, "this is the last event of the process"
		search := p.Next
		if back {
			search, beyond = p.Previous, "this is the first event of the process"
		}
		return m.move(int64(m.last), "searching", func(c *replay.Cursor) moved {
			seq, err := search(m.rec, c.Seq())
			if err != nil || seq == 0 {
				return moved{err, beyond}
			}
			return moved{err: c.Seek(seq)}
		})
	}
}
