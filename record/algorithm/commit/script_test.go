package commit_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/commit"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) {
	interaction.Run(t, commit.All(), func(m *tracefmt.Memory) string {
		return strings.Join(append([]string{"decided:"}, decided(m)...), " ") + "\n"
	})
}

// decided lists the decisions with processes and times, in their order, and the live processes without a decision:
// 1>commit@2 3>none.
func decided(m *tracefmt.Memory) (list []string) {
	done := map[tracefmt.ProcessID]bool{}
	for _, d := range decisions(m) {
		decision, _ := d.Field("decided")
		list = append(list, fmt.Sprintf("%s>%s@%s", m.Run().ProcessName(d.Process), strings.Trim(string(decision), `"`), d.Time))
		done[d.Process] = true
	}
	up := interaction.Count(m).Up
	for i, member := range m.Run().Members {
		if p := tracefmt.ProcessID(i + 1); up[p] && !done[p] {
			list = append(list, member.Name+">none")
		}
	}
	return list
}

// decisions are the events in which a process decides.
func decisions(m *tracefmt.Memory) (list []*tracefmt.Event) {
	for e := range m.Events(1) {
		if decision, ok := e.Field("decided"); ok && e.Kind == tracefmt.State && string(decision) != "null" {
			list = append(list, e.Clone())
		}
	}
	return list
}
