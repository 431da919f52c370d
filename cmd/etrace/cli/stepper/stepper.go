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
	// At is the first position; nil is the first message.
	At *replay.Position
	// Properties are checked when the user asks for violations.
	Properties []*analyze.Property
	// Color is true if the terminal shows colours.
	Color bool
}

// Run shows the recording until the user quits or ctx ends. stdin and out must be a terminal.
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

// model is the state of a session. The framework calls Update with each key press, and View for the screen.
type model struct {
	options Options
	rec     tracefmt.Recording
	cursor  *replay.Cursor
	last    tracefmt.Seq

	screen *screen
	layout *layout
	// column and row are the first visible process of the lifelines and of the table. They follow the cursor, unless the user
	// has scrolled since the last move.
	column, row int
	scrolled    bool

	page   *page   // nil if no page is open
	prompt *prompt // nil if no prompt is open
	// note is the text of the last line, until the next key.
	note string
	// busy describes the current move of the cursor, "" if it rests.
	busy    string
	pattern *replay.Pattern // the pattern of the last search
	check   check
	failure error
}

// newModel returns a model of the recording, with a layout for its first events.
func newModel(rec tracefmt.Recording, o Options) (*model, error) {
	declared, _, err := tracefmt.Assume(rec)
	if err != nil {
		return nil, err
	}
	m := &model{options: o, rec: rec, cursor: replay.NewCursor(declared), screen: newScreen(0, 0)}
	m.last, err = m.cursor.Last()
	m.layout = measure(rec, min(m.last, fewEvents))
	return m, err
}

// begin moves the cursor to the first position: that of the options, or the first message. The events before it only set up
// the processes.
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
	cmd := m.handle(msg)
	m.draw()
	return m, cmd
}

// handle changes the model by a message of the framework, and returns the next command.
func (m *model) handle(msg tea.Msg) tea.Cmd {
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
		return m.endMove(msg)
	case checked:
		return m.checked(msg)
	case explained:
		m.explained(msg)
	case measured:
		m.layout = msg.layout
	}
	return nil
}

// key handles a key press: it goes to the prompt or the page, if one is open, or to the action of its binding.
func (m *model) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	switch {
	case name == "ctrl+c":
		return tea.Quit
	case m.busy != "" && name != "q":
		return nil // the cursor is still moving
	case m.prompt != nil:
		return m.promptKey(msg)
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
