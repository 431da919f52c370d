package tracefmt_test

import (
	"testing"

	"etrace/tracefmt"
)

// Only what etrace has simulated is in the trace as a whole, and only there a member
// without a role is known to take part.
func TestSimulatedRunsTellAll(t *testing.T) {
	for source, want := range map[string]bool{tracefmt.Simulated: true, "recorded": false, "shiviz": false, "": false} {
		run := tracefmt.Run{Source: source, Members: []tracefmt.Member{{Name: "a"}}}
		if run.RecordsAll() != want || (run.Part(1) == tracefmt.TakesPart) != want {
			t.Errorf(
				"a run of the source %q: tells all %v, takes part %v; expected %v", source,
				run.RecordsAll(), run.Part(1) == tracefmt.TakesPart, want,
			)
		}
	}
}

// TestWhen: times since 1970 are written as RFC 3339 does, and read again; all others in units.
func TestWhen(t *testing.T) {
	for _, c := range []struct {
		unit tracefmt.TimeUnit
		at   tracefmt.Time
		want string
	}{
		{tracefmt.Nanoseconds, 1_700_000_000_250_000_000, "2023-11-14T22:13:20.25Z"},
		{tracefmt.Nanoseconds, 1_500_000_000, "1.5"}, // since the start of the run
		{tracefmt.Delays, 1_700_000_000_250_000_000, "1700000000.25"},
		{tracefmt.Logical, 3, "3"},
	} {
		run := &tracefmt.Run{TimeUnit: c.unit}
		if got := run.When(c.at); got != c.want {
			t.Errorf("%s: %d is %s, want %s", c.unit, c.at, got, c.want)
		}
		if got, err := run.ParseWhen(c.want); got != run.TimeUnit.Units(c.at) || err != nil {
			t.Errorf("%s: %s is %d, %v, want %d", c.unit, c.want, got, err, c.at)
		}
	}
	wall := &tracefmt.Run{TimeUnit: tracefmt.Nanoseconds}
	if got, err := wall.ParseWhen("2023-11-14T23:13:20.25+01:00"); got != 1_700_000_000_250_000_000 || err != nil {
		t.Error(got, err)
	}
	for _, bad := range []string{"1969-12-31T23:59:59Z", "9999-01-01T00:00:00Z", "tomorrow", ""} {
		if got, err := wall.ParseWhen(bad); err == nil {
			t.Errorf("%q is read as %d", bad, got)
		}
	}
	if _, err := (&tracefmt.Run{TimeUnit: tracefmt.Delays}).ParseWhen("2023-11-14T22:13:20Z"); err == nil {
		t.Error("a simulated run has no time of day")
	}
}

// Titles name the mutant that the scenario of a run names, and nothing else of it.
func TestTitled(t *testing.T) {
	for scenario, want := range map[string]string{
		`{"algorithm":"raft","params":{"mutant":"votes-twice","timers":"off"}}`: "raft (mutant votes-twice)",
		`{"algorithm":"raft","params":{"mutant":"none"}}`:                       "raft",
		`{"algorithm":"raft","params":{"timers":"off"},"name":"mutant"}`:        "raft",
		`{"params":{"mutant":7}}`:                                               "raft",
		`{"params":[1]}`:                                                        "raft",
		`[]`:                                                                    "raft",
		``:                                                                      "raft",
	} {
		run := tracefmt.Run{Scenario: []byte(scenario)}
		if got := run.Titled("raft"); got != want {
			t.Errorf("%s: %s, want %s", scenario, got, want)
		}
		if got := run.Titled(""); got != "" {
			t.Errorf("%s: %s, want nothing", scenario, got)
		}
	}
}
