package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// function is a function of the state after the event at hand, or of a text. Functions of
// one name differ in what they take.
type function struct {
	name  string
	takes []typ
	doc   string
	make  func(s *scope, n *node, args []code) (code, error)
	// whole compiles a call whose arguments do not mean what they mean elsewhere.
	whole func(s *scope, n *node) (code, error)
	// literal is an example of the second argument, which must be a text; "" for a
	// function of which it may be any.
	literal string
	// yields: a fluent may have the name, and is meant by it then.
	yields bool
}

var functions []function

func init() { // the table and its functions name each other
	functions = []function{
		{name: "live", takes: []typ{typAny}, doc: "the process has neither crashed nor halted; of one that was down, its step alone does not say at the event that it is up", make: makeLive},
		{name: "live", doc: "the set of the live processes", make: makeLiveSet},
		{name: "processes", doc: "the set of all processes of the run", make: makeProcesses},
		{name: "elected", takes: []typ{typAny}, doc: "whom the process has elected: its variable elected, null for none", make: makeElected},
		{name: "leads", takes: []typ{typAny}, doc: "the process leads: it is live, takes part, and says so by its variable role, or, if it tells no role, has elected itself", make: makeLeads, yields: true},
		{name: "role", takes: []typ{typAny}, doc: "the variable role of the process, null if it is not set", make: makeRole, yields: true},
		{name: "term", takes: []typ{typAny}, doc: "the term of the process, as it last told it; null if it has not", make: makeTerm, yields: true},
		{name: "var", takes: []typ{typAny, typText}, doc: "a variable of the process, null if it is not set", make: makeVar, literal: "role"},
		{name: "before", takes: []typ{typValue}, doc: "what the value or condition was in the state before the event at hand; a field alone is the variable of that name of the event's process", whole: (*scope).earlier, yields: true},
		{name: "best", takes: []typ{typSet}, doc: "the process of the greatest id in the set, null of none; where the run says who is best (greatest-wins, or best in its header), the best of the electors in the set, unknown if several are", make: makeBest},
		{name: "matches", takes: []typ{typText, typText}, doc: "the text has a part that the regular expression (RE2) describes; a process is its name", make: makeMatches, literal: "^Received"},
		{name: "len", takes: []typ{typValue}, doc: "how many items a list has, fields an object, or characters a text", make: makeLen, yields: true},
		{name: "count", takes: []typ{typSet}, doc: "how many processes are in the set; count(leads) of a fluent, or of the function leads: at how many it holds", make: makeCount},
	}
}

// call compiles the call of a function, or of a fluent: leads(p).
func (s *scope) call(n *node) (code, error) {
	i, fluent, err := s.fluent(n.name)
	if err != nil {
		return code{}, err
	}
	if !fluent {
		for _, f := range functions {
			switch {
			case f.name != n.name:
			case f.literal != "" && len(n.kids) == 2 && n.kids[1].value.sort != textual:
				return code{}, errorf(n.kids[1].pos(), "expected a text between quotes, such as %s(%s, %q)", f.name, n.kids[0], f.literal)
			case f.whole != nil:
				c, err := f.whole(s, n)
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

// noFunction is the error of a call of what is none.
func (s *scope) noFunction(n *node) error {
	unknown := text.Unknown("function", n.name, s.callable())
	if len(n.kids) == 1 && n.kids[0].op == "field" && nearest(n.name, s.callable()) == "" {
		return errorf(n.pos(), "%v; a variable of a process is var(%s, %q)", unknown, n.kids[0], n.name)
	}
	return errorf(n.pos(), "%v", unknown)
}

// unchosen is the error of an argument that is but an unknown name, where no process
// has one: p in leads(p).
func (s *scope) unchosen(n, arg *node, err error) error {
	bare := arg.op == "field" && arg.event == "" && len(arg.path) == 0
	if !bare || s.own != "" || len(s.variables) > 0 || slices.Contains(append(s.known(), s.callable()...), arg.name) {
		return err
	}
	return errorf(arg.pos(), "no process is called %s here, expected one that the rule chooses: exists %[1]s in live(): %[2]s; "+
		"in any order of the events: never possibly %[2]s; or the name of a process as a text: %[1]q", arg, n)
}

// callable lists what can be called here.
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

// fits says what may be where a type is taken: a process, which is typAny,
// by its name, too; a text in a field, which may turn out to be none.
var fits = map[typ][]typ{typAny: {typAny, typNumber, typText}, typText: {typText, typAny}, typSet: {typSet}, typValue: {typAny, typBool, typNumber, typText}}

func accepts(takes []typ, args []code) bool {
	return slices.EqualFunc(takes, args, func(t typ, a code) bool { return slices.Contains(fits[t], a.typ) })
}

// signature of a function, such as var(process, text).
func (f function) signature() string {
	words := map[typ]string{typAny: "process", typText: "text", typSet: "set of processes", typValue: "value"}
	var takes []string
	for _, t := range f.takes {
		takes = append(takes, words[t])
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(takes, ", "))
}

// ofProcess makes a function of a process; what names no process has no value.
func ofProcess(arg code, get func(*frame, tracefmt.ProcessID) value, may func(*frame, tracefmt.ProcessID) choices) code {
	return code{eval: func(f *frame) value {
		p := f.process(arg.eval(f))
		if p == 0 {
			return value{}
		}
		return get(f, p)
	}, values: func(f *frame) (all choices) {
		of := arg.choices(f)
		if of.any || of.ranged {
			return choices{any: true}
		}
		of.each(func(v value) {
			p := f.process(v)
			if p == 0 {
				all.add(value{})
				return
			}
			c := may(f, p)
			if all.any = all.any || c.any; !all.any {
				c.each(all.add)
			}
		})
		return all
	}}
}

// ofSomeProcess makes what a condition on a process may be.
func ofSomeProcess(arg code, may func(*frame, tracefmt.ProcessID) truths) func(*frame) truths {
	return func(f *frame) (all truths) {
		of := arg.choices(f)
		if of.any || of.ranged {
			return anyTruth
		}
		of.each(func(v value) {
			if p := f.process(v); p != 0 {
				all |= may(f, p)
			} else {
				all |= mayBeUnknown
			}
		})
		return all
	}
}

func makeLive(s *scope, _ *node, args []code) (code, error) {
	s.note(statusFacts...)
	ofEvent := s.own != ""
	may := ofSomeProcess(args[0], (*frame).mayLive)
	if ofEvent { // whose own step may show that a process is up
		may = nil
	}
	return code{typ: typBool, may: may, test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		switch {
		case p == 0:
			return unknown
		case f.supposed:
			return f.everLive(p)
		}
		if ofEvent && !f.past && f.stepsDown(p) {
			return no
		}
		return truthOf(f.live(p))
	}}, nil
}

func makeLiveSet(s *scope, _ *node, _ []code) (code, error) {
	s.note(statusFacts...)
	return code{typ: typSet, member: (*frame).live, among: (*frame).mayLive}, nil
}

func makeProcesses(*scope, *node, []code) (code, error) {
	return code{
		typ: typSet, member: func(*frame, tracefmt.ProcessID) bool { return true },
		among: func(*frame, tracefmt.ProcessID) truths { return mayBeYes },
	}, nil
}

func makeElected(s *scope, _ *node, args []code) (code, error) {
	s.elected = true
	s.noteVariable(electedVariable)
	return ofProcess(args[0], (*frame).elected, func(f *frame, p tracefmt.ProcessID) choices {
		return f.variableMay(p, electedVariable, f.electedNow(p))
	}), nil
}

func makeLeads(s *scope, _ *node, args []code) (code, error) {
	s.noteLeads()
	return code{typ: typBool, may: ofSomeProcess(args[0], (*frame).mayLead), test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		if p == 0 {
			return unknown
		}
		return truthOf(f.leads(p))
	}}, nil
}

func makeRole(s *scope, _ *node, args []code) (code, error) {
	return s.variableOf(args[0], roleVariable), nil
}

func makeTerm(s *scope, _ *node, args []code) (code, error) {
	s.noteVariable(termField)
	return ofProcess(args[0], (*frame).termOf, (*frame).termMay), nil
}

// variableOf compiles a variable of a process.
func (s *scope) variableOf(process code, name string) code {
	s.held = append(s.held, name)
	s.noteVariable(name)
	return ofProcess(process, func(f *frame, p tracefmt.ProcessID) value { return f.variable(p, name) },
		func(f *frame, p tracefmt.ProcessID) choices { return f.variableMay(p, name, f.variableNow(p, name)) })
}

func makeVar(s *scope, n *node, args []code) (code, error) {
	return s.variableOf(args[0], n.kids[1].value.s), nil
}

func makeMatches(_ *scope, n *node, args []code) (code, error) {
	pattern, err := regexp.Compile(n.kids[1].value.s)
	if err != nil {
		return code{}, errorf(n.kids[1].pos(), "no regular expression: %s", text.PatternMistake(err))
	}
	return code{typ: typBool, test: func(f *frame) truth {
		switch v := args[0].eval(f); v.sort {
		case textual:
			return truthOf(pattern.MatchString(v.s))
		case process:
			return truthOf(pattern.MatchString(f.state.Run.ProcessName(tracefmt.ProcessID(v.n))))
		}
		return unknown
	}}, nil
}

func makeBest(s *scope, _ *node, args []code) (code, error) {
	s.note(comingUp, anyVariable)
	set := args[0].member
	of := code{eval: func(f *frame) value {
		switch {
		case f.bestKeys == nil: // by what the header says
			return f.greatestID(set)
		case len(f.bestKeys) == 1 && f.bestKeys[0] == tracefmt.BestID:
			return f.greatestID(func(f *frame, p tracefmt.ProcessID) bool { return set(f, p) && f.state.Elector(p) })
		}
		return f.best(set)
	}}
	unknowing := of
	of.values = func(f *frame) choices {
		in := func(p tracefmt.ProcessID) truths { return args[0].possibly(f, p) }
		switch {
		case f.bestKeys == nil:
			return f.bestMay(in)
		case len(f.bestKeys) == 1 && f.bestKeys[0] == tracefmt.BestID:
			return f.bestMay(func(p tracefmt.ProcessID) truths { return in(p).join(f.mayElect(p), no) })
		}
		return unknowing.choices(f)
	}
	return of, nil
}

// greatestID is the process of the greatest id in a set, null of none.
func (f *frame) greatestID(set member) value {
	best := tracefmt.ProcessID(0)
	f.each(set, func(p tracefmt.ProcessID) {
		if best == 0 || f.ranks[p] > f.ranks[best] {
			best = p
		}
	})
	if best == 0 {
		return value{sort: null}
	}
	return processValue(best)
}

// best is the best of the electors in a set, by the keys of the run, null of none; it
// has no value where that is not known, or where there are several.
func (f *frame) best(set member) value {
	var electors []tracefmt.ProcessID
	f.each(set, func(p tracefmt.ProcessID) {
		if f.state.Elector(p) {
			electors = append(electors, p)
		}
	})
	f.readMerits()
	best, lacks := f.state.BestOf(electors, f.bestKeys)
	switch {
	case lacks != "" || len(best) > 1:
		return value{}
	case len(best) == 0:
		return value{sort: null}
	}
	return processValue(best[0])
}

// makeLen makes the function of the length of a value; what has none is absent.
func makeLen(_ *scope, _ *node, args []code) (code, error) {
	if args[0].eval == nil {
		return code{typ: typNumber, eval: func(*frame) value { return value{} }}, nil
	}
	return code{typ: typNumber, eval: func(f *frame) value {
		switch v := args[0].eval(f); v.sort {
		case compound:
			f.inner = append(f.inner[:0], v.s...)
			return number(items(f.inner))
		case textual:
			return number(int64(utf8.RuneCountInString(v.s)))
		}
		return value{}
	}}, nil
}

// items counts those of a list, or the fields of an object.
func items(raw []byte) (n int64) {
	for range tracefmt.Items(raw) {
		n++
	}
	for range tracefmt.Fields(raw) {
		n++
	}
	return n
}

func makeCount(_ *scope, n *node, args []code) (code, error) {
	may := func(f *frame) choices { return f.counted(&args[0]) }
	return code{typ: typNumber, values: may, eval: func(f *frame) value {
		count := int64(0)
		f.each(args[0].member, func(tracefmt.ProcessID) { count++ })
		if f.evidence != nil {
			f.evidence.values = append(f.evidence.values, fmt.Sprintf("%s is %d%s", n, count, f.namesOf(args[0].member)))
		}
		return number(count)
	}}, nil
}

// namesOf lists the processes of a set in parentheses, as far as there is room.
func (f *frame) namesOf(set member) string {
	const most = 6
	var names []string
	f.each(set, func(p tracefmt.ProcessID) { names = append(names, shorten(f.run.ProcessName(p))) })
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		names = append(names[:most], "...")
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// each calls visit for the processes of a set, in ascending order.
func (f *frame) each(set member, visit func(tracefmt.ProcessID)) {
	for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
		if set(f, p) {
			visit(p)
		}
	}
}
