package spec

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// maxVariables bounds the nesting of quantifiers: each multiplies the cost of an evaluation by the number of
// processes.
const maxVariables = 3

// frame is the environment of a compiled expression: the current event, the state after it, and the kept values of
// earlier events. Each monitor has one, so an evaluation allocates nothing.
type frame struct {
	*names
	state *replay.State
	event *tracefmt.Event // lent for the step
	words *replay.Sentences

	fields  []payloadField
	scanned bool // fields have the values of the current event
	// unfilled is the number of fields without a value.
	unfilled int
	inner    []byte // memory for parsing within a value
	// unseenFields are the fields that the rule demands of the run and that no event had so far.
	unseenFields []int
	// possibleTexts are the names that may be meant as texts, since no event had such a field so far.
	possibleTexts []meantText
	unseenTexts   []*unseenText
	fluents       []fluentState
	// variables are the processes that fluents and quantifiers range over.
	variables [maxVariables + 1]tracefmt.ProcessID
	// kept are the values of the other event of a pair.
	kept []value

	// folded numbers the pairs of values in long keys.
	folded map[key]int64

	// first is set at the first event that the rule examines.
	first bool
	// termInferred is set if the term of an event was taken from its process's variable, since the event has no term.
	termInferred bool

	// missingField is the last field that an expression read and the event lacks.
	missingField string
	// inexact is the last operation without an exact result.
	inexact *node
	// unorderedOperand is the operand of a comparison by order that was null.
	unorderedOperand *node
	// unsetVariables are the process variables of the rule that had no value so far.
	unsetVariables []string
	// former is the state before the current event; readingFormer is set while an expression reads it.
	former        *formerState
	readingFormer bool
	// evidence collects the reasons of a violation, nil otherwise.
	evidence *evidence
	// incomplete is set if the run does not declare a complete record of the rule's facts. dependencies collects the
	// needs of an evaluation, nil otherwise; spareDependencies is its memory.
	incomplete                      bool
	dependencies, spareDependencies *dependencies
	// untilNext is set while an evaluation is about the time up to the next event.
	untilNext   bool
	needsMemory []analyze.Need
	// hypothetical is set while the current event is an assumed, unrecorded one. Only its kind, process, peer and type
	// are known; with anyType, the type is not.
	hypothetical bool
	anyType      bool
}

// newFrame returns the environment of a program's expressions for a run. All memory is allocated here.
func newFrame(run *tracefmt.Run, p *program) *frame {
	f := &frame{
		names: newNames(run), words: replay.NewSentences(run), unsetVariables: slices.Clone(p.variables),
		incomplete: !run.RecordsAll(), unseenFields: slices.Clone(p.demanded), possibleTexts: slices.Clone(p.texts),
	}
	if p.readsFormer {
		f.former = newFormer(run, p)
	}
	for _, c := range p.constants {
		f.unseenTexts = append(f.unseenTexts, &unseenText{constant: c})
	}
	for _, path := range p.fields {
		f.fields = append(f.fields, fieldOf(path, run))
	}
	for _, def := range p.fluents {
		n := len(run.Members) + 1
		fluent := fluentState{def: def, since: make([]tracefmt.Seq, n), ended: make([]tracefmt.Seq, n), held: make([]bool, n)}
		if def.key != "" {
			fluent.keyed = &keyedTurns{turns: make([]map[value]*keyedTurn, n)}
		}
		if p.readsFormer {
			fluent.changedAt, fluent.heldBefore = make([]tracefmt.Seq, n), make([]bool, n)
		}
		f.fluents = append(f.fluents, fluent)
	}
	return f
}

// partial reports whether some fact of the rule may be unrecorded: the run declares it so, or an event was
// inferred. Other incompleteness costs nothing.
func (f *frame) partial() bool {
	return f.incomplete || f.state != nil && f.state.Coverage().Gapped()
}

// begin makes the next event the current one.
func (f *frame) begin(s *replay.State, e *tracefmt.Event) {
	f.first = f.state == nil
	f.updateFormer(s, e)
	f.state, f.event, f.missingField, f.inexact, f.unorderedOperand, f.scanned = s, e, "", nil, nil, false
	if len(f.unseenFields) > 0 {
		f.unseenFields = slices.DeleteFunc(f.unseenFields, f.hasField)
		f.missingField = "" // the rule itself has not read the field
	}
	if len(f.possibleTexts) > 0 {
		f.possibleTexts = slices.DeleteFunc(f.possibleTexts, func(t meantText) bool { return f.hasField(t.field) })
		f.missingField = ""
	}
	if len(f.unseenTexts) > 0 {
		f.findConstants()
	}
	for i := range f.fluents {
		f.fluents[i].step(f, f.first)
	}
}

// hasField reports whether the current event has the field i. For the term, a column or variable counts as well.
func (f *frame) hasField(i int) bool {
	if f.fields[i].term {
		leant := f.termInferred
		shown := f.term(i).sort != absent
		f.termInferred = leant // the rule itself has not read the term
		return shown
	}
	return f.raw(i) != nil
}

// field returns a field of the payload, or of the log that the event was imported from. One search of the payload
// finds all fields.
func (f *frame) field(i int) value {
	if f.hypothetical {
		return value{}
	}
	raw := f.raw(i)
	if raw == nil {
		f.readAbsent(i)
		f.missingField = f.fields[i].name
		return value{}
	}
	if field := &f.fields[i]; !field.read {
		field.read = true
		if !field.value.isText(raw) {
			field.value = f.parse(raw)
		}
	}
	return f.fields[i].value
}

// isText reports whether a JSON value is the text v. It returns false for a text with a backslash, which JSON may
// write in several ways.
func (v value) isText(raw []byte) bool {
	last := len(raw) - 1
	return v.sort == textual && last > 0 && raw[0] == '"' && string(raw[1:last]) == v.s &&
		strings.IndexByte(v.s, '\\') < 0
}

// raw returns the JSON of a field, nil if the current event lacks it.
func (f *frame) raw(i int) []byte {
	if !f.scanned {
		f.scan()
	}
	return f.fields[i].raw
}

// scan parses the payload of the current event once for all fields that the rule reads. Fields of the payload come
// first, then those of the imported log line.
func (f *frame) scan() {
	f.scanned, f.unfilled = true, len(f.fields)
	for i := range f.fields {
		f.fields[i].raw = nil
	}
	var log []byte
	if fields, ok := f.state.Fields(f.event); ok {
		for i := 0; i < len(fields) && f.unfilled > 0; i++ {
			f.storeField(fields[i].Name, fields[i].Value)
			if string(fields[i].Name) == tracefmt.LogKey {
				log = fields[i].Value
			}
		}
	} else {
		log = f.storeFields(f.event.Payload, tracefmt.LogKey)
	}
	if log != nil && f.unfilled > 0 {
		f.storeFields(f.storeFields(log, tracefmt.LogFieldsKey), "")
	}
}

// storeFields takes the fields of an object, and returns the nested object under a key, nil without one.
func (f *frame) storeFields(object []byte, key string) (under []byte) {
	for name, raw := range tracefmt.Fields(object) {
		if string(name) == key {
			under = raw
		}
		if f.storeField(name, raw); f.unfilled == 0 {
			return nil // no field lacks a value any more
		}
	}
	return under
}

// storeField stores a key and value of the payload in those fields of the rule that still lack a value.
func (f *frame) storeField(name, raw []byte) {
	for i := range f.fields {
		if f.fields[i].take(name, raw, f.event.Seq) {
			f.unfilled--
		}
	}
}

// column is a column of the view events.
type column struct {
	name string
	typ  typ
	need func(tracefmt.KindInfo) tracefmt.Need // nil: every kind has it
	get  func(*frame) value
	// hypothetical is set if a hypothetical event has the column, too.
	hypothetical bool
}

// eval returns the column's value, absent if the event lacks it.
func (c *column) eval(f *frame) value {
	if f.hypothetical && (!c.hypothetical || f.anyType && c.name == "type") {
		return value{}
	}
	v := c.get(f)
	if v.sort == absent {
		f.missingField = c.name
	}
	return v
}

// orAbsent returns the number n, absent for 0.
func orAbsent(n int64) value {
	if n == 0 {
		return value{}
	}
	return number(n)
}

// columns are the fields that every event has by its kind. The field need of a column decides which kinds have it.
var columns = []column{
	{"seq", typNumber, nil, func(f *frame) value { return number(int64(f.event.Seq)) }, false},
	{"time", typNumber, nil, func(f *frame) value { return number(int64(f.event.Time)) }, false},
	{"process", typAny, processNeed, func(f *frame) value { return processValue(f.event.Process) }, true},
	{"kind", typText, nil, func(f *frame) value { return value{sort: textual, s: f.event.Kind.String()} }, true},
	{"type", typText, typeNeed, func(f *frame) value { return value{sort: textual, s: f.event.Type} }, true},
	{"peer", typAny, peerNeed, func(f *frame) value { return processValue(f.event.Peer) }, true},
	{"message", typNumber, messageNeed, func(f *frame) value { return orAbsent(int64(f.event.Message)) }, false},
	{"cause", typNumber, causeNeed, func(f *frame) value { return orAbsent(int64(f.event.Cause)) }, false},
	{"lamport", typNumber, nil, func(f *frame) value { return number(f.event.Lamport) }, false},
}

// columnNear suggests a column that begins like the name of a missing field.
func columnNear(name string) string {
	var alike []string
	for _, c := range columns {
		if name != "" && c.name[0] == name[0] {
			alike = append(alike, c.name)
		}
	}
	return suggestion(name, alike)
}

// processNeed and the next functions return whether events of a kind have the column.
func processNeed(k tracefmt.KindInfo) tracefmt.Need { return k.Process }
func typeNeed(k tracefmt.KindInfo) tracefmt.Need    { return k.Type }
func peerNeed(k tracefmt.KindInfo) tracefmt.Need    { return k.Peer }
func messageNeed(k tracefmt.KindInfo) tracefmt.Need { return k.Message }
func causeNeed(k tracefmt.KindInfo) tracefmt.Need   { return k.Cause }

// termField is the name of the term in rules, for any name that the problem gives it.
const termField = "term"

// term returns the event's column, else the field of the payload that is the term of the problem, else the variable
// of the process.
func (f *frame) term(i int) value {
	if f.hypothetical {
		return value{}
	}
	if f.event.Term != 0 {
		return number(f.event.Term)
	}
	raw := f.raw(i)
	if raw == nil && f.event.Process != 0 {
		f.readAbsent(i)
		f.termInferred = true
		f.readVariable(f.event.Process, f.fields[i].name, true)
		raw, _ = f.state.Variable(f.event.Process, f.fields[i].name)
	}
	if raw == nil {
		f.missingField = f.fields[i].name
		return value{}
	}
	return f.parse(raw)
}

// variable returns the value of a variable of a process.
func (f *frame) variable(p tracefmt.ProcessID, name string) value {
	v := value{}
	if f.readsFormer(p) {
		v = f.former.variable(f, name)
	} else {
		v = f.variableNow(p, name)
	}
	f.readVariable(p, name, v.sort != null)
	return v
}

// variableNow returns the recorded value after the current event.
func (f *frame) variableNow(p tracefmt.ProcessID, name string) value {
	raw, ok := f.state.Variable(p, name)
	if !ok {
		return value{sort: null}
	}
	return f.parse(raw)
}

// elected returns the process that p has elected.
func (f *frame) elected(p tracefmt.ProcessID) value {
	core := f.coreState(p)
	f.readVariable(p, electedVariable, core.elected != 0)
	f.evidence.addEvent(core.electedAt)
	switch core.elected {
	case replay.Nobody:
		return f.variable(p, electedVariable)
	case 0:
		return value{sort: null}
	}
	return processValue(core.elected)
}

// electedNow returns the recorded choice of p after the current event.
func (f *frame) electedNow(p tracefmt.ProcessID) value {
	switch q := f.state.Process(p).Elected; q {
	case replay.Nobody:
		return f.variableNow(p, electedVariable)
	case 0:
		return value{sort: null}
	default:
		return processValue(q)
	}
}

// live reports whether p is up, and adds the crash or halt to the evidence if it is down.
func (f *frame) live(p tracefmt.ProcessID) bool {
	core := f.coreState(p)
	f.readStatus(p, core.live)
	if !core.live {
		f.evidence.addEvent(core.since)
	}
	return core.live
}

// isStepWhileDown reports whether the current event is a step of p, which went down and has no recorded restart. Only
// its steps show that it is up.
func (f *frame) isStepWhileDown(p tracefmt.ProcessID) bool {
	down := f.state.Process(p).Down
	switch {
	case p != f.event.Process:
		return false
	case down == 0:
		if f.dependencies != nil { // an unrecorded crash may precede the step
			f.dependencies.add(p, 0, f.event.Seq, crashFact, haltFact)
		}
		return false
	}
	f.evidence.addEvent(down)
	if f.dependencies != nil {
		f.dependencies.add(p, down, f.changeLimit(), startFact, recoverFact)
	}
	return true
}

// leads reports whether p leads; see [replay.State.Leads].
func (f *frame) leads(p tracefmt.ProcessID) bool {
	leads := f.coreState(p).leads
	f.readLeads(p, leads)
	return leads
}

// termOf returns the term of a process, null if the process has recorded none.
func (f *frame) termOf(p tracefmt.ProcessID) value {
	f.readTerm(p)
	return f.parse(f.coreState(p).term.JSON())
}
