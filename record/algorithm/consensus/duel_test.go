package consensus_test

import (
	"bytes"
	"context"
	"testing"

	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestDuelRecurs: the state of the duel of two proposers recurs every three units from 3.5
// on, and not before, with ballots that are greater by two. At 3 process 2 has not yet
// accepted anything, as it has in every later round.
func TestDuelRecurs(t *testing.T) {
	s, err := scenario.Parse("duel", []byte("algorithm: paxos\nnodes: 3\nstart: [1, 2@1.5]\nparams: {retry: 3}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.Algorithms = builtin.Algorithms()
	c, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	c.Until, c.Loss = 20*tracefmt.Unit, 1e-300 // nothing is lost, but no loop is looked for
	m := tracefmt.NewMemory(*run)
	if _, err := sim.Run(context.Background(), c, m); err != nil {
		t.Fatal(err)
	}
	counters, states := replay.NewCounters(run.Counters), replay.NewState(run)
	at := map[tracefmt.Time][]byte{} // the states between instants, counters less two a round
	const half, round = tracefmt.Unit / 2, 3 * tracefmt.Unit
	last := tracefmt.Time(0)
	for e, err := range m.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Time > last {
			at[last] = states.SnapshotLess(counters, int64(2*((last+half)/round)))
			last = e.Time
		}
		states.Apply(e)
	}
	compared := 0
	for now, state := range at {
		next, ok := at[now+round]
		if !ok {
			continue
		}
		compared++
		if same := bytes.Equal(state, next); same != (now >= round+half) {
			t.Errorf("the state at %v is that at %v: %t", now, now+round, same)
		}
	}
	if compared < 20 {
		t.Errorf("%d states compared, want those of some rounds", compared)
	}
}
