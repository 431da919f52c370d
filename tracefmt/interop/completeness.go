package interop

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// A Builder declares the completeness of its run in three steps, and each step overrides those before it.
//
// First, kinds and variables that occur in the entries are complete, since a log has what its program logs. Other
// kinds and variables are unrecorded. A process without an entry is unrecorded.
//
// Then the declarations of the reader and the user apply.
//
// At last the evidence of the file lowers the level:
//
//   - If one end of a message is missing, the process of the missing end records such events in part.
//   - If a clock has news that no receive explains, both processes record messages in part.
//   - If a line was recognised and could not be placed, its process records its events in part, see [Builder.Unplaced].
//   - If the own clock of a process leaves out values, the process has a gap there.
//   - If the log names a member, but no line of it was read, nothing is recorded of the member.

const (
	// maxVariables bounds the variables that a declaration names; if there are more, all are complete.
	maxVariables = 512
	// maxApart bounds the processes with their own declaration, and the gaps.
	maxApart = 1024
	// maxKeys bounds the keys in the declarations of all processes together.
	maxKeys = 32 * maxApart
)

// Unplaced records a line that was recognised but could not be placed: its process, "" for an unknown one, and
// its facts.
func (b *Builder) Unplaced(process string, facts ...tracefmt.Fact) {
	b.InPart(process, facts...)
	b.unplaced++
}

// InPart lowers the completeness of facts of a process, "" for every one: some of them are not recorded.
func (b *Builder) InPart(process string, facts ...tracefmt.Fact) {
	host := noHost
	if process != "" {
		host = b.intern(process)
	}
	for _, f := range facts {
		b.addMissing(host, f)
	}
}

// NotUnderstood counts a line of the process that was read and not understood. If no line of the process makes an
// event, the process is a member all the same, unless its name shows that it takes no part.
func (b *Builder) NotUnderstood(process string) {
	if b.r.err == nil && process != "" {
		h := b.hosts[b.intern(process)]
		h.addFile(len(b.r.read))
		h.unclear++
	}
}

// notUnderstood counts the lines of the members that have lines, but no event.
func (b *Builder) notUnderstood() map[string]int64 {
	lines := make(map[string]int64)
	for _, m := range b.run.Members {
		id, ok := b.hostIndex[m.Name]
		if !ok || len(lines) >= maxApart {
			continue
		}
		if h := b.hosts[id]; !h.acts && h.unclear > 0 {
			lines[m.Name] = h.unclear
		}
	}
	return lines
}

// Look records that a line of the process was read, also a line without an entry, and its time; the zero time
// means no time.
func (b *Builder) Look(process string, at time.Time, line int) {
	if b.r.err != nil || process == "" {
		return
	}
	id := b.intern(process)
	b.hosts[id].addFile(len(b.r.read))
	if at.IsZero() || !b.MayBeBlocks {
		return
	}
	t, err := b.timeOf(at)
	if err != nil {
		return
	}
	b.latest = t
	if !b.r.Joined() {
		b.lines.Add(tracefmt.ProcessID(id), t, int32(line))
	}
	h := b.hosts[id]
	h.end = max(h.end, t)
	if !h.looked {
		h.end, h.looked = t, true
	}
}

// suspected returns the ends of logs that may be cut: no evidence shows that the process began or ended there.
// A log that begins with a start, or the log of a client's operations, begins with its process. A log that
// ends as late as the others is not cut at its end.
func (b *Builder) suspected() (merged []tracefmt.Gap) {
	if !b.MayBeBlocks {
		return nil
	}
	first, last := make(map[hostID]eventID), make(map[hostID]eventID)
	begins := make(map[hostID]bool) // the log begins with the process: with a start, or with an operation of a client
	for id, e := range b.inOrder() {
		if _, began := first[e.host]; !began {
			first[e.host] = id
		}
		last[e.host] = id
		startsFirst := e.kind == tracefmt.Start && e.line == b.at(first[e.host]).line
		begins[e.host] = begins[e.host] || startsFirst || e.kind == tracefmt.Invoke
	}
	var end tracefmt.Time
	for i := range b.hosts {
		end = max(end, b.hosts[i].end)
	}
	for _, m := range b.run.Members {
		id, ok := b.hostIndex[m.Name]
		if !ok || !b.hosts[id].acts || len(merged) >= maxApart {
			continue
		}
		if !begins[id] && b.at(first[id]).seq > 1 { // before seq 1 nothing can be missing
			merged = append(merged, b.gap(hole{id, noEvent, first[id], 0}))
		}
		h := b.hosts[id]
		lastKind := b.at(last[id]).kind
		endsEarly := b.ByTime && h.looked && end-h.end > leastSkew
		if endsEarly && lastKind != tracefmt.Crash && lastKind != tracefmt.Halt {
			merged = append(merged, b.gap(hole{id, last[id], noEvent, 0}))
		}
	}
	return merged
}

// addFile registers that the file with the number has a line of the process.
func (h *host) addFile(file int) {
	h.read = true
	if len(h.files) == 0 || h.files[len(h.files)-1] != file {
		h.files = append(h.files, file)
	}
}

// Named registers names of members from a list in the log: of peers, of a configuration. They are members if
// one of them names a process with lines.
func (b *Builder) Named(names []string) {
	if key := strings.Join(names, "\x00"); len(names) > 1 && !b.lists[key] && len(b.lists) < maxLists {
		if b.lists == nil {
			b.lists = make(map[string]bool)
		}
		b.lists[key] = true
	}
}

// maxLists bounds the lists of members that are compared with the processes.
const maxLists = 1 << 10

// addNamed adds the processes that the log only names: in lists of members, and as values of the variables that
// name processes.
func (b *Builder) addNamed() {
	for _, key := range slices.Sorted(maps.Keys(b.lists)) {
		b.addAgreed(strings.Split(key, "\x00"))
	}
	for _, variable := range processVariables {
		names := slices.Sorted(maps.Keys(b.namedValues[variable]))
		b.addAgreed(names)
		// A leader may have another name here than where it writes. If there are more names than leaders, some are of others.
		names = slices.DeleteFunc(names, b.Knows)
		if len(names) > b.leaders() {
			for _, name := range names {
				b.Member(name)
			}
		}
	}
	b.addSilent()
}

// leaders returns how many processes have taken the role of a leader.
func (b *Builder) leaders() (count int) {
	for _, h := range b.hosts {
		if h.leads {
			count++
		}
	}
	return count
}

// addSilent makes members of the processes whose lines were not understood, since any of these lines may be a fault. A
// collector or a terminal also has lines of clients and tools. Their names have another form than those of the
// processes, or, if these have no common form, show their purpose.
func (b *Builder) addSilent() {
	var acting []string
	forms, numbered := make(map[string]bool), false
	for _, h := range b.hosts {
		if h.acts {
			acting = append(acting, h.name)
			form := FormOf(h.name)
			forms[form], numbered = true, strings.ContainsAny(form, "0*#")
		}
	}
	// Beside several names of one form, such as n1 and n2, a name of another form is of a tool. Beside names such as
	// ann and bob, the form of a name shows nothing.
	formTells := len(forms) < len(acting) || len(acting) == 1 && numbered
	prefix := commonPrefix(acting)
	for _, h := range b.hosts {
		if h.acts || h.unclear == 0 {
			continue
		}
		likeActing := strings.HasPrefix(h.name, prefix) && !bystander().MatchString(h.name)
		if forms[FormOf(h.name)] || !formTells && likeActing {
			h.member = true
		}
	}
}

// commonPrefix returns the common beginning of several names up to a sign, as in raft-ann and raft-bob, or "".
func commonPrefix(names []string) string {
	if len(names) < 2 {
		return ""
	}
	first, last := slices.Min(names), slices.Max(names)
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return first[:strings.LastIndexAny(first[:n], "-_.:/")+1]
}

// bystander matches names of writers that take no part in an algorithm.
var bystander = text.Pattern(`(?i)(?:^|[^a-z])(?:clients?|system|systemd|kernel|main|tests?|harness|runner|nemesis|bench(?:mark)?|` +
	`proxy|monitor|prometheus|grafana|operator|controller|scheduler|cluster|network|simulat\w+|driver|load)(?:[^a-z]|$)`)

// addAgreed makes all names of a list members if the list is one of processes: one of its names is a process with
// lines, or has the form of one, as n2 has the form of n1. Other lists hold names of other things.
func (b *Builder) addAgreed(names []string) {
	forms := make(map[string]bool)
	for i := range b.hosts {
		if h := b.hosts[i]; h.member || h.read {
			forms[FormOf(h.name)] = true
		}
	}
	isProcess := func(name string) bool {
		id, known := b.hostIndex[b.Called(name)]
		return known && (b.hosts[id].member || b.hosts[id].read) || forms[FormOf(name)]
	}
	if !slices.ContainsFunc(names, isProcess) {
		return
	}
	for _, name := range names {
		b.Member(name)
	}
}

// FormOf returns a name with each number replaced by 0, so that n1 and n12 have the same form. Single letters, as in
// node-a, and long hexadecimal numbers have a common form, too.
func FormOf(name string) string {
	var form strings.Builder
	for name != "" {
		n := 0
		for n < len(name) && text.IsWordByte(name[n]) && name[n] != '_' {
			n++
		}
		word := name[:n]
		_, err := strconv.ParseUint(word[:min(n, 16)], 16, 64)
		switch digits := leadingDigits(word); {
		case n == 0:
			n = 1
			form.WriteByte(name[0])
		case n == 1 && digits == 0:
			form.WriteByte('*')
		case n >= 8 && err == nil && digits < n:
			form.WriteByte('#')
		default:
			form.WriteString(numerals().ReplaceAllString(word, "0"))
		}
		name = name[n:]
	}
	return form.String()
}

var numerals = text.Pattern(`\d+`)

// hole is a stretch in which entries of a process are missing, between two of its events. noEvent means the
// beginning or the end of its log.
type hole struct {
	host          hostID
	after, before eventID
	dropped       int64 // the number of missing entries, 0 if unknown
}

// reported is a call of [Builder.Gap].
type reported struct {
	process string  // "" for every process with lines in the file
	file    int     // the number of the file, from 1
	at      eventID // the next event after the gap
	dropped int64   // the number of missing entries, 0 if unknown
}

// Gap records that entries of a process are missing from the file, after the entries so far and before the
// next: a buffer ran over, a file was rotated. The process "" means every process with lines in the file.
// dropped is the number of entries, 0 if unknown.
func (b *Builder) Gap(process string, dropped int64) {
	gap := reported{process, len(b.r.read), eventID(b.events.Len()), dropped}
	if n := len(b.reported); n > 0 && dropped == 0 && b.reported[n-1] == gap { // as in each line of a damaged file
		return
	}
	b.reported = append(b.reported, gap)
}

// declare sets the completeness of the run: what the reader declares, completed by what the entries show, and
// lowered by known losses. It needs the numbers of the processes.
func (b *Builder) declare() {
	b.run.Completeness = b.Completeness.Over(b.run.Completeness.Over(b.observed()))
	b.declareMissing()
	b.declareUnread()
	gaps := b.gaps()
	if len(gaps) > maxApart {
		// A declaration has no room for these processes, so every process gets the level some.
		some := &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.Some}}
		b.run.Completeness, gaps = some.Over(b.run.Completeness), nil
	}
	declared := *b.run.Completeness
	declared.Gaps = slices.Concat(declared.Gaps, gaps)
	declared.Suspected, declared.Unplaced, declared.Clocks = b.suspected(), int64(b.unplaced), b.clocks()
	declared.NotUnderstood = b.notUnderstood()
	b.run.Completeness = &declared
}

// observed returns the completeness that the entries show: kinds and variables that occur are complete, all
// others are unrecorded.
func (b *Builder) observed() *tracefmt.Completeness {
	t := &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.None, Kinds: make(map[string]tracefmt.Level)}}
	for kind, entries := range b.kinds {
		if kind != tracefmt.State && entries > 0 {
			t.Kinds[kind.String()] = tracefmt.All
		}
	}
	if len(b.variables) > maxVariables {
		t.Kinds[tracefmt.State.String()] = tracefmt.All
	} else {
		for name := range b.variables {
			t.Kinds[tracefmt.StateOf(name).String()] = tracefmt.All
		}
	}
	b.declareSilent(t)
	return t
}

// declareSilent declares processes without an entry unrecorded. If they are too many to be named, it names the
// processes with entries; if these are too many, too, every process becomes partial.
func (b *Builder) declareSilent(t *tracefmt.Completeness) {
	var acting, silent []string
	for _, m := range b.run.Members {
		list := &silent
		if id, ok := b.hostIndex[m.Name]; ok && b.hosts[id].acts {
			list = &acting
		}
		if len(*list) <= maxApart { // a longer list is as good as one of this length
			*list = append(*list, m.Name)
		}
	}
	switch {
	case len(silent) == 0:
	case len(silent) <= maxApart:
		t.Processes = sameLevels(silent, tracefmt.Levels{Default: tracefmt.None})
	case len(acting) <= maxApart && len(acting)*len(t.Kinds) <= maxKeys:
		t.Processes = sameLevels(acting, tracefmt.Levels{Kinds: t.Kinds})
		t.Kinds = maps.Clone(t.Kinds)
		maps.DeleteFunc(t.Kinds, func(key string, _ tracefmt.Level) bool { return !isNetworkKind(key) })
	default:
		for key := range t.Kinds {
			t.Kinds[key] = tracefmt.Some
		}
	}
}

// sameLevels returns a declaration of the same levels for each of the processes.
func sameLevels(names []string, levels tracefmt.Levels) map[string]tracefmt.Levels {
	processes := make(map[string]tracefmt.Levels, len(names))
	for _, name := range names {
		processes[name] = levels
	}
	return processes
}

// isNetworkKind reports whether events of the kind happen to the network instead of a process.
func isNetworkKind(kind string) bool {
	k, err := tracefmt.ParseKind(kind)
	return err == nil && k.Info().Process == tracefmt.Absent
}

// declareMissing lowers the level of facts that are known to be missing from all to some.
func (b *Builder) declareMissing() {
	b.addUnexplainedCauses()
	coverage := tracefmt.NewCoverage(&b.run)
	some := make(map[string]tracefmt.Levels)
	lower := func(name string, f tracefmt.Fact) {
		if some[name].Kinds == nil {
			some[name] = tracefmt.Levels{Kinds: make(map[string]tracefmt.Level)}
		}
		some[name].Kinds[f.String()] = tracefmt.Some
	}
	// A declaration names at most maxApart processes: further names would only cost memory.
	tooMany := func() bool { return len(some)+len(b.run.Completeness.Processes) > maxApart }
	for fact, hosts := range b.missing {
		for host := range hosts {
			first, last := tracefmt.ProcessID(1), tracefmt.ProcessID(len(b.run.Members))
			if host != noHost {
				first, last = b.hosts[host].process, b.hosts[host].process
			}
			for p := first; p > 0 && p <= last && !tooMany(); p++ {
				if coverage.Level(p, fact) == tracefmt.All {
					lower(b.run.Members[p-1].Name, fact)
				}
			}
		}
	}
	less := new(tracefmt.Completeness)
	if tooMany() {
		less.Default, some = tracefmt.Some, nil
	}
	less.Processes = some
	b.run.Completeness = less.Over(b.run.Completeness)
}

// declareUnread declares processes without lines unrecorded, against any declaration of the reader or the user.
func (b *Builder) declareUnread() {
	coverage := tracefmt.NewCoverage(&b.run)
	claims := []tracefmt.Fact{}
	for _, kind := range tracefmt.Kinds() {
		if kind.Info().Process != tracefmt.Absent {
			claims = append(claims, tracefmt.Fact{Kind: kind})
		}
	}
	for _, name := range b.run.Completeness.Variables() {
		claims = append(claims, tracefmt.StateOf(name))
	}
	unread := &tracefmt.Completeness{Processes: make(map[string]tracefmt.Levels)}
	for i, m := range b.run.Members {
		if id, ok := b.hostIndex[m.Name]; ok && (b.hosts[id].acts || b.hosts[id].read) {
			continue
		}
		if slices.ContainsFunc(claims, func(f tracefmt.Fact) bool { return coverage.Declared(tracefmt.ProcessID(i+1), f) == tracefmt.All }) {
			unread.Processes[m.Name] = tracefmt.Levels{Default: tracefmt.None}
		}
		if len(unread.Processes) > maxApart {
			break
		}
	}
	// The declaration cannot name all of them, so every process may lack events.
	if len(unread.Processes) > maxApart {
		unread.Default, unread.Processes = tracefmt.Some, nil
	}
	b.run.Completeness = unread.Over(b.run.Completeness)
}

// allDeclared reports whether the reader or the user explicitly declared that all events of the kind are
// recorded at a process with a log. The evidence of the entries does not count.
func (b *Builder) allDeclared(host hostID, kind tracefmt.Kind) bool {
	h := b.hosts[host]
	return b.Completeness.Over(b.run.Completeness).Declared(h.name, tracefmt.Fact{Kind: kind}) == tracefmt.All && (h.acts || h.read)
}

// missKind registers that some events of the kind are missing at a process.
func (b *Builder) missKind(host hostID, kind tracefmt.Kind) {
	if host == noHost {
		return
	}
	b.addMissing(host, tracefmt.Fact{Kind: kind})
}

// addMissing registers that a fact is missing at a process; noHost means every process.
func (b *Builder) addMissing(host hostID, f tracefmt.Fact) {
	if b.missing == nil {
		b.missing = make(map[tracefmt.Fact]map[hostID]bool)
	}
	if b.missing[f] == nil {
		b.missing[f] = make(map[hostID]bool)
	}
	b.missing[f][host] = true
}

// addUnsentHoles adds a hole for each receive whose sender logs sends of this type, but not the send of this message.
// The missing send is after the last send of the same channel that arrived before, and before the receive.
func (b *Builder) addUnsentHoles() {
	type channel struct {
		from, receiver hostID
		typ            string
	}
	senders := make(map[hostID]bool)
	for _, e := range b.entries() {
		if e.kind == tracefmt.Receive && e.isHalf() && b.hosts[e.peer].acts {
			senders[e.peer] = true
		}
	}
	if len(senders) == 0 {
		return
	}
	logged := make(map[channel]bool) // with noHost as the receiver
	for _, e := range b.entries() {
		if e.kind == tracefmt.Send && senders[e.host] {
			logged[channel{e.host, noHost, b.typeOf(e)}] = true
		}
	}
	latest := make(map[channel]eventID)
	for id, e := range b.entries() {
		if e.kind != tracefmt.Receive || e.peer == noHost || !senders[e.peer] {
			continue
		}
		on := channel{e.peer, e.host, b.typeOf(e)}
		after, before := latest[on]
		switch {
		case e.partner != noEvent:
			latest[on] = e.partner
		case e.isHalf() && logged[channel{e.peer, noHost, on.typ}] && len(b.holes) < maxApart:
			if !before {
				after = noEvent
			}
			b.holes = append(b.holes, hole{e.peer, after, id, 0})
		}
	}
}

// sectionOf is the key of Builder.sections: a process, and the lock of its critical section as a JSON name.
type sectionOf struct {
	host hostID
	lock string
}

// followSection follows the notes request, enter and exit of a process. If the process is inside and its next note
// is no exit, its lines since then have a hole.
func (b *Builder) followSection(id eventID, host hostID, e *Entry) {
	isSectionNote := e.Kind == tracefmt.Note && slices.Contains([]string{"enter", "exit", "request"}, e.Type)
	if host == noHost || !isSectionNote {
		return
	}
	section := sectionOf{host: host}
	for _, f := range e.Fields {
		if f.Key == "lock" || f.Key == "key" || f.Key == "resource" {
			section.lock = string(f.Value)
		}
	}
	entered, inside := b.sections[section]
	// The process is inside already, so its exit between the two notes is missing.
	if inside && e.Type != "exit" {
		b.holes = append(b.holes, hole{host, entered, id, 0})
	}
	delete(b.sections, section)
	if e.Type == "enter" {
		if b.sections == nil {
			b.sections = make(map[sectionOf]eventID)
		}
		b.sections[section] = id
	}
}

// addUnexplainedCauses registers missing messages that clocks show: an event knows of an event of another process, but
// neither a message nor a stated cause explains this.
func (b *Builder) addUnexplainedCauses() {
	if len(b.ids) == 0 {
		return
	}
	for _, e := range b.entries() {
		for _, parent := range b.causes(e.parents) {
			if e.send() != parent && !slices.Contains(b.causes(e.links), parent) {
				b.missKind(e.host, tracefmt.Receive)
				b.missKind(b.at(parent).host, tracefmt.Send)
			}
		}
	}
}

// lackAtEnd registers that a clock knows of count events of a process after its last one.
func (b *Builder) lackAtEnd(host hostID, count int64) {
	if i, known := b.openHoles[host]; known {
		b.holes[i].dropped = max(b.holes[i].dropped, count)
		return
	}
	last := b.hosts[host].events[len(b.hosts[host].events)-1]
	b.openHole(hole{host, last, noEvent, count})
}

// openHole adds a hole at the end of a process.
func (b *Builder) openHole(h hole) {
	if b.openHoles == nil {
		b.openHoles = make(map[hostID]int)
	}
	b.openHoles[h.host] = len(b.holes)
	b.holes = append(b.holes, h)
}

// gaps returns the holes of members as gaps of the run.
func (b *Builder) gaps() []tracefmt.Gap {
	gaps := func(yield func(tracefmt.Gap) bool) {
		for _, h := range b.holes {
			if b.hosts[h.host].member && !yield(b.gap(h)) {
				return
			}
		}
	}
	count := 0
	for range gaps {
		count++
		if count > maxApart {
			return mergeGaps(gaps) // a list of all gaps may take more memory than the log
		}
	}
	return slices.Collect(gaps)
}

// gap returns the hole as a gap between the seqs of its two events. If the clocks have reversed the order of the
// two events in the file, the gap still lies between them.
func (b *Builder) gap(h hole) tracefmt.Gap {
	g := tracefmt.Gap{Process: b.hosts[h.host].name, Dropped: h.dropped}
	after, before := b.seqOf(h.after), b.seqOf(h.before)
	if before != 0 {
		after, before = min(after, before), max(after, before)
		g.To = max(1, before-1) // 0 would mean the end of the run
	}
	if after != 0 {
		g.From = after + 1
	}
	return g
}

// seqOf returns the seq of an event, 0 for none.
func (b *Builder) seqOf(id eventID) tracefmt.Seq {
	if id == noEvent {
		return 0
	}
	return tracefmt.Seq(b.at(id).seq)
}

// mergeGaps merges the gaps of each process into one gap that contains all of them.
func mergeGaps(gaps iter.Seq[tracefmt.Gap]) []tracefmt.Gap {
	index := make(map[string]int)
	var merged []tracefmt.Gap
	for g := range gaps {
		i, ok := index[g.Process]
		if !ok {
			index[g.Process] = len(merged)
			merged = append(merged, g)
			continue
		}
		gap := &merged[i]
		gap.From = min(gap.From, g.From)
		if gap.To != 0 {
			gap.To = max(gap.To, g.To)
		}
		if g.To == 0 {
			gap.To = 0
		}
		gap.Dropped += g.Dropped
	}
	return merged
}
