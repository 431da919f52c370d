package interop

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// Builder makes a run of a foreign log. Its reader adds entries in the order of the file. Adding never fails:
// [Import] returns the first error. At the end of the file, the Builder
//
//   - numbers the processes, in the ascending order of their names;
//   - joins receives to sends, and entries to their causes;
//   - puts the events into an order in which causes come first, otherwise that of the file, and computes the Lamport clocks;
//   - keeps a receive without a send if the sender is known, and declares that not all of its sends are recorded;
//   - makes a note of any other receive without a send;
//   - keeps a send without a receive as a send;
//   - declares the completeness of the run, see [Builder.Completeness].
//
// The report lists its decisions. Until the end of the file it keeps up to [Settings.Memory] of the run in memory,
// and the rest on disk. Vector clocks, and causes that entries name, stay in memory.
type Builder struct {
	*RunReport
	// FirstSeen numbers the processes by their first entries, for logs in which
	// the order of names means nothing.
	FirstSeen bool
	// ByTime orders what causality leaves open by time, not by place in the
	// file. Within a process the order stays that of the entries.
	ByTime bool
	// MayBeBlocks: the file may have the logs of several processes one after another. If its
	// times contradict the order of its lines between processes, as [tracefmt.Disorder] defines,
	// the logs are merged like several files: ByTime holds, and FirstSeen has no effect.
	MayBeBlocks bool
	// Collected: a collector has merged the lines of several programs, which have clocks of their own.
	Collected bool
	// SkipRepeats leaves out and counts an entry with the same time and words
	// as the previous entry of its process.
	SkipRepeats bool
	// End is how the run ended, stopped by default.
	End tracefmt.End
	// Completeness is the reader's knowledge of the log's completeness. By default the kinds and variables in
	// the entries are complete; other kinds and variables, and processes without an entry, are unrecorded.
	// Known losses make a kind partial: missing halves of messages, and news in clocks that no receive
	// explains. A reader that declares all sends of a process complete is believed: then no process has sent a
	// message that arrives without a send. See [Builder.Gap].
	Completeness *tracefmt.Completeness

	r         *Reading
	run       tracefmt.Run
	hosts     []*host                 // pointers, since a list of structs would move when it grows
	acting    tracefmt.ProcessID      // the number of hosts that have entries
	hostIndex map[string]hostID       // by name
	aliases   map[string]string       // other names of processes
	events    *spill.List[event]      // in the order of adding
	order     *spill.List[eventID]    // causes first
	words     *spill.Texts            // the texts of the entries
	kinds     map[tracefmt.Kind]int64 // entries of each kind that are not inferred
	variables map[string]bool         // the variables that entries assign
	ends      int                     // the number of sends, receives and losses
	numbered  bool                    // some entry has an own clock
	inferred  bool                    // some entry is inferred
	keys      map[string]eventID
	after     []cause   // in the order of adding
	memory    []entry   // holds all vector clocks, see clockOf
	ids       []eventID // holds all lists of causes, see causes
	values    map[hostField]lastValue
	repeats   int                               // the number of entries left out by SkipRepeats
	timed     bool                              // some entry has a time
	untimed   bool                              // some entry has none
	blocks    bool                              // the file has logs one after another
	latest    tracefmt.Time                     // the time of the previous entry
	days      tracefmt.Time                     // the midnights passed in the present file, see timeOfDay
	dated     []daysOf                          // the files whose times have no date
	missing   map[tracefmt.Fact]map[hostID]bool // known missing events at a process; noHost is every process
	// resolution is the greatest power of ten, up to a second, that divides all times. back is the greatest
	// step back of a process in time. contradiction is the greatest time by which a message arrives before it
	// was sent.
	resolution, back, contradiction tracefmt.Time
	sections                        map[sectionOf]eventID      // critical sections that a process is in, with its last note
	unplaced                        int                        // the number of lines, see Unplaced
	lines                           tracefmt.Disorder[int32]   // the times of lines
	lists                           map[string]bool            // lists of members, the names joined by zero bytes
	namedValues                     map[string]map[string]bool // by variable that names processes, its values
	holes                           []hole
	openHoles                       map[hostID]int // by process, the index in holes of the hole at its end
	reported                        []reported
	buf                             []byte
	preview                         *preview     // nil for none
	matched                         *Matches     // what tasks have paired; nil if nothing
	shares                          []*openShare // by number: they have the texts of events; nil without shares
}

// Build begins a run. The description may name members, in their order; further processes in the entries
// follow. Source and tool may be absent. So may the time unit, which follows from whether entries have times.
func (r *Reading) Build(run tracefmt.Run) *Builder {
	if len(r.builders) >= MaxRuns {
		// After a failure Add ignores entries: the last run replaces all further runs.
		r.fail(r.Errorf(0, "the file has more than %d runs, the most that are read from one; split it", MaxRuns))
		return r.builders[len(r.builders)-1]
	}
	if len(run.Members) > maxHosts {
		r.fail(r.tooManyProcesses())
		run.Members = nil
	}
	run.Source = cmp.Or(run.Source, r.report.Format)
	run.Tool = cmp.Or(run.Tool, r.settings.Tool)
	b := &Builder{
		RunReport: r.report.run(run.Name), End: tracefmt.Stopped, r: r, run: run,
		events: spill.NewList[event](r.store), order: spill.NewList[eventID](r.store), words: spill.NewTexts(r.store),
		hostIndex: make(map[string]hostID), keys: make(map[string]eventID), values: make(map[hostField]lastValue),
		kinds: make(map[tracefmt.Kind]int64), variables: make(map[string]bool), resolution: tracefmt.Time(time.Second),
	}
	r.builders = append(r.builders, b)
	if r.settings.Preview != nil {
		b.preview = &preview{builder: b, begin: r.settings.Preview}
	}
	return b
}

// tooManyProcesses returns the error for a log with more than maxHosts processes.
func (r *Reading) tooManyProcesses() error {
	return r.Errorf(0, "the log names more than %d processes, the most that are read from one", maxHosts)
}

// Add adds an entry. Nothing of it is kept that the caller may change.
func (b *Builder) Add(e Entry) {
	if b.r.err != nil {
		return
	}
	if err := b.add(&e); err != nil {
		b.r.fail(b.r.Errorf(e.Line, "%w", err))
	}
}

// Member adds a process of that name, even if it has no entry.
func (b *Builder) Member(name string) {
	if b.r.err == nil && name != "" {
		b.hosts[b.intern(name)].member = true
	}
}

// Role declares the role of a process, such as coordinator. The first role counts; another one is remarked upon.
func (b *Builder) Role(process, role string) {
	if b.r.err != nil || process == "" || role == "" {
		return
	}
	switch h := b.hosts[b.intern(process)]; h.role {
	case "":
		h.role = role
	case role:
	default:
		b.Note("%s has the role %s, and %s in a later line: the first counts", text.Printable(process), text.Quote(h.role), text.Quote(role))
	}
}

// Knows reports whether lines or entries so far name a process so.
func (b *Builder) Knows(name string) bool {
	id, ok := b.hostIndex[b.Called(name)]
	return ok && (b.hosts[id].member || b.hosts[id].read)
}

// NamesOthers reports whether lines name a process that has no line of its own.
func (b *Builder) NamesOthers() bool {
	return slices.ContainsFunc(b.hosts, func(h *host) bool { return h.member && !h.acts })
}

// Falls reports whether a field of the process is a number that is less than what Change last saw there.
func (b *Builder) Falls(process string, f Field) bool {
	was, old := tracefmt.NumberOf(string(b.valueOf(b.intern(process), f.Key)))
	now, number := tracefmt.NumberOf(string(f.Value))
	return old && number && now.Compare(was) < 0
}

// Change adds a state event, unless each of its fields has the value that Change last saw at the process. A
// start, crash or recovery of the process makes all fields new, and so does a new term: who votes for the same
// candidate in the next term votes anew. An event keeps the fields that do not change: if a line repeats the
// term in which its process leads, this holds even if the process has restarted unrecorded.
func (b *Builder) Change(e Entry) {
	e.Kind = tracefmt.State
	id := b.intern(e.Process)
	term := tracefmt.TermVariable(b.run.Problem)
	for _, f := range e.Fields {
		old := b.valueOf(id, f.Key)
		if f.Key == term && old != nil && !bytes.Equal(old, f.Value) {
			b.hosts[id].renewed++
		}
	}
	changes := false
	for _, f := range e.Fields {
		old := b.valueOf(id, f.Key)
		if old == nil || !bytes.Equal(old, f.Value) {
			changes = true
			b.values[hostField{id, f.Key}] = lastValue{append([]byte{}, f.Value...), b.hosts[id].renewed}
		}
	}
	if changes {
		b.Add(e)
	}
}

// hostField is the key of Builder.values: a field of a process.
type hostField struct {
	host  hostID
	field string
}

// lastValue is the value that Change last saw in a field. It is valid until the variables of the process become
// unknown, by a start, crash or recovery.
type lastValue struct {
	text    []byte
	renewed int32 // the value of host.renewed at that time
}

// valueOf returns the value that Change last saw, nil if the field is new.
func (b *Builder) valueOf(id hostID, field string) []byte {
	if v, ok := b.values[hostField{id, field}]; ok && v.renewed == b.hosts[id].renewed {
		return v.text
	}
	return nil
}

// add turns an entry into an event, and keeps it with its words. It fails if no event of its kind can have its
// attributes, or if its clock or time is invalid.
func (b *Builder) add(e *Entry) error {
	if err := b.checkEntry(e); err != nil {
		return err
	}
	ev := event{
		kind: e.Kind, host: noHost, peer: noHost, line: int32(e.Line), tick: e.Own, term: e.Term, inferred: e.Inferred,
		previous: noEvent, partner: noEvent, first: noEvent,
	}
	if e.Process != "" {
		ev.host = b.intern(e.Process)
		if err := b.readClock(&ev, e.Clock); err != nil {
			return err
		}
	}
	if err := b.setTime(&ev, e.Time); err != nil {
		return err
	}
	if b.SkipRepeats && b.repeatsPrevious(&ev, e) {
		b.repeats++
		return nil
	}
	id := eventID(b.events.Len())
	b.setRank(&ev, e)
	b.followSection(id, ev.host, e)
	if e.Peer != "" {
		ev.peer = b.intern(e.Peer)
		b.hosts[ev.peer].member = true
	}
	b.registerKeys(id, e)
	b.registerFacts(&ev, e)
	w := newWords(e)
	ev.words = b.storeWords(&w)
	if ev.kind == tracefmt.Send || ev.isEnd() {
		b.ends++
		ev.named = w.message != ""
		if ev.named {
			ev.name = b.digestOf(w.message)
		} else {
			ev.name = b.digestOf(w.typ, w.content, w.match)
		}
	}
	b.events.Add(ev)
	b.preview.update()
	return nil
}

// checkEntry returns an error if no event of the kind can have the entry's attributes.
func (b *Builder) checkEntry(e *Entry) error {
	need := e.Kind.Info().Process
	switch {
	case !e.Kind.Valid():
		return fmt.Errorf("%v is not an event kind", e.Kind)
	case need == tracefmt.Required && e.Process == "":
		return fmt.Errorf("a %s event needs a process", e.Kind)
	case need == tracefmt.Absent && e.Process != "":
		return fmt.Errorf("a %s event has no process", e.Kind)
	case e.Process == "" && len(e.Clock) > 0:
		return fmt.Errorf("a clock needs a process")
	case e.Own < 0:
		return fmt.Errorf("the own clock is %d, expected 1 or more", e.Own)
	// The bounds keep memory within that of an import.
	case len(e.Fields)+len(e.Extra) > maxFields:
		return fmt.Errorf("the entry has more than %d fields, the most that are read of one", maxFields)
	case b.events.Len() == maxEvents:
		return fmt.Errorf("the run has more than %d events, the most that this format reads", maxEvents)
	case len(b.memory)+len(e.Clock)+len(b.after)+len(e.After) > maxCauses:
		return fmt.Errorf("the clocks and causes of the run have more than %d entries, the most that are kept", maxCauses)
	}
	return b.r.interrupted()
}

// setRank sets the life and the rank of the event. Its life is the number of starts and recoveries of its process so
// far. Its rank is its own clock or, without one, the rank of the previous event of its process.
func (b *Builder) setRank(ev *event, e *Entry) {
	if ev.host == noHost {
		return
	}
	h := b.hosts[ev.host]
	h.addFile(len(b.r.read))
	if h.process == 0 {
		b.acting++
		h.member, h.acts, h.process = true, true, b.acting
	}
	switch ev.kind {
	case tracefmt.Start, tracefmt.Recover:
		h.life++
		h.renewed++
	case tracefmt.Crash:
		h.renewed++
	}
	ev.life = h.life
	ev.rank = ev.tick
	if ev.rank == 0 {
		ev.rank = h.last.rank
	}
	b.numbered = b.numbered || ev.tick > 0
	h.last = entryBefore{ev.kind, ev.time, ev.tick, ev.rank}
	if b.SkipRepeats {
		h.text = e.Text
	}
}

// repeatsPrevious reports whether the entry equals the previous entry of its process in kind, time, clock and text.
func (b *Builder) repeatsPrevious(ev *event, e *Entry) bool {
	if ev.host == noHost {
		return false
	}
	h := b.hosts[ev.host]
	return h.last.kind == ev.kind && h.last.time == ev.time && h.last.tick == ev.tick && h.text == e.Text && e.Text != ""
}

// registerFacts registers that the kind and the variables of the entry are recorded.
func (b *Builder) registerFacts(ev *event, e *Entry) {
	b.inferred = b.inferred || ev.inferred
	if !ev.inferred {
		b.kinds[ev.kind]++
	}
	if !ev.kind.AssignsVariables() {
		return
	}
	for _, f := range e.Fields {
		name := string(tracefmt.ListName([]byte(f.Key)))
		b.registerName(f)
		if f.Key == "role" && ev.host != noHost && slices.Contains(leading, nameInValue(f.Value)) {
			b.hosts[ev.host].leads = true
		}
		if !isReserved(f) && !b.variables[name] && len(b.variables) <= maxVariables {
			b.variables[name] = true
		}
	}
}

// noProcess lists the values that mean no process in a variable that names a process.
var noProcess = []string{"", "null", "none", "nil", "nobody", "0", "-1", "-", "n/a", "unknown", "false", "?"}

// leading are the roles of a leader.
var leading = []string{"leader", "LEADING", "primary", "master"}

// registerName registers the value of a variable as the name of a process, if the variable names processes.
func (b *Builder) registerName(f Field) {
	if !slices.Contains(processVariables[:], f.Key) {
		return
	}
	name := nameInValue(f.Value)
	if slices.Contains(noProcess, strings.ToLower(name)) || len(b.namedValues[f.Key]) >= maxApart {
		return
	}
	if b.namedValues == nil {
		b.namedValues = map[string]map[string]bool{}
	}
	if b.namedValues[f.Key] == nil {
		b.namedValues[f.Key] = make(map[string]bool)
	}
	b.namedValues[f.Key][name] = true
}

// newWords returns the texts of an entry.
func newWords(e *Entry) words {
	fields, taken := splitReserved(e.Fields)
	if e.Inferred {
		fields = append(slices.Clip(fields), JSON(tracefmt.InferredKey, []byte("true")))
	}
	extra := e.Extra
	if len(taken) > 0 {
		extra = slices.Concat(extra, taken)
	}
	return words{
		text: e.Text, typ: strings.ToValidUTF8(e.Type, "\uFFFD"), label: strings.ToValidUTF8(e.Label, "\uFFFD"),
		message: e.Message, content: e.Content, match: e.Match, fields: appendFields(nil, fields), extra: appendFields(nil, extra),
	}
}

// intern returns the host with the name or alias, and adds it if it is new.
func (b *Builder) intern(name string) hostID {
	name = b.Called(name)
	id, ok := b.hostIndex[name]
	if !ok {
		valid := strings.ToValidUTF8(name, "\uFFFD")
		if valid != name {
			return b.intern(valid)
		}
		if len(b.hosts) == maxHosts {
			// After a failure Add ignores entries: the first process replaces all further processes.
			b.r.fail(b.r.tooManyProcesses())
			return 0
		}
		id = hostID(len(b.hosts))
		b.hosts = append(b.hosts, &host{name: name})
		b.hostIndex[name] = id
	}
	return id
}

// nameOf names an event in messages by its host and its own clock, such as n1:7.
func (b *Builder) nameOf(id eventID) string {
	e := b.at(id)
	switch {
	case e.host == noHost:
		return e.kind.String()
	case e.tick == 0:
		return b.hosts[e.host].name
	}
	return fmt.Sprintf("%s:%d", b.hosts[e.host].name, e.tick)
}

// complete finds all that needs the whole file: it pairs messages, finds causes, sorts the events, and checks the
// rules of clocks. The order of the steps matters, since each one uses what the earlier ones have found. It fails if
// the causes form a cycle.
func (b *Builder) complete() error {
	b.mergeAliases()
	b.addNamed()
	b.alignDays()
	b.fillTimes()
	b.mergeBlocks()
	b.resolveKeys()
	if b.matched == nil {
		b.pairByName()
	} else if err := b.joinMatched(); err != nil {
		return err
	}
	b.linkToPrevious()
	if err := b.sortByOwnClock(); err != nil {
		return err
	}
	b.findCandidates()
	if err := b.sortByCausality(); err != nil {
		return err
	}
	b.findParents()
	b.checkRules()
	b.pairByClock()
	b.noteHalves()
	b.noteTimes()
	if b.repeats > 0 {
		b.Note("%s the one before, left out", text.Counted(b.repeats, "entry repeats", "entries repeat"))
	}
	return b.r.interrupted()
}

// cause is a key that an entry names as one of its causes.
type cause struct {
	event eventID
	key   string
}

// registerKeys registers the key of the entry, and the keys of its causes for resolveKeys.
func (b *Builder) registerKeys(id eventID, e *Entry) {
	for _, key := range e.After {
		b.after = append(b.after, cause{id, key})
	}
	if e.Key == "" {
		return
	}
	if _, twice := b.keys[e.Key]; twice {
		b.Find("unique-keys", e.Line, "another entry has the key %s, the first counts", text.Quote(e.Key))
		return
	}
	b.keys[e.Key] = id
}

// resolveKeys replaces the keys of causes by events, and notes the keys that no entry has.
func (b *Builder) resolveKeys() {
	missing := linesOf{}
	for i := 0; i < len(b.after); {
		event := b.after[i].event
		e := b.edit(event)
		for e.links = b.emptyList(); i < len(b.after) && b.after[i].event == event; i++ {
			cause, ok := b.keys[b.after[i].key]
			switch {
			case !ok:
				missing.add(e.line)
			case cause != event && !slices.Contains(b.causes(e.links), cause):
				b.addTo(&e.links, cause)
			}
		}
	}
	b.noteLines(missing, "cause is not in the file", "causes are not in the file")
}

// linesOf counts lines, and keeps the numbers of the first maxListed of them.
type linesOf struct {
	count int
	first []int
}

// add counts a line.
func (l *linesOf) add(line int32) {
	l.count++
	if len(l.first) < maxListed {
		l.first = append(l.first, int(line))
	}
}

// noteLines adds a note with the number of lines and the first of them.
func (b *Builder) noteLines(l linesOf, singular, many string) {
	if l.count > 0 {
		b.Note("%s (%s)", text.Counted(l.count, singular, many), b.r.listLines(l.first, l.count))
	}
}
