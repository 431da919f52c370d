package spec

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// The variables that functions are about.
const (
	electedVariable = "elected"
	roleVariable    = "role"
)

// former is the state before the event at hand, as far as a rule asks for it. An
// event changes the state of its own process only: that of every other one was
// the same.
type former struct {
	names   []string // of variables
	now     []formerProcess
	process tracefmt.ProcessID // that of the event at hand, if it may have changed
	was     formerProcess
}

// stance is what the state says of a process beside its variables.
type stance struct {
	live             bool
	since, electedAt tracefmt.Seq
	elected          tracefmt.ProcessID
	leads            bool
	term             replay.Term
}

// formerProcess is what a process was. Its memory is used again.
type formerProcess struct {
	stance
	variables []formerVariable
}

type formerVariable struct {
	set bool
	raw []byte
	at  tracefmt.Seq // the event that assigned it, of a run that may have unrecorded ones
}

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

// follow takes in an event, whether the rule looks at it or not.
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

func (m *former) change(s *replay.State, p tracefmt.ProcessID) {
	m.process = p
	m.was, m.now[p] = m.now[p], m.was
	now := &m.now[p]
	now.stance = stanceOf(s, p)
	for i, name := range m.names {
		raw, ok := s.Variable(p, name)
		now.variables[i].set = ok
		now.variables[i].raw = append(now.variables[i].raw[:0], raw...)
		if !s.Coverage().Complete() {
			now.variables[i].at = s.AssignedAt(p, name)
		}
	}
}

func stanceOf(s *replay.State, p tracefmt.ProcessID) stance {
	st := s.Process(p)
	return stance{live: st.Live(), since: st.Since, elected: st.Elected, electedAt: st.ElectedAt, leads: s.Leads(p), term: s.Term(p)}
}

// stance is what the state that is asked for says of a process.
func (f *frame) stance(p tracefmt.ProcessID) stance {
	if f.wasOther(p) {
		return f.former.was.stance
	}
	return stanceOf(f.state, p)
}

// wasOther reports whether the state is asked for that the event at hand may have
// changed at p.
func (f *frame) wasOther(p tracefmt.ProcessID) bool { return f.past && f.former.process == p }

// variable is the value that a variable of the process of the event at hand had.
func (m *former) variable(f *frame, name string) value {
	i := slices.Index(m.names, name)
	if i < 0 || !m.was.variables[i].set {
		return value{sort: null}
	}
	return f.parse(m.was.variables[i].raw)
}

// assignedAt is the event that had given that variable its value, 0 if that is not known.
func (m *former) assignedAt(name string) tracefmt.Seq {
	i := slices.Index(m.names, name)
	if i < 0 {
		return 0
	}
	return m.was.variables[i].at
}

// earlier compiles before(X): X in the state before the event at hand. A field alone
// is the variable of that name of the event's process.
func (s *scope) earlier(n *node) (code, error) {
	if len(n.kids) != 1 {
		return code{}, errorf(n.pos(), "%s does not fit, expected one value, such as before(var(process, \"role\"))", n)
	}
	if s.own == "" && !s.moment {
		return code{}, errorf(n.pos(),
			"before is the state before an event, and there is none here; expected it in a pattern, such as: "+
				"never state where before(leads(process))")
	}
	inner, kid := *s, n.kids[0]
	if s.own != "" && kid.op == "field" && s.isVariable(kid) {
		kid = &node{op: "call", tokens: kid.tokens, name: "var", kids: []*node{
			{op: "field", tokens: kid.tokens, name: "process", event: kid.event},
			{op: "literal", tokens: kid.tokens, value: value{sort: textual, s: kid.name}},
		}, path: kid.path}
	}
	inner.moment = false // there is but one event
	s.program.before = true
	c, err := inner.compile(kid)
	if err != nil && s.own == "" && kid.op == "field" && kid.event == "" {
		err = errorf(kid.pos(),
			"%s is a variable of the process of an event, and there is none here; expected a pattern: never "+
				"state where before(%[1]s) == ...; "+
				"or a process: never exists p in live(): before(var(p, %[2]q)) == ...", kid, kid.name)
	}
	return c.inThePast(), err
}

// isVariable reports whether a field is none of the event, but of the state.
func (s *scope) isVariable(n *node) bool {
	if n.event == "" {
		_, fluent, _ := s.fluent(n.name) // an error shows where it is compiled
		if fluent || n.name == "n" || slices.Contains(s.variables, n.name) {
			return false
		}
	}
	return len(n.path) > 0 || !slices.ContainsFunc(columns, func(c column) bool { return c.name == n.name })
}

// inThePast is the expression as of the state before the event at hand.
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
			is := c.member(f, p)
			f.past = was
			return is
		}
	}
	return past
}
