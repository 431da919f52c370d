package stdio

import (
	"testing"
	"time"

	"etrace/tracefmt"
)

// TestEnds: a run ends though a node prints without end, or has left its process group.
func TestEnds(t *testing.T) {
	for _, command := range [][]string{{"yes"}, {"setsid", "sleep", "600"}} {
		c := Config{Command: command, Nodes: 1, Until: 200 * time.Millisecond, Workload: "echo"}
		if _, err := Record(t.Context(), c, new(tracefmt.Memory)); err != nil {
			t.Errorf("%v: %v", command, err)
		}
	}
}
