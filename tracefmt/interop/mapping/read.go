package mapping

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// Read reads a log by the mapping.
func (m *Map) Read(r *interop.Reading) error {
	l := &log{
		Map: m, reading: r, unused: newUnused(m), rec: m.newRecord(), explain: explainer{r.Explain(), r},
	}
	heads := r.FirstBytes()
	m.layers.Prepare(heads)
	l.findClusters(heads)
	if err := l.begin(""); err != nil {
		return err
	}
	l.doubt()
	l.divide(l.arrange())
	for more := true; more; more = r.Next() {
		if err := l.readFile(); err != nil {
			return err
		}
	}
	if err := l.endFall(); err != nil {
		return err
	}
	if err := l.close(); err != nil {
		return err
	}
	if r.Sharing() {
		return l.writeAccount()
	}
	if l.tried.events == 0 {
		return l.nothing()
	}
	l.unused.report(r, l.rec.had)
	if l.omissions > 0 {
		r.Caution(fmt.Sprintf("lines are left out of the log at %s, the first at %s",
			text.Counted(l.omissions, "place", "places"), l.omission), "what happened there is unknown")
	}
	l.noteSkips()
	l.noteTimes()
	l.doubtCopies()
	return nil
}

// readFile reads the present file, or takes it in as another task has read it.
func (l *log) readFile() error {
	r := l.reading
	if shared, ok := r.Shared(); ok {
		return l.absorb(shared)
	}
	if !r.Own() {
		return nil
	}
	defer r.FileEnded()
	if err := l.beginFile(); err != nil {
		return err
	}
	for understood := range l.cut(r, l.rec) {
		l.unused.see(l.rec.text)
		if l.tried.lines++; !understood {
			l.tried.formless++
		}
		if err := l.take(understood); err != nil {
			return err
		}
	}
	if l.failed != nil {
		return l.failed
	}
	// Files that are read side by side share their executions; otherwise each file ends its own.
	if !l.inTurn {
		if err := l.endFall(); err != nil {
			return err
		}
	}
	return l.endFile()
}

// log is the state of reading a log.
type log struct {
	*Map
	*course // the one at hand
	reading *interop.Reading
	name    string // the name of the file
	rec     *record
	headed  []field // fields of the last heading, by group
	explain explainer
	// unused finds the parts of the mapping that no line has used.
	unused *unused
	tried  tried
	// timeless are the first lines with an event but no time, if other lines have a time. timelessCount counts them.
	timeless      []string
	timelessCount int
	timed         bool
	pasts         map[string]*past // by name of the process
	fall          *fall            // open, nil for none
	splits        bool             // a line that splits executions occurred
	resuming      bool             // the record at hand has waited
	inTurn        bool             // each of the files has lines of several processes, which are the same
	apart         bool             // each file is an execution of its own
	omissions     int              // marks that lines are left out
	omission      string           // the place of the first
	numbers       map[string]int64 // the last of a process, if lines are numbered
	skipped       int              // places where these skip
	skipPlace     string           // the first
	ids           map[idOf]ownID
	contents      []contents           // the contents of the files so far
	latest        map[string]time.Time // by process, of events

	// If a value separates runs, execution is the name of the execution. courses are its runs in order, named are the
	// runs by name, and shared are the lines of all runs.
	runs         *template
	clusters     clusters // nil unless they separate runs
	several      bool     // a process has lines of several runs
	unnamed      bool     // the current record belongs to all runs of its process
	execution    string
	courses      []*course
	named        map[string]*course
	shared       []*common
	layoutsKnown int             // the layouts of times by the first lines of the files, for a share
	wrote        map[string]life // by process its last line, whatever its run
	writtenAt    time.Time       // the record at hand
	again        bool            // the record at hand was taken into another run before
}

// take processes the current record.
func (l *log) take(understood bool) error {
	rec := l.rec
	if l.split != nil && l.split.capture(rec.text, rec) {
		name := ""
		if slot, ok := l.slots.index["trace"]; ok && rec.fields[slot].has {
			name = rec.fields[slot].text
		}
		l.splits = true
		l.explain.line(rec, "begins an execution")
		return l.begin(name)
	}
	if l.heads() {
		l.explain.line(rec, "a heading")
		return nil
	}
	rec.set(l.textSlot, rec.text)
	rec.set(l.lineSlot, lineNumber(rec.line))
	l.ofFile(l.name)
	if understood {
		l.cutRecord()
	}
	l.seeLine()
	if l.runs != nil {
		return l.toRuns(understood)
	}
	return l.await(understood)
}

// understand finds the events of the current record, and adds them to the current run.
func (l *log) understand(understood bool) error {
	rec := l.rec
	if !understood {
		switch {
		case l.misses("", true) || l.omits(""):
			l.explain.line(rec, "lines are missing here")
			return nil
		case l.among(l.ignore, true):
			l.explain.line(rec, "ignored")
			return nil
		case l.restarts():
			return nil
		}
		l.builder.NotUnderstood(l.processOf(nil)) // the file or the envelope may name it
		l.skip("not understood: it is not of the form ", l.form.name)
		return nil
	}
	if err := l.learn(); err != nil {
		return err
	}
	if l.awaitsClocks() {
		return nil
	}
	process := l.processOf(nil)
	rec.set(l.processSlot, process)
	l.recall(process)
	l.skips(process)
	for names := range l.memberLists() {
		l.builder.Named(names)
	}
	for _, t := range l.otherMembers {
		if name, ok := t.text(rec); ok {
			l.builder.Member(l.builder.Called(name))
		}
	}
	// A line may report missing lines and be an event as well: the gap comes before the event.
	gap := l.misses(process, false)
	if i := l.rule(); i >= 0 {
		if l.awaitsTerms(&l.rules[i]) {
			return nil
		}
		l.explain.line(rec, "by the rule at ", l.rules[i].place)
		l.unused.took[i] = true
		l.saw(i)
		if l.unnamed && l.several && l.rules[i].ofOneRun() {
			l.unplace(&l.rules[i], l.course)
			l.forget()
			l.remember(process)
			return nil
		}
		return l.follow(&l.rules[i])
	}
	if err := l.pass(); err != nil {
		return err
	}
	switch {
	case gap || l.omits(process):
		l.explain.line(rec, "lines are missing here")
		return nil
	case l.ignores():
		l.explain.line(rec, "ignored")
		return nil
	case l.restarts():
		return nil
	}
	l.tried.fail(l.Map, rec)
	l.builder.NotUnderstood(process)
	l.skip("not understood: no rule takes it")
	return nil
}

// skip leaves out the current record.
func (l *log) skip(verdict ...string) {
	l.explain.line(l.rec, verdict...)
	l.saw(-1)
	if !l.again {
		l.builder.Skip(l.rec.line, l.rec.text)
	}
}

// saw reports the rule of the current record to watch, or -1.
func (l *log) saw(rule int) {
	if l.watch != nil {
		l.watch(l.rec.text, rule)
	}
}

// heads reports whether the current record is a heading, and stores its fields. Any other record gets the fields of
// the heading before it.
func (l *log) heads() bool {
	if l.heading == nil {
		return false
	}
	matched := l.heading.capture(l.rec.text, l.rec)
	if matched {
		l.headed = make([]field, len(l.heading.groups))
	}
	for i, slot := range l.heading.groups {
		switch {
		case slot < 0: // a group that no rule reads
		case matched:
			l.headed[i] = l.rec.fields[slot]
		case l.headed != nil && !l.rec.fields[slot].has:
			l.rec.fields[slot] = l.headed[i]
		}
	}
	return matched
}

// learn notes other names of the process of the current record.
func (l *log) learn() error {
	if len(l.aliases) == 0 {
		return nil
	}
	process := l.processOf(nil)
	for i, t := range l.aliases {
		translated, ok := t.text(l.rec)
		if !ok {
			continue
		}
		if err := l.identify(idOf{process, i}, translated); err != nil {
			return err
		}
		if l.builder.Alias(process, translated, l.rec.line) {
			l.explain.alias(l.rec, process, translated)
		}
	}
	return nil
}

// misses notes that lines of the process are missing, if the current record satisfies one of the mapping's conditions
// for gaps.
func (l *log) misses(process string, formless bool) bool {
	matched := l.hasGap(formless)
	if matched {
		l.gap(process, 0)
	}
	return matched
}

// gap notes that lines of the process are missing here; "" means all processes. Values that earlier lines set may
// have changed there.
func (l *log) gap(process string, lines int64) {
	l.builder.Gap(process, lines)
	if process == "" {
		clear(l.carried)
	}
	delete(l.carried, process)
	l.forget()
}

// omits notes that lines of the process are missing, if the current record marks omitted lines.
func (l *log) omits(process string) bool {
	matched := l.marksOmission()
	if matched {
		if l.lives[process] == nil { // no process has written the mark
			process = ""
		}
		l.gap(process, 0)
		if l.omissions++; l.omissions == 1 {
			l.omission = l.reading.Place(l.rec.line)
		}
	}
	return matched
}

// among reports whether the record satisfies one of the lists of conditions. If the record does not have the form of
// the lines, only conditions on its text are used.
func (l *log) among(lines [][]condition, formless bool) bool {
	for _, conditions := range lines {
		ofText := slices.ContainsFunc(conditions, func(c condition) bool { return c.slot == l.textSlot })
		if (ofText || !formless) && hold(conditions, l.rec) {
			return true
		}
	}
	return false
}

// pass handles a record that makes no event: it keeps the process and the time for later records.
func (l *log) pass() error {
	process := l.processOf(nil)
	if l.remember(process); process == "" {
		return nil
	}
	at, err := l.timeOf()
	l.builder.Look(process, at, l.rec.line)
	if l.lives[process] == nil {
		return nil // the process has no event yet, so an unreadable time does no harm
	}
	l.seen(process, l.rec.line, at)
	return err
}

// timeOf returns the time of the current record, or the zero time.
func (l *log) timeOf() (at time.Time, err error) {
	if l.time == nil {
		return at, nil
	}
	at, err = l.time.at(l.rec)
	if err != nil {
		return at, l.reading.Errorf(l.rec.line, "%w", err)
	}
	return at, nil
}

// follow adds the events of a rule.
func (l *log) follow(r *rule) error {
	if err := l.learn(); err != nil { // the rule may have cut out more
		return err
	}
	e := interop.Entry{Line: l.rec.line, Text: l.rec.text, Process: l.processOf(r)}
	l.rec.set(l.processSlot, e.Process)
	if l.forget(); slices.ContainsFunc(r.events, func(h happening) bool { return h.kind == tracefmt.Start }) {
		delete(l.carried, e.Process)
	}
	l.remember(e.Process)
	l.recall(e.Process)
	var err error
	e.Time, err = l.timeOf()
	if err != nil {
		return err
	}
	l.noticeTime(e.Process, e.Time)
	l.builder.Look(e.Process, e.Time, e.Line)
	e.Peer = l.word("process", r.peer)
	if role, ok := r.role.text(l.rec); ok {
		l.builder.Role(e.Process, role)
	}
	e.Message, _ = r.message.text(l.rec)
	e.Content, _ = r.content.text(l.rec)
	e.Key, _ = r.key.text(l.rec)
	for _, t := range r.after {
		if key, ok := t.text(l.rec); ok {
			e.After = append(e.After, key)
		}
	}
	e.Term, err = l.number(r.term, "term")
	if err != nil {
		return err
	}
	e.Own, err = l.number(r.ownID, "own number")
	if err != nil {
		return err
	}
	e.Clock, err = l.clockOf()
	if err != nil {
		return err
	}
	for _, h := range r.inOrder(e.Clock != nil) {
		l.happen(r, &h, e)
		e.Clock = nil
	}
	return nil
}

// inOrder returns the events of the rule. If the line has a vector clock, the event that gets the clock comes first:
// the send or receive, which needs it. The others then stay next to it.
func (r *rule) inOrder(clocked bool) []happening {
	first := slices.IndexFunc(r.events, func(h happening) bool { return h.kind.Info().Message == tracefmt.Required })
	if !clocked || first < 1 {
		return r.events
	}
	return slices.Concat(r.events[first:first+1], r.events[:first], r.events[first+1:])
}

// clockOf returns the vector clock of the current record, or nil.
func (l *log) clockOf() (ticks []interop.Tick, err error) {
	value, ok := l.clock.text(l.rec)
	if !ok {
		return nil, nil
	}
	for name, count := range tracefmt.Fields([]byte(value)) {
		n, err := strconv.ParseInt(string(count), 10, 64)
		if err != nil {
			return nil, l.reading.Errorf(l.rec.line, "the entry %.40s of the clock is no whole number", count)
		}
		ticks = append(ticks, interop.Tick{Process: l.builder.Called(string(name)), Count: n})
	}
	if ticks == nil {
		return nil, l.reading.Errorf(l.rec.line, "the clock %.40s, expected an object of numbers by process", value)
	}
	return ticks, nil
}

// happen adds one event to the run.
func (l *log) happen(r *rule, h *happening, e interop.Entry) {
	info := h.kind.Info()
	e.Kind = h.kind
	if info.Process == tracefmt.Absent {
		e.Process = ""
	}
	e.Type = l.word("type", h.typ)
	if info.Peer == tracefmt.Absent {
		e.Peer = ""
	}
	if info.Message == tracefmt.Absent {
		e.Message, e.Content = "", ""
	}
	assignments := h.fields
	if !h.kind.AssignsVariables() {
		assignments = r.fields
	}
	e.Fields = l.payload(assignments)
	if l.rec.line == l.reading.Cut() && l.doubtful(&e) {
		l.skip("left out: the line has no end, and a part of it may be missing")
		l.builder.Note("%s has no end, and what it says fits none of the lines before: it is left out as cut off", l.reading.Place(l.rec.line))
		return
	}
	switch {
	case info.Process == tracefmt.Required && e.Process == "":
		l.tried.processless++
		l.builder.Find("process", e.Line, "the line names no process: %s", l.lacking(r.process, l.process))
		l.builder.Unplaced("", h.facts(e.Fields)...)
	case info.Peer == tracefmt.Required && e.Peer == "" && (h.kind != tracefmt.Send || e.Message == ""): // the receiver names the sender
		l.builder.Find("peer", e.Line, "the line names no %s: %s", info.PeerRole, l.lacking(r.peer))
		l.builder.Unplaced(e.Process, h.facts(e.Fields)...)
	case info.Type == tracefmt.Required && e.Type == "":
		l.builder.Find("type", e.Line, "the line has no type of %s: %s", h.kind, l.lacking(h.typ))
		l.builder.Unplaced(e.Process, h.facts(e.Fields)...)
	case h.kind == tracefmt.State:
		if len(e.Fields) > 0 {
			l.live(&e)
			l.explain.entry(&e)
			l.tried.events++
			l.builder.Change(e)
		}
	default:
		l.live(&e)
		l.explain.entry(&e)
		l.tried.events++
		l.builder.Add(e)
	}
}

// doubtful reports whether an entry may be wrong because its line was cut off at the end of the file. Then it names a
// process that no other line names, or a smaller number than before.
func (l *log) doubtful(e *interop.Entry) bool {
	l.reading.AtOnce("the last line of %s has no end; other files show whether the line is whole", l.reading.Name())
	if e.Peer != "" && !l.builder.Knows(e.Peer) {
		return l.tried.events > 0
	}
	return slices.ContainsFunc(e.Fields, func(f interop.Field) bool {
		named := f.Key == "elected" || f.Key == "votedFor"
		return named && !l.builder.Knows(interop.TextOf(f.Value)) || !named && l.builder.Falls(e.Process, f)
	})
}

// facts returns the facts that the event records.
func (h *happening) facts(fields []interop.Field) (facts []tracefmt.Fact) {
	if h.kind.AssignsVariables() {
		for _, f := range fields {
			facts = append(facts, tracefmt.StateOf(tracefmt.ListName(f.Key)))
		}
	}
	if h.kind != tracefmt.State {
		facts = append(facts, tracefmt.Fact{Kind: h.kind})
	}
	return facts
}

// lacking describes the field that the line lacks.
func (l *log) lacking(templates ...*template) string {
	for _, t := range templates {
		if t == nil {
			continue
		}
		if name := t.lacks(l.rec, l.slots); name != "" {
			return "it has no field " + name
		}
		return "the field is empty"
	}
	return "the mapping says none"
}

// processOf returns the process of the current record, or "".
func (l *log) processOf(r *rule) string {
	if r != nil && r.process != nil {
		return l.builder.Called(l.word("process", r.process))
	}
	name := l.word("process", l.process)
	if p := l.pasts[name]; p != nil && p.number > 1 {
		name += "~" + strconv.Itoa(p.number)
	}
	return l.builder.Called(name)
}

// word returns the value of a template. If the mapping has a table of words for the variable, it returns the
// replacement.
func (l *log) word(variable string, t *template) string {
	text, _ := t.text(l.rec)
	if translated, ok := l.values[variable][text]; ok {
		return translated
	}
	return text
}

// payload returns the fields that the record has values for.
func (l *log) payload(assignments []assignment) (fields []interop.Field) {
	for _, a := range assignments {
		value, ok := a.value.json(l.rec)
		name, named := a.called(l.rec)
		if !ok || !named {
			continue
		}
		if words := l.values[a.name]; words != nil {
			if translated, ok := words[interop.TextOf(value)]; ok {
				value = jsonOf(translated)
			}
		}
		fields = append(fields, interop.JSON(name, value))
	}
	return fields
}

// number returns the value of a template as a number, or 0.
func (l *log) number(t *template, label string) (int64, error) {
	text, ok := t.text(l.rec)
	if !ok || text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, l.reading.Errorf(l.rec.line, "the %s %q, expected a whole number", label, text)
	}
	return n, nil
}

// remember stores the fields whose values hold for later lines of the process.
func (l *log) remember(process string) {
	if len(l.carry) == 0 || process == "" {
		return
	}
	kept := l.carried[process]
	if kept == nil {
		kept = make([]field, len(l.carry))
		l.carried[process] = kept
	}
	for i, slot := range l.carry {
		if l.rec.fields[slot].has {
			kept[i] = l.rec.fields[slot]
			kept[i].recalled = false
		}
	}
}

// recall sets the fields of the record whose values earlier lines of the process had.
func (l *log) recall(process string) {
	for i, f := range l.carried[process] {
		if slot := l.carry[i]; !l.rec.fields[slot].has {
			l.rec.fields[slot] = f
			l.rec.fields[slot].recalled = f.has
		}
	}
}

// forget removes these values from the record.
func (l *log) forget() {
	for _, slot := range l.carry {
		if f := &l.rec.fields[slot]; f.recalled {
			*f = field{}
		}
	}
}
