package consensus_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/consensus"
	"etrace/tracefmt"
)

// TestScripts runs the scripts of testdata; each ends with who has decided what and, where
// there is a client, what its result is.
func TestScripts(t *testing.T) {
	interaction.Run(t, consensus.All(), func(m *tracefmt.Memory) string {
		outcome := "decided:" + last(m, "decided") + "\n"
		if result := last(m, "result"); result != "" {
			outcome += "result:" + result + "\n"
		}
		return outcome
	})
}

// last returns the final value of a variable at each process that has assigned it.
func last(m *tracefmt.Memory, variable string) string {
	values := make([]string, len(m.Run().Members)+1)
	for e := range m.Events(1) {
		switch e.Kind {
		case tracefmt.Crash, tracefmt.Recover:
			values[e.Process] = ""
		case tracefmt.State:
			if value, ok := e.Field(variable); ok {
				values[e.Process] = string(value)
			}
		}
	}
	var text strings.Builder
	for i, member := range m.Run().Members {
		if value := values[i+1]; value != "" {
			fmt.Fprintf(&text, " %s=%s", member.Name, value)
		}
	}
	return text.String()
}
