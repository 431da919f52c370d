package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// opinion is what a process thinks of another.
type opinion uint8

const (
	good opinion = iota
	bad
)

func (opinion) Words() []string { return []string{"good", "bad"} }

type opinions = sim.Map[tracefmt.ProcessID, opinion]

// gossip keeps a table in which 2 is bad at first. A start sends it to 2, whose name needs quotes.
type gossip struct {
	sim.Protocol
	table sim.Var[opinions]
	news  sim.Message[report]
}

type report struct {
	N     int64
	Table opinions
}

func newGossip() *gossip {
	g := &gossip{}
	g.table = sim.Declare[opinions](&g.Protocol, "table", "")
	g.news = sim.DeclareMessage[report](&g.Protocol, "NEWS", "")
	g.Begin = func(p *sim.Process) { g.table.Set(p, opinions{}.With(2, bad).With(1, good)) }
	g.Start = func(p *sim.Process) { g.tell(p, 2, 7) }
	g.news.On(func(p *sim.Process, _ tracefmt.ProcessID, m report) { g.table.Set(p, m.Table) })
	return g
}

func (g *gossip) tell(p *sim.Process, receiver tracefmt.ProcessID, n int64) {
	g.news.Send(p, receiver, report{n, g.table.Get(p)})
}

// think enters an opinion into the table.
func (g *gossip) think(p *sim.Process, q tracefmt.ProcessID, o opinion) {
	g.table.Set(p, g.table.Get(p).With(q, o))
}

func (g *gossip) config(actions ...sim.Action) sim.Config {
	return sim.Config{
		Protocol: &g.Protocol, Actions: actions,
		Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: `a "b"`, Position: 2}, {Name: "3", Position: 3}},
	}
}

// A table is an object by name; who has no entry is left out. It is what the
// process begins with, it is lost at a crash, and a message carries a copy.
func TestTable(t *testing.T) {
	g := newGossip()
	g.Start = func(p *sim.Process) {
		g.tell(p, 2, 7)
		g.think(p, 3, bad) // not on its way any more
		g.think(p, 3, bad) // no change
		g.table.Set(p, g.table.Get(p).Without(1))
	}
	expect(t, g.config(crash(2, 0), recovers(2, 0), start(1, 0)), `
		0 crash 2
		0 recover 2 {"table":{}}
		0 send 1 peer 2 NEWS m1 {"n":7,"table":{"1":"good","a \"b\"":"bad"}}
		0 state 1 {"table":{"a \"b\"":"bad","3":"bad"}}
		1 receive 2 peer 1 NEWS m1 {"n":7,"table":{"1":"good","a \"b\"":"bad"}}
		1 state 2 {"table":{"1":"good","a \"b\"":"bad"}}`)
}

// The values that Begin assigns are in the start event only. A process that is down at the start has none.
func TestBegin(t *testing.T) {
	c := newGossip().config()
	c.Down = []tracefmt.ProcessID{2}
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range m.Events(1) {
		got = append(got, e.Kind.String()+" "+string(e.Payload))
	}
	table := `start {"table":{"1":"good","a \"b\"":"bad"}}`
	if diff := cmp.Diff([]string{table, "crash ", table}, got); diff != "" {
		t.Error(diff)
	}
}

// Suspected is the coordinator that the process believes in, unless that is
// itself; then the highest that was down at the start, unless that is itself.
func TestSuspected(t *testing.T) {
	for _, test := range []struct{ coordinator, down, want tracefmt.ProcessID }{
		{3, 2, 3}, {0, 2, 2}, {1, 2, 2}, {1, 1, 0}, {0, 0, 0},
	} {
		y := newToy()
		got := tracefmt.ProcessID(-1)
		y.Start = func(p *sim.Process) { got = y.elected.Suspected(p) }
		c := y.config(3, recovers(1, 0), start(1, 1))
		c.Coordinator = test.coordinator
		if test.down != 0 {
			c.Down = []tracefmt.ProcessID{test.down}
		}
		_, _ = run(t, c)
		if got != test.want {
			t.Errorf("coordinator %d, down %d: suspects %d, want %d", test.coordinator, test.down, got, test.want)
		}
	}
}

// Tables are part of the global state, in processes and on their way. Here one
// receives count in binary with three entries, so that the state is the same
// after 2^3 of them; without the tables it would be after 2.
func TestLoopOfTables(t *testing.T) {
	g := newGossip()
	g.Begin = nil
	g.news.On(func(p *sim.Process, _ tracefmt.ProcessID, m report) {
		g.table.Set(p, m.Table)
		for q := tracefmt.ProcessID(1); q <= 3; q++ {
			if g.table.Get(p).Get(q) != bad {
				g.think(p, q, bad)
				break
			}
			g.think(p, q, good)
		}
		g.tell(p, 3-p.ID(), 0)
	})
	l, r := run(t, g.config(start(1, 0)))
	from, end, ok := loopOf(t, l, r)
	if !ok || end-from != 8*3 { // a receive, a state, and a send each
		t.Errorf("loop %d to %d, %v, want a length of 24", from, end, ok)
	}
}

// TestLoopOfRecords: records, sets and texts are part of the global state. A
// hand that goes round over three marks comes back to where it was after three
// steps, not after one, in which only the record differs.
func TestLoopOfRecords(t *testing.T) {
	type hand struct {
		at   string
		seen sim.Set[string]
	}
	type tick struct{ from hand }
	next := map[string]string{"": "a", "a": "b", "b": "c", "c": "a"}
	pr := &sim.Protocol{}
	clock := sim.Declare[hand](pr, "clock", "")
	m := sim.DeclareMessage[tick](pr, "TICK", "")
	pr.Start = func(p *sim.Process) { m.Send(p, 2, tick{}) }
	m.On(func(p *sim.Process, from tracefmt.ProcessID, x tick) {
		clock.Set(p, hand{next[x.from.at], x.from.seen.With(x.from.at)})
		m.Send(p, from, tick{clock.Get(p)})
	})
	c := newGossip().config(start(1, 0))
	c.Protocol = pr
	l, r := run(t, c)
	from, end, ok := loopOf(t, l, r)
	if !ok || end-from != 6*3 { // two rounds of three, since two take turns: a receive, a state, and a send each
		t.Errorf("loop %d to %d, %v, want a length of 18", from, end, ok)
	}
}
