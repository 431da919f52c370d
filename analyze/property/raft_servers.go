package property

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
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
	log    map[int64]raftEntry
	// commit is the present commit index, passed the highest since the server
	// started or recovered: what is committed stays so.
	commit, passed int64
}

// raftServers follows the servers. It keeps the entries of all logs, up to
// mostKept of them.
type raftServers struct {
	servers []raftServer // by process
	entries int
	// toldLog, toldLeader, toldCommit: some process has such a variable.
	toldLog, toldLeader, toldCommit bool
	change                          raftChange
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

func newRaftServers(run *tracefmt.Run) raftServers {
	r := raftServers{servers: make([]raftServer, len(run.Members)+1)}
	for p := range r.servers {
		r.servers[p].log = make(map[int64]raftEntry)
	}
	return r
}

// step takes in an event, after the state has, and returns what it changes at
// its server; nil for an event that assigns no variables and takes no process
// down. The change is good until the next step.
func (rs *raftServers) step(r *analyze.Result, s *replay.State, e *tracefmt.Event) *raftChange {
	if !replay.ChangesProcess(e.Kind) {
		return nil
	}
	server, c := &rs.servers[e.Process], &rs.change
	*c = raftChange{led: server.leader, term: server.term, passed: server.passed, at: c.at[:0]}
	if e.Kind == tracefmt.Recover {
		// It begins anew, with what its recovery names.
		rs.entries -= len(server.log)
		clear(server.log)
		c.led, c.passed = false, 0
	}
	if tellsVariables(e.Kind) {
		for name, value := range tracefmt.Fields(e.Payload) {
			rs.assign(r, e, server, name, value)
		}
	}
	slices.SortStableFunc(c.at, func(x, y raftPlace) int { return cmp.Compare(x.index, y.index) })
	server.leader = s.Live(e.Process) && leads(s, e.Process)
	server.term = integer(s, e.Process, "term")
	server.commit = min(integer(s, e.Process, "commit"), math.MaxInt64-1) // there is an index after it
	server.passed = max(c.passed, server.commit)
	return c
}

// assign takes in a variable; null removes an entry of the log.
func (rs *raftServers) assign(r *analyze.Result, e *tracefmt.Event, server *raftServer, name, value []byte) {
	switch string(name) {
	case "role", "elected":
		rs.toldLeader = true
	case "commit":
		rs.toldCommit = true
	}
	index, ok := logIndex(name)
	if !ok {
		return
	}
	rs.toldLog = true
	p := raftPlace{index: index}
	if p.old, p.had = server.log[index]; p.had {
		delete(server.log, index)
		rs.entries--
	}
	if p.new, p.has = rs.entry(r, e, index, value); p.has {
		server.log[index] = p.new
		rs.entries++
	}
	rs.change.at = append(rs.change.at, p)
}

// entry reads an entry of a log, an object with its term or the term alone; ok
// is false for null.
func (rs *raftServers) entry(r *analyze.Result, e *tracefmt.Event, index int64, value []byte) (entry raftEntry, ok bool) {
	if isNull(value) {
		return raftEntry{}, false
	}
	term := value
	if value[0] == '{' {
		term = planned(value, "term")
	}
	n, err := strconv.ParseInt(string(term), 10, 64)
	if err != nil {
		r.Undecided(func() string {
			return fmt.Sprintf("the entry log[%d] at seq %d has no term, expected an object such as {\"term\":1}, or the term, not %s", index, e.Seq, short(value))
		})
		return raftEntry{}, false
	}
	if !roomFor(r, rs.entries+1, "entries of logs") {
		return raftEntry{}, false
	}
	return raftEntry{n, fieldsHash(value)}, true
}

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
	if server.passed-c.passed > int64(len(server.log)) { // it passes gaps
		for _, index := range slices.Sorted(maps.Keys(server.log)) {
			if c.passed < index && index <= server.passed {
				f(index, server.log[index])
			}
		}
		return
	}
	for index := c.passed + 1; index <= server.passed; index++ {
		if entry, ok := server.log[index]; ok {
			f(index, entry)
		}
	}
}
