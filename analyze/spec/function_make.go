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
			all.any = all.any || c.any
			if !all.any {
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
	s.program.note(statusFacts...)
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
	s.program.note(statusFacts...)
	return code{typ: typSet, member: (*frame).live, among: (*frame).mayLive}, nil
}

func makeProcesses(*scope, *node, []code) (code, error) {
	return code{
		typ: typSet, member: func(*frame, tracefmt.ProcessID) bool { return true },
		among: func(*frame, tracefmt.ProcessID) truths { return mayBeYes },
	}, nil
}

func makeParticipant(_ *scope, _ *node, args []code) (code, error) {
	return code{typ: typBool, may: ofSomeProcess(args[0], func(f *frame, p tracefmt.ProcessID) truths {
		return only(truthOf(f.participates(p)))
	}), test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		if p == 0 {
			return unknown
		}
		return truthOf(f.participates(p))
	}}, nil
}

func makeParticipants(*scope, *node, []code) (code, error) {
	return code{typ: typSet, member: (*frame).participates, among: func(f *frame, p tracefmt.ProcessID) truths {
		return only(truthOf(f.participates(p)))
	}}, nil
}

// participates reports whether a process takes part, as the header says.
func (f *frame) participates(p tracefmt.ProcessID) bool {
	if f.aside == nil {
		f.aside = make([]bool, len(f.plain))
		for q := range f.plain[1:] {
			f.aside[q+1] = f.run.Part(tracefmt.ProcessID(q+1)) == tracefmt.StandsBy
		}
	}
	return !f.aside[p]
}

// nobodyWords are the words of programs for no process, in lower case.
var nobodyWords = []string{"", "none", "nil", "<nil>", "null", "nobody", "-"}

func makeNobody(_ *scope, _ *node, args []code) (code, error) {
	return code{typ: typBool, test: func(f *frame) truth {
		switch v := args[0].eval(f); {
		case v.sort == absent:
			return unknown
		case f.process(f.canonical(v)) != 0:
			return no
		case f.canonical(v).isNumber():
			return truthOf(f.canonical(v).float() <= 0)
		default:
			return truthOf(v.sort != textual || slices.Contains(nobodyWords, strings.ToLower(v.s)))
		}
	}}, nil
}

func makeElected(s *scope, _ *node, args []code) (code, error) {
	s.program.elected = true
	s.program.noteVariable(electedVariable)
	return ofProcess(args[0], (*frame).elected, func(f *frame, p tracefmt.ProcessID) choices {
		return f.variableMay(p, electedVariable, f.electedNow(p))
	}), nil
}

func makeLeads(s *scope, _ *node, args []code) (code, error) {
	s.program.noteLeads()
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
	s.program.noteVariable(termField)
	return ofProcess(args[0], (*frame).termOf, (*frame).termMay), nil
}

// variableOf compiles a variable of a process.
func (s *scope) variableOf(process code, name string) code {
	s.program.held = append(s.program.held, name)
	s.program.noteVariable(name)
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
	s.program.note(comingUp, anyVariable)
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
