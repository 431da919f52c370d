package sim_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestReplayedState: replay, which knows the trace only, is at the end of a run
// in the state in which the simulator is, wherever the run is cut off.
func TestReplayedState(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "fixtures", "scenarios", "*.yaml"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	for _, file := range files {
		s, err := scenario.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		config, run, err := s.Simulation()
		if err != nil {
			t.Fatal(err)
		}
		allEvents := config.MaxEvents
		for limit := int64(200); limit > 0; limit = limit*3/4 - 1 {
			config.MaxEvents = limit
			if allEvents > 0 {
				config.MaxEvents = min(limit, allEvents)
			}
			rec := tracefmt.NewMemory(*run)
			result, want, err := sim.RunToState(config, rec)
			if err != nil {
				t.Fatal(err)
			}
			rec.Finish(result.End)
			c := replay.NewCursor(rec)
			if err := c.SeekEnd(); err != nil {
				t.Fatal(err)
			}
			if got := stateText(c.State()); got != want {
				t.Errorf("%s, %d events: replay ends in\n%swant, from the simulator,\n%s", file, result.Events, got, want)
			}
		}
	}
}

// stateText writes a replayed state as RunToState does.
func stateText(s *replay.State) string {
	var b strings.Builder
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !s.Live(p) {
			fmt.Fprintf(&b, "%d down\n", p)
			continue
		}
		var variables, timers []string
		for _, name := range s.Variables(p) {
			value, _ := s.Variable(p, name)
			variables = append(variables, fmt.Sprintf("%s=%s", name, value))
		}
		for _, timer := range s.Timers(p) {
			timers = append(timers, fmt.Sprintf("%s at %v", timer.Name, timer.Due))
		}
		fmt.Fprintf(&b, "%d up %s %s\n", p, variables, strings.Join(timers, ", "))
	}
	for _, f := range s.Flights() {
		fmt.Fprintf(&b, "%6d: %d sends %s to %d\n", f.Sent, f.From, f.Type, f.To)
	}
	return b.String()
}
