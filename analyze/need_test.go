package analyze

import (
	"testing"

	"etrace/tracefmt"
)

// TestNeedsText: needs of one stretch are one, at whatever processes, and names from a
// trace change no terminal.
func TestNeedsText(t *testing.T) {
	run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "n1"}, {Name: "n2"}, {Name: "\x1b[31m\nn3"}}}
	down, elected := Facts("crash", "halt"), tracefmt.StateOf("elected")
	for _, tt := range []struct {
		want  string
		needs []Need
	}{
		{"state.elected of n2 between seq 12 and 40", Needs(2, 12, 40, elected)},
		{"state.elected of any process", Needs(AnyProcess, 0, 0, elected)},
		{"crash or halt of n1 or n2 after seq 7", append(Needs(1, 7, 0, down...), Needs(2, 7, 0, down...)...)},
		{"crash or halt of n1 or n2 after seq 7 or later", append(Needs(1, 9, 0, down...), Needs(2, 7, 0, down...)...)},
		{"crash or halt of n1, crash or halt of n2 after seq 7", append(Needs(1, 0, 0, down...), Needs(2, 7, 0, down...)...)},
		{
			"state.elected of n1 between seq 7 and 9, state.elected of n2 between seq 8 and 9",
			append(Needs(1, 7, 9, elected), Needs(2, 8, 9, elected)...),
		},
		{`halt of \u001b[31m\u000an3 before seq 9`, Needs(3, 0, 9, down[1])},
		{"partition", Needs(0, 0, 0, Facts("partition")...)},
	} {
		if got := needsText(run, tt.needs); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
