package spec

import (
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// scope is what names mean at a place.
type scope struct {
	*program
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
	// inFile are the fluents that may be named here.
	inFile []*fluentItem
	// first is the name of the first event, in the scope of the second.
	first string
	// asked collects the fields of payloads that a run must have for the rule to
	// refer to it; nil where others are compiled.
	asked *[]int
}

// program is what all expressions of a rule share.
type program struct {
	fields []string // of payloads
	asked  []int    // those of them that a run must have; see scope
	// optional are those of which the rule asks whether an event has them.
	optional []int
	fluents  []*fluentDef
	elected  bool     // the function elected is used
	held     []string // variables of processes
	rule     string   // the source, for explanations
	sources  []string // of the fluents
	// timed: an expression refers to what grows from round to round of a loop;
	// renamed: of what has another value in each.
	timed, renamed bool
	fluentOf       map[string]int
}

func newProgram(rule string) *program { return &program{rule: rule, fluentOf: map[string]int{}} }

func (p *program) field(name string) int {
	i := slices.Index(p.fields, name)
	if i < 0 {
		i = len(p.fields)
		p.fields = append(p.fields, name)
	}
	return i
}

// field compiles a name: a variable, a fluent, n, or a field of an event.
func (s *scope) field(n *node) (code, error) {
	if n.event == "" {
		if i := slices.Index(s.variables, n.name); i >= 0 {
			return code{eval: func(f *frame) value { return processValue(f.variables[i]) }}, nil
		}
		if i, ok, err := s.fluent(n.name); ok || err != nil {
			return code{typ: typSet, member: func(f *frame, p tracefmt.ProcessID) bool { return f.fluents[i].holds(f, p) }}, err
		}
		if n.name == "n" {
			return code{typ: typNumber, eval: func(f *frame) value { return number(int64(len(f.run.Members))) }}, nil
		}
	}
	return s.eventField(n)
}

// eventField compiles a field of the event at hand or of the other one.
func (s *scope) eventField(n *node) (code, error) {
	switch {
	case s.own != "" && (n.event == "" || n.event == s.own):
		return s.ownField(n)
	case s.other != "" && n.event == s.other:
		return s.otherField(n)
	case n.event != "":
		return code{}, errorf(n.pos(), "%v", text.Unknown("event", n.event, nonEmpty(s.own, s.other, s.first)))
	}
	for _, f := range functions {
		if f.name == n.name {
			return code{}, errorf(n.pos(), "%s is a function, expected %s", n.name, f.signature())
		}
	}
	return code{}, errorf(n.pos(), "%v", text.Unknown("name", n.name, s.known()))
}

func nonEmpty(names ...string) []string {
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
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
	if n.name == termField {
		i := s.payload(termField)
		return code{eval: func(f *frame) value { return f.term(i) }}, nil
	}
	if i := slices.IndexFunc(columns, func(c column) bool { return c.name == n.name }); i >= 0 {
		c := &columns[i]
		s.timed = s.timed || slices.Contains(growing, n.name)
		s.renamed = s.renamed || slices.Contains(fresh, n.name)
		for _, k := range s.kinds {
			if c.need == nil || c.need(k.Info()) != tracefmt.Absent {
				return code{typ: c.typ, eval: c.eval}, nil
			}
		}
		return code{}, errorf(n.pos(), "a %s event has no %s", s.kinds[0], n.name)
	}
	i := s.payload(n.name)
	return code{eval: func(f *frame) value { return f.field(i) }}, nil
}

// payload returns the place of a field of the payload in frames.
func (s *scope) payload(name string) int {
	i := s.program.field(name)
	if s.asked != nil {
		*s.asked = append(*s.asked, i)
	}
	return i
}

// otherField keeps the field when the other event is at hand.
func (s *scope) otherField(n *node) (code, error) {
	c, err := s.otherScope.ownField(n)
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
	if i := slices.Index(s.program.fields, n.name); i >= 0 {
		s.optional = append(s.optional, i)
	}
	return code{typ: typBool, test: func(f *frame) truth {
		missing := f.missing
		v := c.eval(f)
		f.missing = missing // it was not asked for in vain
		return truthOf(v.sort != absent)
	}}, nil
}
