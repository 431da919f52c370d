package replay

import (
	"bytes"

	"etrace/tracefmt"
)

// reading is the variables in the payload of the last event that assigned some: what one
// process assigns, others often assign next.
type reading struct {
	kind    tracefmt.Kind
	payload []byte
	fields  []field // parts of the payload
}

type field struct{ name, value []byte }

// KeepElections has the state keep no variables but those of elections: the elected, the
// role and the term. It is for those who count many runs. The state of a run that does
// not tell everything still keeps all, since which it tells matters there.
func (s *State) KeepElections() { s.elections, s.read.kind = s.coverage.Complete(), 0 }

// assign takes in the variables of the payload.
func (s *State) assign(p *Process, e *tracefmt.Event) {
	if e.Term != 0 {
		p.term, p.termAt = NumberedTerm(e.Term), e.Seq
	}
	for _, f := range s.assigned(e) {
		s.assignElection(p, e, f.name, f.value)
		p.variables.set(f.name, f.value, &s.pool)
		if !s.coverage.Complete() {
			if told := p.tell(f.name, e.Seq); !told.shown {
				s.coverage.ShowVariable(f.name)
				told.shown = true
			}
		}
	}
	s.placeInTerms(e.Process, e.Seq)
}

// assigned returns the variables in the payload of an event that assigns some, without
// those that are not kept.
func (s *State) assigned(e *tracefmt.Event) []field {
	r := &s.read
	if r.kind == e.Kind && bytes.Equal(r.payload, e.Payload) {
		return r.fields
	}
	r.kind, r.payload, r.fields = e.Kind, append(r.payload[:0], e.Payload...), r.fields[:0]
	for name, value := range tracefmt.Fields(r.payload) {
		if tracefmt.IsVariable(e.Kind, name, value) && (!s.elections || s.ofElections(name)) {
			r.fields = append(r.fields, field{name, value})
		}
	}
	return r.fields
}

// ofElections reports whether a variable is one that elections are about.
func (s *State) ofElections(name []byte) bool {
	return string(name) == electedVariable || string(name) == roleVariable || string(name) == s.term
}
