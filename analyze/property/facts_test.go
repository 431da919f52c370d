package property_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze/property"
)

// factsNotYet take what is recorded for all that happened.
var factsNotYet = []string{
	"bully-election-upward",
	"elected-has-seen-most",
	"election-answered",
	"election-safety-always",
	"election-safety-at-assignment",
	"leader-has-quorum",
	"leader-is-live",
	"message-complexity",
	"messages-at-most",
	"mutual-exclusion-definitely",
	"mutual-exclusion-possibly",
	"one-election-at-a-time",
	"raft-leader-append-only",
	"raft-leader-completeness",
	"raft-log-matching",
	"raft-state-machine-safety",
	"recovered-relearns",
	"ring-forward-increasing",
	"ring-no-orphan",
	"ring-successor-only",
	"single-leader",
	"single-leader-definitely",
	"single-leader-possibly",
	"term-monotone",
	"termination-within",
	"unique-leader-per-term",
	"vote-once-per-term",
}

// factless say why no fact that is not recorded convicts.
var factless = map[string]string{}

// TestEveryPropertyHasFacts: each property says as data which facts would show a violation
// of it, so that a recording which lacks them does not satisfy it.
func TestEveryPropertyHasFacts(t *testing.T) {
	for _, p := range property.Builtin().All() {
		if p.Bind != nil {
			bound, err := p.Bind("9")
			if err != nil {
				t.Fatal(err)
			}
			p = bound
		}
		name, _, _ := strings.Cut(p.Name, "(")
		if len(p.Convicts) == 0 && !slices.Contains(factsNotYet, name) && factless[name] == "" {
			t.Errorf("%s does not say which facts convict", p.Name)
		}
	}
}
