package stdio

import (
	"strings"
	"testing"
	"time"

	"etrace/tracefmt"
)

// TestEndsBeforeReady: who starts programs that end at once is told.
func TestEndsBeforeReady(t *testing.T) {
	c := Config{Command: []string{"sh", "-c", "exit 3"}, Nodes: 2, Until: time.Second, Workload: "echo"}
	report, err := Record(t.Context(), c, new(tracefmt.Memory))
	if err != nil || len(report.Notes) != 2 || !strings.Contains(report.Notes[0], "ended before it answered init: exit status 3") {
		t.Errorf("%q, %v", report.Notes, err)
	}
}

// TestEnds: a run ends though a node prints without end, or has left its process group.
func TestEnds(t *testing.T) {
	for _, command := range [][]string{{"yes"}, {"setsid", "sleep", "600"}} {
		c := Config{Command: command, Nodes: 1, Until: 200 * time.Millisecond, Workload: "echo"}
		if _, err := Record(t.Context(), c, new(tracefmt.Memory)); err != nil {
			t.Errorf("%v: %v", command, err)
		}
	}
}
