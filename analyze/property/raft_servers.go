package property

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"etrace/analyze"
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

// raftEntry is an entry of a log: two are equal if term and content are.
type raftEntry struct {
	term    int64
	content uint64 // a hash
}

// raftServer is a server of Raft as the variables of its process tell it.
type raftServer struct {
	leader bool
	term   int64
	log    indexed[raftEntry]
	// commit is the present commit index, passed the highest since the server
	// started or recovered: what is committed stays so.
	commit, passed int64
}

// raftServers is the fold that follows the servers. It keeps the entries of all
// logs, up to mostKept of them.
type raftServers struct {
	servers []raftServer // by process
	pool    indexedPool[raftEntry]
	entries int
	// toldLog, toldLeader, toldCommit: some process has such a variable.
	toldLog, toldLeader, toldCommit bool
	// doubt says what could not be read or kept first, "" for nothing.
	doubt string
	// changed is what the present event changes, nil for nothing of Raft.
	changed *raftChange
	change  raftChange
}

// raftChange is what an event changes at a server.
type raftChange struct {
	// led and term tell of the server before the event, as passed does.
	led          bool
	term, passed int64
	// at are the places of the log that the event names, in ascending order.
	at []raftPlace
}

// raftPlace is a place of the log that an event names.
type raftPlace struct {
	index    int64
	old, new raftEntry
	had, has bool // there was, there is an entry
}

func newRaftServers(run *tracefmt.Run) *raftServers {
	rs := &raftServers{servers: make([]raftServer, len(run.Members)+1)}
	for p := range rs.servers {
		rs.servers[p].log.pool = &rs.pool
	}
	return rs
}

// Step takes in an event. Of runs without servers it costs a look at the names of
// the variables.
func (rs *raftServers) Step(s *replay.State, e *tracefmt.Event) {
	rs.changed = nil
	if !replay.ChangesProcess(e.Kind) {
		return
	}
	server, c := &rs.servers[e.Process], &rs.change
	*c = raftChange{led: server.leader, term: server.term, passed: server.passed, at: c.at[:0]}
	if e.Kind == tracefmt.Recover {
		// It begins anew, with what its recovery names.
		rs.entries -= server.log.length
		server.log = indexed[raftEntry]{pool: &rs.pool}
		c.led, c.passed = false, 0
	}
	stands := e.Kind != tracefmt.State // for other things than its log
	if tellsVariables(e.Kind) {
		for name, value := range tracefmt.Fields(e.Payload) {
			stands = rs.assign(e, server, name, value) || stands
		}
	}
	if stands {
		server.leader = s.Live(e.Process) && leads(s, e.Process)
		server.term = integer(s, e.Process, "term")
		server.commit = min(integer(s, e.Process, "commit"), math.MaxInt64-1) // there is an index after it
		server.passed = max(c.passed, server.commit)
	}
	if stands || len(c.at) > 0 {
		slices.SortStableFunc(c.at, func(x, y raftPlace) int { return cmp.Compare(x.index, y.index) })
		rs.changed = c
	}
}

// assign takes in a variable; null removes an entry of the log. It reports whether
// the variable is another one that servers have.
func (rs *raftServers) assign(e *tracefmt.Event, server *raftServer, name, value []byte) bool {
	switch string(name) {
	case "role", "elected":
		rs.toldLeader = true
		return true
	case "commit":
		rs.toldCommit = true
		return true
	case "term":
		return true
	}
	index, ok := logIndex(name)
	if !ok {
		return false
	}
	rs.toldLog = true
	p := raftPlace{index: index}
	if p.old, p.had = server.log.get(index); p.had {
		server.log.remove(index)
		rs.entries--
	}
	if p.new, p.has = rs.entry(e, index, value); p.has {
		server.log.set(index, p.new)
		rs.entries++
	}
	rs.change.at = append(rs.change.at, p)
	return false
}

// entry reads an entry of a log, an object with its term or the term alone; ok
// is false for null.
func (rs *raftServers) entry(e *tracefmt.Event, index int64, value []byte) (entry raftEntry, ok bool) {
	if isNull(value) {
		return raftEntry{}, false
	}
	term := value
	if value[0] == '{' {
		term = planned(value, "term")
	}
	n, err := strconv.ParseInt(string(term), 10, 64)
	switch {
	case err != nil:
		rs.doubts(fmt.Sprintf("the entry log[%d] at seq %d has no term, expected an object such as {\"term\":1}, or the term, not %s", index, e.Seq, short(value)))
		return raftEntry{}, false
	case rs.entries >= mostKept:
		rs.doubts(tooMany(raftEntries))
		return raftEntry{}, false
	}
	return raftEntry{n, fieldsHash(value)}, true
}

func (rs *raftServers) doubts(why string) { rs.doubt = cmp.Or(rs.doubt, why) }

// leads reports whether p leads: by its role, or if it has none by elected.
func leads(s *replay.State, p tracefmt.ProcessID) bool {
	if role, ok := s.Variable(p, "role"); ok {
		return string(role) == `"leader"`
	}
	return s.Process(p).Elected == p
}

// logIndex returns the index in a name such as log[3].
func logIndex(name []byte) (int64, bool) {
	digits, ok := bytes.CutPrefix(name, []byte("log["))
	digits, closed := bytes.CutSuffix(digits, []byte("]"))
	if !ok || !closed {
		return 0, false
	}
	index, err := strconv.ParseInt(string(digits), 10, 64)
	return index, err == nil && index >= 0
}

// committed calls f for each entry that the server newly knows to be
// committed: those that its commit index passes at the event, and those that
// it takes in below it.
func (rs *raftServers) committed(p tracefmt.ProcessID, c *raftChange, f func(index int64, entry raftEntry)) {
	server := &rs.servers[p]
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
