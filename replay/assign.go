package replay

import (
	"bytes"

	"etrace/tracefmt"
)

// parsedPayload caches the fields of the last payload that assigned variables. Other processes often assign
// the same payload next.
type parsedPayload struct {
	kind    tracefmt.Kind
	payload []byte
	// fields are the variables in the payload that the state keeps.
	fields []Field
	// allFields are all fields of the payload, variables or not.
	allFields []Field
	// at is the last event with this payload.
	at tracefmt.Seq
}

// Field is a field of a payload, as it is written there.
type Field struct{ Name, Value []byte }

// Fields returns the fields in the payload of the last applied event. They are valid until the next Apply. ok
// is false if e is another event, or assigns no variables.
func (s *State) Fields(e *tracefmt.Event) (fields []Field, ok bool) {
	return s.read.allFields, s.read.kind == e.Kind && s.read.at == e.Seq && s.Seq == e.Seq
}

// KeepElections makes the state keep only the variables of elections: the elected, the role and the term. It
// saves time when many runs are counted. In an incomplete recording the state keeps all variables, since it must know
// which are recorded.
func (s *State) KeepElections() { s.elections, s.read.kind = s.coverage.Complete(), 0 }

// assign applies the term and the variables that an event assigns in process p. In an incomplete recording
// it also notes that assignments of each variable are recorded.
func (s *State) assign(p *Process, e *tracefmt.Event) {
	if e.Term != 0 {
		p.term, p.termAt = NumberedTerm(e.Term), e.Seq
	}
	for _, f := range s.keptAssignments(e) {
		s.assignElection(p, e, f.Name, f.Value)
		p.variables.set(f.Name, f.Value, &s.pool)
		if !s.coverage.Complete() {
			if assigned := p.note(f.Name, e.Seq); !assigned.shown {
				s.coverage.ShowVariable(f.Name)
				assigned.shown = true
			}
		}
	}
	s.placeInTerms(e.Process, e.Seq)
}

// keptAssignments returns the variables in the payload of an event that assigns some, without the variables that are
// not kept.
func (s *State) keptAssignments(e *tracefmt.Event) []Field {
	r := &s.read
	r.at = e.Seq
	if r.kind == e.Kind && bytes.Equal(r.payload, e.Payload) {
		return r.fields
	}
	r.kind, r.payload, r.fields = e.Kind, append(r.payload[:0], e.Payload...), r.fields[:0]
	r.allFields = r.allFields[:0]
	for name, value := range tracefmt.Fields(r.payload) {
		r.allFields = append(r.allFields, Field{name, value})
		if tracefmt.IsVariable(e.Kind, name, value) && (!s.elections || s.ofElections(name)) {
			r.fields = append(r.fields, Field{name, value})
		}
	}
	return r.fields
}

// ofElections reports whether the variable is the elected, the role or the term.
func (s *State) ofElections(name []byte) bool {
	return string(name) == electedVariable || string(name) == roleVariable || string(name) == s.term
}
