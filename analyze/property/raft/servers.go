package raft

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/analyze/property/election"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// The needs of the properties of Raft, and the reasons why they are not applicable.
const (
	raftLogNeeds    = "state events that assign log[1], log[2], ... = an entry such as {\"term\":1}, or its term alone"
	raftLeaderNeeds = "state events that assign role (leader, candidate, follower) or elected, and term"
	raftCommitNeeds = "state events that assign commit, an index of the log"
	noRaftLog       = "no process has a variable log[1], log[2], ..."
	noRaftCommit    = "no process has a variable commit"
	raftEntries     = "entries of logs"
)

// The facts that the properties of Raft read.
var (
	logFact     = tracefmt.StateOf("log")
	commitFact  = tracefmt.StateOf("commit")
	commitFacts = []tracefmt.Fact{logFact, commitFact}
	loseFacts   = []tracefmt.Fact{logFact, unrecorded.RecoverFact}
	appendFacts = append([]tracefmt.Fact{logFact, commitFact}, election.LeaderFacts...)
)

// raftEntry is an entry of a log: its term, and its content.
type raftEntry struct {
	term    int64
	content uint64 // a hash, 0 if only the term is recorded
}

// possiblyEqual reports whether two entries are equal, as far as recorded.
func (x raftEntry) possiblyEqual(y raftEntry) bool {
	return x.term == y.term && equalOrUnknown(x.content, y.content)
}

// equalOrUnknown reports whether two contents are equal, as far as recorded.
func equalOrUnknown(x, y uint64) bool { return x == y || x == 0 || y == 0 }

// raftServer is a Raft server by the recorded variables of its process.
type raftServer struct {
	// since is the event with which it became leader of its term, 0 if it does not lead; claimedAt is the event that
	// recorded its leadership, which may be before the record of the term.
	since, claimedAt tracefmt.Seq
	term             replay.Term
	log              memory.Indexed[raftEntry]
	// named is the lowest log index in any record since the start. The entries from low to last are all known, unless
	// the log is gapped: since it was last empty, some index between low and last was unknown.
	named, low, last int64
	gapped           bool
	// commit is the present commit index; passed is the highest one since the server started or recovered, since what
	// was committed stays committed. Both are -1 if none is recorded.
	commit, passed int64
	// fromZero is set if it has recorded a commit index below 0, so that 0 is the first entry.
	fromZero bool
	idleServer
	past raftPast
}

// idleServer is the header's description of a server.
type idleServer struct {
	// complete is set if the run records the whole log, so that a missing entry does not exist.
	complete bool
	// replicates is set if its log counts.
	replicates bool
}

// leads reports whether the server leads.
func (server *raftServer) leads() bool { return server.since != 0 }

// forget empties the log: no entry of the server is known.
func (server *raftServer) forget(pool *memory.IndexedPool[raftEntry]) {
	server.log = memory.Indexed[raftEntry]{Pool: pool}
	server.named, server.low, server.last, server.gapped = math.MaxInt64, 0, -1, false
}

// raftServers is the fold that follows the servers. It stores the entries of all logs, up to mostKept of them.
type raftServers struct {
	run      *tracefmt.Run
	declared *tracefmt.Coverage // by the header
	servers  []*raftServer      // by process, nil until an event changes it
	idle     map[idleServer]*raftServer
	pool     memory.IndexedPool[raftEntry]
	entries  int
	// hasLog, hasLeader and hasCommit are set once some process has such a variable.
	hasLog, hasLeader, hasCommit bool
	// doubt and commitDoubt are the first problems with logs and with commit indices that could not be parsed or
	// stored; "" for none.
	doubt, commitDoubt string
	// changed is the effect of the current event, nil for none.
	changed *raftChange
	change  raftChange
}

// raftChange is the effect of an event on a server.
type raftChange struct {
	// led, term, commit and passed are those of the server before the event.
	led            bool
	term           replay.Term
	commit, passed int64
	// begins is set if the server becomes leader, or leader of another term.
	begins bool
	// at are the places of the log that the event names, in ascending order.
	at []raftPlace
	// cut is the index after which the log has lost its entries, though the event does not name them; the highest
	// integer for none.
	cut int64
}

// sets reports whether the event puts an entry at an index.
func (c *raftChange) sets(index int64) bool {
	return slices.ContainsFunc(c.at, func(place raftPlace) bool { return place.index == index && place.has })
}

// raftPlace is a place of the log that an event names.
type raftPlace struct {
	index    int64
	old, new raftEntry
	had, has bool // whether an entry was, and is, there
}

// newRaftServers returns the fold before the first event.
func newRaftServers(run *tracefmt.Run) *raftServers {
	return &raftServers{
		run: run, declared: tracefmt.NewCoverage(run), servers: make([]*raftServer, len(run.Members)+1),
		idle: make(map[idleServer]*raftServer),
	}
}

// server returns the server of a process: the stored one, or one without known state. The caller must not change
// it.
func (rs *raftServers) server(p tracefmt.ProcessID) *raftServer {
	if known := rs.servers[p]; known != nil {
		return known
	}
	kind := idleServer{replicates: rs.run.Replicates(p), complete: rs.declared.Declared(p, logFact) == tracefmt.All}
	if rs.idle[kind] == nil {
		server := &raftServer{idleServer: kind, commit: -1, passed: -1}
		server.forget(&rs.pool)
		rs.idle[kind] = server
	}
	return rs.idle[kind]
}

// begun returns the server of a process for a change.
func (rs *raftServers) begun(p tracefmt.ProcessID) *raftServer {
	if rs.servers[p] == nil {
		server := *rs.server(p)
		rs.servers[p] = &server
	}
	return rs.servers[p]
}

// Step takes an event. Until some process has a log, it only follows the leaders.
func (rs *raftServers) Step(s *replay.State, e *tracefmt.Event) {
	rs.changed = nil
	if !replay.ChangesProcess(e.Kind) {
		return
	}
	server, c := rs.begun(e.Process), &rs.change
	*c = raftChange{
		led: server.leads(), term: server.term, commit: server.commit, passed: server.passed,
		at: c.at[:0], cut: math.MaxInt64,
	}
	if s.NextLife() {
		// It restarts with the variables that the event names.
		rs.entries -= server.log.Length
		server.forget(&rs.pool)
		server.since, server.commit, server.passed = 0, -1, -1
		c.led, c.commit, c.passed = false, -1, -1
	}
	leaderChanged := rs.updateLeadership(s, e, server)
	// Most payloads have neither a log entry nor a commit index. A search of the bytes shows that faster than parsing.
	if server.replicates && e.Kind.AssignsVariables() &&
		(bytes.Contains(e.Payload, logPrefix) || bytes.Contains(e.Payload, commitVariable)) {
		for name, value := range tracefmt.Fields(e.Payload) {
			rs.assign(e, server, name, value)
		}
		rs.order(server)
	}
	if rs.hasLog && (leaderChanged || len(c.at) > 0 || c.commit != server.commit || s.NextLife()) {
		rs.changed = c
	}
}

var logPrefix, commitVariable = []byte("log["), []byte("commit")

// updateLeadership updates the leader and the term, and reports whether these have changed.
func (rs *raftServers) updateLeadership(s *replay.State, e *tracefmt.Event, server *raftServer) (changed bool) {
	rs.hasLeader = rs.hasLeader || s.HasLeader()
	c := &rs.change
	leads, term := s.Leads(e.Process), s.Term(e.Process)
	// A change of term makes a leader a new one: its log was not examined for that term.
	c.begins = leads && (!c.led || term != c.term)
	switch {
	case !leads:
		server.since = 0
	case c.begins:
		server.since = e.Seq
		if !c.led || recordsLead(s, e) {
			server.claimedAt = e.Seq
		}
	}
	if term != c.term && term.Known() {
		server.past.raftTerms.add(term)
	}
	if c.begins {
		server.past.ledIn.add(term)
	}
	server.past.update(s, e.Process, leads)
	server.term = term
	return c.led != leads || c.begins || term != c.term
}

// assign handles a variable; null removes an entry of the log.
func (rs *raftServers) assign(e *tracefmt.Event, server *raftServer, name, value []byte) {
	if string(name) == "commit" {
		rs.hasCommit = true
		rs.commit(e, server, value)
		return
	}
	index, ok := logIndex(name)
	if !ok {
		return
	}
	rs.hasLog = true
	p := raftPlace{index: index}
	p.old, p.had = server.log.Get(index)
	if p.had {
		server.log.Remove(index)
		rs.entries--
	}
	p.new, p.has = rs.entry(e, index, value)
	if p.has {
		server.log.Set(index, p.new)
		server.past.entered = true
		rs.entries++
	}
	rs.change.at = append(rs.change.at, p)
}

// commit handles a commit index: null means nothing is committed, and so does 0, unless the server has recorded
// an index below it.
func (rs *raftServers) commit(e *tracefmt.Event, server *raftServer, value []byte) {
	index, ok := tracefmt.ParseInteger(value)
	switch {
	case !ok && !members.IsNull(value):
		rs.commitDoubt = cmp.Or(rs.commitDoubt,
			fmt.Sprintf("the commit index at seq %d is %s, expected an integer", e.Seq, members.Short(value)))
		return
	case index < 0:
		server.fromZero = true
	}
	// Index 0 is an entry only in a run that counts entries from 0.
	if !ok || index < 0 || index == 0 && !server.fromZero {
		index = -1
	}
	server.commit = min(index, math.MaxInt64-1) // the index after it must exist
	server.passed = max(server.passed, server.commit)
	server.past.committed = server.past.committed || index >= 0
}

// order sorts the places of an event, and updates the first and last entry of the log.
func (rs *raftServers) order(server *raftServer) {
	c := &rs.change
	slices.SortStableFunc(c.at, func(x, y raftPlace) int { return cmp.Compare(x.index, y.index) })
	// Removals shorten the log from the end, so the places are visited from the highest.
	for _, at := range slices.Backward(c.at) {
		server.named = min(server.named, at.index)
		if at.had && !at.has && at.index == server.last {
			server.last--
		}
	}
	for _, at := range c.at {
		switch {
		// Removed from the front: a snapshot holds the entry now.
		case at.had && !at.has && at.index == server.low && server.low <= server.last:
			server.low++
		case at.has && !at.had && server.last < server.low:
			server.low, server.last = at.index, at.index
		case at.has && !at.had:
			server.low, server.last = min(server.low, at.index), max(server.last, at.index)
		case at.has && at.old.term != at.new.term && !server.complete:
			c.cut = min(c.cut, at.index)
		}
	}
	if c.cut != math.MaxInt64 {
		rs.truncate(server)
	}
	server.gapped = server.gapped || int64(server.log.Length) != server.last-server.low+1
	if server.log.Length == 0 {
		server.low, server.last, server.gapped = 0, -1, false
	}
}

// truncate removes the entries after a replacement of an entry of another term. A recording need not name them,
// since Raft's messages do not either: 5.3.
func (rs *raftServers) truncate(server *raftServer) {
	c := &rs.change
	var stale []int64
	for index := range server.log.Between(c.cut+1, server.last) {
		if !slices.ContainsFunc(c.at, func(at raftPlace) bool { return at.index == index }) {
			stale = append(stale, index)
		}
	}
	for _, index := range stale {
		server.log.Remove(index)
		rs.entries--
	}
	server.last = c.cut
	for _, at := range c.at {
		if at.has {
			server.last = max(server.last, at.index)
		}
	}
}

// presence is whether a log has an entry.
type presence uint8

const (
	notRecorded presence = iota
	present
	missing
	another // another entry is in its place
)

// presence returns whether a server has an entry, has another one at its index, or has none. An entry that is not
// recorded at or below the commit index counts as part of a snapshot. Above the commit index, an unrecorded entry is
// certainly missing only if the run records the whole log, or the part from the index to the commit index without a
// gap.
func (rs *raftServers) presence(p tracefmt.ProcessID, index int64, entry raftEntry) presence {
	server := rs.server(p)
	has, ok := server.log.Get(index)
	switch {
	case ok && has.possiblyEqual(entry) || !ok && index <= server.commit:
		return present
	case ok:
		return another
	case server.complete || index >= server.named && !server.gapped && server.commit <= server.last:
		return missing
	}
	return notRecorded
}

// entry parses an entry of a log, an object with its term or the term alone; ok is false for null.
func (rs *raftServers) entry(e *tracefmt.Event, index int64, value []byte) (entry raftEntry, ok bool) {
	if members.IsNull(value) {
		return raftEntry{}, false
	}
	term, content := value, uint64(0)
	switch {
	case value[0] == '{':
		term, content = planned.Value(value, "term"), memory.FieldsHash(value)
	case rs.server(e.Process).complete:
		content = 1 // an entry without further content
	}
	n, known := tracefmt.ParseInteger(term)
	switch {
	case !known:
		rs.noteProblem(fmt.Sprintf("the entry log[%d] at seq %d has no term, expected an object such as {\"term\":1}, "+
			"or the term, not %s", index, e.Seq, members.Short(value)))
		return raftEntry{}, false
	case rs.entries >= memory.MostKept:
		rs.noteProblem(memory.TooMany(raftEntries))
		return raftEntry{}, false
	}
	return raftEntry{n, content}, true
}

// noteProblem stores the first problem with logs.
func (rs *raftServers) noteProblem(reason string) { rs.doubt = cmp.Or(rs.doubt, reason) }

// logIndex returns the index in a name such as log[3].
func logIndex(name []byte) (int64, bool) {
	digits, ok := bytes.CutPrefix(name, []byte("log["))
	digits, closed := bytes.CutSuffix(digits, []byte("]"))
	if !ok || !closed {
		return 0, false
	}
	n, integral := tracefmt.NumberOf(digits)
	index, fits := n.Int64()
	return index, integral && fits && index >= 0
}

// newlyCommitted calls f for each entry that the server newly knows to be committed: entries that its commit
// index passes at the event, and entries that it receives below it.
func (rs *raftServers) newlyCommitted(p tracefmt.ProcessID, c *raftChange, f func(index int64, entry raftEntry)) {
	server := rs.server(p)
	for _, place := range c.at {
		if place.has && place.index <= c.passed {
			f(place.index, place.new)
		}
	}
	for index, entry := range server.log.Between(c.passed+1, server.passed) {
		f(index, entry)
	}
}

// raftMonitor is the common part of the monitors of Raft.
type raftMonitor struct{ *raftServers }

// Follow implements [analyze.Follower].
func (m *raftMonitor) Follow(f *analyze.Folds) { m.raftServers = analyze.Shared(f, newRaftServers) }

// step returns the effect of the current event, nil for none. It is valid until the next event.
func (m *raftMonitor) step(r *analyze.Result) *raftChange {
	if m.doubt != "" {
		r.Undecided(func() string { return m.doubt })
	}
	return m.changed
}

// stepCommit is step for properties that also need commit indices.
func (m *raftMonitor) stepCommit(r *analyze.Result) *raftChange {
	if m.commitDoubt != "" && m.hasLog {
		r.Undecided(func() string { return m.commitDoubt })
	}
	return m.step(r)
}
