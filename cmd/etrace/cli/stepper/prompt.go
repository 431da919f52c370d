package stepper

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"etrace/replay"
)

// prompt is a line in which the user types a text.
type prompt struct {
	promptKind
	text string
	// err describes the mistake in the text, until the next key.
	err string
}

// promptKind is a kind of prompt: its label, and the action on the entered text, which returns an error for a mistake in the
// text.
type promptKind struct {
	label string
	enter func(m *model, text string) (tea.Cmd, error)
}

// maxPrompt is the greatest number of bytes of a typed text.
const maxPrompt = 500

var (
	searchPrompt = promptKind{"search ", func(m *model, text string) (tea.Cmd, error) {
		p, err := replay.ParsePattern(text, m.rec.Run())
		if err != nil {
			return nil, err
		}
		m.pattern = p
		return m.find(p, false), nil
	}}
	goPrompt = promptKind{"go to ", func(m *model, text string) (tea.Cmd, error) {
		if t, ok := strings.CutPrefix(strings.TrimSpace(text), "t=+"); ok {
			return timePrompt.enter(m, "+"+t)
		}
		position, err := replay.ParsePosition(text, m.rec.Run())
		if err != nil {
			return nil, err
		}
		return m.goTo(position), nil
	}}
	timePrompt = promptKind{"go to time ", func(m *model, text string) (tea.Cmd, error) {
		t, err := m.layout.parse(text)
		if err != nil {
			return nil, err
		}
		return m.goTo(replay.Position{Time: &t}), nil
	}}
)

// open opens a prompt.
func (m *model) open(kind promptKind) tea.Cmd {
	m.prompt = &prompt{promptKind: kind}
	return nil
}

// add appends the first line of a typed or pasted text.
func (p *prompt) add(text string) {
	text, _, _ = strings.Cut(text, "\n")
	if len(p.text)+len(text) <= maxPrompt && utf8.ValidString(text) {
		p.text += text
	}
}

// promptKey handles a key press while a prompt is open.
func (m *model) promptKey(msg tea.KeyPressMsg) tea.Cmd {
	p := m.prompt
	p.err = ""
	switch msg.String() {
	case "esc":
		m.prompt = nil
	case "enter":
		if strings.TrimSpace(p.text) == "" {
			m.prompt = nil
			return nil
		}
		m.note = ""
		cmd, err := p.enter(m, p.text)
		if err != nil {
			p.err = err.Error()
			return nil
		}
		m.prompt = nil
		return cmd
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(p.text)
		p.text = p.text[:len(p.text)-size]
	case "ctrl+u":
		p.text = ""
	default:
		p.add(msg.Text)
	}
	return nil
}
