package spec

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// The variables that functions of the language read.
const (
	electedVariable = "elected"
	roleVariable    = "role"
)

// formerState is the state before the current event, limited to what the rule reads. An event changes the state of its
// own process only, so the former state of one process is enough.
type formerState struct {
	names []string // the variables
	// latest is the state of each process after the current event; before is the former state of process.
	latest []formerProcess
	// process is the process of the current event, 0 if its state did not change.
	process tracefmt.ProcessID
	before  formerProcess
}

// coreState is the state of a process without its variables.
type coreState struct {
	live             bool
	since, electedAt tracefmt.Seq
	elected          tracefmt.ProcessID
	leads            bool
	term             replay.Term
}

// formerProcess is a former state of a process. Its memory is reused.
type formerProcess struct {
	coreState
	variables []formerVariable
}

// formerVariable is the value of a variable before the current event; raw is its JSON.
type formerVariable struct {
	set bool
	raw []byte
	at  tracefmt.Seq // the event that assigned it; set only in an incomplete recording
}

// newFormer returns the initial former state: all processes are live and no variable is set.
func newFormer(run *tracefmt.Run, p *program) *formerState {
	m := &formerState{names: p.variables, latest: make([]formerProcess, len(run.Members)+1)}
	if p.readsElected {
		m.names = append(slices.Clone(m.names), electedVariable)
	}
	for i := range m.latest {
		m.latest[i] = formerProcess{coreState{live: true}, make([]formerVariable, len(m.names))}
	}
	m.before.variables = make([]formerVariable, len(m.names))
	return m
}

// updateFormer updates the former state by an event, also if the rule ignores the event.
func (f *frame) updateFormer(s *replay.State, e *tracefmt.Event) {
	changes := e.Process != 0 && s.Changed(e)
	if changes && len(f.unsetVariables) > 0 {
		f.unsetVariables = slices.DeleteFunc(f.unsetVariables, func(name string) bool {
			_, held := s.Variable(e.Process, name)
			return held
		})
	}
	if f.former == nil {
		return
	}
	f.former.process = 0
	if changes {
		f.former.advance(s, e.Process)
	}
}

// advance saves the state of p as the former one, and then stores the present one. Both reuse memory.
func (m *formerState) advance(s *replay.State, p tracefmt.ProcessID) {
	m.process = p
	m.before, m.latest[p] = m.latest[p], m.before
	present := &m.latest[p]
	present.coreState = coreStateOf(s, p)
	for i, name := range m.names {
		raw, ok := s.Variable(p, name)
		present.variables[i].set = ok
		present.variables[i].raw = append(present.variables[i].raw[:0], raw...)
		if !s.Coverage().Complete() {
			present.variables[i].at = s.AssignedAt(p, name)
		}
	}
}

// coreStateOf returns the status, leadership and term of p in the state s.
func coreStateOf(s *replay.State, p tracefmt.ProcessID) coreState {
	st := s.Process(p)
	return coreState{
		live: st.Live(), since: st.Since, elected: st.Elected, electedAt: st.ElectedAt,
		leads: s.Leads(p), term: s.Term(p),
	}
}

// atRest evaluates a test after an event that would change nothing.
func (f *frame) atRest(t test) truth {
	event, changed := f.event, f.former.process
	f.event, f.former.process = &tracefmt.Event{Seq: f.state.Seq + 1}, 0
	result := t(f)
	f.event, f.former.process = event, changed
	return result
}

// coreState returns the state of a process, before or after the current event as the expression asks.
func (f *frame) coreState(p tracefmt.ProcessID) coreState {
	if f.readsFormer(p) {
		return f.former.before.coreState
	}
	return coreStateOf(f.state, p)
}

// readsFormer reports whether the expression reads the state before the current event, and the event may
// have changed the state of p.
func (f *frame) readsFormer(p tracefmt.ProcessID) bool {
	return f.readingFormer && f.former.process == p
}

// variable returns the former value of a variable of the event's process.
func (m *formerState) variable(f *frame, name string) value {
	i := slices.Index(m.names, name)
	if i < 0 || !m.before.variables[i].set {
		return value{sort: null}
	}
	return f.parse(m.before.variables[i].raw)
}

// assignedSince is [frame.assignedSince] for the former value, 0 if it is not known.
func (m *formerState) assignedSince(name string) tracefmt.Seq {
	i := slices.Index(m.names, name)
	if i < 0 {
		return 0
	}
	was := &m.before.variables[i]
	if !was.set && was.at > 0 {
		return was.at - 1
	}
	return was.at
}

// before compiles before(X): X in the state before the current event. A field without a function is
// the variable of that name of the event's process.
func (s *scope) before(n *node) (code, error) {
	if len(n.operands) != 1 {
		return code{}, errorf(n.pos(), "%s does not fit, expected one value, such as before(var(process, \"role\"))", n)
	}
	if s.event == "" && !s.perEvent {
		return code{}, errorf(n.pos(),
			"before reads the state before an event, but there is no event here; expected it in a pattern, such as: "+
				"never state where before(leads(process))")
	}
	inner, kid := *s, n.operands[0]
	if s.event != "" && kid.op == "field" && s.isVariable(kid) {
		kid = &node{op: "call", tokens: kid.tokens, name: "var", operands: []*node{
			{op: "field", tokens: kid.tokens, name: "process", event: kid.event},
			{op: "literal", tokens: kid.tokens, value: value{sort: textual, s: kid.name}},
		}, path: kid.path}
	}
	inner.perEvent = false // before cannot nest: only one former state is kept
	s.program.readsFormer = true
	c, err := inner.compile(kid)
	// A bare name is a variable of the event's process, but a condition on the state has no event.
	if err != nil && s.event == "" && kid.op == "field" && kid.event == "" {
		err = errorf(kid.pos(),
			"%s is a variable of the process of an event, but there is no event here; expected a pattern: never "+
				"state where before(%[1]s) == ...; "+
				"or a process: never exists p in live(): before(var(p, %[2]q)) == ...", kid, kid.name)
	}
	return c.beforeEvent(), err
}

// isVariable reports whether a field names a variable of the state instead of a column of the event.
func (s *scope) isVariable(n *node) bool {
	if n.event == "" {
		_, fluent, _ := s.fluent(n.name) // its error is reported where the fluent is compiled
		if fluent || n.name == "n" || slices.Contains(s.variables, n.name) {
			return false
		}
	}
	return len(n.path) > 0 || !slices.ContainsFunc(columns, func(c column) bool { return c.name == n.name })
}

// beforeEvent returns the expression evaluated in the state before the current event.
func (c code) beforeEvent() code {
	past := code{typ: c.typ}
	if c.eval != nil {
		past.eval = func(f *frame) value {
			outer := f.readingFormer
			f.readingFormer = true
			v := c.eval(f)
			f.readingFormer = outer
			return v
		}
	}
	if c.test != nil {
		past.test = func(f *frame) truth {
			outer := f.readingFormer
			f.readingFormer = true
			t := c.test(f)
			f.readingFormer = outer
			return t
		}
	}
	if c.member != nil {
		past.member = func(f *frame, p tracefmt.ProcessID) bool {
			outer := f.readingFormer
			f.readingFormer = true
			member := c.member(f, p)
			f.readingFormer = outer
			return member
		}
	}
	return past
}
