package election_test

import (
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) {
	interaction.Run(t, registered(), func(m *tracefmt.Memory) string {
		return strings.Join(append([]string{"elected:"}, count(m).elected()...), " ") + "\n"
	})
}
