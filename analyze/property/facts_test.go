package property_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/analyze/property"
)

// factsNotYet take what is recorded for all that happened.
var factsNotYet = []string{
	"agreement",
	"bounded-bypass",
	"broadcast-agreement",
	"broadcast-causal-order",
	"broadcast-fifo-order",
	"broadcast-no-creation",
	"broadcast-no-duplication",
	"broadcast-total-order",
	"broadcast-validity",
	"bully-election-upward",
	"causal-delivery",
	"consensus-agreement",
	"consensus-integrity",
	"consensus-termination",
	"consensus-validity",
	"crash-recovery-alternate",
	"elected-has-seen-most",
	"election-answered",
	"election-liveness",
	"election-safety",
	"election-safety-always",
	"election-safety-at-assignment",
	"eventual-leader",
	"fifo",
	"lamport-clocks",
	"leader-has-quorum",
	"leader-is-live",
	"linearizability",
	"message-complexity",
	"message-integrity",
	"messages-at-most",
	"mutual-exclusion",
	"mutual-exclusion-definitely",
	"mutual-exclusion-possibly",
	"no-duplication",
	"no-loss",
	"no-starvation",
	"no-step-when-crashed",
	"one-election-at-a-time",
	"process-time-monotone",
	"raft-leader-append-only",
	"raft-leader-completeness",
	"raft-log-matching",
	"raft-state-machine-safety",
	"recovered-relearns",
	"request-order-fairness",
	"ring-forward-increasing",
	"ring-no-orphan",
	"ring-successor-only",
	"single-leader",
	"single-leader-definitely",
	"single-leader-possibly",
	"term-monotone",
	"termination-within",
	"timers-well-behaved",
	"unique-leader-per-term",
	"vector-clocks",
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
