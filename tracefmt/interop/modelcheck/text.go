package modelcheck

import (
	"regexp"
	"strconv"
	"strings"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

var (
	stateHead = regexp.MustCompile(`^(?:State )?([0-9]+): (?:<(.*)>|(Stuttering))\s*$`)
	backTo    = regexp.MustCompile(`^Back to state:? ([0-9]+)`)
	headParts = regexp.MustCompile(`^([\w!]+)(?:\((.*)\))? (?:line|of module) `)
	anyAssign = regexp.MustCompile(`^(?:/\\ )?([A-Za-z0-9_!]+) = ?(.*)$`)
)

// textReader reads the console output of TLC: states, and other lines.
type textReader struct {
	r          *interop.Reading
	b          *behaviour // nil before the first state
	state      *state     // the state that is being read, nil between states
	last       int        // the number of the previous state
	raw        [][]byte   // the values of the variables in names, as text of one or more lines
	names      []string
	otherLines int    // the number of lines that belong to no state
	firstError string // TLC's first line that begins with Error
}

// readText reads a file with console output.
func readText(r *interop.Reading) error {
	t := textReader{r: r}
	for n, line := range r.Lines() {
		if err := t.readLine(n, line); err != nil {
			return err
		}
	}
	if err := t.endState(); err != nil {
		return err
	}
	if t.b == nil {
		return r.Errorf(0, "no state in the file, expected lines such as: State 1: <Initial predicate>")
	}
	t.b.finish()
	if t.otherLines > 0 {
		r.Note("%s of TLC's own beside the states", text.Counted(t.otherLines, "line", "lines"))
	}
	if t.firstError != "" {
		r.Note("TLC says %q, which is no verdict on what happens in the behaviour", t.firstError)
	}
	return nil
}

// readLine reads line n: the beginning of a state, a part of one, a return to an earlier state, or another line of
// TLC.
func (t *textReader) readLine(n int, line string) error {
	if head := stateHead.FindStringSubmatch(line); head != nil {
		return t.begin(n, head)
	}
	if back := backTo.FindStringSubmatch(line); back != nil && t.b != nil {
		if err := t.endState(); err != nil {
			return err
		}
		target, _ := strconv.Atoi(back[1])
		t.b.addLoop(n, target, false)
		return nil
	}
	switch assign := anyAssign.FindStringSubmatch(line); {
	case t.state != nil && strings.TrimSpace(line) == "":
		return t.endState()
	// A value may contain a line with "=": only a conjunct, or the first line of a state, begins a variable.
	case t.state != nil && assign != nil && (strings.HasPrefix(line, `/\`) || len(t.raw) == 0):
		if len(t.names) == maxVariables {
			return t.r.Errorf(n, "state %d has more than %d variables, the most that this format reads", t.state.number, maxVariables)
		}
		t.names, t.raw = append(t.names, assign[1]), append(t.raw, []byte(assign[2]))
	case t.state != nil && len(t.raw) > 0:
		last := &t.raw[len(t.raw)-1]
		*last = append(append(*last, '\n'), line...)
	case strings.TrimSpace(line) != "":
		t.otherLines++
		if t.firstError == "" && strings.HasPrefix(line, "Error: ") {
			t.firstError = line
		}
	}
	return nil
}

// begin begins a state; the first state also begins the behaviour.
func (t *textReader) begin(n int, head []string) (err error) {
	if err := t.endState(); err != nil {
		return err
	}
	number, err := strconv.Atoi(head[1])
	if err != nil {
		return t.r.Errorf(n, "%s is no number of a state", head[1])
	}
	if t.b == nil || number == 1 {
		if t.b != nil {
			t.b.finish()
		}
		t.b, err = newBehaviour(t.r, false)
		if err != nil {
			return err
		}
	}
	t.last = t.last + 1
	// A log may lack states, since it was cut or filtered.
	if number > 1 && number != t.last {
		t.b.Gap("", 0)
		t.b.Note("state %d is not after state %d: states are missing", number, t.last-1)
	}
	t.last = number
	if head[3] != "" {
		t.b.addLoop(n, number-1, true)
		return nil
	}
	t.state = &state{line: n, number: number}
	if parts := headParts.FindStringSubmatch(head[2]); parts != nil && parts[1] != "Action" && parts[1] != "Initial" {
		t.state.action = parts[1]
		for _, p := range splitOutside(parts[2]) {
			t.state.parameters = append(t.state.parameters, named{"", parseTLA(p)})
		}
	}
	return nil
}

// endState adds the state that was read to the behaviour.
func (t *textReader) endState() error {
	if t.state == nil {
		return nil
	}
	s, left := t.state, maxOfState
	for i, raw := range t.raw {
		s.variables = append(s.variables, named{t.names[i], parseWithin(string(raw), &left)})
		if left < 0 {
			return t.r.Errorf(s.line, "state %d has more than %d values, the most that this format reads", s.number, maxOfState)
		}
	}
	t.state, t.raw, t.names = nil, nil, nil
	return t.b.add(s)
}

// splitOutside splits a text at the commas outside brackets.
func splitOutside(s string) (parts []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, s[from:i]), i+1
			}
		}
	}
	if s != "" {
		parts = append(parts, s[from:])
	}
	return parts
}
