package spec

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// ofProcess compiles a function of a process. The result is absent if the argument names no process.
func ofProcess(
	arg code, get func(*frame, tracefmt.ProcessID) value, possible func(*frame, tracefmt.ProcessID) choices,
) code {
	return code{eval: func(f *frame) value {
		p := f.process(arg.eval(f))
		if p == 0 {
			return value{}
		}
		return get(f, p)
	}, possibleValues: func(f *frame) (results choices) {
		arguments := arg.choices(f)
		if arguments.anyValue || arguments.ranged {
			return choices{anyValue: true}
		}
		arguments.each(func(v value) {
			p := f.process(v)
			if p == 0 {
				results.add(value{})
				return
			}
			c := possible(f, p)
			results.anyValue = results.anyValue || c.anyValue
			if !results.anyValue {
				c.each(results.add)
			}
		})
		return results
	}}
}

// ofSomeProcess returns the possible truths of a condition on a process, over all processes that the argument may
// be.
func ofSomeProcess(arg code, possible func(*frame, tracefmt.ProcessID) truths) func(*frame) truths {
	return func(f *frame) (results truths) {
		arguments := arg.choices(f)
		if arguments.anyValue || arguments.ranged {
			return anyTruth
		}
		arguments.each(func(v value) {
			if p := f.process(v); p != 0 {
				results |= possible(f, p)
			} else {
				results |= mayBeUnknown
			}
		})
		return results
	}
}

// makeLive compiles live(p). A step of a crashed process does not make it live.
func makeLive(s *scope, _ *node, args []code) (code, error) {
	s.program.noteReads(statusFacts...)
	ofEvent := s.event != ""
	possible := ofSomeProcess(args[0], (*frame).liveTruths)
	if ofEvent { // the event's own step may show that the process is up
		possible = nil
	}
	return code{typ: typBool, possibleTruths: possible, test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		switch {
		case p == 0:
			return unknown
		case f.hypothetical:
			return f.everLive(p)
		}
		if ofEvent && !f.readingFormer && f.isStepWhileDown(p) {
			return no
		}
		return truthOf(f.live(p))
	}}, nil
}

// makeLiveSet compiles live(), the set of live processes.
func makeLiveSet(s *scope, _ *node, _ []code) (code, error) {
	s.program.noteReads(statusFacts...)
	return code{typ: typSet, member: (*frame).live, memberTruths: (*frame).liveTruths}, nil
}

// makeProcesses compiles processes().
func makeProcesses(*scope, *node, []code) (code, error) {
	return code{
		typ: typSet, member: func(*frame, tracefmt.ProcessID) bool { return true },
		memberTruths: func(*frame, tracefmt.ProcessID) truths { return mayBeYes },
	}, nil
}

// makeParticipant compiles participant(p).
func makeParticipant(_ *scope, _ *node, args []code) (code, error) {
	return code{typ: typBool, possibleTruths: ofSomeProcess(args[0], func(f *frame, p tracefmt.ProcessID) truths {
		return setOfTruth(truthOf(f.participates(p)))
	}), test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		if p == 0 {
			return unknown
		}
		return truthOf(f.participates(p))
	}}, nil
}

// makeParticipants compiles participants().
func makeParticipants(*scope, *node, []code) (code, error) {
	return code{typ: typSet, member: (*frame).participates, memberTruths: func(f *frame, p tracefmt.ProcessID) truths {
		return setOfTruth(truthOf(f.participates(p)))
	}}, nil
}

// participates reports whether a process participates, by the role in the header.
func (f *frame) participates(p tracefmt.ProcessID) bool {
	if f.nonParticipants == nil {
		f.nonParticipants = make([]bool, len(f.run.Members)+1)
		for q := range f.run.Members {
			f.nonParticipants[q+1] = f.run.Part(tracefmt.ProcessID(q+1)) == tracefmt.Bystander
		}
	}
	return !f.nonParticipants[p]
}

// nobodyWords are the words of programs for no process, in lower case.
var nobodyWords = []string{"", "none", "nil", "<nil>", "null", "nobody", "-"}

// makeNobody compiles the function that reports whether a value is a word or number for the absence of a process.
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

// makeElected compiles elected(p).
func makeElected(s *scope, _ *node, args []code) (code, error) {
	s.program.readsElected = true
	s.program.noteVariable(electedVariable)
	return ofProcess(args[0], (*frame).elected, func(f *frame, p tracefmt.ProcessID) choices {
		return f.variableChoices(p, electedVariable, f.electedNow(p))
	}), nil
}

// makeLeads compiles leads(p).
func makeLeads(s *scope, _ *node, args []code) (code, error) {
	s.program.noteLeads()
	return code{typ: typBool, possibleTruths: ofSomeProcess(args[0], (*frame).leadsTruths), test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		if p == 0 {
			return unknown
		}
		return truthOf(f.leads(p))
	}}, nil
}

// makeRole compiles role(p).
func makeRole(s *scope, _ *node, args []code) (code, error) {
	return s.variableOf(args[0], roleVariable), nil
}

// makeTerm compiles term(p).
func makeTerm(s *scope, _ *node, args []code) (code, error) {
	s.program.noteVariable(termField)
	return ofProcess(args[0], (*frame).termOf, (*frame).termChoices), nil
}

// variableOf compiles a variable of a process.
func (s *scope) variableOf(process code, name string) code {
	s.program.variables = append(s.program.variables, name)
	s.program.noteVariable(name)
	return ofProcess(process, func(f *frame, p tracefmt.ProcessID) value { return f.variable(p, name) },
		func(f *frame, p tracefmt.ProcessID) choices {
			return f.variableChoices(p, name, f.variableNow(p, name))
		})
}

// makeVar compiles var(p, "name").
func makeVar(s *scope, n *node, args []code) (code, error) {
	return s.variableOf(args[0], n.operands[1].value.s), nil
}

// makeMatches compiles matches(text, "expression").
func makeMatches(_ *scope, n *node, args []code) (code, error) {
	pattern, err := regexp.Compile(n.operands[1].value.s)
	if err != nil {
		return code{}, errorf(n.operands[1].pos(), "no regular expression: %s", text.PatternMistake(err))
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

// makeBest compiles best(set): by the keys that the header names, else by id.
func makeBest(s *scope, _ *node, args []code) (code, error) {
	s.program.noteReads(comingUp, anyVariable)
	set := args[0].member
	best := code{eval: func(f *frame) value {
		switch {
		case f.bestKeys == nil: // the header does not define who is best
			return f.greatestID(set)
		case len(f.bestKeys) == 1 && f.bestKeys[0] == tracefmt.BestID:
			return f.greatestID(func(f *frame, p tracefmt.ProcessID) bool { return set(f, p) && f.state.Elector(p) })
		}
		return f.best(set)
	}}
	general := best
	best.possibleValues = func(f *frame) choices {
		membership := func(p tracefmt.ProcessID) truths { return args[0].membershipTruths(f, p) }
		switch {
		case f.bestKeys == nil:
			return f.bestChoices(membership)
		case len(f.bestKeys) == 1 && f.bestKeys[0] == tracefmt.BestID:
			return f.bestChoices(func(p tracefmt.ProcessID) truths { return membership(p).join(f.electorTruths(p), no) })
		}
		return general.choices(f)
	}
	return best, nil
}

// greatestID returns the process with the greatest id in a set, null for the empty set.
func (f *frame) greatestID(set member) value {
	best := tracefmt.ProcessID(0)
	f.each(set, func(p tracefmt.ProcessID) {
		if best == 0 || f.rank(p) > f.rank(best) {
			best = p
		}
	})
	if best == 0 {
		return value{sort: null}
	}
	return processValue(best)
}

// best returns the best elector in a set by the run's keys, null if the set has no elector. It is absent if the
// best one is not known or not unique.
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

// makeLen compiles len(value); the result is absent for a value without a length.
func makeLen(_ *scope, _ *node, args []code) (code, error) {
	if args[0].eval == nil {
		return code{typ: typNumber, eval: func(*frame) value { return value{} }}, nil
	}
	return code{typ: typNumber, eval: func(f *frame) value {
		switch v := args[0].eval(f); v.sort {
		case compound:
			f.inner = append(f.inner[:0], v.s...)
			return number(countItems(f.inner))
		case textual:
			return number(int64(utf8.RuneCountInString(v.s)))
		}
		return value{}
	}}, nil
}

// makePrefix compiles prefix(list, list).
func makePrefix(_ *scope, n *node, args []code) (code, error) {
	for i, arg := range args {
		if arg.eval == nil {
			return code{}, errorf(n.operands[i].pos(), "%s is a condition, expected a list", n.operands[i])
		}
	}
	return code{typ: typBool, test: func(f *frame) truth {
		a, b := args[0].eval(f), args[1].eval(f)
		if !a.isList() || !b.isList() {
			return unknown
		}
		return truthOf(f.isPrefix([]byte(a.s), []byte(b.s)))
	}}, nil
}

// isList reports whether the value is a list.
func (v value) isList() bool { return v.sort == compound && v.s[0] == '[' }

// isPrefix reports whether the items of a list are the first items of another one. Both are JSON.
func (n *names) isPrefix(list, longer []byte) bool {
	next, stop := iter.Pull(tracefmt.Items(longer))
	defer stop()
	for item := range tracefmt.Items(list) {
		counterpart, ok := next()
		if !ok || n.equal(n.parse(item), n.parse(counterpart)) != yes {
			return false
		}
	}
	return true
}

// neighbour compiles next(process, set) for the direction 1, and previous(process, set) for -1.
func neighbour(direction int) func(*scope, *node, []code) (code, error) {
	return func(_ *scope, _ *node, args []code) (code, error) {
		return code{eval: func(f *frame) value {
			from := f.process(args[0].eval(f))
			if from == 0 {
				return value{}
			}
			ring := f.ring()
			place, n := slices.Index(ring, from), len(ring)
			for i := 1; i < n; i++ {
				if p := ring[(place+direction*i+n)%n]; args[1].member(f, p) {
					return processValue(p)
				}
			}
			return processValue(from)
		}}, nil
	}
}

// ring returns the processes in the order of their positions. It is computed on first use.
func (n *names) ring() []tracefmt.ProcessID {
	if n.byPosition == nil {
		for p := range n.run.Members {
			n.byPosition = append(n.byPosition, tracefmt.ProcessID(p+1))
		}
		slices.SortStableFunc(n.byPosition, func(p, q tracefmt.ProcessID) int {
			return cmp.Compare(n.run.Members[p-1].Position, n.run.Members[q-1].Position)
		})
	}
	return n.byPosition
}

// makeSum compiles sum(set, "variable").
func makeSum(s *scope, n *node, args []code) (code, error) {
	name := n.operands[1].value.s
	s.program.variables = append(s.program.variables, name)
	s.program.noteVariable(name)
	return code{typ: typNumber, eval: func(f *frame) value {
		sum, known := wholeNumber(0), true
		f.each(args[0].member, func(p tracefmt.ProcessID) {
			v := f.variable(p, name)
			if v.sort == null {
				return
			}
			x, ok := f.canonical(v).fraction()
			if ok {
				sum.Rat.Add(sum.Rat, x.Rat)
			}
			known = known && ok
		})
		if !known {
			return value{}
		}
		return sum.value()
	}}, nil
}

// countItems returns the number of items of a list, or of fields of an object.
func countItems(raw []byte) (n int64) {
	for range tracefmt.Items(raw) {
		n++
	}
	for range tracefmt.Fields(raw) {
		n++
	}
	return n
}

// makeCount compiles count(set).
func makeCount(_ *scope, n *node, args []code) (code, error) {
	possible := func(f *frame) choices { return f.possibleCounts(&args[0]) }
	return code{typ: typNumber, possibleValues: possible, eval: func(f *frame) value {
		count := int64(0)
		f.each(args[0].member, func(tracefmt.ProcessID) { count++ })
		if f.evidence != nil {
			f.evidence.values = append(f.evidence.values,
				fmt.Sprintf("%s is %d%s", n, count, f.namesOf(args[0].member)))
		}
		return number(count)
	}}, nil
}

// namesOf lists the processes of a set in parentheses, up to a limit.
func (f *frame) namesOf(set member) string {
	const limit = 6
	var names []string
	f.each(set, func(p tracefmt.ProcessID) { names = append(names, shorten(f.run.ProcessName(p))) })
	switch {
	case len(names) == 0:
		return ""
	case len(names) > limit:
		names = append(names[:limit], "...")
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// each calls visit for the processes of a set, in ascending order.
func (f *frame) each(set member, visit func(tracefmt.ProcessID)) {
	for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
		if set(f, p) {
			visit(p)
		}
	}
}
