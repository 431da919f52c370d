package operation

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/replay"
	"etrace/tracefmt"
)

var linearizability = analyze.Property{
	Name:       "linearizability",
	Kind:       analyze.Safety,
	ViolatedBy: invokeFacts,
	ExcusedBy:  invokeFacts[:1],
	Triggers:   invokeFacts,
	About:      []string{tracefmt.KeyValue, tracefmt.Lock, tracefmt.Register},
	Doc: `Each operation of the clients appears to take effect at one instant between its invocation and its return.

The operations identify the objects, and each key is an object of its own: registers (read, write with value, cas with old and
new), key-value stores (get, put and append with value), locks (acquire, release). A return has in its payload an outcome and
possibly a value. It belongs to the invocation with the same op, if it has one, else to the last invocation of its process.

  ok       The operation took effect. A read or get without a value has an unknown result; a read of null found the
           register empty. A refused cas or acquire has the value false: it found another value, or the lock was
           taken; for a release, the lock was not held by the process.
  fail     The operation had no effect: the operation and its result are ignored.
  unknown  It takes effect at any later time, or never, like an operation without a return. The process may invoke
           the next one.

A register is empty at first, a key has the empty text, a lock is free. A held lock is granted to no process, and only its
holder releases it.

A history of reads and assignments (read, write, get, put) is decided by zones in one pass, however many operations overlap, if
no value is assigned again while an earlier assignment of it can still be read. The history of a lock is decided in one pass if
each process has at most one open operation. Any other history is searched, which takes exponential time in the worst case. The
search is undecided when it exceeds its number of steps (--max-steps), fills 256 MB, or when more than 32768 operations of an
object, or a million of all, overlap. A history begins anew whenever an operation that overlaps no other leaves a known state.

The witness ends with the first return after which no order explains all results. It also has the operations that the
returned operation contradicts, and the writes whose values these operations read. For a read of an old value, it has
the write of that value, and the write that the read should have returned. The witness alone is a violated history, and
becomes one at its last event. All its operations are necessary, except writes whose values another operation may have
read. Each object counts once. Values, keys and ids of operations are equal if they are equal numbers, with 1 equal to
"1", or equal JSON texts; the values of a key-value store are texts, with 1 as "1".

A return without an invocation shows that the history is incomplete: a violation is then unknown. Results of a Byzantine client
are ignored, and its operations may take effect at any time, or never.`,
	Needs: "invoke and return events of the operations " + strings.Join(slices.Sorted(maps.Keys(operationModels)), ", "),
	Source: "Herlihy, Wing, Linearizability: A Correctness Condition for Concurrent Objects, 1990; the " +
		"zones are those of Gibbons, Korach, Testing Shared Memories, 1997, the search is that of Lowe, Testing " +
		"for Linearizability, 2017, by way of porcupine",
	New: func(run *tracefmt.Run) analyze.Monitor { return newLinearizability(run) },
}

// newLinearizability returns the monitor before the first event.
func newLinearizability(run *tracefmt.Run) *linearizabilityMonitor {
	return &linearizabilityMonitor{
		run: run, byName: make(map[objectName]*history),
		open: make(map[operationKey]openOperation), gaps: newOperationGaps(run),
	}
}

// invokeFacts are the facts of operations.
var invokeFacts = analyze.Facts("invoke", "return")

// linearizabilityMonitor collects the operations of each object in a history, which judges them as soon as it can.
type linearizabilityMonitor struct {
	run       *tracefmt.Run
	histories []*history // by their first operations
	byName    map[objectName]*history
	open      map[operationKey]openOperation
	budget    searchBudget
	gaps      operationGaps
	// unknownObjects is the reason why the operations are not those of known objects.
	unknownObjects string
	recorded       bool
	// keyed is set if some operation has a key, unkeyed if an inferred one does not.
	keyed, unkeyed bool
	// partial is set if a return had no invocation although the run declares them complete: operations are missing.
	partial bool
	split   operationSplit
	places  map[tracefmt.Seq]int // see history
}

// operationKey identifies an open operation: by its id, else by its process.
type operationKey struct {
	process tracefmt.ProcessID
	id      string
}

// objectName identifies an object: by its sort and its key.
type objectName struct{ sort, key string }

// openOperation is an operation without a return so far, with the history of its object.
type openOperation struct {
	*operation
	history *history
}

// Step takes an invocation or a return. An operation of an unknown sort makes the property not applicable.
func (m *linearizabilityMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.recorded {
		m.budget = newSearchBudget(r.MaxSteps)
	}
	if m.split.owns != nil {
		m.stepPart(r, s, e)
		return
	}
	if !s.Coverage().Complete() {
		m.gaps.step(s, e)
	}
	switch {
	case m.unknownObjects != "": // undecided already
	case e.Kind == tracefmt.Invoke:
		m.recorded = true
		m.invoke(r, e)
	case e.Kind == tracefmt.Return:
		m.endOperation(r, s, e)
	}
}

// invoke adds an operation to the history of its object. An earlier open operation of the same process then never
// returns.
func (m *linearizabilityMonitor) invoke(r *analyze.Result, e *tracefmt.Event) {
	model, ok := operationModels[e.Type]
	if !ok {
		m.unknownObjects = strangeOperation(e)
		m.histories, m.byName, m.open = nil, nil, nil
		return
	}
	op := &operation{model: model, name: e.Type, process: e.Process, called: e.Seq}
	for _, need := range model.needs {
		value, ok := e.Field(need)
		if !ok {
			r.Undecided(func() string {
				return fmt.Sprintf("the %s at seq %d has no %s in its payload", e.Type, e.Seq, need)
			})
			return
		}
		*op.argument(need) = objects[model.object].exact(value)
	}
	if !memory.RoomFor(r, max(len(m.open), len(m.histories))+1, "operations and objects") {
		return
	}
	object, _ := e.Field("key")
	m.keyed = m.keyed || len(object) > 0
	h, key := m.history(model.object, object, e.Seq), keyOf(e)
	if before, ok := m.open[key]; ok {
		before.neverReturns(e.Seq, &m.budget)
		m.lackEnd(r, before, e.Seq)
	}
	m.open[key] = openOperation{op, h}
	h.invoke(op, &m.budget)
}

// strangeOperation explains that the operation is of no known object.
func strangeOperation(e *tracefmt.Event) string {
	return fmt.Sprintf("the operation %q, invoked at seq %d, is of no object that is known: expected %s",
		e.Type, e.Seq, strings.Join(slices.Sorted(maps.Keys(operationModels)), ", "))
}

// lackEnd records the needs for the end of an operation that is open until now.
func (m *linearizabilityMonitor) lackEnd(r *analyze.Result, op openOperation, now tracefmt.Seq) {
	switch lacks := op.returns(now); {
	case r.Sure(lacks):
	case op.model.mute():
		m.gaps.mute = append(m.gaps.mute, muteEnd{op.history, op.called, lacks})
	default:
		r.Lacks(lacks...)
	}
}

// returns returns the needs for the end of an operation that is open until now.
func (op openOperation) returns(now tracefmt.Seq) []analyze.Need {
	return analyze.Needs(op.process, op.called, now, invokeFacts[1])
}

// neverReturns ends an operation whose key a further invocation reuses. If it only looks, it is ignored.
func (op openOperation) neverReturns(now tracefmt.Seq, b *searchBudget) {
	if op.model.readsOnly {
		op.ended, op.failed = now, true
		op.history.endOperation(op.operation, b)
	}
}

// keyOf returns the key that pairs a return with its invocation.
func keyOf(e *tracefmt.Event) operationKey {
	if id, ok := e.Field("op"); ok {
		return operationKey{id: canonical(id)}
	}
	return operationKey{process: e.Process}
}

// history returns the history of an object, which it creates at its first operation.
func (m *linearizabilityMonitor) history(sort string, key []byte, at tracefmt.Seq) *history {
	name := objectName{sort, canonical(key)}
	if h := m.byName[name]; h != nil {
		return h
	}
	byProcess := objects[sort]
	h := &history{places: m.places, object: byProcess, name: "the " + sort, state: byProcess.initial, first: at}
	if len(key) > 0 {
		h.name = fmt.Sprintf("key %s of the %s", members.Short(key), sort)
	}
	m.byName[name] = h
	m.histories = append(m.histories, h)
	return h
}

// endOperation gives the operation its outcome and result, and passes it to its history.
func (m *linearizabilityMonitor) endOperation(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	key := keyOf(e)
	op, ok := m.open[key]
	if !ok && s.Coverage().DeclaredMissing(e.Process, invokeFacts[0], 0, e.Seq) {
		m.orphan(r, e)
		return
	}
	if !ok {
		m.partial = true
		r.Undecided(func() string { return noInvocation(e.Seq) },
			analyze.Needs(e.Process, 0, e.Seq, invokeFacts[0])...)
		return
	}
	if op.name != e.Type {
		r.Undecided(func() string {
			return fmt.Sprintf("the return at seq %d is of a %s, but a %s was invoked at seq %d", e.Seq, e.Type,
				op.name, op.called)
		}, analyze.Needs(e.Process, op.called, e.Seq, invokeFacts...)...)
		return
	}
	delete(m.open, key)
	switch outcome := m.outcomeOf(e); outcome {
	case "ok", "fail":
		r.Examined++
		// Only a result shows the state of the object.
		if outcome == "ok" && !op.model.mute() {
			op.history.lastValueShown, m.gaps.lastValueShown = e.Seq, e.Seq
		}
		op.ended, op.failed = e.Seq, outcome == "fail"
		result, _ := e.Field("value")
		op.result = op.history.exact(result)
		op.history.endOperation(op.operation, &m.budget)
	case "unknown":
		op.neverReturns(e.Seq, &m.budget)
	default:
		r.Undecided(func() string {
			return fmt.Sprintf("the return at seq %d has the outcome %q, expected ok, fail or unknown", e.Seq, outcome)
		})
	}
}

// noInvocation is the reason why a return leaves the property open.
func noInvocation(at tracefmt.Seq) string {
	return fmt.Sprintf("the return at seq %d has no invocation", at)
}

// orphan handles a return whose invocation need not be recorded. A return with outcome fail or unknown shows
// nothing.
func (m *linearizabilityMonitor) orphan(r *analyze.Result, e *tracefmt.Event) {
	lacks := analyze.Needs(e.Process, 0, e.Seq, invokeFacts[0])
	model, outcome := operationModels[e.Type], m.outcomeOf(e)
	switch {
	case model == nil:
		r.Lacks(lacks...)
	case outcome == "fail" || outcome == "unknown": // such an operation orders no other one
	case model.mute():
		if outcome == "ok" {
			m.gaps.mute = append(m.gaps.mute, muteEnd{nil, e.Seq, lacks})
		}
	// Of other objects than locks, the invocation has arguments that are not known.
	case outcome != "ok" || model.object != lockObject:
		r.Lacks(lacks...)
	default:
		r.Examined++
		m.assumeInvocation(e, model, lacks)
	}
}

// assumeInvocation treats the return of a lock operation as if it had been invoked right before. If an order explains
// that, it explains any earlier invocation.
func (m *linearizabilityMonitor) assumeInvocation(e *tracefmt.Event, model *operationModel, lacks []analyze.Need) {
	key, _ := e.Field("key")
	h := m.history(model.object, key, e.Seq)
	op := &operation{model: model, name: e.Type, process: e.Process, called: e.Seq}
	h.invoke(op, &m.budget)
	result, _ := e.Field("value")
	op.ended, op.result = e.Seq, h.exact(result)
	h.lastValueShown, m.gaps.lastValueShown = e.Seq, e.Seq
	h.endOperation(op, &m.budget)
	h.assumed = append(h.assumed, assumedOperation{e.Type, lacks[0]})
	m.unkeyed = m.unkeyed || len(key) == 0
}

// outcomeOf returns the outcome of a return: ok by default, and unknown for a Byzantine process.
func (m *linearizabilityMonitor) outcomeOf(e *tracefmt.Event) string {
	if m.run.Role(e.Process) == tracefmt.Byzantine {
		return "unknown"
	}
	outcome := "ok"
	if value, ok := e.Field("outcome"); ok && json.Unmarshal(value, &outcome) != nil {
		return string(value)
	}
	return outcome
}

// End judges the rest of all histories, unless no known operation was invoked.
func (m *linearizabilityMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case !m.recorded:
		r.NotApplicable(noOperation)
		return
	case m.unknownObjects != "":
		r.NotApplicable(m.unknownObjects)
		return
	}
	m.decide(r, s)
}

const noOperation = "no process invokes an operation"

// decide judges the rest of all histories.
func (m *linearizabilityMonitor) decide(r *analyze.Result, s *replay.State) {
	var wrong []*history
	for _, h := range m.histories {
		if len(h.order) > 0 {
			h.decide(&m.budget)
		}
		if h.wrong != nil && !m.partial {
			wrong = append(wrong, h)
		}
	}
	slices.SortFunc(wrong, func(x, y *history) int { return int(x.wrong.ended - y.wrong.ended) })
	for _, h := range wrong {
		r.Rank(h.wrong.ended)
		r.ViolateUnless(m.excuses(s, h), func() string { return h.explain(s) }, h.shownBy...)
	}
	for _, h := range m.histories {
		if r.Rank(h.first); h.reason != "" {
			r.Undecided(func() string { return fmt.Sprintf("the history of %s is not decided: %s", h.name, h.reason) })
		}
	}
}

// Relies implements [analyze.Relying]: an unrecorded operation matters only through its return.
func (m *linearizabilityMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	invoked := members.NeedsOfEach(members.All(s.Run), func(p tracefmt.ProcessID) []analyze.Need {
		if s.Coverage().Missing(p, invokeFacts[0], 0, 0) && s.Coverage().Missing(p, invokeFacts[1], 0, 0) {
			return analyze.Needs(p, 0, 0, invokeFacts...)
		}
		return nil
	})
	var needs []analyze.Need
	for _, op := range m.open {
		if !op.model.mute() || op.history.lastValueShown > op.called {
			needs = append(needs, op.returns(0)...)
		}
	}
	if m.keyed && m.unkeyed { // an operation without a key may be of any object
		for _, h := range m.histories {
			for _, op := range h.assumed {
				needs = append(needs, op.invoked)
			}
		}
	}
	return members.InTurn(invoked, slices.Values(append(needs, m.gaps.possibleEnd()...)))
}

// excuses returns the needs for an unrecorded operation that would explain the results. It must be invoked before
// they were known: an assignment leaves any value, and takes effect at any later time. A lock is released only by
// its holder.
func (m *linearizabilityMonitor) excuses(s *replay.State, h *history) []analyze.Need {
	var cause conflict
	if h.conflict != nil {
		cause = *h.conflict
	}
	needs := m.gaps.possibleInvocation(s, cause, h.wrong.ended)
	for _, op := range h.assumed {
		// An assumed operation explains the conflict if it may have begun before the wrong end, at a process that
		// could have made it.
		at := op.invoked.Process
		if op.invoked.To <= h.wrong.ended && cause.explainableBy(op.name) &&
			(cause.soleOwner == 0 || at == cause.soleOwner || at == h.wrong.process) {
			needs = append(needs, op.invoked)
		}
	}
	return needs
}

// explainableBy reports whether a further operation of that name may explain the conflict.
func (c *conflict) explainableBy(name string) bool {
	return c.unless == "" || name == "" || name == c.unless
}

// explain describes the operation whose end no order explains, and the contradiction.
func (h *history) explain(s *replay.State) string {
	op, actor := h.wrong, ""
	if h.inexact {
		actor = " at the latest"
	}
	text := fmt.Sprintf("no order of the operations on %s explains their results, from seq %d on%s: the %s of process %s, %s, %s",
		h.name, op.ended, actor, op.name, s.Run.ProcessName(op.process), op.begun(), op.outcome())
	// The contradiction within the witness is the simplest.
	judged := h
	if h.isolated != nil && (h.conflict == nil || !h.conflict.forgotten) {
		judged = h.isolated
	}
	if judged.conflict != nil {
		text += "; " + judged.conflict.explain(s, judged)
	}
	if h.unshrunk != "" {
		text += "; " + h.unshrunk
	}
	return text
}

// outcome describes how an operation ended.
func (op *operation) outcome() string {
	switch {
	case op.refused():
		return "is refused"
	case op.model.readsOnly && op.result != "":
		return "returns " + members.Short([]byte(op.result))
	}
	return "succeeds"
}
