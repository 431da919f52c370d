package election_test

import (
	"context"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/algorithm/election"
	"etrace/tracefmt"
)

// neverEnding is the context of simulations that nothing interrupts.
var neverEnding = context.Background()

func registered() []string {
	return algorithm.NewRegistry(election.All()...).Names()
}

// totals counts a run as ALGORITHMS 1 says, straight from its events: what the
// tests compare with formulas must not come from the counters of analyze.
type totals struct {
	run        *tracefmt.Run
	sent       int
	types      []string // in the order of their first send
	byType     map[string]int
	fates      map[string]int
	suspicions int
	depth      int
	// at is the instant of the last delivery.
	at   tracefmt.Time
	up   map[tracefmt.ProcessID]bool
	says map[tracefmt.ProcessID]string // the value of elected
}

func count(m *tracefmt.Memory) *totals {
	t := &totals{
		run: m.Run(), byType: map[string]int{}, fates: map[string]int{},
		up: map[tracefmt.ProcessID]bool{}, says: map[tracefmt.ProcessID]string{},
	}
	fate := map[tracefmt.MessageID]string{}
	depth := make([]int, len(m.Run().Members)+1) // delivered to a process so far
	messageDepth := map[tracefmt.MessageID]int{} // of a message
	fateOf := map[string]string{`"receiver crashed"`: "to crashed", `"dropped"`: "lost", `"partitioned"`: "lost"}
	for e := range m.Events(1) {
		if v, ok := e.Field("elected"); ok && e.Kind != tracefmt.Send && e.Kind != tracefmt.Receive {
			t.says[e.Process] = string(v)
		}
		switch e.Kind {
		case tracefmt.Start, tracefmt.Recover:
			t.up[e.Process] = true
		case tracefmt.Crash:
			t.up[e.Process] = false
		case tracefmt.Send:
			t.sent++
			if !slices.Contains(t.types, e.Type) {
				t.types = append(t.types, e.Type)
			}
			t.byType[e.Type]++
			fate[e.Message] = "in flight"
			messageDepth[e.Message] = depth[e.Process] + 1
		case tracefmt.Receive: // of a duplicate, one delivery decides
			fate[e.Message] = "delivered"
			depth[e.Process] = max(depth[e.Process], messageDepth[e.Message])
			t.depth = max(t.depth, depth[e.Process])
			t.at = e.Time
		case tracefmt.Lose:
			if reason, _ := e.Field("reason"); fate[e.Message] != "delivered" {
				fate[e.Message] = fateOf[string(reason)]
			}
		case tracefmt.Suspect:
			t.suspicions++
		}
	}
	for _, f := range fate {
		t.fates[f]++
	}
	return t
}

// elected lists who holds whom for the coordinator: "0,1,2>6 3>?"; processes
// that are down are left out.
func (t *totals) elected() []string {
	var values []string
	groups := map[string]string{}
	for i, m := range t.run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !t.up[p] {
			continue
		}
		v := t.says[p]
		if v == "null" || v == "" {
			v = "none"
		}
		if groups[v] == "" {
			values = append(values, v)
			groups[v] = m.Name
		} else {
			groups[v] += "," + m.Name
		}
	}
	for i, v := range values {
		values[i] = groups[v] + ">" + v
	}
	return values
}

// unanimous returns the value of elected on which all that are up agree, "" if
// they do not.
func (t *totals) unanimous() string {
	value := ""
	for i := range t.run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !t.up[p] {
			continue
		}
		if value != "" && t.says[p] != value {
			return ""
		}
		value = t.says[p]
	}
	return value
}
