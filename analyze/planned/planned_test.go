package planned

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// TestStartsTogether: a process that starts twice, also among all, does not start together with the others.
func TestStartsTogether(t *testing.T) {
	for scenario, want := range map[string]string{
		`{"start":"4@0"}`:       "",
		`{"start":"4@0, 5@0"}`:  "",
		`{"start":"all@0"}`:     "",
		`{"start":"4@0,5@1"}`:   "the scenario has starts at several instants",
		`{"start":"4@0,4@0"}`:   "the scenario starts a process more than once",
		`{"start":"4@0,all@0"}`: "the scenario starts a process more than once",
		`{"start":"all@0,4@0"}`: "the scenario starts a process more than once",
	} {
		if got := StartsTogether(&tracefmt.Run{Scenario: []byte(scenario)}); got != want {
			t.Errorf("%s: %q, want %q", scenario, got, want)
		}
	}
}

// TestTexts: a list is a text with commas, or a list of texts, with or without blanks.
func TestTexts(t *testing.T) {
	for _, scenario := range []string{`{"down":"7, 8"}`, `{"down":["7"," 8"]}`} {
		if diff := cmp.Diff([]string{"7", "8"}, texts(&tracefmt.Run{Scenario: []byte(scenario)}, "down")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", scenario, diff)
		}
	}
}
