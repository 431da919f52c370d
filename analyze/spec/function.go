package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// function is a function of the state after the current event, or of a value. Functions of one name differ in
// their parameters.
type function struct {
	name  string
	takes []typ
	doc   string
	make  func(s *scope, n *node, args []code) (code, error)
	// compileCall compiles a call whose arguments have their own scope, such as before(role).
	compileCall func(s *scope, n *node) (code, error)
	// literal is an example of the second argument if that must be a constant text, else "".
	literal string
	// yields is set if a fluent may have the same name, and replaces the function.
	yields bool
}

var functions []function

func init() { // the table and its functions name each other
	functions = []function{
		{
			name: "live", takes: []typ{typAny},
			doc: "the process has neither crashed nor halted; a step of a crashed process does not make it live", make: makeLive,
		},
		{name: "live", doc: "the set of the live processes", make: makeLiveSet},
		{name: "processes", doc: "the set of all processes of the run", make: makeProcesses},
		{
			name: "participant", takes: []typ{typAny},
			doc:  "the process is a participant: its role is not Byzantine, client, controller or observer",
			make: makeParticipant, yields: true,
		},
		{name: "participants", doc: "the set of the participants", make: makeParticipants, yields: true},
		{
			name: "nobody", takes: []typ{typValue},
			doc: `the value names no process: null, "", a word such as "none" or "nil", a negative number, or 0 where no ` +
				`process has that name`, make: makeNobody, yields: true,
		},
		{name: "elected", takes: []typ{typAny}, doc: "the process that this process has elected: its variable elected, null for none", make: makeElected},
		{
			name: "leads", takes: []typ{typAny},
			doc: "the process leads: it is a live participant whose variable role leads, or which has no role " +
				"and has elected itself", make: makeLeads, yields: true,
		},
		{name: "role", takes: []typ{typAny}, doc: "the variable role of the process, null if it is not set", make: makeRole, yields: true},
		{name: "term", takes: []typ{typAny}, doc: "the term of the process, as last recorded; null without a term", make: makeTerm, yields: true},
		{name: "var", takes: []typ{typAny, typText}, doc: "a variable of the process, null if it is not set", make: makeVar, literal: "role"},
		{
			name: "before", takes: []typ{typValue},
			doc: "the value or condition in the state before the current event; a field alone is the " +
				"variable of that name of the event's process", compileCall: (*scope).earlier, yields: true,
		},
		{
			name: "best", takes: []typ{typSet},
			doc: "the process with the greatest id in the set, null for an empty set; if the run defines the best process " +
				"(greatest-wins, or best in its header), the best elector in the set, unknown if several are equal",
			make: makeBest,
		},
		{
			name: "matches", takes: []typ{typText, typText},
			doc:  "the text has a part that the regular expression (RE2) describes; a process is its name",
			make: makeMatches, literal: "^Received",
		},
		{
			name: "len", takes: []typ{typValue},
			doc: "the number of items of a list, fields of an object, or characters of a text", make: makeLen, yields: true,
		},
		{
			name: "prefix", takes: []typ{typValue, typValue},
			doc:  "the first list is a prefix of the second one; neither true nor false if one of them is no list",
			make: makePrefix, yields: true,
		},
		{
			name: "next", takes: []typ{typAny, typSet},
			doc:  "the process of the set that follows this process on the ring of all positions; this process if the set has no other",
			make: neighbour(1), yields: true,
		},
		{
			name: "previous", takes: []typ{typAny, typSet},
			doc:  "the process of the set that precedes this process on the ring of all positions; this process if the set has no other",
			make: neighbour(-1), yields: true,
		},
		{
			name: "sum", takes: []typ{typSet, typText},
			doc:  "the sum of a variable over those processes of the set for which it is set; absent if it is no number",
			make: makeSum, literal: "balance", yields: true,
		},
		{
			name: "count", takes: []typ{typSet},
			doc: "the number of processes in the set; the name of a fluent or a function, as in count(leads), is the set " +
				"of processes for which it holds", make: makeCount,
		},
	}
	for i := range numberFunctions {
		functions = append(functions, numberFunctions[i].inRules())
	}
}

// inRules returns the function of numbers as a function of rules.
func (fn *numberFunction) inRules() function {
	takes := []typ{typNumber}
	if fn.many {
		takes = append(takes, typNumber)
	}
	return function{name: fn.name, takes: takes, doc: fn.doc, make: fn.make, yields: true}
}

// make compiles a call of the function in a rule. The result is absent if an argument is no number, or the function
// has no value.
func (fn *numberFunction) make(_ *scope, n *node, args []code) (code, error) {
	numbers := make([]Fraction, len(args))
	return code{typ: typNumber, eval: func(f *frame) value {
		for i := range args {
			var ok bool
			numbers[i], ok = f.canonical(args[i].eval(f)).fraction()
			if !ok {
				return value{}
			}
		}
		x, err := fn.apply(numbers)
		if err != nil {
			f.refused = n
			return value{}
		}
		return x.value()
	}}, nil
}

// call compiles the call of a function or fluent, such as leads(p).
func (s *scope) call(n *node) (code, error) {
	i, fluent, err := s.fluent(n.name)
	if err != nil {
		return code{}, err
	}
	// A file's fluent comes first: it may replace a function that yields.
	if !fluent {
		for _, f := range functions {
			switch {
			case f.name != n.name:
			case f.literal != "" && len(n.kids) == 2 && n.kids[1].value.sort != textual:
				return code{}, errorf(n.kids[1].pos(), "expected a text between quotes, such as %s(%s, %q)", f.name, n.kids[0], f.literal)
			case f.compileCall != nil:
				c, err := f.compileCall(s, n)
				return inside(c, n), err
			}
		}
	}
	if !fluent && !slices.Contains(s.callable(), n.name) {
		return code{}, s.noFunction(n)
	}
	var args []code
	compile := s.compile
	if slices.ContainsFunc(functions, func(f function) bool { return f.name == n.name && slices.Contains(f.takes, typSet) }) {
		compile = s.setOr
	}
	for _, k := range n.kids {
		c, err := compile(k)
		switch {
		case err != nil && (fluent || ofState(n.name)):
			return code{}, s.unchosen(n, k, err)
		case err != nil:
			return code{}, err
		}
		args = append(args, c)
	}
	if fluent {
		return s.callFluent(i, n, args)
	}
	var signatures []string
	for _, f := range functions {
		if f.name == n.name && accepts(f.takes, args) {
			c, err := f.make(s, n, args)
			return inside(c, n), err
		}
		if f.name == n.name {
			signatures = append(signatures, f.signature())
		}
	}
	return code{}, errorf(n.pos(), "%s does not fit, expected %s", n, strings.Join(signatures, " or "))
}

// noFunction returns the error for a call of an unknown function.
func (s *scope) noFunction(n *node) error {
	unknown := text.Unknown("function", n.name, s.callable())
	if len(n.kids) == 1 && n.kids[0].op == "field" && nearest(n.name, s.callable()) == "" {
		return errorf(n.pos(), "%v; a variable of a process is var(%s, %q)", unknown, n.kids[0], n.name)
	}
	return errorf(n.pos(), "%v", unknown)
}

// unchosen returns the error for an argument that is an unknown name, such as p in leads(p) without a quantifier.
func (s *scope) unchosen(n, arg *node, err error) error {
	bare := arg.op == "field" && arg.event == "" && len(arg.path) == 0
	if !bare || s.event != "" || len(s.variables) > 0 || slices.Contains(append(s.known(), s.callable()...), arg.name) {
		return err
	}
	return errorf(arg.pos(), "no process is called %s here, expected one that the rule chooses: exists %[1]s in live(): %[2]s; "+
		"in any order of the events: never possibly %[2]s; or the name of a process as a text: %[1]q", arg, n)
}

// callable returns the names that can be called here.
func (s *scope) callable() []string {
	var names []string
	for _, f := range functions {
		names = append(names, f.name)
	}
	for _, item := range s.inFile {
		names = append(names, item.Name)
	}
	return slices.Compact(names)
}

// fits has for each parameter type the types of arguments it accepts. typAny is the type of a process, which may be
// given by its name; a field may turn out to be a text.
var fits = map[typ][]typ{
	typAny: {typAny, typNumber, typText}, typText: {typText, typAny}, typSet: {typSet},
	typNumber: {typNumber, typAny}, typValue: {typAny, typBool, typNumber, typText},
}

// accepts reports whether arguments of these types fit the parameters.
func accepts(takes []typ, args []code) bool {
	return slices.EqualFunc(takes, args, func(t typ, a code) bool { return slices.Contains(fits[t], a.typ) })
}

// signature returns the call form of a function, such as var(process, text).
func (f function) signature() string {
	words := map[typ]string{typAny: "process", typText: "text", typNumber: "number", typSet: "set of processes", typValue: "value"}
	var takes []string
	for _, t := range f.takes {
		takes = append(takes, words[t])
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(takes, ", "))
}
