package mapping

import (
	"slices"
	"testing"
)

// TestMemberLists reads the lists of members that programs write.
func TestMemberLists(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{`newRaft 3 [peers: [1,2,3,4,5], term: 1, commit: 9]`, []string{"1", "2", "3", "4", "5"}},
		{
			`initial configuration: index=1 servers="[{Suffrage:Voter ID:n1 Address:10.0.0.1:8300} {Suffrage:Voter ID:n2 Address:10.0.0.2:8300}]"`,
			[]string{"n1", "n2"},
		},
		{`{"msg":"starting","initial-cluster":"a=http://127.0.0.1:2380,b=http://127.0.0.1:2480"}`, []string{"a", "b"}},
		{`{"msg":"starting","peers":["alpha","beta"],"term":1}`, []string{"alpha", "beta"}},
		{`starting peers=n2,n3 term=4`, []string{"n2", "n3"}},
		{`Members: [10.0.0.1:7000 10.0.0.2:7000]`, []string{"10.0.0.1:7000", "10.0.0.2:7000"}},
		{`voters=(7 8 9)`, []string{"7", "8", "9"}},
		{`heartbeat peers=3, took 2ms`, nil},
		{`no members here, and no list`, nil},
		{`peers: [`, nil},
	} {
		var got []string
		for names := range memberLists(c.line) {
			got = names
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.line, got, c.want)
		}
	}
}
