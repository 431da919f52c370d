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

// TestWithout: a disturbance is a key of the scenario that is not off, or an edit with the same effect. An edit such as
// timeout=5@seq30 has no verb, and changes a parameter.
func TestWithout(t *testing.T) {
	for scenario, want := range map[string]string{
		`{}`:                                   "",
		`{"drop":"m12"}`:                       "the scenario loses messages (drop)",
		`{"reorder":"on"}`:                     "the scenario lets messages overtake each other (reorder)",
		`{"reorder":"off"}`:                    "",
		`{"loss":"0.5","edit":"recover 3@5"}`:  "", // of other disturbances
		`{"edit":"drop m12"}`:                  "the scenario loses messages (edit: drop)",
		`{"edit":"timeout=5@seq30"}`:           "the scenario changes a parameter on the way (edit: PARAMETER=VALUE)",
		`{"edit":["recover 3@5","start 2@9"]}`: "the scenario begins again by an edit (edit: start)",
	} {
		without := Without("drop", "reorder", EditedStart, EditedParameter)
		if got := without(&tracefmt.Run{Scenario: []byte(scenario)}); got != want {
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
