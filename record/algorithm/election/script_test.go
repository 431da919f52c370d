package election_test

import (
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/election"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) {
	interaction.Run(t, election.All(), func(m *tracefmt.Memory) string {
		return strings.Join(append([]string{"elected:"}, count(m).elected()...), " ") + "\n"
	})
}
