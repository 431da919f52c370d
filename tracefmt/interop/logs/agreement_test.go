package logs

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCalled: names are read where this expression finds them, which takes ten times as long.
func TestCalled(t *testing.T) {
	called := regexp.MustCompile(`(?i)(?:\b(?:to|from|for|is|by|following|peer|leader|coordinator|master|member|candidate)[\s=]+` +
		`|\bvoted?_?for=+` +
		`|\b(?:node|server|replica|process|participant|worker|acceptor)\s+|(?:->|<-)\s+)(\w[\w.@:-]*\w|\w)`)
	parts := []string{
		"to", "To", "votedFor", "voted_for", "node", "peer", "is", "of", "n1", "a.b:80", "x", "é",
		" ", " ", "=", "-", "->", "<-", ".", ":", "_", "(", "\t",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 14).Draw(t, "parts"), "")
		want, got := make(map[string]bool), make(map[string]bool)
		for _, at := range called.FindAllStringSubmatch(text, 4) {
			if !followLeads[strings.ToLower(at[1])] {
				want[at[1]] = true
			}
		}
		addCalled(got, text)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", text, diff)
		}
	})
}
