package property

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/replay"
	"etrace/tracefmt"
)

// What the properties of Raft need, and why they are not applicable.
const (
	raftLogNeeds    = "state events that assign log[1], log[2], ... = an entry such as {\"term\":1}, or its term alone"
	raftLeaderNeeds = "state events that assign role (leader, candidate, follower) or elected, and term"
	raftCommitNeeds = "state events that assign commit, an index of the log"
	noRaftLog       = "no process has a variable log[1], log[2], ..."
	noRaftCommit    = "no process has a variable commit"
	noRaftLeader    = "no process has a variable role or elected"
	raftEntries     = "entries of logs"
)

// The facts that the properties of Raft are about.
var (
	logFact     = tracefmt.StateOf("log")
	commitFact  = tracefmt.StateOf("commit")
	commitFacts = []tracefmt.Fact{logFact, commitFact}
	loseFacts   = []tracefmt.Fact{logFact, recoverFact}
	appendFacts = append([]tracefmt.Fact{logFact, commitFact}, leaderFacts...)
)

// raftEntry is an entry of a log: its term, and what else is in it.
type raftEntry struct {
	term    int64
	content uint64 // a hash, 0 where the term alone is told, which need not be all
}

// mayBe reports whether two entries are equal, as far as is told.
func (x raftEntry) mayBe(y raftEntry) bool { return x.term == y.term && mayEqual(x.content, y.content) }

// mayEqual reports whether two contents are equal, as far as is told.
func mayEqual(x, y uint64) bool { return x == y || x == 0 || y == 0 }

// raftServer is a server of Raft as the variables of its process tell it.
type raftServer struct {
	// since is where it became leader of its term, 0 if it does not lead; says is where it
	// said that it leads, which may be before it told the term.
	since, says tracefmt.Seq
	term        replay.Term
	log         indexed[raftEntry]
	// named is the lowest index that it has named since it started. The entries from
	// low to last are all there, unless the log is gapped: it has had gaps since
	// it was empty.
	named, low, last int64
	gapped           bool
	// commit is the present commit index, passed the highest since the server
	// started or recovered: what is committed stays so. Both are -1 for nothing.
	commit, passed int64
	// fromZero: it has told a commit index below 0, so that 0 is the first entry.
	fromZero bool
	idleServer
	past raftPast
}

// idleServer is what the header says of a server.
type idleServer struct {
	// whole: the run records the log whole, so that what is not in it is not there.
	whole bool
	// replicates: what it has of the log counts.
	replicates bool
}

func (server *raftServer) leads() bool { return server.since != 0 }

// forget empties the log, of which the server is not known to have anything.
func (server *raftServer) forget(pool *indexedPool[raftEntry]) {
	server.log = indexed[raftEntry]{pool: pool}
	server.named, server.low, server.last, server.gapped = math.MaxInt64, 0, -1, false
}

// raftServers is the fold that follows the servers. It keeps the entries of all
// logs, up to mostKept of them.
type raftServers struct {
	run     *tracefmt.Run
	said    *tracefmt.Coverage // by the header
	servers []*raftServer      // by process, nil where no event has changed any
	idle    map[idleServer]*raftServer
	pool    indexedPool[raftEntry]
	entries int
	// toldLog, toldLeader, toldCommit: some process has such a variable.
	toldLog, toldLeader, toldCommit bool
	// doubt and commitDoubt say what could not be read or kept first, of logs and
	// of commit indices; "" for nothing.
	doubt, commitDoubt string
	// changed is what the present event changes, nil for nothing of Raft.
	changed *raftChange
	change  raftChange
}

// raftChange is what an event changes at a server.
type raftChange struct {
	// led, term, commit and passed are the server's before the event.
	led            bool
	term           replay.Term
	commit, passed int64
	// begins: the server becomes leader, or leader of another term.
	begins bool
	// at are the places of the log that the event names, in ascending order.
	at []raftPlace
	// cut is the index after which the log has lost its entries, though the event
	// does not name them; the highest integer for none.
	cut int64
}

// sets reports whether the event puts an entry there.
func (c *raftChange) sets(index int64) bool {
	return slices.ContainsFunc(c.at, func(place raftPlace) bool { return place.index == index && place.has })
}

// raftPlace is a place of the log that an event names.
type raftPlace struct {
	index    int64
	old, new raftEntry
	had, has bool // there was, there is an entry
}

func newRaftServers(run *tracefmt.Run) *raftServers {
	return &raftServers{run: run, said: tracefmt.NewCoverage(run), servers: make([]*raftServer, len(run.Members)+1),
		idle: make(map[idleServer]*raftServer)}
}

// server returns the server that a process is: what is kept of it, or one of which nothing is known, to be read.
func (rs *raftServers) server(p tracefmt.ProcessID) *raftServer {
	if known := rs.servers[p]; known != nil {
		return known
	}
	kind := idleServer{replicates: rs.run.Replicates(p), whole: rs.said.Said(p, logFact) == tracefmt.All}
	if rs.idle[kind] == nil {
		server := &raftServer{idleServer: kind, commit: -1, passed: -1}
		server.forget(&rs.pool)
		rs.idle[kind] = server
	}
	return rs.idle[kind]
}

// begun returns the server that a process is, to be changed.
func (rs *raftServers) begun(p tracefmt.ProcessID) *raftServer {
	if rs.servers[p] == nil {
		server := *rs.server(p)
		rs.servers[p] = &server
	}
	return rs.servers[p]
}

// Step takes in an event. It sleeps until a process has a log: who leads is all
// that it follows before.
func (rs *raftServers) Step(s *replay.State, e *tracefmt.Event) {
	rs.changed = nil
	if !replay.ChangesProcess(e.Kind) {
		return
	}
	server, c := rs.begun(e.Process), &rs.change
	*c = raftChange{led: server.leads(), term: server.term, commit: server.commit, passed: server.passed, at: c.at[:0], cut: math.MaxInt64}
	if s.NextLife() {
		// It begins anew, with what the event names.
		rs.entries -= server.log.length
		server.forget(&rs.pool)
		server.since, server.commit, server.passed = 0, -1, -1
		c.led, c.commit, c.passed = false, -1, -1
	}
	stands := rs.follow(s, e, server)
	if server.replicates && e.Kind.AssignsVariables() && (bytes.Contains(e.Payload, logPrefix) || bytes.Contains(e.Payload, commitVariable)) {
		for name, value := range tracefmt.Fields(e.Payload) {
			rs.assign(e, server, name, value)
		}
		rs.order(server)
	}
	if rs.toldLog && (stands || len(c.at) > 0 || c.commit != server.commit || s.NextLife()) {
		rs.changed = c
	}
}

var logPrefix, commitVariable = []byte("log["), []byte("commit")

// follow takes in who leads, and of which term, and reports whether that has
// changed.
func (rs *raftServers) follow(s *replay.State, e *tracefmt.Event, server *raftServer) (changed bool) {
	rs.toldLeader = rs.toldLeader || s.TellsLeader()
	c := &rs.change
	leads, now := s.Leads(e.Process), s.Term(e.Process)
	c.begins = leads && (!c.led || now != c.term)
	switch {
	case !leads:
		server.since = 0
	case c.begins:
		server.since = e.Seq
		if !c.led || saysLead(s, e) {
			server.says = e.Seq
		}
	}
	if now != c.term && now.Known() {
		server.past.raftTerms.take(now)
	}
	if c.begins {
		server.past.ledIn.take(now)
	}
	server.past.take(s, e.Process, leads)
	server.term = now
	return c.led != leads || c.begins || now != c.term
}

// assign takes in a variable; null removes an entry of the log.
func (rs *raftServers) assign(e *tracefmt.Event, server *raftServer, name, value []byte) {
	if string(name) == "commit" {
		rs.toldCommit = true
		rs.commit(e, server, value)
		return
	}
	index, ok := logIndex(name)
	if !ok {
		return
	}
	rs.toldLog = true
	p := raftPlace{index: index}
	p.old, p.had = server.log.get(index)
	if p.had {
		server.log.remove(index)
		rs.entries--
	}
	p.new, p.has = rs.entry(e, index, value)
	if p.has {
		server.log.set(index, p.new)
		server.past.entered = true
		rs.entries++
	}
	rs.change.at = append(rs.change.at, p)
}

// commit takes in a commit index: null is none, and so is 0, unless the server has
// told one below it.
func (rs *raftServers) commit(e *tracefmt.Event, server *raftServer, value []byte) {
	index, ok := tracefmt.ParseInteger(value)
	switch {
	case !ok && !isNull(value):
		rs.commitDoubt = cmp.Or(rs.commitDoubt, fmt.Sprintf("the commit index at seq %d is %s, expected an integer", e.Seq, short(value)))
		return
	case index < 0:
		server.fromZero = true
	}
	if !ok || index < 0 || index == 0 && !server.fromZero {
		index = -1
	}
	server.commit = min(index, math.MaxInt64-1) // there is an index after it
	server.passed = max(server.passed, server.commit)
	server.past.committed = server.past.committed || index >= 0
}

// order takes the places of an event in order, and into account where the log
// begins and ends.
func (rs *raftServers) order(server *raftServer) {
	c := &rs.change
	slices.SortStableFunc(c.at, func(x, y raftPlace) int { return cmp.Compare(x.index, y.index) })
	for _, at := range slices.Backward(c.at) {
		server.named = min(server.named, at.index)
		if at.had && !at.has && at.index == server.last {
			server.last--
		}
	}
	for _, at := range c.at {
		switch {
		case at.had && !at.has && at.index == server.low && server.low <= server.last:
			server.low++
		case at.has && !at.had && server.last < server.low:
			server.low, server.last = at.index, at.index
		case at.has && !at.had:
			server.low, server.last = min(server.low, at.index), max(server.last, at.index)
		case at.has && at.old.term != at.new.term && !server.whole:
			c.cut = min(c.cut, at.index)
		}
	}
	if c.cut != math.MaxInt64 {
		rs.truncate(server)
	}
	server.gapped = server.gapped || int64(server.log.length) != server.last-server.low+1
	if server.log.length == 0 {
		server.low, server.last, server.gapped = 0, -1, false
	}
}

// truncate removes what follows an entry that took the place of one of another
// term. A recording may leave that unsaid, since Raft does not: 5.3.
func (rs *raftServers) truncate(server *raftServer) {
	c := &rs.change
	var stale []int64
	for index := range server.log.between(c.cut+1, server.last) {
		if !slices.ContainsFunc(c.at, func(at raftPlace) bool { return at.index == index }) {
			stale = append(stale, index)
		}
	}
	for _, index := range stale {
		server.log.remove(index)
		rs.entries--
	}
	server.last = c.cut
	for _, at := range c.at {
		if at.has {
			server.last = max(server.last, at.index)
		}
	}
}

// presence is what is known of an entry that a log should have.
type presence uint8

const (
	untold presence = iota
	present
	missing
	another // is in its place
)

// presence says whether a server has an entry. What it lacks at or below its
// commit index is taken to be in a snapshot. Unless the log is told whole, what it lacks
// above is missing only if its log is told without gaps to below it and as far as
// it is committed.
func (rs *raftServers) presence(p tracefmt.ProcessID, index int64, entry raftEntry) presence {
	server := rs.server(p)
	has, ok := server.log.get(index)
	switch {
	case ok && has.mayBe(entry) || !ok && index <= server.commit:
		return present
	case ok:
		return another
	case server.whole || index >= server.named && !server.gapped && server.commit <= server.last:
		return missing
	}
	return untold
}

// entry reads an entry of a log, an object with its term or the term alone; ok
// is false for null.
func (rs *raftServers) entry(e *tracefmt.Event, index int64, value []byte) (entry raftEntry, ok bool) {
	if isNull(value) {
		return raftEntry{}, false
	}
	term, content := value, uint64(0)
	switch {
	case value[0] == '{':
		term, content = planned.Value(value, "term"), fieldsHash(value)
	case rs.server(e.Process).whole:
		content = 1 // there is nothing else in it
	}
	n, known := tracefmt.ParseInteger(term)
	switch {
	case !known:
		rs.doubts(fmt.Sprintf("the entry log[%d] at seq %d has no term, expected an object such as {\"term\":1}, "+
			"or the term, not %s", index, e.Seq, short(value)))
		return raftEntry{}, false
	case rs.entries >= mostKept:
		rs.doubts(tooMany(raftEntries))
		return raftEntry{}, false
	}
	return raftEntry{n, content}, true
}

func (rs *raftServers) doubts(why string) { rs.doubt = cmp.Or(rs.doubt, why) }

// logIndex returns the index in a name such as log[3].
func logIndex(name []byte) (int64, bool) {
	digits, ok := bytes.CutPrefix(name, []byte("log["))
	digits, closed := bytes.CutSuffix(digits, []byte("]"))
	if !ok || !closed {
		return 0, false
	}
	n, whole := tracefmt.NumberOf(digits)
	index, fits := n.Int64()
	return index, whole && fits && index >= 0
}

// newlyCommitted calls f for each entry that the server newly knows to be
// committed: those that its commit index passes at the event, and those that
// it takes in below it.
func (rs *raftServers) newlyCommitted(p tracefmt.ProcessID, c *raftChange, f func(index int64, entry raftEntry)) {
	server := rs.server(p)
	for _, place := range c.at {
		if place.has && place.index <= c.passed {
			f(place.index, place.new)
		}
	}
	for index, entry := range server.log.between(c.passed+1, server.passed) {
		f(index, entry)
	}
}

// raftMonitor is what the monitors of Raft have in common.
type raftMonitor struct{ *raftServers }

// Follow implements [analyze.Follower].
func (m *raftMonitor) Follow(f *analyze.Folds) { m.raftServers = analyze.Shared(f, newRaftServers) }

// step returns what the event changes, nil for nothing of Raft. The change is good
// for the present event.
func (m *raftMonitor) step(r *analyze.Result) *raftChange {
	if m.doubt != "" {
		r.Undecided(func() string { return m.doubt })
	}
	return m.changed
}

// stepCommit does that for properties that need commit indices, too.
func (m *raftMonitor) stepCommit(r *analyze.Result) *raftChange {
	if m.commitDoubt != "" && m.toldLog {
		r.Undecided(func() string { return m.commitDoubt })
	}
	return m.step(r)
}
