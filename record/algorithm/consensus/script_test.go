package consensus_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/consensus"
	"etrace/tracefmt"
)

func registered() (names []string) {
	for _, a := range consensus.All() {
		names = append(names, a.Name)
	}
	return names
}

// TestScripts runs the scripts of testdata; each ends with who has decided what.
func TestScripts(t *testing.T) {
	interaction.Run(t, registered(), decisions)
}

// decisions says what each process has decided last.
func decisions(m *tracefmt.Memory) string {
	decided := make([]string, len(m.Run().Members)+1)
	for e := range m.Events(1) {
		switch e.Kind {
		case tracefmt.Crash, tracefmt.Recover:
			decided[e.Process] = ""
		case tracefmt.State:
			if value, ok := e.Field("decided"); ok {
				decided[e.Process] = string(value)
			}
		}
	}
	var all strings.Builder
	all.WriteString("decided:")
	for i, member := range m.Run().Members {
		if value := decided[i+1]; value != "" {
			fmt.Fprintf(&all, " %s=%s", member.Name, value)
		}
	}
	return all.String() + "\n"
}
