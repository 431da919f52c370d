package spec

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// scope maps names to their meaning at a place in a rule.
type scope struct {
	program *program
	// event is the name of the current event, "" for no event; kinds are its possible kinds.
	event string
	kinds []tracefmt.Kind
	// otherEvent is the name of the other event of a pair, "" for none. Its fields are kept by the expressions of
	// keep, which are compiled in otherScope.
	otherEvent string
	otherScope *scope
	keep       *[]eval
	// variables are the names of processes, in the order of frame.variables.
	variables []string
	// perEvent is set for a condition on the state that is evaluated at each event, so that a former state exists.
	perEvent bool
	// fluents are the fluents that an expression may name.
	fluents []*fluentItem
	// earlierEvents are the names of earlier events, in the scope of a later one.
	earlierEvents []string
	// demanded collects the fields of payloads that the run must have for the rule to apply; nil for expressions that
	// may read a field no event has.
	demanded *[]int
}

// program is shared by all expressions of a rule.
type program struct {
	fields   []path // the fields of payloads
	demanded []int  // the fields that the run must have; see scope
	// optional are the fields that the rule tests with has.
	optional []int
	// texts are the names that may be meant as texts: leader in role = leader.
	texts []meantText
	// constants are texts with which fields of events are compared.
	constants    []constant
	fluents      []*fluentDef
	readsElected bool // the function elected is used
	readsLeads   bool // the function leads is used
	// variables are the names of the process variables that the rule reads.
	variables   []string
	readsFormer bool     // the state before the current event is read
	rule        string   // the source
	citation    string   // the rule in an explanation: the source or, for a rule of the library, its first sentence
	sources     []string // the sources of the fluents
	// readsGrowing is set if an expression reads a column that grows from round to round of a loop, readsFresh if it
	// reads a column with new values in each round.
	readsGrowing, readsFresh bool
	facts                    []tracefmt.Fact // the facts that are read; see relied
	// stateFacts are those of facts that are facts of the state.
	stateFacts []tracefmt.Fact
	// termFromState is set if the term of an event may come from the state.
	termFromState bool
	fluentOf      map[string]int
}

// meantText is a name alone on the right of a comparison.
type meantText struct {
	field int
	at    lexer.Position
}

// newProgram returns the empty program of a rule with this source.
func newProgram(rule string) *program {
	return &program{rule: rule, citation: rule, fluentOf: map[string]int{}}
}

// field returns the place of a field of the payload in frames, which it adds if it is new.
func (p *program) field(sought path) int {
	i := slices.IndexFunc(p.fields, sought.equal)
	if i < 0 {
		i = len(p.fields)
		p.fields = append(p.fields, sought)
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
			if err == nil && s.program.fluents[i].key != "" {
				err = errorf(n.pos(), "%s has a key, expected %[1]s(process, %s)", n.name, s.program.fluents[i].key)
			}
			return code{
				typ: typSet, member: func(f *frame, p tracefmt.ProcessID) bool { return f.fluents[i].holds(f, p, value{}) },
				memberTruths: func(f *frame, p tracefmt.ProcessID) truths { return f.fluents[i].holdsTruths(f, p, value{}) },
			}, err
		}
		if n.name == "n" {
			return code{typ: typNumber, eval: func(f *frame) value { return f.size }, constant: true}, nil
		}
	}
	return s.eventField(n)
}

// eventField compiles a field of the current event or of the other one.
func (s *scope) eventField(n *node) (code, error) {
	switch {
	case s.event != "" && (n.event == "" || n.event == s.event):
		return s.ownField(n)
	case s.otherEvent != "" && slices.Contains(s.otherScope.eventNames(), n.event):
		return s.otherField(n)
	case n.event != "":
		return code{}, s.unknownEvent(n)
	}
	if forms := signatures(n.name); len(forms) > 0 {
		return code{}, errorf(n.pos(), "%s is a function, expected %s", n.name, strings.Join(forms, " or "))
	}
	if n.compared {
		return code{}, errorf(n.pos(), "unknown name %q; did you mean the text %[1]q?", n.name)
	}
	return code{}, errorf(n.pos(), "%v", text.Unknown("name", n.name, s.knownNames()))
}

// events returns the names of the events that an expression may refer to.
func (s *scope) events() []string {
	var known []string
	for _, name := range slices.Concat(s.eventNames(), s.earlierEvents) {
		if name != "" && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	return known
}

// eventNames returns the names of the current event and of the kept ones, from the latest to the first.
func (s *scope) eventNames() []string {
	names := []string{s.event}
	for ; s.otherEvent != ""; s = s.otherScope {
		names = append(names, s.otherEvent)
	}
	return names
}

// lower turns an expression of the grammar into a node, and resolves its names.
func (s *scope) lower(e *orExpr) (*node, error) {
	n, err := lower(e)
	if err != nil {
		return nil, err
	}
	return s.resolve(n), nil
}

// resolve decides whether o.term is the field term of the event o, or a value within the field o of the current
// event. A name that is similar to an event's stays that of an event, so that the error suggests it.
func (s *scope) resolve(n *node) *node {
	n.walk(func(n *node) {
		known := s.events()
		switch {
		case n.event == "" || s.event == "" || slices.Contains(known, n.event), slices.Contains(s.variables, n.event):
		case len(n.event) == 1, text.Nearest(n.event, known) != "":
		default:
			n.path = append([]step{{n.name, -1}}, n.path...)
			n.name, n.event = n.event, ""
		}
	})
	return n
}

// unknownEvent returns the error for the name of an unknown event.
func (s *scope) unknownEvent(n *node) error {
	known := s.events()
	named := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return strings.Contains(name, unnamed) })
	switch {
	case slices.Contains(s.variables, n.event):
		return errorf(n.pos(), "%s is a process, which has no fields, expected var(%[1]s, %q)", n.event, n.name)
	case s.event == "":
		return errorf(n.pos(), "there is no event here, expected a function of the state, such as var(p, %q)", n.name)
	case slices.Contains(known, n.event):
		return errorf(n.pos(), "%s is too far away, expected a condition on the event next to it in the rule", n.event)
	case len(named) == 0:
		return errorf(n.pos(), "no event is named %s, expected %s alone", n.event, n.name)
	}
	return errorf(n.pos(), "%v; expected %s.%s, or %[2]s.%[4]s.%[3]s of what is within a field %[4]s",
		text.Unknown("event", n.event, known), named[0], n.name, n.event)
}

// knownNames returns the names that are defined where there is no current event.
func (s *scope) knownNames() []string {
	known := append(slices.Clone(s.variables), "n")
	for _, item := range s.fluents {
		known = append(known, item.Name)
	}
	return known
}

// ownField compiles a field of the current event: the term, a column, or a field of the payload, in this order.
func (s *scope) ownField(n *node) (code, error) {
	if n.name == termField && len(n.path) == 0 {
		i := s.demandedField(path{root: termField})
		s.program.noteEventReads(tracefmt.StateOf(termField), comingUp)
		s.program.termFromState = true
		return code{eval: func(f *frame) value { return f.term(i) }}, nil
	}
	// A column is refused if no event kind of the pattern has this column.
	if i := slices.IndexFunc(columns, func(c column) bool { return c.name == n.name }); i >= 0 && len(n.path) == 0 {
		c := &columns[i]
		s.program.readsGrowing = s.program.readsGrowing || slices.Contains(growing, n.name)
		s.program.readsFresh = s.program.readsFresh || slices.Contains(fresh, n.name)
		for _, k := range s.kinds {
			if c.need == nil || c.need(k.Info()) != tracefmt.Absent {
				return code{typ: c.typ, eval: c.eval}, nil
			}
		}
		return code{}, errorf(n.pos(), "a %s event has no %s", s.kinds[0], n.name)
	}
	i := s.demandedField(path{n.name, n.path})
	if assigns(s.kinds) {
		s.program.noteEventReads(tracefmt.StateOf(n.name))
	}
	if n.compared {
		s.program.texts = append(s.program.texts, meantText{i, n.pos()})
	}
	return code{eval: func(f *frame) value { return f.field(i) }}, nil
}

// demandedField returns the place of a field of the payload in frames.
func (s *scope) demandedField(field path) int {
	i := s.program.field(field)
	if s.demanded != nil {
		*s.demanded = append(*s.demanded, i)
	}
	return i
}

// otherField keeps the field when the other event is the current one.
func (s *scope) otherField(n *node) (code, error) {
	c, err := s.otherScope.eventField(n)
	if err != nil {
		return code{}, err
	}
	i := len(*s.keep)
	*s.keep = append(*s.keep, c.eval)
	return code{typ: c.typ, eval: func(f *frame) value { return f.kept[i] }}, nil
}

// has compiles "has field": whether the event has the field, whatever its value.
func (s *scope) has(n *node) (code, error) {
	if s.event == "" {
		return code{}, errorf(n.pos(), "has reads a field of an event, but there is no event here; compare with null")
	}
	c, err := s.eventField(n)
	if err != nil {
		return code{}, err
	}
	i := slices.IndexFunc(s.program.fields, path{n.name, n.path}.equal)
	if i >= 0 {
		s.program.optional = append(s.program.optional, i)
	}
	isCurrent := n.event == "" || n.event == s.event
	field := i >= 0 && n.name != termField && isCurrent
	// An unrecorded event is tried with each process, and without one.
	known := isCurrent && n.name == "process" && len(n.path) == 0
	return code{typ: typBool, test: func(f *frame) truth {
		if f.hypothetical && !known {
			return unknown
		}
		if field {
			if f.raw(i) != nil {
				return yes
			}
			f.readAbsent(i)
			return no
		}
		missing := f.missingField
		v := c.eval(f)
		f.missingField = missing // has reads no field in vain
		return truthOf(v.sort != absent)
	}}, nil
}
