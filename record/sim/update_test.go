package sim_test

import (
	"testing"

	"etrace/record/sim"
)

// TestUpdates: each update returns the new value, and is recorded like any assignment: not at all if nothing
// changes.
func TestUpdates(t *testing.T) {
	y := newToy()
	number := sim.Declare[int](&y.Protocol, "number", "")
	set := sim.Declare[sim.Set[int]](&y.Protocol, "set", "")
	list := sim.Declare[sim.List[int]](&y.Protocol, "list", "")
	table := sim.Declare[sim.Map[string, int]](&y.Protocol, "table", "")
	y.Start = func(p *sim.Process) {
		step := func(name string, ok bool) {
			if !ok {
				t.Error(name)
			}
			p.Suspect(2)
		}
		step("add", sim.Add(p, number, 3) == 3 && sim.Add(p, number, -1) == 2)
		step("raise", sim.Raise(p, number, 7) == 7)
		step("raise to less", sim.Raise(p, number, 5) == 7 && number.Get(p) == 7)
		step("insert", sim.Insert(p, set, 4, 2).Len() == 2 && sim.Insert(p, set, 4).At(0) == 2)
		step("append", sim.Append(p, list, 4, 4).Len() == 2)
		step("put", sim.Put(p, table, "a", 1).Get("a") == 1 && sim.Put(p, table, "a", 2).Len() == 1)
		step("take", list.Take(p).Len() == 2 && list.Get(p).Len() == 0)
		set.Clear(p)
		step("majority", p.Majority() == 2 && set.Get(p).Len() == 0)
	}
	c := y.config(3, start(1, 0))
	expect(t, c, `
		0 suspect 1
		0 state 1 {"number":2}
		0 suspect 1 peer 2
		0 state 1 {"number":7}
		0 suspect 1 peer 2
		0 suspect 1 peer 2
		0 state 1 {"set":[2,4]}
		0 suspect 1 peer 2
		0 state 1 {"list":[4,4]}
		0 suspect 1 peer 2
		0 state 1 {"table":{"a":2}}
		0 suspect 1 peer 2
		0 state 1 {"list":[]}
		0 suspect 1 peer 2
		0 state 1 {"set":[]}
		0 suspect 1 peer 2
	`)
	y.Start = func(p *sim.Process) {
		if p.Majority() != 3 {
			t.Errorf("the majority of four is %d", p.Majority())
		}
	}
	run(t, y.config(4, start(1, 0)))
}
