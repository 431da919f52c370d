package wave_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/wave"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) {
	interaction.Run(t, wave.All(), func(m *tracefmt.Memory) string {
		return strings.Join(append([]string{"decided:"}, decided(m)...), " ") + "\n"
	})
}

// decided lists the decisions with processes and times, in their order.
func decided(m *tracefmt.Memory) (list []string) {
	for _, d := range decisions(m) {
		list = append(list, fmt.Sprintf("%s@%s", m.Run().ProcessName(d.Process), d.Time))
	}
	if list == nil {
		list = []string{"none"}
	}
	return list
}

func decisions(m *tracefmt.Memory) (list []*tracefmt.Event) {
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Note && e.Type == "decide" {
			list = append(list, e.Clone())
		}
	}
	return list
}
