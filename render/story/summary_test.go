package story

import (
	"fmt"
	"strings"
	"testing"

	"etrace/tracefmt"
)

// TestTitle: a title says what the run is of, and nothing twice.
func TestTitle(t *testing.T) {
	for _, tt := range []struct {
		run  tracefmt.Run
		want string
	}{
		{tracefmt.Run{Algorithm: "bully", Problem: tracefmt.Election}, "bully: election among 3 processes"},
		{tracefmt.Run{Algorithm: "raft", Problem: tracefmt.Raft}, "raft among 3 processes"},
		{tracefmt.Run{Name: "figure 8", Algorithm: "raft", Problem: tracefmt.Raft}, "figure 8: raft among 3 processes"},
		{tracefmt.Run{Number: 2}, "run 2: 3 processes"},
	} {
		s := &Story{Run: &tt.run, Order: make([]tracefmt.ProcessID, 3)}
		if got := s.Title(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.run, got, tt.want)
		}
	}
}

// TestRoles: heads name what sets a member apart, by the roles of docs/vocabulary.md; the title counts beside the processes
// who is none of the n.
func TestRoles(t *testing.T) {
	for _, tt := range []struct {
		roles       []string
		title, head string
	}{
		{[]string{"", "", ""}, "pbft: consensus among 3 processes", "a b c"},
		{[]string{"server", "", "client"}, "pbft: consensus among 2 processes and 1 client", "a b c (client)"},
		{[]string{"coordinator", "byzantine", "primary"}, "pbft: consensus among 3 processes", "a (coordinator) b (Byzantine) c"},
		{[]string{"observer", "client", "client"}, "pbft: consensus among 2 clients and 1 observer", "a (observer) b (client) c (client)"},
	} {
		run := &tracefmt.Run{Algorithm: "pbft", Problem: tracefmt.Consensus}
		for i, role := range tt.roles {
			m := tracefmt.Member{Name: string(rune('a' + i)), Position: i + 1}
			if role != "" {
				m.Attributes = fmt.Appendf(nil, `{"role":%q}`, role)
			}
			run.Members = append(run.Members, m)
		}
		s := newStory(run, Options{})
		var heads []string
		for p := range run.Members {
			heads = append(heads, s.RoleName(tracefmt.ProcessID(p+1)))
		}
		if got := strings.Join(heads, " "); got != tt.head || s.Title() != tt.title {
			t.Errorf("%q: %s, %s; want %s, %s", tt.roles, s.Title(), got, tt.title, tt.head)
		}
	}
}
