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
	name        string
	parameters  []typ
	doc         string
	compileArgs func(s *scope, n *node, args []code) (code, error)
	// compileCall compiles a call whose arguments have their own scope, such as before(role).
	compileCall func(s *scope, n *node) (code, error)
	// literalExample is an example of the second argument if that must be a constant text, else "".
	literalExample string
	// replaceable is set if a fluent may have the same name, and then replaces the function.
	replaceable bool
}

var functions []function

func init() { // the table and its functions name each other
	functions = []function{
		{
			name: "live", parameters: []typ{typAny},
			doc:         "the process has neither crashed nor halted; a step of a crashed process does not make it live",
			compileArgs: makeLive,
		},
		{name: "live", doc: "the set of the live processes", compileArgs: makeLiveSet},
		{name: "processes", doc: "the set of all processes of the run", compileArgs: makeProcesses},
		{
			name: "participant", parameters: []typ{typAny},
			doc:         "the process is a participant: its role is not Byzantine, client, controller or observer",
			compileArgs: makeParticipant, replaceable: true,
		},
		{name: "participants", doc: "the set of the participants", compileArgs: makeParticipants, replaceable: true},
		{
			name: "nobody", parameters: []typ{typValue},
			doc: `the value names no process: null, "", a word such as "none" or "nil", a negative number, or 0 where no ` +
				`process has that name`, compileArgs: makeNobody, replaceable: true,
		},
		{
			name: "elected", parameters: []typ{typAny},
			doc:         "the process that this process has elected: its variable elected, null for none",
			compileArgs: makeElected,
		},
		{
			name: "leads", parameters: []typ{typAny},
			doc: "the process leads: it is a live participant whose variable role leads, or which has no role " +
				"and has elected itself", compileArgs: makeLeads, replaceable: true,
		},
		{
			name: "role", parameters: []typ{typAny}, doc: "the variable role of the process, null if it is not set",
			compileArgs: makeRole, replaceable: true,
		},
		{
			name: "term", parameters: []typ{typAny},
			doc: "the term of the process, as last recorded; null without a term", compileArgs: makeTerm,
			replaceable: true,
		},
		{
			name: "var", parameters: []typ{typAny, typText}, doc: "a variable of the process, null if it is not set",
			compileArgs: makeVar, literalExample: "role",
		},
		{
			name: "before", parameters: []typ{typValue},
			doc: "the value or condition in the state before the current event; a field alone is the " +
				"variable of that name of the event's process", compileCall: (*scope).before, replaceable: true,
		},
		{
			name: "best", parameters: []typ{typSet},
			doc: "the process with the greatest id in the set, null for an empty set; if the run defines the best process " +
				"(greatest-wins, or best in its header), the best elector in the set, unknown if several are equal",
			compileArgs: makeBest,
		},
		{
			name: "matches", parameters: []typ{typText, typText},
			doc:         "the text has a part that the regular expression (RE2) describes; a process is its name",
			compileArgs: makeMatches, literalExample: "^Received",
		},
		{
			name: "len", parameters: []typ{typValue},
			doc:         "the number of items of a list, fields of an object, or characters of a text",
			compileArgs: makeLen, replaceable: true,
		},
		{
			name: "prefix", parameters: []typ{typValue, typValue},
			doc:         "the first list is a prefix of the second one; neither true nor false if one of them is no list",
			compileArgs: makePrefix, replaceable: true,
		},
		{
			name: "next", parameters: []typ{typAny, typSet},
			doc:         "the process of the set that follows this process on the ring of all positions; this process if the set has no other",
			compileArgs: neighbour(1), replaceable: true,
		},
		{
			name: "previous", parameters: []typ{typAny, typSet},
			doc:         "the process of the set that precedes this process on the ring of all positions; this process if the set has no other",
			compileArgs: neighbour(-1), replaceable: true,
		},
		{
			name: "sum", parameters: []typ{typSet, typText},
			doc:         "the sum of a variable over those processes of the set for which it is set; absent if it is no number",
			compileArgs: makeSum, literalExample: "balance", replaceable: true,
		},
		{
			name: "count", parameters: []typ{typSet},
			doc: "the number of processes in the set; the name of a fluent or a function, as in count(leads), is the set " +
				"of processes for which it holds", compileArgs: makeCount,
		},
	}
	for i := range numberFunctions {
		functions = append(functions, numberFunctions[i].inRules())
	}
}

// inRules returns the function of numbers as a function of rules.
func (fn *numberFunction) inRules() function {
	takes := []typ{typNumber}
	if fn.variadic {
		takes = append(takes, typNumber)
	}
	return function{name: fn.name, parameters: takes, doc: fn.doc, compileArgs: fn.make, replaceable: true}
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
			f.inexact = n
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
			case f.literalExample != "" && len(n.operands) == 2 && n.operands[0].value.sort != textual && n.operands[1].value.sort != textual:
				return code{}, errorf(n.operands[1].pos(), "expected a text between quotes, such as %s(%s, %q)",
					f.name, n.operands[0], f.literalExample)
			case f.compileCall != nil:
				c, err := f.compileCall(s, n)
				return pathInto(c, n), err
			}
		}
	}
	if !fluent && !slices.Contains(s.callableNames(), n.name) {
		return code{}, s.unknownFunction(n)
	}
	var args []code
	compile := s.compile
	if slices.ContainsFunc(functions, func(f function) bool {
		return f.name == n.name &&
			slices.Contains(f.parameters, typSet)
	}) {
		compile = s.setOrValue
	}
	for _, k := range n.operands {
		c, err := compile(k)
		switch {
		case err != nil && (fluent || readsState(n.name)):
			return code{}, s.unboundName(n, k, err)
		case err != nil:
			return code{}, err
		}
		args = append(args, c)
	}
	if fluent {
		return s.callFluent(i, n, args)
	}
	for _, f := range functions {
		if f.name == n.name && accepts(f.parameters, args) {
			c, err := f.compileArgs(s, n, args)
			return pathInto(c, n), err
		}
	}
	return code{}, errorf(n.pos(), "%s does not fit, expected %s", n, strings.Join(signatures(n.name), " or "))
}

// signatures returns the forms in which a function can be called; none for an unknown name.
func signatures(name string) (forms []string) {
	for _, f := range functions {
		if f.name == name {
			forms = append(forms, f.signature())
		}
	}
	return forms
}

// unknownFunction returns the error for a call of an unknown function.
func (s *scope) unknownFunction(n *node) error {
	unknown := text.Unknown("function", n.name, s.callableNames())
	if len(n.operands) == 1 && n.operands[0].op == "field" && suggestion(n.name, s.callableNames()) == "" {
		return errorf(n.pos(), "%v; a variable of a process is var(%s, %q)", unknown, n.operands[0], n.name)
	}
	return errorf(n.pos(), "%v", unknown)
}

// unboundName returns the error for an argument that is an unknown name, such as p in leads(p) without a quantifier.
func (s *scope) unboundName(n, arg *node, err error) error {
	bare := arg.op == "field" && arg.event == "" && len(arg.path) == 0
	if !bare || s.event != "" || len(s.variables) > 0 ||
		slices.Contains(append(s.knownNames(), s.callableNames()...), arg.name) {
		return err
	}
	return errorf(arg.pos(), "no process is called %s here, expected one that the rule chooses: exists %[1]s in live(): %[2]s; "+
		"in any order of the events: never possibly %[2]s; or the name of a process as a text: %[1]q", arg, n)
}

// callableNames returns the names that can be called here.
func (s *scope) callableNames() []string {
	var names []string
	for _, f := range functions {
		names = append(names, f.name)
	}
	for _, item := range s.fluents {
		names = append(names, item.Name)
	}
	return slices.Compact(names)
}

// acceptedTypes has for each parameter type the types of arguments it accepts. typAny is the type of a process, which
// may be given by its name; a field may turn out to be a text.
var acceptedTypes = map[typ][]typ{
	typAny: {typAny, typNumber, typText}, typText: {typText, typAny}, typSet: {typSet},
	typNumber: {typNumber, typAny}, typValue: {typAny, typBool, typNumber, typText},
}

// accepts reports whether arguments of these types fit the parameters.
func accepts(takes []typ, args []code) bool {
	return slices.EqualFunc(takes, args, func(t typ, a code) bool { return slices.Contains(acceptedTypes[t], a.typ) })
}

// signature returns the call form of a function, such as var(process, text).
func (f function) signature() string {
	words := map[typ]string{
		typAny: "process", typText: "text", typNumber: "number", typSet: "set of processes",
		typValue: "value",
	}
	var takes []string
	for _, t := range f.parameters {
		takes = append(takes, words[t])
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(takes, ", "))
}
