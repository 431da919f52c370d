package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Pattern describes events. Its text is
//
//	KIND [NAME[=VALUE]] [@PROCESS] [to|from|of PEER]
//
// KIND is an event kind, or * for any. NAME is the type of a message, timer,
// operation or note. After state it is a variable; then the pattern matches
// every event that assigns the variable, also a start or recovery of a
// process with it. VALUE is the assigned value. A name with
// spaces or signs is in double quotes, as in JSON. So
//
//	crash                     any crash
//	receive COORDINATOR@3     3 receives COORDINATOR
//	send ELECTION to 6        any process sends ELECTION to 6
//	state elected@3           3 elects
//	state elected=6           any process elects 6
//	* @3                      any event of 3
type Pattern struct {
	// Kind is 0 for any.
	Kind tracefmt.Kind
	// Name is "" for any, Value nil for any.
	Name  string
	Value []byte
	// Process and Peer are 0 for any.
	Process, Peer tracefmt.ProcessID
}

// PatternForm is the text of patterns in short.
const PatternForm = "KIND [NAME[=VALUE]] [@PROCESS] [to|from|of PEER]"

// ParsePattern reads the text of a pattern about a run.
func ParsePattern(text string, run *tracefmt.Run) (*Pattern, error) {
	p := &Pattern{}
	tokens, err := tokenize(text)
	if err == nil && len(tokens) == 0 {
		err = fmt.Errorf("expected %s", PatternForm)
	}
	if err == nil {
		err = p.kind(tokens[0])
	}
	for tail := tokens; err == nil && len(tail) > 1; {
		tail, err = p.part(tail[1:], run)
	}
	if err == nil {
		err = p.fits()
	}
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", quoted(text), err)
	}
	return p, nil
}

// quoted returns a user's text for an error: on one line, and harmless for terminals.
func quoted(s string) string { return `"` + text.Short(text.Printable(s), 2*maxWord) + `"` }

// token is a word of a pattern.
type token struct {
	text   string
	quoted bool
}

func (t token) isSign(signs ...string) bool { return !t.quoted && slices.Contains(signs, t.text) }

// tokenize splits a pattern into words, the signs @ and =, and texts in
// quotes.
func tokenize(text string) ([]token, error) {
	var tokens []token
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		switch end := strings.IndexAny(text, " \t@=\""); {
		case text[0] == '"':
			d := json.NewDecoder(strings.NewReader(text))
			var s string
			if d.Decode(&s) != nil {
				return nil, fmt.Errorf("the text that begins with %s is not closed", word(text))
			}
			tokens, text = append(tokens, token{s, true}), text[d.InputOffset():]
		case end == 0:
			tokens, text = append(tokens, token{text: text[:1]}), text[1:]
		case end < 0:
			tokens, text = append(tokens, token{text: text}), ""
		default:
			tokens, text = append(tokens, token{text: text[:end]}), text[end:]
		}
	}
	return tokens, nil
}

// kind sets the kind from the first token; * means any.
func (p *Pattern) kind(t token) (err error) {
	if !t.isSign("*") {
		p.Kind, err = tracefmt.ParseKind(t.text)
	}
	return err
}

// part parses the part that begins with the first token. It returns its last token and the tokens after it.
func (p *Pattern) part(tokens []token, run *tracefmt.Run) ([]token, error) {
	first := tokens[0]
	if !first.isSign("@", "=", "to", "from", "of") {
		if p.Name != "" {
			return nil, fmt.Errorf("%s is one name too many, expected %s", quoted(first.text), PatternForm)
		}
		p.Name = first.text
		return tokens, nil
	}
	if len(tokens) == 1 {
		return nil, fmt.Errorf("nothing follows %s, expected %s", first.text, PatternForm)
	}
	if first.isSign("=") {
		if p.Name == "" {
			return nil, fmt.Errorf("no variable before =, expected %s", PatternForm)
		}
		p.Value = []byte(tokens[1].text)
		return tokens[1:], nil
	}
	id, ok := run.Process(tokens[1].text)
	if !ok {
		return nil, text.Unknown("process", tokens[1].text, memberNames(run))
	}
	if first.isSign("@") {
		p.Process = id
	} else {
		p.Peer = id
	}
	return tokens[1:], nil
}

// memberNames returns the names of all members.
func memberNames(run *tracefmt.Run) []string {
	var names []string
	for i := range run.Members {
		names = append(names, run.Members[i].Name)
	}
	return names
}

// fits returns an error if no event of the kind can match the pattern.
func (p *Pattern) fits() error {
	info := p.Kind.Info()
	switch {
	case p.Value != nil && p.Kind != tracefmt.State:
		return fmt.Errorf("only variables have values, as in state elected=6")
	// A pattern of any kind matches some event, whatever its other parts.
	case p.Kind == 0:
	case p.Name != "" && p.Kind != tracefmt.State && info.Type == tracefmt.Absent:
		return fmt.Errorf("a %s has no type; a process is written @%s", info.Name, word(p.Name))
	case p.Process != 0 && info.Process == tracefmt.Absent:
		return fmt.Errorf("a %s is of no process", info.Name)
	case p.Peer != 0 && info.Peer == tracefmt.Absent:
		return fmt.Errorf("a %s has no peer", info.Name)
	}
	return nil
}

// Match reports whether the pattern describes the event.
func (p *Pattern) Match(e *tracefmt.Event) bool {
	if p.Process != 0 && p.Process != e.Process || p.Peer != 0 && p.Peer != e.Peer {
		return false
	}
	// The name is then a variable, which starts and recoveries assign, too.
	if p.Kind == tracefmt.State && p.Name != "" {
		return p.assigns(e)
	}
	return (p.Kind == 0 || p.Kind == e.Kind) && (p.Name == "" || p.Name == e.Type)
}

// assigns reports whether the event gives the variable the value. A start that leaves a variable empty does
// not assign it.
func (p *Pattern) assigns(e *tracefmt.Event) bool {
	begins := e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover
	if e.Kind != tracefmt.State && !begins {
		return false
	}
	value, ok := e.Field(p.Name)
	if !ok || begins && string(value) == "null" {
		return false
	}
	return p.Value == nil || bytes.Equal(p.Value, value) || string(p.Value) == Plain(value)
}

// Next returns the first event after seq that matches; 0 if none does.
func (p *Pattern) Next(rec tracefmt.Recording, seq tracefmt.Seq) (tracefmt.Seq, error) {
	for e, err := range rec.Events(seq + 1) {
		if err != nil {
			return 0, err
		}
		if p.Match(e) {
			return e.Seq, nil
		}
	}
	return 0, nil
}

// Previous returns the last event before seq that matches; 0 if none does. It reads stretches of growing
// length, so that a near match is found soon.
func (p *Pattern) Previous(rec tracefmt.Recording, seq tracefmt.Seq) (tracefmt.Seq, error) {
	for stretch := tracefmt.Seq(blockSize); seq > 1; stretch *= 2 {
		from, found := max(1, seq-stretch), tracefmt.Seq(0)
		for e, err := range rec.Events(from) {
			if err != nil {
				return 0, err
			}
			if e.Seq >= seq {
				break
			}
			if p.Match(e) {
				found = e.Seq
			}
		}
		if found != 0 {
			return found, nil
		}
		seq = from
	}
	return 0, nil
}

// maxNames is the number of names among which to look for the nearest.
const maxNames = 1000

// Misspelt returns an error with the nearest name if no event of the run has a type, or variable, of the
// pattern's name. It returns nil if some event has, or if the pattern is for any name. It reads the whole run.
func Misspelt(rec tracefmt.Recording, p *Pattern) error {
	if p.Name == "" {
		return nil
	}
	thing, names := "type", map[string]bool{}
	if p.Kind == tracefmt.State {
		thing = "variable"
	}
	for e, err := range rec.Events(1) {
		switch {
		case err != nil:
			return err
		case thing == "type" && e.Type != "":
			names[e.Type] = true
		case thing == "variable" && e.Kind.AssignsVariables():
			for key, value := range tracefmt.Fields(e.Payload) {
				if tracefmt.IsVariable(e.Kind, key, value) {
					names[string(key)] = true
				}
			}
		}
		if names[p.Name] {
			return nil
		}
		// A recording may have a name in each event: beyond the limit the nearest of those so far will do.
		if len(names) >= maxNames {
			break
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("the run has no %ss", thing)
	}
	return text.Unknown(thing, p.Name, slices.Sorted(maps.Keys(names)))
}
