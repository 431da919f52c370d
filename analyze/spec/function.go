package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

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
}

var functions = []function{
	{"live", []typ{typAny}, "the process has neither crashed nor halted", makeLive},
	{"live", nil, "the set of the live processes", makeLiveSet},
	{"processes", nil, "the set of all processes of the run", makeProcesses},
	{"elected", []typ{typAny}, "whom the process has elected: its variable elected, null for none", makeElected},
	{"var", []typ{typAny, typText}, "a variable of the process, null if it is not set", makeVar},
	{"best", []typ{typSet}, "the process of the greatest id in the set, null of none", makeBest},
	{"matches", []typ{typText, typText}, "the text has a part that the regular expression (RE2) describes; a process is its name", makeMatches},
	{"count", []typ{typSet}, "how many processes are in the set; count(leads) of a fluent: at how many it holds", makeCount},
}

// call compiles the call of a function, or of a fluent: leads(p).
func (s *scope) call(n *node) (code, error) {
	var args []code
	for _, k := range n.kids {
		c, err := s.compile(k)
		if err != nil {
			return code{}, err
		}
		args = append(args, c)
	}
	switch i, ok, err := s.fluent(n.name); {
	case err != nil:
		return code{}, err
	case ok:
		return s.callFluent(i, n, args)
	}
	var signatures []string
	for _, f := range functions {
		if f.name == n.name && accepts(f.takes, args) {
			return f.make(s, n, args)
		}
		if f.name == n.name {
			signatures = append(signatures, f.signature())
		}
	}
	if signatures != nil {
		return code{}, errorf(n.pos(), "%s does not fit, expected %s", n, strings.Join(signatures, " or "))
	}
	return code{}, errorf(n.pos(), "%v", text.Unknown("function", n.name, s.callable()))
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
var fits = map[typ][]typ{typAny: {typAny, typNumber, typText}, typText: {typText, typAny}, typSet: {typSet}}

func accepts(takes []typ, args []code) bool {
	return slices.EqualFunc(takes, args, func(t typ, a code) bool { return slices.Contains(fits[t], a.typ) })
}

// signature of a function, such as var(process, text).
func (f function) signature() string {
	words := map[typ]string{typAny: "process", typText: "text", typSet: "set of processes"}
	var takes []string
	for _, t := range f.takes {
		takes = append(takes, words[t])
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(takes, ", "))
}

// ofProcess makes a function of a process; what names no process has no value.
func ofProcess(arg code, get func(*frame, tracefmt.ProcessID) value) code {
	return code{eval: func(f *frame) value {
		p := f.process(arg.eval(f))
		if p == 0 {
			return value{}
		}
		return get(f, p)
	}}
}

func makeLive(_ *scope, _ *node, args []code) (code, error) {
	return code{typ: typBool, test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		if p == 0 {
			return unknown
		}
		return truthOf(f.live(p))
	}}, nil
}

func makeLiveSet(*scope, *node, []code) (code, error) {
	return code{typ: typSet, member: (*frame).live}, nil
}

func makeProcesses(*scope, *node, []code) (code, error) {
	return code{typ: typSet, member: func(*frame, tracefmt.ProcessID) bool { return true }}, nil
}

func makeElected(s *scope, _ *node, args []code) (code, error) {
	s.elected = true
	return ofProcess(args[0], (*frame).elected), nil
}

func makeVar(s *scope, n *node, args []code) (code, error) {
	if n.kids[1].op != "literal" {
		return code{}, errorf(n.kids[1].pos(), "expected the name of a variable between quotes, such as \"role\"")
	}
	name := n.kids[1].value.s
	s.held = append(s.held, name)
	return ofProcess(args[0], func(f *frame, p tracefmt.ProcessID) value { return f.variable(p, name) }), nil
}

func makeMatches(_ *scope, n *node, args []code) (code, error) {
	if n.kids[1].op != "literal" {
		return code{}, errorf(n.kids[1].pos(), "expected a regular expression between quotes, such as \"^Received\"")
	}
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

func makeBest(_ *scope, _ *node, args []code) (code, error) {
	return code{eval: func(f *frame) value {
		best := tracefmt.ProcessID(0)
		f.each(args[0].member, func(p tracefmt.ProcessID) {
			if best == 0 || f.ranks[p] > f.ranks[best] {
				best = p
			}
		})
		if best == 0 {
			return value{sort: null}
		}
		return processValue(best)
	}}, nil
}

func makeCount(_ *scope, _ *node, args []code) (code, error) {
	return code{typ: typNumber, eval: func(f *frame) value {
		count := int64(0)
		f.each(args[0].member, func(tracefmt.ProcessID) { count++ })
		return number(count)
	}}, nil
}

// each calls visit for the processes of a set, in ascending order.
func (f *frame) each(set member, visit func(tracefmt.ProcessID)) {
	for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
		if set(f, p) {
			visit(p)
		}
	}
}
