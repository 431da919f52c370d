package interop

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
	"etrace/tracefmt/text"
)

// linkToPrevious links each event to the previous event of its process in the file. It turns the reported gaps into
// holes: a hole lies between the events of the process around the report.
func (b *Builder) linkToPrevious() {
	last := make([]eventID, len(b.hosts))
	for i := range last {
		last[i] = noEvent
	}
	losses := losses{builder: b, byFile: make(map[int]loss), byHost: make([]loss, len(b.hosts)), known: make([]loss, len(b.hosts))}
	reported := b.reported
	for id, e := range b.entries() {
		for ; len(reported) > 0 && reported[0].at <= id; reported = reported[1:] {
			losses.add(reported[0])
		}
		if !e.isStep() {
			continue
		}
		if dropped, lost := losses.takeReported(e.host); lost {
			b.holes = append(b.holes, hole{e.host, last[e.host], id, dropped})
		}
		b.edit(id).previous = last[e.host]
		last[e.host] = id
		if h := b.hosts[e.host]; b.numbered {
			h.events = append(h.events, id)
		}
	}
	for _, r := range reported {
		losses.add(r)
	}
	for host := range hostID(len(b.hosts)) {
		if dropped, lost := losses.takeReported(host); lost {
			b.openHole(hole{host, last[host], noEvent, dropped})
		}
	}
}

// loss sums up reports of missing entries: their number, the number of reports without a count, and the sum of
// the other counts.
type loss struct {
	reports, unknown int
	dropped          int64
}

// plus returns the sum of two losses.
func (l loss) plus(more loss) loss {
	return loss{l.reports + more.reports, l.unknown + more.unknown, l.dropped + more.dropped}
}

// losses sums up the reports so far. A report about a whole file costs one addition, even if the file has lines
// of many processes: a damaged file may have as many reports as processes.
type losses struct {
	builder *Builder
	byFile  map[int]loss // reports about every process of a file, by its number, see file
	byHost  []loss       // reports about one process
	known   []loss       // by host, the sum at the last call of takeReported
}

// add adds a report.
func (l *losses) add(r reported) {
	report := loss{reports: 1, dropped: r.dropped}
	if r.dropped == 0 {
		report.unknown = 1
	}
	switch host, named := l.builder.hostIndex[r.process]; {
	case named:
		l.byHost[host] = l.byHost[host].plus(report)
	case r.process == "":
		l.byFile[l.file(r.file)] = l.byFile[l.file(r.file)].plus(report)
	}
}

// file returns the key of byFile for the number of a file: 0 if the import has a single file.
func (l *losses) file(number int) int {
	if !l.builder.r.Joined() {
		return 0
	}
	return number
}

// takeReported reports whether entries of the process were reported missing since the last call for it. dropped is
// their number, 0 if unknown.
func (l *losses) takeReported(host hostID) (dropped int64, lost bool) {
	total := l.byHost[host]
	if !l.builder.r.Joined() {
		total = total.plus(l.byFile[0])
	} else {
		for _, file := range l.builder.hosts[host].files {
			total = total.plus(l.byFile[file])
		}
	}
	before := l.known[host]
	l.known[host] = total
	if total.unknown == before.unknown {
		dropped = total.dropped - before.dropped
	}
	return dropped, total.reports > before.reports
}

// sortByOwnClock gives each host its events in the order in which they
// happened, which need not be that of the file. Those without an own clock stay
// after the event that they follow in the file.
func (b *Builder) sortByOwnClock() error {
	if !b.numbered {
		return nil
	}
	for i := range b.hosts {
		events := b.hosts[i].events
		b.noteFileOrder(b.hosts[i])
		b.sortByRank(events)
		previous := noEvent
		for _, id := range events {
			b.edit(id).previous = previous
			previous = id
			if err := b.checkOwnClock(id, b.hosts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sortByRank sorts events by their own clocks; events without one stay after the event before them.
func (b *Builder) sortByRank(events []eventID) {
	slices.SortStableFunc(events, func(left, right eventID) int { return cmp.Compare(b.at(left).rank, b.at(right).rank) })
}

// noteFileOrder reports the events of a host whose own clocks are less than an earlier one in the file.
func (b *Builder) noteFileOrder(host *host) {
	var lines []int
	latest := int64(0)
	for _, id := range host.events {
		switch e := b.at(id); {
		case e.tick == 0: // an event without a clock
		case e.tick < latest:
			lines = append(lines, int(e.line))
		default:
			latest = e.tick
		}
	}
	if len(lines) > 0 {
		b.Note("%s: %s out of file order (%s), sorted by own clock",
			host.name, text.Counted(len(lines), "event", "events"), b.r.listLines(lines, len(lines)))
	}
}

// checkOwnClock compares the own clock of an event with that of the previous event. Equal values are an error, since
// they leave the order open. A step of more than one is a hole and a finding.
func (b *Builder) checkOwnClock(id eventID, host *host) error {
	e := b.at(id)
	if e.tick == 0 {
		return nil
	}
	before := int64(0)
	if e.previous != noEvent {
		p := b.at(e.previous)
		before = p.rank
		if before == e.tick {
			return b.r.Errorf(int(max(e.line, p.line)), "the own clock %s occurs before, at %s; expected each value once "+
				"(does the file hold several executions? then a delimiter has to divide them)", b.nameOf(id), b.r.lineText(int(min(e.line, p.line))))
		}
	}
	if e.tick != before+1 {
		b.holes = append(b.holes, hole{e.host, e.previous, id, e.tick - before - 1})
		b.Find(
			ruleOwnSequence, int(e.line), "the own clock of %q goes from %d to %d, expected %d; events are missing",
			host.name, before, e.tick, before+1,
		)
	}
	return nil
}

// eventsUpTo returns the number of events of a host that happened at or before its own clock value n. If the log has
// holes, this is fewer than n. An entry that names a missing event still proves that the events before it are known.
func (b *Builder) eventsUpTo(host hostID, n int64) int {
	events := b.hosts[host].events
	if n <= int64(len(events)) && b.at(events[n-1]).tick == n {
		return int(n) // no hole so far
	}
	k := sort.Search(len(events), func(i int) bool { return b.at(events[i]).rank > n })
	for k > 0 && b.at(events[k-1]).tick == 0 { // an event without an own clock is later than the clock value n
		k--
	}
	return k
}

// findCandidates finds the possible direct causes of every event: events of other hosts that its host did not
// know before. For each host whose clock entry rose, the candidate is the latest event that the entry includes.
// All direct causes are among the candidates.
func (b *Builder) findCandidates() {
	if len(b.memory) == 0 {
		return
	}
	counts := make([]int, len(b.hosts)) // by host, the number of its events that the present host knows so far
	for i := range b.hosts {
		events := b.hosts[i].events
		for _, id := range events {
			e := b.edit(id)
			e.candidates = b.emptyList()
			for _, x := range b.clockOf(e) {
				if x.host == e.host {
					continue
				}
				if n := b.eventsUpTo(x.host, x.value); n > counts[x.host] {
					counts[x.host] = n
					b.addTo(&e.candidates, b.hosts[x.host].events[n-1])
				}
			}
		}
		for _, id := range events {
			for _, x := range b.clockOf(b.at(id)) {
				counts[x.host] = 0
			}
		}
	}
}

// sortByCausality fills Builder.order. The order is that of plainOrder, except that the causes of an event are
// moved before it. It fails if the causes form a cycle.
func (b *Builder) sortByCausality() error {
	s := sorter{builder: b}
	for id := range b.plainOrder() {
		if err := s.visit(id); err != nil {
			return err
		}
	}
	return nil
}

// plainOrder yields the events in the order of the file or of the times, without regard to causality.
func (b *Builder) plainOrder() iter.Seq[eventID] {
	switch {
	case b.ByTime:
		return b.sortedBy(func(e *event) int64 { return int64(e.time) })
	case b.inferred: // Events without a line were added late, and name the line after which they happened.
		return b.sortedBy(func(e *event) int64 { return int64(e.line) })
	}
	return func(yield func(eventID) bool) {
		for id := range eventID(b.events.Len()) {
			if !yield(id) {
				return
			}
		}
	}
}

// sortedBy yields the events by ascending key, and those of equal keys as they were added.
func (b *Builder) sortedBy(key func(*event) int64) iter.Seq[eventID] {
	return func(yield func(eventID) bool) {
		stamps := spill.NewSorter(b.r.store, func(left, right stamp) int {
			return cmp.Or(cmp.Compare(left.key, right.key), cmp.Compare(left.id, right.id))
		})
		for id, e := range b.entries() {
			stamps.Add(stamp{key(e), id})
		}
		for s := range stamps.All() {
			if !yield(s.id) {
				return
			}
		}
	}
}

// stamp is an event with its sort key.
type stamp struct {
	key int64
	id  eventID
}

// inOrder yields the events in the order that they have in the run.
func (b *Builder) inOrder() iter.Seq2[eventID, *event] {
	return func(yield func(eventID, *event) bool) {
		for i := range b.order.Len() {
			if id := *b.order.At(i); !yield(id, b.at(id)) {
				return
			}
		}
	}
}

// sorter sorts events topologically by a depth-first search. It has its own stack, since a chain of causes may
// be as long as the log.
type sorter struct {
	builder *Builder
	stack   []visit
}

// visit is an event on the stack; the causes before index next are sorted.
type visit struct {
	id   eventID
	next int
}

// visit appends the event to the order, after all causes that are not in the order yet. It fails at a cycle.
func (s *sorter) visit(id eventID) error {
	if s.builder.at(id).seq == 0 {
		s.push(id)
	}
	for len(s.stack) > 0 {
		top := &s.stack[len(s.stack)-1]
		cause, more := s.cause(top)
		if !more {
			s.builder.order.Add(top.id)
			s.builder.edit(top.id).seq = int32(s.builder.order.Len())
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		switch e := s.builder.at(cause); {
		case e.seq > 0: // its place is known
		case e.begun:
			return s.cycle(cause)
		default:
			s.push(cause)
		}
	}
	return nil
}

// push begins the visit of an event.
func (s *sorter) push(id eventID) {
	s.builder.edit(id).begun = true
	s.stack = append(s.stack, visit{id, 0})
}

// cause returns the next cause of the visited event: the previous event of its process, its send, or another
// cause. It returns false after the last one.
func (s *sorter) cause(v *visit) (eventID, bool) {
	e := s.builder.at(v.id)
	n := v.next
	v.next++
	for _, cause := range [...]eventID{e.previous, e.send()} {
		if cause == noEvent {
			continue
		}
		if n == 0 {
			return cause, true
		}
		n--
	}
	for _, list := range [...]span{e.candidates, e.links} {
		if n < list.len() {
			return s.builder.causes(list)[n], true
		}
		n -= list.len()
	}
	return noEvent, false
}

// send returns the send of a receive or loss, noEvent if it is unknown.
func (e *event) send() eventID {
	if e.kind == tracefmt.Receive || e.kind == tracefmt.Lose {
		return e.partner
	}
	return noEvent
}

// cycle returns the error for a cycle of causes: the part of the stack from the event on. It omits steps within
// a process between two events of the cycle.
func (s *sorter) cycle(from eventID) error {
	var names []string
	line := s.builder.at(from).line
	around := s.stack[slices.IndexFunc(s.stack, func(v visit) bool { return v.id == from }):]
	host := func(i int) int { return int(s.builder.at(around[(i+len(around))%len(around)].id).host) }
	for i, v := range around {
		id := v.id
		line = min(line, s.builder.at(id).line)
		if host(i-1) == host(i) && host(i) == host(i+1) && id != from {
			continue
		}
		names = append(names, s.builder.nameOf(id)+" ("+s.builder.r.lineText(int(s.builder.at(id).line))+")")
	}
	names = append(names, s.builder.nameOf(from))
	if len(names) > maxListed {
		names = slices.Concat(names[:maxListed/2], []string{"…"}, names[len(names)-maxListed/2:])
	}
	return s.builder.r.Errorf(
		int(line), "a causal cycle, each event knows of the next, so one comes from the future: %s%s",
		strings.Join(names, ", "), s.builder.backBetweenFiles(),
	)
}

// backBetweenFiles describes a process that goes back in time from one file to the next, or may do so if there
// are no times; this explains a cycle of causes. It returns "" without such a process.
func (b *Builder) backBetweenFiles() string {
	if !b.r.Joined() {
		return ""
	}
	for _, e := range b.entries() {
		if e.previous == noEvent {
			continue
		}
		p := b.at(e.previous)
		file, _ := b.r.place(int(e.line))
		if before, _ := b.r.place(int(p.line)); before != file && (!b.timed || e.time < p.time) {
			return fmt.Sprintf(
				"; %s has lines in %s and then in %s: are they named in the order of their times, the oldest first?",
				b.hosts[e.host].name, before, file,
			)
		}
	}
	return ""
}

// findParents reduces the candidates to the direct causes, and computes the Lamport clocks. By descending
// Lamport clock, a candidate can only be known to an earlier candidate. Mostly the first knows all others, so
// the cost is little more than reading the clocks.
func (b *Builder) findParents() {
	for id := range b.inOrder() {
		e := b.edit(id)
		candidates := b.causes(e.candidates)
		slices.SortFunc(candidates, func(left, right eventID) int {
			x, y := b.at(left), b.at(right)
			return cmp.Or(cmp.Compare(y.lamport, x.lamport), cmp.Compare(x.host, y.host))
		})
		e.parents = b.emptyList()
		for _, c := range candidates {
			if !b.knownToAny(c, b.causes(e.parents)) {
				b.addTo(&e.parents, c)
			}
		}
		b.addLinks(e)
		e.lamport = b.lamport(e)
	}
}

// addLinks adds the causes that the entry itself names to its direct causes.
func (b *Builder) addLinks(e *event) {
	for _, cause := range b.causes(e.links) {
		if b.at(cause).host != e.host && !slices.Contains(b.causes(e.parents), cause) {
			b.addTo(&e.parents, cause)
		}
	}
}

// lamport returns the Lamport clock of an event: one more than the greatest of the events that directly happened
// before it. It is 0 if no process takes a step.
func (b *Builder) lamport(e *event) int64 {
	if e.host == noHost {
		return 0
	}
	latest := int64(0)
	for _, id := range [...]eventID{e.previous, e.send()} {
		if id != noEvent {
			latest = max(latest, b.at(id).lamport)
		}
	}
	if e.candidates.len() > 0 {
		latest = max(latest, b.at(b.causes(e.candidates)[0]).lamport)
	}
	for _, id := range b.causes(e.links) {
		latest = max(latest, b.at(id).lamport)
	}
	return latest + 1
}

// knownToAny reports whether the event is in the past of one of the candidates.
func (b *Builder) knownToAny(id eventID, candidates []eventID) bool {
	e := b.at(id)
	return slices.ContainsFunc(candidates, func(right eventID) bool {
		return b.clockOf(b.at(right)).at(e.host) >= e.tick
	})
}
