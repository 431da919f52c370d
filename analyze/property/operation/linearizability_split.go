package operation

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/sealed"
)

// Linearizability is local (Herlihy, Wing, section 3.2): a history is linearizable if the history of each object
// is. So objects are examined separately. The object of a return is that of its invocation.

// operationSplit divides the examination of operations.
type operationSplit struct {
	// open has, in a survey, the operations without a return.
	open   map[operationKey]surveyedOperation
	hashes []uint64
	known  knownOperations
	news   bool                   // see News
	owns   func(hash uint64) bool // nil if the whole run is examined
}

// surveyedOperation is an open operation of a survey.
type surveyedOperation struct {
	hash uint64 // the hash of its object
	name string
}

// knownOperations is the result of a survey of a whole run.
type knownOperations struct {
	Recorded bool `json:"recorded"`
	// Strange is the reason why the operations are not those of known objects.
	Strange string `json:"strange,omitempty"`
	// Orphan is the first return without an invocation, 0 for none.
	Orphan tracefmt.Seq `json:"orphan,omitempty"`
}

// Split implements [analyze.Splitting].
func (m *linearizabilityMonitor) Split() analyze.Split {
	split := analyze.Split{Key: "object", Rests: invokeFacts, Complete: true, Ordered: true}
	for _, f := range invokeFacts {
		split.Kinds = append(split.Kinds, f.Kind)
	}
	return split
}

// Survey implements [analyze.Splitting]. An invocation also belongs to the object of an operation whose return it
// excludes.
func (m *linearizabilityMonitor) Survey(_ *replay.State, e *tracefmt.Event) []uint64 {
	p := &m.split
	p.hashes, p.news = p.hashes[:0], false
	switch {
	case p.known.Strange != "":
	case e.Kind == tracefmt.Invoke:
		p.invoke(e)
	case e.Kind == tracefmt.Return:
		p.end(e)
	}
	return p.hashes
}

// invoke records the object of an invocation, and an object whose open operation can no longer return.
func (p *operationSplit) invoke(e *tracefmt.Event) {
	p.known.Recorded = true
	hash, ok := objectHash(e)
	if !ok {
		p.known.Strange, p.news = strangeOperation(e), true
		return
	}
	p.hashes = append(p.hashes, hash)
	if !complete(e) {
		return
	}
	key := keyOf(e)
	if before, open := p.open[key]; open && before.hash != hash {
		p.hashes = append(p.hashes, before.hash)
	}
	if p.open == nil {
		p.open = make(map[operationKey]surveyedOperation)
	}
	p.open[key] = surveyedOperation{hash, e.Type}
}

// end records the object of a return.
func (p *operationSplit) end(e *tracefmt.Event) {
	key := keyOf(e)
	switch op, open := p.open[key]; {
	case open:
		p.hashes = append(p.hashes, op.hash)
		if op.name == e.Type {
			delete(p.open, key)
		}
	case p.known.Orphan == 0:
		p.known.Orphan = e.Seq
	}
}

// complete reports whether an invocation has all fields that its operation needs.
func complete(e *tracefmt.Event) bool {
	for _, need := range operationModels[e.Type].needs {
		if _, recorded := e.Field(need); !recorded {
			return false
		}
	}
	return true
}

// objectHash returns the hash of an invocation's object, the same on every machine; false for an unknown
// operation.
func objectHash(e *tracefmt.Event) (uint64, bool) {
	model, ok := operationModels[e.Type]
	if !ok {
		return 0, false
	}
	object, _ := e.Field("key")
	hash := fnv.New64a()
	hash.Write([]byte(model.object + "\x00" + canonical(object)))
	return analyze.Spread(hash.Sum64()), true
}

// Surveyed implements [analyze.Splitting].
func (m *linearizabilityMonitor) Surveyed(*replay.State) json.RawMessage {
	text, err := json.Marshal(m.split.known)
	if err != nil {
		panic(err) // these are numbers and texts
	}
	return text
}

// News implements [analyze.Splitting]: from the first operation of an unknown object on, no part examines anything.
func (m *linearizabilityMonitor) News() bool { return m.split.news }

// Own implements [analyze.Splitting].
func (m *linearizabilityMonitor) Own(owns func(hash uint64) bool) { m.split.owns = owns }

// stepPart takes an event if it belongs to an object of the part.
func (m *linearizabilityMonitor) stepPart(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p := &m.split
	before, open := m.open[keyOf(e)]
	switch {
	case p.known.Strange != "":
	case e.Kind == tracefmt.Invoke:
		hash, known := objectHash(e)
		switch {
		case !known:
			p.known.Strange = strangeOperation(e)
		case p.owns(hash):
			m.recorded = true
			m.invoke(r, e)
		case open && complete(e): // its process does not return from the open operation, which is of this part
			before.neverReturns(e.Seq, &m.budget)
			delete(m.open, keyOf(e))
		}
	case e.Kind == tracefmt.Return && open:
		m.endOperation(r, s, e)
	}
}

// Part implements [analyze.Splitting].
func (m *linearizabilityMonitor) Part(
	r *analyze.Result, s *replay.State, _ analyze.Overall, surveyed json.RawMessage,
) error {
	if err := m.split.loadSurvey(surveyed); err != nil || m.split.known.Strange != "" {
		return err
	}
	if m.split.known.Orphan != 0 {
		m.partial = true
		r.UndecidedAt(m.split.known.Orphan, noInvocation(m.split.known.Orphan))
	}
	m.decide(r, s)
	return nil
}

// Join implements [analyze.Splitting].
func (m *linearizabilityMonitor) Join(
	surveyed json.RawMessage, r *analyze.Result, _ analyze.Ending, _ analyze.Late,
) error {
	err := m.split.loadSurvey(surveyed)
	switch {
	case !m.split.known.Recorded:
		r.NotApplicable(noOperation)
	case m.split.known.Strange != "":
		r.NotApplicable(m.split.known.Strange)
	}
	return err
}

// loadSurvey stores the result of a survey. It fails if the data is malformed.
func (p *operationSplit) loadSurvey(surveyed json.RawMessage) error {
	p.known = knownOperations{}
	if err := sealed.Unmarshal(surveyed, &p.known); err != nil {
		return fmt.Errorf("what was surveyed of the operations: %w", err)
	}
	return nil
}
