package broadcast_test

import (
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/broadcast"
	"etrace/tracefmt"
)

// TestScripts runs the scripts of testdata; each ends with what each process has delivered, in
// order.
func TestScripts(t *testing.T) {
	interaction.Run(t, broadcast.All(), deliveries)
}

func deliveries(m *tracefmt.Memory) string {
	delivered := make([][]string, len(m.Run().Members)+1)
	for e := range m.Events(1) {
		if value, ok := e.Field("m"); ok && e.Kind == tracefmt.Note && e.Type == "deliver" {
			delivered[e.Process] = append(delivered[e.Process], strings.Trim(string(value), `"`))
		}
	}
	line := "delivered:"
	for i, member := range m.Run().Members {
		if delivery := delivered[i+1]; delivery != nil {
			line += " " + member.Name + "=" + strings.Join(delivery, ",")
		}
	}
	return line + "\n"
}
