package mutex_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/mutex"
	"etrace/tracefmt"
)

func TestScripts(t *testing.T) { interaction.Run(t, mutex.All(), entered) }

// entered lists the entries with processes and times, in their order, and the processes that wait at the end.
func entered(m *tracefmt.Memory) string {
	var order, waiting []string
	waits, place := map[tracefmt.ProcessID]tracefmt.Time{}, map[tracefmt.ProcessID]int{}
	for e := range m.Events(1) {
		name := m.Run().ProcessName(e.Process)
		switch {
		case e.Kind == tracefmt.Crash || e.Kind == tracefmt.Note && e.Type == "enter":
			delete(waits, e.Process)
		case e.Kind == tracefmt.Note && e.Type == "request":
			waits[e.Process] = e.Time
		}
		switch {
		case e.Kind != tracefmt.Note:
		case e.Type == "enter":
			place[e.Process] = len(order)
			order = append(order, fmt.Sprintf("%s@%v", name, e.Time))
		case e.Type == "exit":
			order[place[e.Process]] += fmt.Sprintf("-%v", e.Time)
		}
	}
	for i, member := range m.Run().Members {
		if since, ok := waits[tracefmt.ProcessID(i+1)]; ok {
			waiting = append(waiting, fmt.Sprintf("%s@%v", member.Name, since))
		}
	}
	line := strings.Join(append([]string{"inside:"}, order...), " ")
	if waiting != nil {
		line += "; waiting: " + strings.Join(waiting, " ")
	}
	return line + "\n"
}
