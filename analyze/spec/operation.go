package spec

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// OperationWords describes how an operation is written, for help texts.
const OperationWords = `    return, note(type = "enter")        an event of the language of rules
    enter, a single name                a note or a return of this type
    fluent NAME(p) from EVENT to EVENT  a fluent of the language of rules`

// operationText is the grammar of an operation: an event, or the last of some fluents. Each fluent may name those
// before it.
type operationText struct {
	Fluents []*fluentItem `parser:"@@*"`
	Pattern *pattern      `parser:"[ @@ ]"`
}

var operationParser = sync.OnceValue(func() *participle.Parser[operationText] {
	return participle.MustBuild[operationText](
		participle.Lexer(language()),
		participle.Elide("Comment", "Space"),
		participle.Map(classify, "Ident"),
		participle.UseLookahead(2),
	)
})

// Operation is an activity in a run, such as an entry into a critical section, for which messages can be counted.
// It is a moment or a span: either Moments or Spans is set.
type Operation struct {
	Name string
	// Facts are the facts it reads; if one is not recorded completely, operations may be missing.
	Facts []tracefmt.Fact
	// Moments returns a function that reports whether an event of the run is such an operation. It must be called
	// for each event, after the state was updated.
	Moments func(run *tracefmt.Run) func(s *replay.State, e *tracefmt.Event) bool
	Spans   func(run *tracefmt.Run) Spans
}

// Spans returns the spans of an operation.
type Spans interface {
	// Step takes the next event, after the state was updated.
	Step(s *replay.State, e *tracefmt.Event)
	// Since returns the event with which the current span of a process began, 0 if it is in no span.
	Since(p tracefmt.ProcessID) tracefmt.Seq
	// Local reports whether, after the first event of the run, only events of a process change its span.
	Local() bool
}

// ParseOperation reads an operation; see [OperationWords]. The error is one line, with the place.
func ParseOperation(source string) (*Operation, error) {
	source = strings.TrimSpace(source)
	full := expandName(source)
	o, err := operation(full)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", text.Quote(source), oneLine(withLine("", full, err)))
	}
	o.Name = text.Printable(strings.Join(strings.Fields(source), " "))
	return o, nil
}

// expandName returns the event for which a single name is short, or the source itself if it is not a single name.
func expandName(source string) string {
	if !bareWord.MatchString(source) || slices.Contains(kindNames(), source) {
		return source
	}
	return fmt.Sprintf(`note|return(type = %q)`, source)
}

// Event compiles an event; the name of a label or operation is short for it. The error is one line, with the
// place.
func Event(source string) (*Operation, error) {
	full := expandName(strings.TrimSpace(source))
	o, err := operation(full)
	if err == nil && o.Moments == nil {
		err = errorf(lexer.Position{}, `expected an event, such as note(type = "record")`)
	}
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", text.Quote(source), oneLine(withLine("", full, err)))
	}
	return o, nil
}

// Span compiles an activity that lasts: a fluent, perhaps after others that it names. Its name is that of the
// fluent. The error is one line, with the place.
func Span(source string) (*Operation, error) {
	name, o, err := namedSpan(source)
	if err != nil {
		return nil, fmt.Errorf("span %s: %w", text.Quote(source), oneLine(withLine("", source, err)))
	}
	o.Name = name
	return o, nil
}

// namedSpan compiles fluents and returns the last as an operation, with its name.
func namedSpan(source string) (name string, o *Operation, err error) {
	parsed, err := parseOperation(source)
	alone := bareWord.MatchString(strings.TrimSpace(source))
	switch {
	case err != nil && !alone:
		return "", nil, err
	case alone || parsed.Pattern != nil || len(parsed.Fluents) == 0:
		return "", nil, errorf(lexer.Position{},
			`expected a fluent, such as fluent leading(p) while leads(p), or fluent asking(p) from note(type = "request") to note(type = "enter")`)
	}
	o, err = spanOperation(newProgram(source), parsed.Fluents)
	return parsed.Fluents[len(parsed.Fluents)-1].Name, o, err
}

// bareWord is a single name: that of a label.
var bareWord = regexp.MustCompile(`^[a-zA-Z_][\w-]*$`)

// oneLine returns an error without the excerpt of its text.
func oneLine(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	place := fmt.Sprintf("column %d", e.Column)
	if e.Line > 1 {
		place = fmt.Sprintf("line %d, %s", e.Line, place)
	}
	return fmt.Errorf("%s: %s", place, e.Message)
}

// parseOperation parses an operation.
func parseOperation(source string) (*operationText, error) {
	if err := checkSize(source); err != nil {
		return nil, err
	}
	return operationParser().ParseString("", source)
}

// operation compiles an event or a fluent.
func operation(source string) (*Operation, error) {
	parsed, err := parseOperation(source)
	if err != nil {
		return nil, err
	}
	p := newProgram(source)
	s := &scope{program: p, fluents: parsed.Fluents, demanded: &p.demanded}
	if parsed.Pattern == nil {
		if len(parsed.Fluents) == 0 {
			return nil, errorf(lexer.Position{}, "expected an event such as return, or a fluent")
		}
		return spanOperation(p, parsed.Fluents)
	}
	m, err := s.matcher(parsed.Pattern)
	if err != nil {
		return nil, err
	}
	o := &Operation{Facts: orStarts(distinct(m.allFacts(), p.facts))}
	o.Moments = func(run *tracefmt.Run) func(*replay.State, *tracefmt.Event) bool {
		b := newBase(run, p, m.kinds)
		return func(s *replay.State, e *tracefmt.Event) bool { return b.beginIfRelevant(s, e) && m.matches(b.frame) }
	}
	return o, nil
}

// spanOperation returns the operation of the last fluent.
func spanOperation(p *program, fluents []*fluentItem) (*Operation, error) {
	for i, item := range fluents {
		if _, twice := p.fluentOf[item.Name]; twice {
			return nil, errorf(item.Pos, "there is a fluent %s already", item.Name)
		}
		if err := item.compile(p, fluents[:i]); err != nil {
			return nil, err
		}
	}
	item := fluents[len(fluents)-1]
	last := p.fluentOf[item.Name]
	if item.Key != "" {
		return nil, errorf(item.Pos, "fluent %s has a key, expected one of a process alone: fluent %[1]s(%s)", item.Name, item.Parameter)
	}
	return &Operation{
		Facts: orStarts(distinct(p.facts)),
		Spans: func(run *tracefmt.Run) Spans { return &spans{newBase(run, p, 0), last} },
	}, nil
}

// newBase returns a base that follows a run without a monitor.
func newBase(run *tracefmt.Run, p *program, kinds kindSet) *base {
	for _, def := range p.fluents {
		kinds |= def.kinds
	}
	return &base{frame: newFrame(run, p), program: p, kinds: kinds}
}

// spans is a fluent as an operation.
type spans struct {
	base   *base
	fluent int
}

// Step updates the fluent by an event.
func (s *spans) Step(state *replay.State, e *tracefmt.Event) { s.base.beginIfRelevant(state, e) }

// Since implements [Spans].
func (s *spans) Since(p tracefmt.ProcessID) tracefmt.Seq {
	return s.base.frame.fluents[s.fluent].since[p]
}

// Local implements [Spans].
func (s *spans) Local() bool { return s.base.program.fluents[s.fluent].local }
