package network_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// waiting is a user whose timers run and whose processes are up.
type waiting struct{}

func (waiting) Armed(network.Item) bool       { return true }
func (waiting) TimerName(network.Item) string { return "" }
func (waiting) Gone(tracefmt.ProcessID) bool  { return false }

// TestRoundsAndPlan: who chooses is not asked about what the plan has for the beginning, nor about rounds that have
// begun. These come in the order of time: a fault, the rounds, then the starts, whatever was scheduled first.
func TestRoundsAndPlan(t *testing.T) {
	for _, tt := range []struct {
		scheduled []network.Class
		want      string
	}{
		{[]network.Class{network.Start}, "start 1"},
		{[]network.Class{network.Round}, "round 1"},
		{[]network.Class{network.Start, network.Fault}, "fault 2, start 1"},
		{[]network.Class{network.Start, network.Round}, "round 2, start 1"},
		{[]network.Class{network.Round, network.Start}, "round 1, start 2"},
		{[]network.Class{network.Round, network.Fault}, "fault 2, round 1"},
		{[]network.Class{network.Start, network.Round, network.Fault, network.Round}, "fault 3, round 2, round 4, start 1"},
	} {
		net := network.New[struct{}](network.Config{Chooser: network.ScriptedChoices{}}, 4, waiting{})
		for i, class := range tt.scheduled {
			net.Schedule(0, class, tracefmt.ProcessID(i+1), 0)
		}
		var got []string
		for net.More() {
			item := net.Next()
			name := map[network.Class]string{network.Fault: "fault", network.Round: "round", network.Start: "start"}[item.Class]
			got = append(got, fmt.Sprint(name, " ", item.Process))
		}
		if got := strings.Join(got, ", "); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.scheduled, got, tt.want)
		}
	}
}
