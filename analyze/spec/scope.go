package spec

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// scope is what names mean at a place.
type scope struct {
	program *program
	// own is the name of the event at hand, "" where there is none; kinds are
	// those that it may have.
	own   string
	kinds []tracefmt.Kind
	// other is the name of the other event of a pair, "" for none. Its fields
	// are kept by the expressions of keep, compiled in otherScope.
	other      string
	otherScope *scope
	keep       *[]eval
	// variables are names of processes, in the order of frame.variables.
	variables []string
	// moment: a condition on the state is asked for at an event, so that there is a
	// state before it.
	moment bool
	// inFile are the fluents that may be named here.
	inFile []*fluentItem
	// firsts are the names of the events before it, in the scope of a later one.
	firsts []string
	// asked collects the fields of payloads that a run must have for the rule to
	// refer to it; nil where others are compiled.
	asked *[]int
}

// program is what all expressions of a rule share.
type program struct {
	fields []path // of payloads
	asked  []int  // those of them that a run must have; see scope
	// optional are those of which the rule asks whether an event has them.
	optional []int
	// texts are those that may be meant as texts: leader in role = leader.
	texts []meantText
	// constants are texts with which fields of events are compared.
	constants []constant
	fluents   []*fluentDef
	elected   bool     // the function elected is used
	leads     bool     // the function leads is
	held      []string // variables of processes
	before    bool     // the state before the event at hand is asked for
	rule      string   // the source, for explanations
	sources   []string // of the fluents
	// timed: an expression refers to what grows from round to round of a loop;
	// renamed: of what has another value in each.
	timed, renamed bool
	reads          []tracefmt.Fact // what is compiled reads them; see relied
	looks          []tracefmt.Fact // those of the state
	leans          bool            // the term of an event may be one of the state
	fluentOf       map[string]int
}

// meantText is a name alone on the right of a comparison.
type meantText struct {
	field int
	at    lexer.Position
}

func newProgram(rule string) *program { return &program{rule: rule, fluentOf: map[string]int{}} }

func (p *program) field(of path) int {
	i := slices.IndexFunc(p.fields, of.equal)
	if i < 0 {
		i = len(p.fields)
		p.fields = append(p.fields, of)
	}
	return i
}

// field compiles a name: a variable, a fluent, n, or a field of an event.
func (s *scope) field(n *node) (code, error) {
	if n.event == "" && len(n.path) == 0 {
		if i := slices.Index(s.variables, n.name); i >= 0 {
			return code{eval: func(f *frame) value { return processValue(f.variables[i]) }, constant: true}, nil
		}
		if i, ok, err := s.fluent(n.name); ok || err != nil {
			return code{
				typ: typSet, member: func(f *frame, p tracefmt.ProcessID) bool { return f.fluents[i].holds(f, p) },
				among: func(f *frame, p tracefmt.ProcessID) truths { return f.fluents[i].mayHold(f, p) },
			}, err
		}
		if n.name == "n" {
			return code{typ: typNumber, eval: func(f *frame) value { return f.size }, constant: true}, nil
		}
	}
	return s.eventField(n)
}

// eventField compiles a field of the event at hand or of the other one.
func (s *scope) eventField(n *node) (code, error) {
	switch {
	case s.own != "" && (n.event == "" || n.event == s.own):
		return s.ownField(n)
	case s.other != "" && slices.Contains(s.otherScope.passed(), n.event):
		return s.otherField(n)
	case n.event != "":
		return code{}, s.noEvent(n)
	}
	for _, f := range functions {
		if f.name == n.name {
			return code{}, errorf(n.pos(), "%s is a function, expected %s", n.name, f.signature())
		}
	}
	if n.compared {
		return code{}, errorf(n.pos(), "unknown name %q; did you mean the text %[1]q?", n.name)
	}
	return code{}, errorf(n.pos(), "%v", text.Unknown("name", n.name, s.known()))
}

// events are the names of the events that may be referred to here.
func (s *scope) events() []string {
	var known []string
	for _, name := range slices.Concat(s.passed(), s.firsts) {
		if name != "" && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return known
}

// passed are the names of the event at hand and of those that are kept, from the
// latest to the first.
func (s *scope) passed() []string {
	names := []string{s.own}
	for ; s.other != ""; s = s.otherScope {
		names = append(names, s.other)
	}
	return names
}

// lower turns an expression of the grammar into a node, of which it is known what its
// names mean.
func (s *scope) lower(e *orExpr) (*node, error) {
	n, err := lower(e)
	if err != nil {
		return nil, err
	}
	return s.resolve(n), nil
}

// resolve decides of o.term whether it is the field term of the event o, or what
// is within the field o of the event at hand. A name that is hardly one of a field
// stays that of an event, which there is none of.
func (s *scope) resolve(n *node) *node {
	n.walk(func(n *node) {
		known := s.events()
		switch {
		case n.event == "" || s.own == "" || slices.Contains(known, n.event), slices.Contains(s.variables, n.event):
		case len(n.event) == 1, text.Nearest(n.event, known) != "":
		default:
			n.path = append([]step{{n.name, -1}}, n.path...)
			n.name, n.event = n.event, ""
		}
	})
	return n
}

// noEvent is the error of a name that is that of no event.
func (s *scope) noEvent(n *node) error {
	known := s.events()
	named := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return strings.Contains(name, unnamed) })
	switch {
	case slices.Contains(s.variables, n.event):
		return errorf(n.pos(), "%s is a process, which has no fields, expected var(%[1]s, %q)", n.event, n.name)
	case s.own == "":
		return errorf(n.pos(), "there is no event here, expected a function of the state, such as var(p, %q)", n.name)
	case slices.Contains(known, n.event):
		return errorf(n.pos(), "%s is too far away, expected a condition on the event next to it in the rule", n.event)
	case len(named) == 0:
		return errorf(n.pos(), "no event is named %s, expected %s alone", n.event, n.name)
	}
	return errorf(n.pos(), "%v; expected %s.%s, or %[2]s.%[4]s.%[3]s of what is within a field %[4]s",
		text.Unknown("event", n.event, known), named[0], n.name, n.event)
}

// known are the names that may be where no event is at hand.
func (s *scope) known() []string {
	known := append(slices.Clone(s.variables), "n")
	for _, item := range s.inFile {
		known = append(known, item.Name)
	}
	return known
}

func (s *scope) ownField(n *node) (code, error) {
	if n.name == termField && len(n.path) == 0 {
		i := s.payload(path{root: termField})
		s.program.noteOwn(tracefmt.StateOf(termField), comingUp)
		s.program.leans = true
		return code{eval: func(f *frame) value { return f.term(i) }}, nil
	}
	if i := slices.IndexFunc(columns, func(c column) bool { return c.name == n.name }); i >= 0 && len(n.path) == 0 {
		c := &columns[i]
		s.program.timed = s.program.timed || slices.Contains(growing, n.name)
		s.program.renamed = s.program.renamed || slices.Contains(fresh, n.name)
		for _, k := range s.kinds {
			if c.need == nil || c.need(k.Info()) != tracefmt.Absent {
				return code{typ: c.typ, eval: c.eval}, nil
			}
		}
		return code{}, errorf(n.pos(), "a %s event has no %s", s.kinds[0], n.name)
	}
	i := s.payload(path{n.name, n.path})
	if assigns(s.kinds) {
		s.program.noteOwn(tracefmt.StateOf(n.name))
	}
	if n.compared {
		s.program.texts = append(s.program.texts, meantText{i, n.pos()})
	}
	return code{eval: func(f *frame) value { return f.field(i) }}, nil
}

// payload returns the place of a field of the payload in frames.
func (s *scope) payload(of path) int {
	i := s.program.field(of)
	if s.asked != nil {
		*s.asked = append(*s.asked, i)
	}
	return i
}

// otherField keeps the field when the other event is at hand.
func (s *scope) otherField(n *node) (code, error) {
	c, err := s.otherScope.eventField(n)
	if err != nil {
		return code{}, err
	}
	i := len(*s.keep)
	*s.keep = append(*s.keep, c.eval)
	return code{typ: c.typ, eval: func(f *frame) value { return f.kept[i] }}, nil
}

func (s *scope) has(n *node) (code, error) {
	if s.own == "" {
		return code{}, errorf(n.pos(), "has asks for a field of an event, and there is none here; compare with null")
	}
	c, err := s.eventField(n)
	if err != nil {
		return code{}, err
	}
	i := slices.IndexFunc(s.program.fields, path{n.name, n.path}.equal)
	if i >= 0 {
		s.program.optional = append(s.program.optional, i)
	}
	field := i >= 0 && n.name != termField && (n.event == "" || n.event == s.own)
	return code{typ: typBool, test: func(f *frame) truth {
		if f.supposed {
			return unknown
		}
		if field {
			if f.raw(i) != nil {
				return yes
			}
			f.readAbsent(i)
			return no
		}
		missing := f.missing
		v := c.eval(f)
		f.missing = missing // it was not asked for in vain
		return truthOf(v.sort != absent)
	}}, nil
}
