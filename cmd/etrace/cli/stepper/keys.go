package stepper

import (
	tea "charm.land/bubbletea/v2"
)

// binding assigns an action to keys. The help screen lists the bindings.
type binding struct {
	keys []string
	// shown has the names of the keys in the help, help the text on the action.
	shown, help string
	do          func(*model) tea.Cmd
}

// bindings returns the bindings of all keys.
func bindings() []binding {
	return []binding{
		{[]string{"right", "l", "j", "down", "space"}, "→ ↓ l j space", "the next event", step(1)},
		{[]string{"left", "h", "k", "up"}, "← ↑ h k", "the previous event", step(-1)},
		{[]string{"pgdown", "ctrl+f"}, "pgdn", "ten events on", step(10)},
		{[]string{"pgup", "ctrl+b"}, "pgup", "ten events back", step(-10)},
		{[]string{"home"}, "home", "before the first event", func(m *model) tea.Cmd { return m.seek(0) }},
		{[]string{"end", "G"}, "end G", "the last event", func(m *model) tea.Cmd { return m.seek(m.last) }},
		{[]string{"g"}, "g", "go to: a seq, t=TIME, end, or a pattern, ahead or before", func(m *model) tea.Cmd { return m.open(goPrompt) }},
		{[]string{"t"}, "t", "go to a time", func(m *model) tea.Cmd { return m.open(timePrompt) }},
		{[]string{"/"}, "/", "search for a pattern, such as receive OK@3", func(m *model) tea.Cmd { return m.open(searchPrompt) }},
		{[]string{"n"}, "n", "the next match, after the last the first", func(m *model) tea.Cmd { return m.find(m.pattern, false) }},
		{[]string{"N"}, "N", "the previous match", func(m *model) tea.Cmd { return m.find(m.pattern, true) }},
		{[]string{"v"}, "v", "the next event that shows a violation, its root first", func(m *model) tea.Cmd { return m.violation(false) }},
		{[]string{"V"}, "V", "the previous one", func(m *model) tea.Cmd { return m.violation(true) }},
		{[]string{"w"}, "w", "why: the events that this violation needs", (*model).explain},
		{[]string{"c"}, "c", "the cause: the send of this receive", (*model).cause},
		{[]string{"."}, ".", "the next event of this process", sameProcess(false)},
		{[]string{","}, ",", "the previous event of this process", sameProcess(true)},
		{[]string{"]"}, "]", "show the processes that follow", scrollBy(1)},
		{[]string{"["}, "[", "show the processes before", scrollBy(-1)},
		{[]string{"?", "f1"}, "?", "this help", func(m *model) tea.Cmd { m.showKeys(); return nil }},
		{[]string{"q"}, "q ctrl-c", "quit", func(*model) tea.Cmd { return tea.Quit }},
	}
}
