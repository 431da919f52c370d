package spec

import (
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// fluentDef is a condition at one process that holds for a while: as long as a condition on the state does, or
// from one event to another.
type fluentDef struct {
	name  string
	while test
	// condition is the code of while.
	condition    code
	local        bool // it reads the state of its own process only
	begins, ends []*matcher
	// key is the field whose value is the key, "" for a fluent without a key. beginKeys and endKeys are the keys of
	// the patterns, nil for a pattern whose events have no such column.
	key                string
	beginKeys, endKeys []eval
	// kinds are the events that may change where the fluent holds.
	kinds kindSet
	// beginFacts and endFacts are the facts of the patterns, and reads all facts that the fluent reads.
	beginFacts, endFacts relied
	reads                []tracefmt.Fact
}

// fluentState has the processes at which a fluent holds in a run.
type fluentState struct {
	def   *fluentDef
	since []tracefmt.Seq // by process: the event with which it began, 0 while it does not hold
	ended []tracefmt.Seq // by process: the last event that ends it, for a fluent with patterns
	held  []bool         // by process: the fluent held at some time
	// former is the last turn of a fluent with patterns before the current event changed it.
	former formerTurn
	// keyed is nil for a fluent without a key.
	keyed *keyedTurns
	// beganCount is the number of processes at which the fluent began with the current event.
	beganCount int
	// changedAt has, by process, the last event that changed the condition of the fluent, and heldBefore its former
	// value. Both are nil unless the rule reads former states.
	changedAt  []tracefmt.Seq
	heldBefore []bool
}

// turn has the event since which a fluent holds, 0 if it does not hold, and the event that last ended it.
type turn struct{ since, ended tracefmt.Seq }

// formerTurn is the turn of a process before the event at.
type formerTurn struct {
	turn
	at      tracefmt.Seq
	process tracefmt.ProcessID
}

// holds reports whether the fluent holds at p, for a key if it has one.
func (s *fluentState) holds(f *frame, p tracefmt.ProcessID, key value) bool {
	if f.readingFormer && s.def.while != nil && s.changedAt[p] == f.event.Seq {
		return s.heldBefore[p]
	}
	s.noteRead(f, p, key)
	since := s.turn(f, p, key).since
	f.evidence.addEvent(since)
	return since != 0
}

// turn returns the turn at p, for a key if the fluent has one.
func (s *fluentState) turn(f *frame, p tracefmt.ProcessID, key value) turn {
	switch {
	case s.keyed != nil:
		return s.keyed.turn(f, p, key)
	case f.readingFormer && s.former.at == f.event.Seq && s.former.process == p:
		return s.former.turn
	}
	return turn{s.since[p], s.ended[p]}
}

// stateKinds are the kinds of events that change the state of processes.
var stateKinds = slices.DeleteFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool { return !replay.ChangesProcess(k) })

// step updates the fluent by the current event.
func (s *fluentState) step(f *frame, first bool) {
	s.beganCount = 0
	if s.keyed != nil {
		s.keyed.prune(f)
	}
	p, changes := f.event.Process, s.def.kinds.has(f.event.Kind) || f.state.Restarted()
	switch {
	case s.def.while != nil && (first || changes && !s.def.local):
		// A condition on the state may hold from the first event on, and at any process. A local one changes later only
		// at the process of the event.
		for q := range s.since[1:] {
			s.evaluate(f, tracefmt.ProcessID(q+1))
		}
		if first && s.changedAt != nil {
			s.evaluateBefore(f)
		}
	case !changes || p == 0:
	case s.def.while != nil:
		s.evaluate(f, p)
	default:
		s.change(f, p)
	}
}

// change begins or ends the fluent at p if the current event matches its patterns.
func (s *fluentState) change(f *frame, p tracefmt.ProcessID) {
	s.former = formerTurn{turn{s.since[p], s.ended[p]}, f.event.Seq, p}
	f.variables[0] = p
	matches := func(m *matcher) bool { return m.matches(f) }
	begins, ends := slices.IndexFunc(s.def.begins, matches), -1
	if begins < 0 {
		ends = slices.IndexFunc(s.def.ends, matches)
	}
	switch {
	case begins >= 0 && s.keyed != nil:
		if s.keyed.begin(f, p, f.keyBy(s.def.beginKeys[begins])) {
			s.held[p] = true
			s.beganCount++
		}
	case begins >= 0:
		s.set(f, p, true)
	case ends >= 0 && s.keyed != nil:
		s.keyed.end(f, p, f.keyBy(s.def.endKeys[ends]))
	case ends >= 0:
		s.ended[p] = f.event.Seq
		s.set(f, p, false)
	}
}

// evaluate evaluates the condition at p.
func (s *fluentState) evaluate(f *frame, p tracefmt.ProcessID) {
	f.variables[0] = p
	s.set(f, p, s.def.while(f) == yes)
}

// evaluateBefore evaluates the condition in the state before the first event.
func (s *fluentState) evaluateBefore(f *frame) {
	f.readingFormer = true
	for p := range s.since[1:] {
		f.variables[0] = tracefmt.ProcessID(p + 1)
		s.changedAt[p+1], s.heldBefore[p+1] = f.event.Seq, s.def.while(f) == yes
	}
	f.readingFormer = false
}

// set records whether the fluent holds at p after the current event, and counts a beginning.
func (s *fluentState) set(f *frame, p tracefmt.ProcessID, holds bool) {
	if s.changedAt != nil && holds != (s.since[p] != 0) {
		s.changedAt[p], s.heldBefore[p] = f.event.Seq, !holds
	}
	switch {
	case !holds:
		s.since[p] = 0
	case s.since[p] == 0:
		s.since[p], s.held[p] = f.event.Seq, true
		s.beganCount++
	}
}

// callFluent compiles the call of a fluent, such as leads(p), or holds(p, lock) of a fluent with a key.
func (s *scope) callFluent(i int, n *node, args []code) (code, error) {
	takes, form := []typ{typAny}, n.name+"(process)"
	keyed := s.program.fluents[i].key != ""
	if keyed {
		takes, form = append(takes, typValue), n.name+"(process, "+s.program.fluents[i].key+")"
	}
	if !accepts(takes, args) {
		return code{}, errorf(n.pos(), "%s does not fit, expected %s", n, form)
	}
	possible := func(f *frame, p tracefmt.ProcessID) truths { return f.fluents[i].holdsTruths(f, p, value{}) }
	key := func(*frame) value { return value{} }
	if keyed {
		key = args[1].eval
		if key == nil { // a condition
			return code{}, errorf(n.operands[1].pos(), "%s is a condition, expected a value", n.operands[1])
		}
		possible = func(f *frame, p tracefmt.ProcessID) truths {
			return f.fluents[i].truthsOfKeys(f, p, args[1].choices(f))
		}
	}
	return code{typ: typBool, possibleTruths: ofSomeProcess(args[0], possible), test: func(f *frame) truth {
		p := f.process(args[0].eval(f))
		switch {
		case p == 0:
			return unknown
		case f.hypothetical: // an event that may be missing has no known key, so any key counts
			return f.fluents[i].everHeld(f, p)
		}
		fluent, k := &f.fluents[i], f.canonical(key(f))
		// A full table of keys has forgotten some of them.
		if keyed && (k.sort == absent || fluent.keyed.full) {
			return unknown
		}
		if since := fluent.turn(f, p, k).since; f.evidence != nil && fluent.def.while == nil && since != 0 {
			f.evidence.fluents = append(f.evidence.fluents, fmt.Sprintf("%s holds since seq %d", n, since))
		}
		return truthOf(fluent.holds(f, p, k))
	}}, nil
}

// fluent returns the place of a fluent in frames. The fluent is added to the program when a rule first names it.
func (s *scope) fluent(name string) (i int, ok bool, err error) {
	if i, ok := s.program.fluentOf[name]; ok {
		s.program.noteReads(s.program.fluents[i].reads...)
		return i, true, nil
	}
	k := slices.IndexFunc(s.fluents, func(item *fluentItem) bool { return item.Name == name })
	if k < 0 {
		return 0, false, nil
	}
	err = s.fluents[k].compile(s.program, s.fluents[:k])
	return s.program.fluentOf[name], true, err
}

// compile adds the fluent to a program. It may name only the fluents before it, so definitions are not recursive.
func (item *fluentItem) compile(p *program, before []*fluentItem) error {
	def, mark := &fluentDef{name: item.Name, key: item.Key}, len(p.facts)
	s := &scope{program: p, fluents: before, demanded: &p.demanded, variables: []string{item.Parameter}}
	var err error
	switch {
	case item.While != nil && item.Key != "":
		err = errorf(item.Pos, "fluent %s(%s, %s) has a key, expected events that begin and end it: from ... to ...",
			item.Name, item.Parameter, item.Key)
	case item.While != nil:
		def.kinds = setOf(stateKinds)
		def.condition, err = s.while(item.While)
		def.while = def.condition.test
		for _, earlier := range p.fluents {
			def.kinds |= earlier.kinds
		}
	default:
		def.begins, err = s.matchers(item.From)
		if err == nil {
			def.ends, err = s.matchers(item.To)
			def.beginFacts, def.endFacts = reliedOf(def.begins), reliedOf(def.ends)
		}
		if err == nil && item.Key != "" {
			err = s.compileKeys(def, item)
		}
		p.noteReads(distinct(def.beginFacts.events, def.endFacts.events)...)
	}
	def.reads = p.factsSince(mark)
	if err == nil {
		def.local, err = s.isLocal(item)
	}
	for _, m := range slices.Concat(def.begins, def.ends) {
		def.kinds |= m.kinds
	}
	p.fluents = append(p.fluents, def)
	p.sources = append(p.sources, sourceText(item.Tokens))
	p.fluentOf[def.name] = len(p.fluents) - 1
	return err
}

// while compiles the condition of a fluent.
func (s *scope) while(e *orExpr) (code, error) {
	n, err := s.lower(e)
	if err != nil {
		return code{}, err
	}
	return s.condition(n)
}

// isLocal reports whether only events of a process itself can change the fluent there: the fluent reads no other
// process.
func (s *scope) isLocal(item *fluentItem) (local bool, err error) {
	var conditions []*node
	for _, p := range slices.Concat(item.From, item.To) {
		inner, err := s.scopeOf(p)
		if err != nil {
			return false, err
		}
		list, err := inner.conditions(p)
		if err != nil {
			return false, err
		}
		conditions = append(conditions, list...)
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
		n.walk(func(n *node) { local = local && !s.readsOthers(n, item.Parameter) })
	}
	return local, nil
}

// readsOthers reports whether an expression reads the state of a process other than the event's and the parameter.
func (s *scope) readsOthers(n *node, parameter string) bool {
	i, fluent, _ := s.fluent(n.name) // its error is reported where the fluent is compiled
	switch {
	case n.op == "field":
		return fluent
	case n.op != "call" || !fluent && !readsState(n.name):
		return false
	case len(n.operands) == 0 || fluent && !s.program.fluents[i].local:
		return true
	}
	argument := n.operands[0]
	return argument.op != "field" || argument.name != parameter && argument.name != "process"
}

// matchers compiles the patterns that begin or end a fluent.
func (s *scope) matchers(patterns []*pattern) ([]*matcher, error) {
	var matchers []*matcher
	for _, p := range patterns {
		m, err := s.matcher(p)
		if err != nil {
			return nil, err
		}
		matchers = append(matchers, m)
	}
	return matchers, nil
}
