package raft_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/raft"
	"etrace/tracefmt"
)

// TestScripts runs the scripts of testdata. Each ends with the final state of every server: the terms of its
// entries, those known to be committed before the bar.
func TestScripts(t *testing.T) {
	interaction.Run(t, raft.All(), func(m *tracefmt.Memory) string {
		var lines strings.Builder
		for _, s := range statesAfter(m, m.Len())[1:] {
			lines.WriteString(s.String() + "\n")
		}
		return lines.String()
	})
}

// entry is an entry of a log, as recorded in a run.
type entry struct{ Term, Command int64 }

// server is the recorded state of a server.
type server struct {
	name           string
	up             bool
	role           string
	term, votedFor int64
	log            []entry
	commit         int
}

func (s *server) String() string {
	if !s.up {
		return s.name + ": down"
	}
	var terms []string
	for i, e := range s.log {
		if i == s.commit {
			terms = append(terms, "|")
		}
		terms = append(terms, fmt.Sprint(e.Term))
	}
	if s.commit == len(s.log) {
		terms = append(terms, "|")
	}
	return fmt.Sprintf("%s: %s in term %d, log %s", s.name, s.role, s.term, strings.Join(terms, " "))
}

// take takes in an event of the server.
func (s *server) take(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt:
		s.up = false
	case tracefmt.Start, tracefmt.Recover:
		*s = server{name: s.name, up: true}
	}
	if !e.Kind.AssignsVariables() {
		return
	}
	for name, value := range tracefmt.Fields(e.Payload) {
		s.assign(string(name), value)
	}
	s.log = slices.DeleteFunc(s.log, func(e entry) bool { return e == entry{} })
}

func (s *server) assign(name string, value []byte) {
	var index int
	field := map[string]any{"role": &s.role, "term": &s.term, "votedFor": &s.votedFor, "commit": &s.commit}[name]
	if _, err := fmt.Sscanf(name, "log[%d]", &index); err == nil {
		s.log = append(s.log, make([]entry, max(0, index-len(s.log)))...)
		s.log[index-1] = entry{}
		field = &s.log[index-1]
	}
	if name == "votedFor" {
		s.votedFor = 0 // null is no vote
	}
	if field == nil || string(value) == "null" {
		return
	}
	if err := json.Unmarshal(value, field); err != nil {
		panic(err)
	}
}

// statesAfter returns the servers after the given number of events, by process.
func statesAfter(m *tracefmt.Memory, events int) []server {
	servers := newServers(m)
	for e := range m.Events(1) {
		if int(e.Seq) <= events && e.Process != 0 {
			servers[e.Process].take(e)
		}
	}
	return servers
}

func newServers(m *tracefmt.Memory) []server {
	servers := make([]server, len(m.Run().Members)+1)
	for i, member := range m.Run().Members {
		servers[i+1].name = member.Name
	}
	return servers
}
