package spec

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// mostVariables is how deep quantifiers nest: each multiplies the cost of an
// evaluation by the number of processes.
const mostVariables = 3

// frame is what a compiled expression works on: the event at hand, the state
// after it, and what was kept of earlier events. There is one for each monitor,
// so that an evaluation allocates nothing.
type frame struct {
	*names
	state *replay.State
	event *tracefmt.Event // lent for the step
	words *replay.Sentences

	fields  []payloadField
	scanned bool   // fields are those of the event at hand
	wanted  int    // how many of them have no value yet
	inner   []byte // memory for what is within a value
	// unseen are the fields that a run must have for the rule to apply,
	// and that no event has had so far.
	unseen []int
	// untold are the names that may be meant as texts, since no event has had
	// such a field so far.
	untold  []meantText
	fluents []fluentState
	// variables are the processes that fluents and quantifiers refer to.
	variables [mostVariables + 1]tracefmt.ProcessID
	// kept are values of the other event of a pair.
	kept []value

	// folded numbers the pairs of values in long keys.
	folded map[key]int64

	// first: the event at hand is the first that was looked at.
	first bool
	// leant: the term of some event was what its process had told before.
	leant bool

	// missing is the last field that an expression asked for in vain.
	missing string
	// refused is the last computation that had no exact result.
	refused *node
	// unordered is what a comparison by order had that was null.
	unordered *node
	// unheld are the variables of processes that were not seen with a value.
	unheld []string
	// former is the state before the event at hand, and past says that it is
	// asked for.
	former *former
	past   bool
	// evidence is where a violation is being explained, else nil.
	evidence *evidence
	// leavesOut: the run does not say that it tells all of what the rule is about. reading is where what an evaluation
	// rests on is collected, else nil, and spare its memory.
	leavesOut      bool
	reading, spare *reading
	// ahead: what may have happened before the next event is asked for, too. unsure is
	// memory.
	ahead  bool
	unsure []analyze.Need
	// supposed: the event at hand is one that may have happened without being recorded, of
	// which only the kind, the process, the peer and the type are known, unless these are
	// anyone's.
	supposed bool
	anyType  bool
}

func newFrame(run *tracefmt.Run, p *program) *frame {
	f := &frame{names: newNames(run), words: replay.NewSentences(run), unheld: slices.Clone(p.held),
		leavesOut: !run.RecordsAll(), unseen: slices.Clone(p.asked), untold: slices.Clone(p.texts)}
	if p.before {
		f.former = newFormer(run, p)
	}
	for _, path := range p.fields {
		f.fields = append(f.fields, fieldOf(path, run))
	}
	for _, def := range p.fluents {
		fluent := fluentState{def: def, since: make([]tracefmt.Seq, len(run.Members)+1), ended: make([]tracefmt.Seq, len(run.Members)+1)}
		if p.before {
			fluent.changed, fluent.before = make([]tracefmt.Seq, len(run.Members)+1), make([]bool, len(run.Members)+1)
		}
		f.fluents = append(f.fluents, fluent)
	}
	return f
}

// partial reports whether something that the rule is about may have happened and is not
// recorded: the run says so, or an event was inferred. All else that is missing costs nothing.
func (f *frame) partial() bool {
	return f.leavesOut || f.state != nil && f.state.Coverage().Gapped()
}

// begin takes in the next event.
func (f *frame) begin(s *replay.State, e *tracefmt.Event) {
	f.first = f.state == nil
	f.follow(s, e)
	f.state, f.event, f.missing, f.refused, f.unordered, f.scanned = s, e, "", nil, nil, false
	if len(f.unseen) > 0 {
		f.unseen = slices.DeleteFunc(f.unseen, f.shows)
		f.missing = "" // the rule has not asked yet
	}
	if len(f.untold) > 0 {
		f.untold = slices.DeleteFunc(f.untold, func(t meantText) bool { return f.shows(t.field) })
		f.missing = ""
	}
	for i := range f.fluents {
		f.fluents[i].step(f, f.first)
	}
}

// shows reports whether the event at hand has a field, or tells the term.
func (f *frame) shows(i int) bool {
	if f.fields[i].term {
		leant := f.leant
		told := f.term(i).sort != absent
		f.leant = leant // no key is asked for
		return told
	}
	return f.raw(i) != nil
}

// field returns a field of the payload, or of what the log says that the event
// was imported from. The payload is searched once for all of them.
func (f *frame) field(i int) value {
	if f.supposed {
		return value{}
	}
	raw := f.raw(i)
	if raw == nil {
		f.readAbsent(i)
		f.missing = f.fields[i].name
		return value{}
	}
	if of := &f.fields[i]; !of.read {
		of.read = true
		if !of.value.isText(raw) {
			of.value = f.parse(raw)
		}
	}
	return f.fields[i].value
}

// isText reports whether a JSON value is the text that the value is. A text with a backslash may be
// written otherwise.
func (v value) isText(raw []byte) bool {
	last := len(raw) - 1
	return v.sort == textual && last > 0 && raw[0] == '"' && string(raw[1:last]) == v.s && strings.IndexByte(v.s, '\\') < 0
}

// raw is the text of a field, nil if the event at hand does not have it.
func (f *frame) raw(i int) []byte {
	if !f.scanned {
		f.scan()
	}
	return f.fields[i].raw
}

func (f *frame) scan() {
	f.scanned, f.wanted = true, len(f.fields)
	for i := range f.fields {
		f.fields[i].raw = nil
	}
	var log []byte
	if all, ok := f.state.Fields(f.event); ok {
		for i := 0; i < len(all) && f.wanted > 0; i++ {
			f.take(all[i].Name, all[i].Value)
			if string(all[i].Name) == tracefmt.LogKey {
				log = all[i].Value
			}
		}
	} else {
		log = f.takeAll(f.event.Payload, tracefmt.LogKey)
	}
	if log != nil && f.wanted > 0 {
		f.takeAll(f.takeAll(log, tracefmt.LogFieldsKey), "")
	}
}

// takeAll takes the fields of an object, and returns the object that it has under a key, if there is one.
func (f *frame) takeAll(object []byte, key string) (under []byte) {
	for name, raw := range tracefmt.Fields(object) {
		if string(name) == key {
			under = raw
		}
		if f.take(name, raw); f.wanted == 0 {
			return nil // what else there is gives none a value
		}
	}
	return under
}

// take gives the fields that have no value yet that of a field of the payload.
func (f *frame) take(name, raw []byte) {
	for i := range f.fields {
		if f.fields[i].take(name, raw, f.event.Seq) {
			f.wanted--
		}
	}
}

// column is a column of the view events.
type column struct {
	name string
	typ  typ
	need func(tracefmt.KindInfo) tracefmt.Need // nil: every kind has it
	get  func(*frame) value
	// supposed: it is known of an event that is only supposed.
	supposed bool
}

// eval is the column as an expression, which may ask for it in vain.
func (c *column) eval(f *frame) value {
	if f.supposed && (!c.supposed || f.anyType && c.name == "type") {
		return value{}
	}
	v := c.get(f)
	if v.sort == absent {
		f.missing = c.name
	}
	return v
}

func orAbsent(n int64) value {
	if n == 0 {
		return value{}
	}
	return number(n)
}

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

// columnNear asks whether a column is meant by the name of a field that no
// event has: one that begins alike.
func columnNear(name string) string {
	var alike []string
	for _, c := range columns {
		if name != "" && c.name[0] == name[0] {
			alike = append(alike, c.name)
		}
	}
	return nearest(name, alike)
}

func processNeed(k tracefmt.KindInfo) tracefmt.Need { return k.Process }
func typeNeed(k tracefmt.KindInfo) tracefmt.Need    { return k.Type }
func peerNeed(k tracefmt.KindInfo) tracefmt.Need    { return k.Peer }
func messageNeed(k tracefmt.KindInfo) tracefmt.Need { return k.Message }
func causeNeed(k tracefmt.KindInfo) tracefmt.Need   { return k.Cause }

// termField is the name of the term in rules, whatever it is called in the problem.
const termField = "term"

// term is the event's column, else the field of the payload that is the term of the problem,
// else the variable of the process.
func (f *frame) term(i int) value {
	if f.supposed {
		return value{}
	}
	if f.event.Term != 0 {
		return number(f.event.Term)
	}
	raw := f.raw(i)
	if raw == nil && f.event.Process != 0 {
		f.readAbsent(i)
		f.leant = true
		f.readVariable(f.event.Process, f.fields[i].name, true)
		raw, _ = f.state.Variable(f.event.Process, f.fields[i].name)
	}
	if raw == nil {
		f.missing = f.fields[i].name
		return value{}
	}
	return f.parse(raw)
}

// variable is the value of a variable of a process.
func (f *frame) variable(p tracefmt.ProcessID, name string) value {
	v := value{}
	if f.wasOther(p) {
		v = f.former.variable(f, name)
	} else {
		v = f.variableNow(p, name)
	}
	f.readVariable(p, name, v.sort != null)
	return v
}

// variableNow is the value that it has after the event at hand, as far as is recorded.
func (f *frame) variableNow(p tracefmt.ProcessID, name string) value {
	raw, ok := f.state.Variable(p, name)
	if !ok {
		return value{sort: null}
	}
	return f.parse(raw)
}

// elected is whom a process has elected.
func (f *frame) elected(p tracefmt.ProcessID) value {
	now := f.stance(p)
	f.readVariable(p, electedVariable, now.elected != 0)
	f.evidence.see(now.electedAt)
	switch now.elected {
	case replay.Nobody:
		return f.variable(p, electedVariable)
	case 0:
		return value{sort: null}
	}
	return processValue(now.elected)
}

// electedNow is whom it has elected after the event at hand, as far as is recorded.
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

func (f *frame) live(p tracefmt.ProcessID) bool {
	now := f.stance(p)
	f.readStatus(p, now.live)
	if !now.live {
		f.evidence.see(now.since)
	}
	return now.live
}

// stepsDown reports whether the event at hand is a step of p, which was down and of
// which the trace has no restart: then it is its steps alone that say that it is up.
func (f *frame) stepsDown(p tracefmt.ProcessID) bool {
	down := f.state.Process(p).Down
	switch {
	case p != f.event.Process:
		return false
	case down == 0:
		if f.reading != nil { // it may have gone down before, and gone on all the same
			f.reading.add(p, 0, f.event.Seq, crashFact, haltFact)
		}
		return false
	}
	f.evidence.see(down)
	if f.reading != nil {
		f.reading.add(p, down, f.until(), startFact, recoverFact)
	}
	return true
}

func (f *frame) leads(p tracefmt.ProcessID) bool {
	leads := f.stance(p).leads
	f.readLeads(p, leads)
	return leads
}

// termOf is the term of a process, null if it has told none.
func (f *frame) termOf(p tracefmt.ProcessID) value {
	f.readTerm(p)
	return f.parse(f.stance(p).term.JSON())
}
