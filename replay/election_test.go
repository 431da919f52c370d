package replay_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestLeads: who leads, by role or by whom it has elected.
func TestLeads(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events string // process a, payloads of state events; "crash" or "recover"
		leads  bool
	}{
		{"nothing told", ``, false},
		{"elected itself", `{"elected":"a"}`, true},
		{"elected another", `{"elected":"b"}`, false},
		{"leader by role", `{"role":"leader"}`, true},
		{"in the words of ZooKeeper", `{"role":"LEADING"}`, true},
		{"a primary", `{"role":"Primary"}`, true},
		{"a follower that still believes in itself", `{"elected":"a"} {"role":"follower"}`, false},
		{"a leader that has not learned of itself", `{"role":"leader"} {"elected":null}`, true},
		{"a candidate", `{"role":"candidate","elected":"a"}`, false},
		{"a role that is taken back", `{"role":"follower"} {"elected":"a","role":null}`, true},
		{"a role that is no text", `{"role":7,"elected":"a"}`, true},
		{"a role that is not known", `{"role":"active","elected":"a"}`, true},
		{"a coordinator", `{"role":"coordinator"}`, true},
		{"one that is electing", `{"role":"electing","elected":"a"}`, false},
		{"a backup", `{"role":"Backup","elected":"a"}`, false},
		{"down", `{"role":"leader"} crash`, false},
		{"up again", `{"role":"leader"} crash recover`, false},
		{"up again, and told", `crash recover {"role":"leader"}`, true},
		{"another term", `{"role":"leader","term":1} {"term":2}`, false},
		{"another term, that is no number", `{"role":"leader","term":"e1"} {"term":"e2"}`, false},
		{"another term, of more than 64 bits", `{"elected":"a","term":9223372036854775808} {"term":9223372036854775809}`, false},
		{"the same term, in another form", `{"role":"leader","term":1} {"term":"1"} {"term":1.0}`, true},
		{"another term, and the role again", `{"role":"leader","term":1} {"term":2,"role":"leader"}`, true},
		{"another term, and itself again", `{"role":"leader","term":1} {"term":2,"elected":"a"}`, true},
		{"another term, and another elected", `{"role":"leader","term":1} {"term":2,"elected":"b"}`, false},
		{"a term that is told after the role", `{"role":"leader"} {"term":1}`, true},
		{"a term that is told after the role, and another one", `{"role":"leader"} {"term":1} {"term":2}`, false},
		{"a term that is not known any more", `{"role":"leader","term":1} {"term":null}`, true},
		{"a term that falls back", `{"role":"leader","term":1} {"term":2} {"term":1}`, false},
		{"a leader again", `{"role":"leader","term":1} {"term":2} {"role":"leader"}`, true},
	} {
		run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}}
		s := replay.NewState(run)
		for i, text := range strings.Fields(tt.events) {
			e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: 1, Kind: tracefmt.State, Payload: []byte(text)}
			if kind, err := tracefmt.ParseKind(text); err == nil {
				e.Kind, e.Payload = kind, nil
			}
			s.Apply(&e)
		}
		for _, s := range []*replay.State{s, s.Clone()} {
			if s.Leads(1) != tt.leads {
				t.Errorf("%s: leads: %t, want %t", tt.name, s.Leads(1), tt.leads)
			}
		}
	}
}

// TestElectors: who takes part in an election, by its role or because it uses the
// words of elections.
func TestElectors(t *testing.T) {
	members := []tracefmt.Member{
		{Name: "s", Attributes: []byte(`{"role":"server"}`)},
		{Name: "c", Attributes: []byte(`{"role":"client"}`)},
		{Name: "x", Attributes: []byte(`{"role":"byzantine"}`)},
		{Name: "p", Attributes: []byte(`{"role":"proposer"}`)},
		{Name: "u"},
		{Name: "v"},
	}
	for _, tt := range []struct{ source, first, second string }{
		{"", "s p", "s p u"}, {tracefmt.Simulated, "s p u v", "s p u v"},
	} {
		run := &tracefmt.Run{Members: members, Source: tt.source}
		s := replay.NewState(run)
		for i, e := range []tracefmt.Event{
			{Kind: tracefmt.Send, Process: 6, Peer: 1, Message: 1, Type: "hello"},
			{Kind: tracefmt.State, Process: 2, Payload: []byte(`{"elected":"c"}`)},
			{Kind: tracefmt.State, Process: 5, Payload: []byte(`{"role":"follower"}`)},
		} {
			if i == 1 {
				electors(t, s, tt.first)
			}
			e.Seq = tracefmt.Seq(i + 1)
			s.Apply(&e)
		}
		electors(t, s, tt.second)
		electors(t, s.Clone(), tt.second)
		if s.Leads(2) {
			t.Error("a client leads")
		}
	}
}

func electors(t *testing.T, s *replay.State, want string) {
	t.Helper()
	var names []string
	for _, p := range s.Electors() {
		names = append(names, s.Run.ProcessName(p))
	}
	if !slices.Equal(names, strings.Fields(want)) {
		t.Errorf("source %q: %v, want %s", s.Run.Source, names, want)
	}
}

// TestTerm: the term of a process is that of its last event that names one.
func TestTerm(t *testing.T) {
	run := &tracefmt.Run{Problem: tracefmt.Zab, Members: []tracefmt.Member{{Name: "a", Position: 1}}}
	s := replay.NewState(run)
	for i, tt := range []struct {
		e    tracefmt.Event
		want string
	}{
		{tracefmt.Event{Kind: tracefmt.Note}, "null"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"term":3}`)}, "null"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"role":"leader"}`)}, "null"},
		{tracefmt.Event{Kind: tracefmt.State, Term: 4}, "4"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"term":"5"}`)}, "4"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"epoch":6}`)}, "6"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"epoch":"6"}`)}, "6"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"epoch":6.5}`)}, "6.5"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"epoch":18446744073709551616}`)}, "18446744073709551616"},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"epoch":"x"}`)}, `"x"`},
		{tracefmt.Event{Kind: tracefmt.State, Payload: []byte(`{"epoch":null}`)}, "null"},
		{tracefmt.Event{Kind: tracefmt.State, Term: 7, Payload: []byte(`{"epoch":6}`)}, "7"},
		{tracefmt.Event{Kind: tracefmt.State, Term: 8}, "8"},
		{tracefmt.Event{Kind: tracefmt.Recover}, "null"},
	} {
		tt.e.Seq, tt.e.Process = tracefmt.Seq(i+1), 1
		s.Apply(&tt.e)
		for _, s := range []*replay.State{s, s.Clone()} {
			if got := string(s.Term(1).JSON()); got != tt.want {
				t.Errorf("event %d: %s, want %s", i+1, got, tt.want)
			}
		}
	}
}
