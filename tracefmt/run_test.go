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
		if run.TellsAll() != want || (run.Part(1) == tracefmt.TakesPart) != want {
			t.Errorf("a run of the source %q: tells all %v, takes part %v; expected %v", source, run.TellsAll(), run.Part(1) == tracefmt.TakesPart, want)
		}
	}
}
