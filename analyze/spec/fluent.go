package spec

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// fluentDef is a condition at one process that holds for a while: while a
// condition on the state does, or from one event to another.
type fluentDef struct {
	name  string
	while test
	// condition is that of while.
	condition code
	local     bool // it is about the state of its own process only
	from, to  []*matcher
	// kinds are the events that may change where the fluent holds.
	kinds kindSet
	// begins and ends are what the patterns rest on, and reads what all of it does.
	begins, ends relied
	reads        []tracefmt.Fact
}

// fluentState says where a fluent holds in a run.
type fluentState struct {
	def   *fluentDef
	since []tracefmt.Seq // by process: the event with which it began; 0: it does not hold
	ended []tracefmt.Seq // by process: the last event that ends it, of a fluent by patterns
	began int            // at how many it began with the event at hand
	// changed is by process the last event with which the fluent began or ended, and
	// before whether it held then; nil where that is not asked for.
	changed []tracefmt.Seq
	before  []bool
}

// holds reports whether the fluent holds at p.
func (s *fluentState) holds(f *frame, p tracefmt.ProcessID) bool {
	if f.past && s.changed[p] == f.event.Seq {
		return s.before[p]
	}
	s.read(f, p)
	f.evidence.see(s.since[p])
	return s.since[p] != 0
}

// stateKinds are the events that change the state of processes.
var stateKinds = slices.DeleteFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool { return !replay.ChangesProcess(k) })

// step takes in the event at hand.
func (s *fluentState) step(f *frame, first bool) {
	s.began = 0
	p, changes := f.event.Process, s.def.kinds.has(f.event.Kind) || f.state.Restarted()
	switch {
	case s.def.while != nil && (first || changes && !s.def.local):
		for q := range s.since[1:] {
			s.look(f, tracefmt.ProcessID(q+1))
		}
		if first && s.changed != nil {
			s.lookBack(f)
		}
	case !changes || p == 0:
	case s.def.while != nil:
		s.look(f, p)
	default:
		s.change(f, p)
	}
}

// change begins or ends the fluent at p by the patterns.
func (s *fluentState) change(f *frame, p tracefmt.ProcessID) {
	f.variables[0] = p
	matches := func(m *matcher) bool { return m.matches(f) }
	switch {
	case slices.ContainsFunc(s.def.from, matches):
		s.set(f, p, true)
	case slices.ContainsFunc(s.def.to, matches):
		s.ended[p] = f.event.Seq
		s.set(f, p, false)
	}
}

// look asks for the condition at p.
func (s *fluentState) look(f *frame, p tracefmt.ProcessID) {
	f.variables[0] = p
	s.set(f, p, s.def.while(f) == yes)
}

// lookBack asks where the condition held before the first event.
func (s *fluentState) lookBack(f *frame) {
	f.past = true
	for p := range s.since[1:] {
		f.variables[0] = tracefmt.ProcessID(p + 1)
		s.changed[p+1], s.before[p+1] = f.event.Seq, s.def.while(f) == yes
	}
	f.past = false
}

func (s *fluentState) set(f *frame, p tracefmt.ProcessID, holds bool) {
	if s.changed != nil && holds != (s.since[p] != 0) {
		s.changed[p], s.before[p] = f.event.Seq, !holds
	}
	switch {
	case !holds:
		s.since[p] = 0
	case s.since[p] == 0:
		s.since[p] = f.event.Seq
		s.began++
	}
}

// callFluent compiles leads(p).
func (s *scope) callFluent(i int, n *node, args []code) (code, error) {
	if !accepts([]typ{typAny}, args) {
		return code{}, errorf(n.pos(), "%s does not fit, expected %s(process)", n, n.name)
	}
	may := func(f *frame, p tracefmt.ProcessID) truths { return f.fluents[i].mayHold(f, p) }
	return code{typ: typBool, may: ofSomeProcess(args[0], may), test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		if p == 0 {
			return unknown
		}
		return truthOf(f.fluents[i].holds(f, p))
	}}, nil
}

// fluent returns the place of a fluent in frames. The first time that it is
// named, it comes into the program.
func (s *scope) fluent(name string) (i int, ok bool, err error) {
	if i, ok := s.program.fluentOf[name]; ok {
		s.program.note(s.program.fluents[i].reads...)
		return i, true, nil
	}
	k := slices.IndexFunc(s.inFile, func(item *fluentItem) bool { return item.Name == name })
	if k < 0 {
		return 0, false, nil
	}
	err = s.inFile[k].compile(s.program, s.inFile[:k])
	return s.program.fluentOf[name], true, err
}

// compile adds the fluent to a program. It may name those before it.
func (item *fluentItem) compile(p *program, before []*fluentItem) error {
	def, mark := &fluentDef{name: item.Name}, len(p.reads)
	s := &scope{program: p, inFile: before, asked: &p.asked, variables: []string{item.Parameter}}
	var err error
	if item.While != nil {
		def.kinds = setOf(stateKinds)
		def.condition, err = s.while(item.While)
		def.while = def.condition.test
		for _, earlier := range p.fluents {
			def.kinds |= earlier.kinds
		}
	} else if def.from, err = s.matchers(item.From); err == nil {
		def.to, err = s.matchers(item.To)
		def.begins, def.ends = reliedOf(def.from), reliedOf(def.to)
		p.note(distinct(def.begins.events, def.ends.events)...)
	}
	def.reads = p.since(mark)
	if err == nil {
		def.local, err = s.isLocal(item)
	}
	for _, m := range slices.Concat(def.from, def.to) {
		def.kinds |= m.kinds
	}
	p.fluents = append(p.fluents, def)
	p.sources = append(p.sources, sourceText(item.Tokens))
	p.fluentOf[def.name] = len(p.fluents) - 1
	return err
}

// while compiles the condition.
func (s *scope) while(e *orExpr) (code, error) {
	n, err := s.lower(e)
	if err != nil {
		return code{}, err
	}
	return s.condition(n)
}

// isLocal reports whether only events of a process itself change where the fluent
// holds at it: nothing in it looks at another.
func (s *scope) isLocal(item *fluentItem) (local bool, err error) {
	var conditions []*node
	for _, p := range slices.Concat(item.From, item.To) {
		own, err := s.of(p)
		if err != nil {
			return false, err
		}
		of, err := own.conditions(p)
		if err != nil {
			return false, err
		}
		conditions = append(conditions, of...)
	}
	if item.While != nil {
		n, err := s.lower(item.While)
		if err != nil {
			return false, err
		}
		conditions = append(conditions, n)
	}
	local = true
	for _, n := range conditions {
		n.walk(func(n *node) { local = local && !s.looksAway(n, item.Parameter) })
	}
	return local, nil
}

// looksAway reports whether a fluent or function asks for the state of another
// process than that of the event or of the fluent's parameter.
func (s *scope) looksAway(n *node, parameter string) bool {
	i, fluent, _ := s.fluent(n.name) // an error shows where it is compiled
	switch {
	case n.op == "field":
		return fluent
	case n.op != "call" || !fluent && !ofState(n.name):
		return false
	case len(n.kids) == 0 || fluent && !s.program.fluents[i].local:
		return true
	}
	of := n.kids[0]
	return of.op != "field" || of.name != parameter && of.name != "process"
}

func (s *scope) matchers(patterns []*pattern) ([]*matcher, error) {
	var all []*matcher
	for _, p := range patterns {
		m, err := s.matcher(p)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}
