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

// former holds the state before the current event, limited to what the rule reads. An event changes the state of its
// own process only, so one former state is enough.
type former struct {
	names   []string // the variables
	now     []formerProcess
	process tracefmt.ProcessID // the process of the current event, 0 if its state did not change
	was     formerProcess
}

// stance is the part of a process's state that is not in its variables.
type stance struct {
	live             bool
	since, electedAt tracefmt.Seq
	elected          tracefmt.ProcessID
	leads            bool
	term             replay.Term
}

// formerProcess is a former state of a process. Its memory is reused.
type formerProcess struct {
	stance
	variables []formerVariable
}

// formerVariable is the value of a variable before the current event; raw is its JSON.
type formerVariable struct {
	set bool
	raw []byte
	at  tracefmt.Seq // the event that assigned it; set only in an incomplete recording
}

// newFormer returns the initial former state: all processes are live and no variable is set.
func newFormer(run *tracefmt.Run, p *program) *former {
	m := &former{names: p.held, now: make([]formerProcess, len(run.Members)+1)}
	if p.elected {
		m.names = append(slices.Clone(m.names), electedVariable)
	}
	for i := range m.now {
		m.now[i] = formerProcess{stance{live: true}, make([]formerVariable, len(m.names))}
	}
	m.was.variables = make([]formerVariable, len(m.names))
	return m
}

// follow updates the former state by an event, also if the rule ignores the event.
func (f *frame) follow(s *replay.State, e *tracefmt.Event) {
	changes := e.Process != 0 && s.Changed(e)
	if changes && len(f.unheld) > 0 {
		f.unheld = slices.DeleteFunc(f.unheld, func(name string) bool {
			_, held := s.Variable(e.Process, name)
			return held
		})
	}
	if f.former == nil {
		return
	}
	f.former.process = 0
	if changes {
		f.former.change(s, e.Process)
	}
}

// change makes the present state of p the former one, and copies the new state. It reuses the memory of the state
// before.
func (m *former) change(s *replay.State, p tracefmt.ProcessID) {
	m.process = p
	m.was, m.now[p] = m.now[p], m.was
	now := &m.now[p]
	now.stance = stanceOf(s, p)
	for i, name := range m.names {
		raw, ok := s.Variable(p, name)
		now.variables[i].set = ok
		now.variables[i].raw = append(now.variables[i].raw[:0], raw...)
		if !s.Coverage().Settled() {
			now.variables[i].at = s.AssignedAt(p, name)
		}
	}
}

// stanceOf returns the status, leadership and term of p in the state s.
func stanceOf(s *replay.State, p tracefmt.ProcessID) stance {
	st := s.Process(p)
	return stance{live: st.Live(), since: st.Since, elected: st.Elected, electedAt: st.ElectedAt, leads: s.Leads(p), term: s.Term(p)}
}

// stance returns the state of a process, before or after the current event as the expression asks.
func (f *frame) stance(p tracefmt.ProcessID) stance {
	if f.wasOther(p) {
		return f.former.was.stance
	}
	return stanceOf(f.state, p)
}

// atRest evaluates a test after an event that would change nothing.
func (f *frame) atRest(t test) truth {
	event, changed := f.event, f.former.process
	f.event, f.former.process = &tracefmt.Event{Seq: f.state.Seq + 1}, 0
	result := t(f)
	f.event, f.former.process = event, changed
	return result
}

// wasOther reports whether the expression reads the state before the current event, and the event may
// have changed the state of p.
func (f *frame) wasOther(p tracefmt.ProcessID) bool { return f.past && f.former.process == p }

// variable returns the former value of a variable of the event's process.
func (m *former) variable(f *frame, name string) value {
	i := slices.Index(m.names, name)
	if i < 0 || !m.was.variables[i].set {
		return value{sort: null}
	}
	return f.parse(m.was.variables[i].raw)
}

// assignedSince is [frame.assignedSince] for the former value, 0 if it is not known.
func (m *former) assignedSince(name string) tracefmt.Seq {
	i := slices.Index(m.names, name)
	if i < 0 {
		return 0
	}
	was := &m.was.variables[i]
	if !was.set && was.at > 0 {
		return was.at - 1
	}
	return was.at
}

// earlier compiles before(X): X in the state before the current event. A field without a function is
// the variable of that name of the event's process.
func (s *scope) earlier(n *node) (code, error) {
	if len(n.kids) != 1 {
		return code{}, errorf(n.pos(), "%s does not fit, expected one value, such as before(var(process, \"role\"))", n)
	}
	if s.event == "" && !s.moment {
		return code{}, errorf(n.pos(),
			"before reads the state before an event, but there is no event here; expected it in a pattern, such as: "+
				"never state where before(leads(process))")
	}
	inner, kid := *s, n.kids[0]
	if s.event != "" && kid.op == "field" && s.isVariable(kid) {
		kid = &node{op: "call", tokens: kid.tokens, name: "var", kids: []*node{
			{op: "field", tokens: kid.tokens, name: "process", event: kid.event},
			{op: "literal", tokens: kid.tokens, value: value{sort: textual, s: kid.name}},
		}, path: kid.path}
	}
	inner.moment = false // before cannot nest: only one former state is kept
	s.program.before = true
	c, err := inner.compile(kid)
	if err != nil && s.event == "" && kid.op == "field" && kid.event == "" {
		err = errorf(kid.pos(),
			"%s is a variable of the process of an event, but there is no event here; expected a pattern: never "+
				"state where before(%[1]s) == ...; "+
				"or a process: never exists p in live(): before(var(p, %[2]q)) == ...", kid, kid.name)
	}
	return c.inThePast(), err
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

// inThePast returns the expression evaluated in the state before the current event.
func (c code) inThePast() code {
	past := code{typ: c.typ}
	if c.eval != nil {
		past.eval = func(f *frame) value {
			was := f.past
			f.past = true
			v := c.eval(f)
			f.past = was
			return v
		}
	}
	if c.test != nil {
		past.test = func(f *frame) truth {
			was := f.past
			f.past = true
			t := c.test(f)
			f.past = was
			return t
		}
	}
	if c.member != nil {
		past.member = func(f *frame, p tracefmt.ProcessID) bool {
			was := f.past
			f.past = true
			member := c.member(f, p)
			f.past = was
			return member
		}
	}
	return past
}
