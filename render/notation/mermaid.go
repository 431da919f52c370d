package notation

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"etrace/render/story"
	"etrace/tracefmt"
)

// sequence is the name of the diagram.
const sequence = "sequence"

var mermaid = Notation{
	Name: "mermaid",
	Doc: "a sequence diagram as Mermaid text, for Markdown: arrows in the order of arrival; of the variables only " +
		"leader, roles and votes",
	Diagram: sequence,
	Write:   writeMermaid,
}

// mermaidWriter writes one sequence diagram. Each line is a statement.
type mermaidWriter struct {
	*story.Story
	b strings.Builder
}

// writeMermaid writes the story until the text is as long as Mermaid accepts.
func writeMermaid(w io.Writer, s *story.Story) error {
	if s.Options.Marked() {
		return errors.New("events and cuts cannot be marked, expected svg, png or pdf for that")
	}
	m := &mermaidWriter{Story: s}
	m.heading()
	gaps := s.Gaps(func(int) bool { return true })
	for i := range s.Steps {
		before := m.b.Len()
		m.gaps(gaps, i)
		m.step(i)
		if m.b.Len() > maxText-reserve {
			m.cutOff(before, len(s.Steps)-i)
			break
		}
	}
	if m.b.Len() <= maxText-reserve {
		m.gaps(gaps, len(s.Steps))
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

// maxText is the size of text that Mermaid accepts by default, in bytes. The reserve is for the note on hidden events.
const (
	maxText = 50_000
	reserve = 200
)

// cutOff removes the text of the last step, and writes the number of hidden steps.
func (m *mermaidWriter) cutOff(before, steps int) {
	text := m.b.String()[:before]
	m.b.Reset()
	m.b.WriteString(text)
	m.noteOverAll(story.Plural(int64(steps), "event") + " not shown, choose a part of the run")
}

// line writes one statement.
func (m *mermaidWriter) line(format string, args ...any) {
	fmt.Fprintf(&m.b, format+"\n", args...)
}

// heading describes the run and what the diagram leaves out.
func (m *mermaidWriter) heading() {
	m.line("sequenceDiagram")
	m.line("    title %s", escape(m.Title()))
	m.line("    accDescr: %s", escape(m.Describe(sequence)))
	if m.Hidden > 0 {
		m.line("    %%%% %s not drawn", story.Plural(m.Hidden, "event"))
	}
	if n := m.omittedChanges(); n > 0 {
		m.line("    %%%% %s of other variables not drawn", story.Plural(n, "change"))
	}
	for _, p := range m.Order {
		name := m.RoleName(p)
		if m.After[p].DownFromStart && m.After[p].Down {
			name += " (down)"
		}
		if m.Unrecorded(p) {
			name += " (not recorded)"
		}
		m.line("    participant %s as %s", participant(p), escape(name))
	}
	if missing := m.Missing(); missing != "" {
		m.noteOverAll(missing)
	}
	for _, p := range m.Order {
		if stance := m.StanceBefore(p); stance != "" {
			m.note(p, stance)
		}
	}
}

// gaps writes, before a step, the gaps that end there.
func (m *mermaidWriter) gaps(gaps []story.Gap, step int) {
	for i := range gaps {
		if g := &gaps[i]; g.Before == step {
			m.note(g.Process, g.Text())
		}
	}
}

// omittedChanges counts the changes of variables that the notation omits.
func (m *mermaidWriter) omittedChanges() (n int64) {
	for i := range m.Steps {
		if m.Steps[i].Kind == tracefmt.State && m.Words(i) == "" {
			n++
		}
	}
	return n
}

// step writes a step, if the notation can express it.
func (m *mermaidWriter) step(i int) {
	st := &m.Steps[i]
	if st.Restarted {
		m.note(st.Process, story.UpAgain)
	}
	switch st.Kind {
	case tracefmt.Send:
		switch {
		case st.Unsure:
			m.arrow(st.Process, "--)", st.Peer, st.Label()+" (arrival not recorded)")
		case st.MayBeLost:
			m.arrow(st.Process, "-)", st.Peer, st.Label()+" (in flight or lost)")
		case st.LossHidden():
			m.arrow(st.Process, "-x", st.Peer, st.Label()+" (lost)")
		case st.Fate == tracefmt.InFlight:
			m.arrow(st.Process, "-)", st.Peer, st.Label())
		}
	case tracefmt.Receive, tracefmt.Lose:
		m.arrival(st)
	default:
		words := m.Words(i)
		switch {
		case words == "" || st.Opening:
		case st.Process == 0:
			m.noteOverAll(words)
		default:
			m.note(st.Process, words)
		}
	}
}

// arrival writes a message when it is received or lost.
func (m *mermaidWriter) arrival(st *story.Step) {
	label := st.Label()
	switch {
	case st.Unsent:
		label += " (send not recorded)"
	case st.Inferred:
		label += " (send inferred)"
	}
	switch {
	case st.Again:
		m.arrow(st.Peer, "-->>", st.Process, label+" once more")
	case st.Fate == tracefmt.ReceiverCrashed:
		m.arrow(st.Peer, "-x", st.Process, label)
	case st.Fate == tracefmt.Lost:
		if st.Text != "" {
			label += ": " + st.Text
		}
		m.arrow(st.Peer, "-x", st.Process, label)
	default:
		m.arrow(st.Peer, "->>", st.Process, label)
	}
}

// arrow writes a message. Mermaid would add a participant for a process that is not shown, so a note names
// that process instead.
func (m *mermaidWriter) arrow(from tracefmt.ProcessID, arrow string, to tracefmt.ProcessID, label string) {
	switch {
	case !m.Shown(from):
		m.note(to, label+" from "+m.Name(from))
		return
	case !m.Shown(to):
		m.note(from, label+" to "+m.Name(to))
		return
	}
	m.line("    %s%s%s: %s", participant(from), arrow, participant(to), escape(label))
}

// note writes a note at a process.
func (m *mermaidWriter) note(p tracefmt.ProcessID, text string) {
	m.line("    Note over %s: %s", participant(p), escape(text))
}

// noteOverAll writes a note across all processes.
func (m *mermaidWriter) noteOverAll(text string) {
	switch n := len(m.Order); n {
	case 0:
	case 1:
		m.note(m.Order[0], text)
	default:
		m.line("    Note over %s,%s: %s", participant(m.Order[0]), participant(m.Order[n-1]), escape(text))
	}
}

// participant returns the name of a process in the notation. It never contains text of the run.
func participant(p tracefmt.ProcessID) string { return "p" + strconv.Itoa(int(p)) }

// escape encodes text such that Mermaid takes it literally. All characters except letters, digits and a few harmless
// signs become character codes, which Mermaid decodes after it has parsed the diagram. The letters ﬂ and ß are
// encoded, too, since Mermaid uses them internally in place of these codes.
func escape(text string) string {
	if strings.TrimSpace(text) == "" {
		return "#160;" // the grammar does not allow an empty text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == 'ﬂ' || r == 'ß':
			fmt.Fprintf(&b, "#%d;", r)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune(" .,()=_/·…-", r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
