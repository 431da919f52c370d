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
	fields  []Field // parts of the payload: the variables
	all     []Field // and what else it has
	at      tracefmt.Seq
}

// Field is a field of a payload, as it is written there.
type Field struct{ Name, Value []byte }

// Fields returns the fields in the payload of the event that was applied last, until the next; ok is false unless
// that is this one and assigns variables: others were not searched.
func (s *State) Fields(e *tracefmt.Event) (all []Field, ok bool) {
	return s.read.all, s.read.kind == e.Kind && s.read.at == e.Seq && s.Seq == e.Seq
}

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
		s.assignElection(p, e, f.Name, f.Value)
		p.variables.set(f.Name, f.Value, &s.pool)
		if !s.coverage.Complete() {
			if told := p.tell(f.Name, e.Seq); !told.shown {
				s.coverage.ShowVariable(f.Name)
				told.shown = true
			}
		}
	}
	s.placeInTerms(e.Process, e.Seq)
}

// assigned returns the variables in the payload of an event that assigns some, without
// those that are not kept.
func (s *State) assigned(e *tracefmt.Event) []Field {
	r := &s.read
	r.at = e.Seq
	if r.kind == e.Kind && bytes.Equal(r.payload, e.Payload) {
		return r.fields
	}
	r.kind, r.payload, r.fields = e.Kind, append(r.payload[:0], e.Payload...), r.fields[:0]
	r.all = r.all[:0]
	for name, value := range tracefmt.Fields(r.payload) {
		r.all = append(r.all, Field{name, value})
		if tracefmt.IsVariable(e.Kind, name, value) && (!s.elections || s.ofElections(name)) {
			r.fields = append(r.fields, Field{name, value})
		}
	}
	return r.fields
}

// ofElections reports whether a variable is one that elections are about.
func (s *State) ofElections(name []byte) bool {
	return string(name) == electedVariable || string(name) == roleVariable || string(name) == s.term
}
