package election_test

import (
	"etrace/fixtures/interaction"
	"etrace/record/algorithm"
	"etrace/record/algorithm/election"
	"etrace/tracefmt"
)

// simulate runs a scenario in memory and validates the trace.
var simulate = interaction.Simulate

func registered() []string {
	return algorithm.NewRegistry(election.All()...).Names()
}

// totals counts a run by the rules of ALGORITHMS 1, and adds each process's leader.
type totals struct {
	*interaction.Totals
	says map[tracefmt.ProcessID]string // the value of elected
}

func count(m *tracefmt.Memory) *totals {
	t := &totals{interaction.Count(m), map[tracefmt.ProcessID]string{}}
	for e := range m.Events(1) {
		if v, ok := e.Field("elected"); ok && e.Kind != tracefmt.Send && e.Kind != tracefmt.Receive {
			t.says[e.Process] = string(v)
		}
	}
	return t
}

// elected lists who holds whom for the coordinator: "0,1,2>6 3>?"; processes
// that are down are left out.
func (t *totals) elected() []string {
	var values []string
	groups := map[string]string{}
	for i, m := range t.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !t.Up[p] {
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
	for i := range t.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !t.Up[p] {
			continue
		}
		if value != "" && t.says[p] != value {
			return ""
		}
		value = t.says[p]
	}
	return value
}
