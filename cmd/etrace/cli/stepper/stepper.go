package stepper

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Options of a session.
type Options struct {
	// At is where it begins; nil is at the first message.
	At *replay.Position
	// Properties are examined when the user asks for violations.
	Properties []*analyze.Property
	// Color is true if the terminal shows colours.
	Color bool
}

// Run shows the recording until the user quits or the context ends. stdin and out
// are a terminal.
func Run(ctx context.Context, rec tracefmt.Recording, stdin io.Reader, out io.Writer, o Options) error {
	m, err := newModel(rec, o)
	if err != nil {
		return err
	}
	if err := m.begin(); err != nil {
		return err
	}
	p := tea.NewProgram(m, tea.WithInput(stdin), tea.WithOutput(out), tea.WithoutSignalHandler())
	// Not tea.WithContext, which closes the input while it is still read.
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err = p.Run()
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted while replaying")
	case err != nil:
		return fmt.Errorf("the terminal: %w", err)
	}
	return m.failure
}

type model struct {
	options Options
	rec     tracefmt.Recording
	cursor  *replay.Cursor
	last    tracefmt.Seq

	screen *screen
	layout *layout
	// column and row are the first visible process on lifelines and in the
	// table. They follow the cursor, unless they were scrolled since it moved.
	column, row int
	scrolled    bool

	page   *page   // covers the screen, nil if none does
	prompt *prompt // nil if none is open
	// note is shown on the last line until the next key.
	note string
	// busy describes the current move of the cursor, "" if it rests.
	busy    string
	pattern *replay.Pattern // searched for last
	check   check
	failure error
}

func newModel(rec tracefmt.Recording, o Options) (*model, error) {
	declared, _, err := tracefmt.Assume(rec)
	if err != nil {
		return nil, err
	}
	m := &model{options: o, rec: rec, cursor: replay.NewCursor(declared), screen: newScreen(0, 0)}
	m.last, err = m.cursor.Last()
	m.layout = measure(rec, min(m.last, soon))
	return m, err
}

// begin goes to where the session begins: what happens before the first message
// is how the processes are set up.
func (m *model) begin() error {
	if m.options.At != nil {
		return m.cursor.Go(*m.options.At)
	}
	return m.cursor.Seek(m.layout.message)
}

// View implements [tea.Model].
func (m *model) View() tea.View {
	shown := look.colorless
	if m.options.Color {
		shown = func(l look) look { return l }
	}
	v := tea.NewView(m.screen.render(shown))
	v.AltScreen = true
	return v
}

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	m.draw()
	return m, cmd
}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.screen = newScreen(msg.Width, msg.Height)
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.add(msg.Content)
		}
	case tea.KeyPressMsg:
		return m.key(msg)
	case moved:
		m.busy = ""
		return m.settle(msg)
	case checked:
		return m.checked(msg)
	case explained:
		m.explained(msg)
	case measured:
		m.layout = msg.layout
	}
	return nil
}

func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case name == "ctrl+c":
		return tea.Quit
	case m.busy != "" && name != "q":
		return nil // the cursor is on its way
	case m.prompt != nil:
		return m.ask(msg)
	}
	m.note = ""
	if m.page != nil && name != "q" {
		m.page = m.page.turn(m.screen.height)
		return nil
	}
	for _, b := range bindings() {
		for _, k := range b.keys {
			if k == name {
				return b.do(m)
			}
		}
	}
	return nil
}
