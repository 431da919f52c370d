package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// RunToState simulates as Run does, and returns the final state as text: a line for each process with its
// variables and armed timers, then a line for each message in flight.
func RunToState(c Config, sink tracefmt.Writer) (Result, string, error) {
	if err := c.validate(); err != nil {
		return Result{}, "", err
	}
	k := newKernel(c, sink)
	k.begin()
	end := k.run(context.Background())
	var b strings.Builder
	for i := range k.processes[1:] {
		p := &k.processes[i+1]
		if !p.up {
			fmt.Fprintf(&b, "%d down\n", p.id)
			continue
		}
		var timers []string
		k.net.Waiting(func(item *network.Item) {
			if item.Class == network.Timer && item.Process == p.id {
				timers = append(timers, fmt.Sprintf("%s at %v", k.TimerName(*item), item.At))
			}
		})
		slices.Sort(timers)
		fmt.Fprintf(&b, "%d up %s %s\n", p.id, assigned(p.variables()), strings.Join(timers, ", "))
	}
	var flights []string
	k.net.Waiting(func(item *network.Item) {
		if item.Class == network.Delivery {
			s, _ := k.net.Look(item)
			flights = append(flights, fmt.Sprintf("%6d: %d sends %s to %d\n", s.Seq, s.From, s.Type, s.To))
		}
	})
	slices.Sort(flights)
	b.WriteString(strings.Join(flights, ""))
	return Result{End: end, Events: int64(k.rec.Seq())}, b.String(), k.rec.Err()
}

// assigned lists the variables that have a value, sorted.
func assigned(payload []byte) []string {
	var list []string
	for name, value := range tracefmt.Fields(payload) {
		if string(value) != "null" {
			list = append(list, fmt.Sprintf("%s=%s", name, value))
		}
	}
	slices.Sort(list)
	return list
}
