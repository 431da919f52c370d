package adversary

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// toy returns a scenario of a protocol that is no algorithm of etrace.
func toy(t *testing.T, text string, protocol func() *sim.Protocol) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test", []byte("algorithm: toy\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	s.Algorithms = algorithm.NewRegistry(&algorithm.Algorithm{
		Name: "toy", Doc: "A toy.", Source: "the test", Problem: "election", Traits: []string{tracefmt.NoRecovery},
		New: func(algorithm.Values) *sim.Protocol { return protocol() },
	})
	return s
}

// proofs returns, for each way of a certificate, whether it proves that all schedules of a scenario send the
// same messages. It returns nil if the scenario has no model.
func proofs(t *testing.T, s *scenario.Scenario) (proved []bool) {
	t.Helper()
	_, m, h := played(t, s)
	for _, way := range proofKinds {
		proved = append(proved, newProof(m, h, way.channels).prove(way.needs) == nil)
	}
	return proved
}

// played is the model of a scenario, and its run.
func played(t *testing.T, s *scenario.Scenario) (*family, *model, *history) {
	t.Helper()
	f, err := newFamily(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newWorld(f).model(f.ring)
	if err != nil {
		t.Fatal(err)
	}
	h, err := m.play()
	if err != nil {
		t.Fatal(err)
	}
	return f, m, h
}

// odometer is a chooser that counts through all sequences of choices.
type odometer struct{ taken, ways []int }

// Choose implements [network.Chooser].
func (o *odometer) Choose(p network.Point) int {
	if p.Number == len(o.taken) {
		o.taken, o.ways = append(o.taken, 0), append(o.ways, len(p.Options))
	}
	return o.taken[p.Number]
}

func (o *odometer) next() bool {
	for i := len(o.taken) - 1; i >= 0; i-- {
		if o.taken[i]++; o.taken[i] < o.ways[i] {
			o.taken, o.ways = o.taken[:i+1], o.ways[:i+1]
			return true
		}
	}
	return false
}

// schedules makes the run of every schedule, one after the other and without any memory, up to a limit. It
// returns how many schedules send each list of messages, and whether these are all schedules.
func schedules(t *testing.T, s *scenario.Scenario, limit int) (sent map[string]int, complete bool) {
	t.Helper()
	sent = map[string]int{}
	for o := (&odometer{}); limit > 0; limit-- {
		config, run, err := s.Simulation()
		if err != nil {
			t.Fatal(err)
		}
		config.Chooser = o
		rec := tracefmt.NewMemory(*run)
		if _, err := sim.Run(context.Background(), config, rec); err != nil {
			t.Fatal(err)
		}
		var messages []string
		for e := range rec.Events(1) {
			if e.Kind == tracefmt.Send {
				messages = append(messages, fmt.Sprintf("%d>%d %s%s", e.Process, e.Peer, e.Type, e.Payload))
			}
		}
		slices.Sort(messages)
		sent[strings.Join(messages, "\n")]++
		if !o.next() {
			return sent, true
		}
	}
	return sent, false
}

// TestCertificateByBruteForce: if there is a certificate, every schedule sends the same messages. The protocols
// are drawn at random: the reaction of a process to a message may depend on its state, and the state may keep
// the order or forget it.
func TestCertificateByBruteForce(t *testing.T) {
	var proved [3]int
	refused, varied := 0, 0
	for seed := range uint64(size.Pick(15, 60, 4_000)) {
		text := "ids: 1-3\nstart: all"
		if seed%2 == 1 {
			text += "\ntopology: ring" // the same edges, given explicitly
		}
		s := toy(t, text, func() *sim.Protocol { return randomProtocol(seed) })
		sent, complete := schedules(t, s, 120)
		byWay := proofs(t, s)
		for way, proof := range byWay {
			switch {
			case proof && len(sent) > 1:
				t.Errorf("seed %d, way %d: certified, but %d outcomes in the schedules", seed, way, len(sent))
			case proof && complete && !slices.Contains(byWay[:way], true):
				proved[way]++
			}
		}
		if !slices.Contains(byWay, true) {
			refused++
		}
		if complete {
			goneThrough(t, seed, s, sent)
		}
		if len(sent) > 1 {
			varied++
		}
	}
	t.Logf("%v proved by each way alone and compared with every schedule; %d refused, %d of them rightly", proved, refused, varied)
	if size.Now() == size.Long && min(proved[0], proved[1], proved[2], varied) < 1 {
		t.Error("the protocols that are drawn do not examine everything")
	}
}

// goneThrough compares the greatest and the least count of messages that going through a model
// finds, and of the runs that it names, with those of all schedules.
func goneThrough(t *testing.T, seed uint64, s *scenario.Scenario, sent map[string]int) {
	t.Helper()
	smallest, largest := int64(math.MaxInt64), int64(0)
	for messages := range sent {
		n := int64(len(strings.Fields(messages)) / 2) // two words each
		smallest, largest = min(smallest, n), max(largest, n)
	}
	for minimize, want := range map[bool]int64{false: largest, true: smallest} {
		v := throughModel(t, s, "messages", minimize)
		if v == nil || v.value != want {
			t.Errorf("seed %d, minimize %v: %+v, all schedules have %d", seed, minimize, v, want)
		}
	}
}

// throughModel goes through the model of a scenario, and records the run that was found.
func throughModel(t *testing.T, s *scenario.Scenario, measure string, minimize bool) *verdict {
	t.Helper()
	f, err := newFamily(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGoal(measure, minimize, f)
	if err != nil {
		t.Fatal(err)
	}
	x := &search{family: f, goal: g, rings: 1, options: Options{MaxRuns: DefaultMaxRuns}}
	v, err := x.goThrough(context.Background(), newWorld(f), f.ring)
	if err != nil || v == nil {
		t.Fatal(err, "no model")
	}
	if _, err := x.result(context.Background(), v); err != nil {
		t.Error(err)
	}
	return v
}

// TestDepthByExploring: the longest and the shortest chain of all schedules, found in the
// simulator by exploring and in the model, with and without the edges that leave schedules out.
func TestDepthByExploring(t *testing.T) {
	scenarios := []string{
		"algorithm: franklin\nids: 1-3\nstart: all",
		"algorithm: franklin\nids: 2,1,3\nstart: 2\ntopology: ring",
		"algorithm: franklin\nids: 2,1,3\nstart: all\ntopology: ring",
		"algorithm: hirschberg-sinclair\nids: 1-2\nstart: all",
	}
	for _, text := range scenarios[:size.Pick(2, 2, len(scenarios))] {
		s, err := scenario.Parse("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		f, err := newFamily(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		for _, minimize := range []bool{false, true} {
			g, err := newGoal("depth", minimize, f)
			if err != nil {
				t.Fatal(err)
			}
			x := &search{family: f, goal: g, rings: 1, options: Options{MaxRuns: DefaultMaxRuns}}
			want, err := x.explore(context.Background(), f.ring)
			if err != nil || want.exhausted != 1 {
				t.Fatal(err, "not explored")
			}
			if got := throughModel(t, s, "depth", minimize); got.value != want.value {
				t.Errorf("%s, minimize %v: %d in the model, explored %d", text, minimize, got.value, want.value)
			}
		}
	}
}

// hop is the field of a message that is answered at most ttl times.
type hop struct{ ttl int64 }

// randomProtocol returns one whose processes have a table of what they do.
func randomProtocol(seed uint64) *sim.Protocol {
	r := rand.New(rand.NewPCG(seed, 1))
	pr := &sim.Protocol{}
	state := sim.Declare[int64](pr, "state", "")
	const states = 3
	var types []sim.Message[hop]
	for _, name := range []string{"a", "b"} {
		types = append(types, sim.DeclareMessage[hop](pr, name, ""))
	}
	kinds := [4]int{r.IntN(5), r.IntN(5), r.IntN(5), r.IntN(5)} // by process
	type answer struct{ receiver, typ, state int }
	table := map[[4]int][]answer{}
	for p := range 4 {
		for q := range 4 {
			for typ := range types {
				for st := range states {
					for range r.IntN(3) {
						table[[4]int{p, q, typ, st}] = append(table[[4]int{p, q, typ, st}], answer{1 + r.IntN(3), r.IntN(2), r.IntN(states)})
					}
				}
			}
		}
	}
	send := func(p *sim.Process, a answer, ttl int64) {
		if receiver := tracefmt.ProcessID(a.receiver); receiver != p.ID() && ttl > 0 {
			types[a.typ].Send(p, receiver, hop{ttl - 1})
		}
	}
	begin := [4]int64{0, 1 + r.Int64N(2), r.Int64N(3), r.Int64N(3)}
	pr.Start = func(p *sim.Process) {
		for i := range begin[p.ID()] {
			send(p, answer{receiver: 1 + int(int64(p.ID())+i)%3, typ: int(i) % 2}, 3)
		}
	}
	for typ, m := range types {
		m.On(func(p *sim.Process, from tracefmt.ProcessID, h hop) {
			st := int(state.Get(p))
			row := st
			if kinds[p.ID()] < 3 {
				row = 0 // the state does not decide what is sent
			}
			for _, a := range table[[4]int{int(p.ID()), int(from), typ, row}] {
				send(p, a, h.ttl)
				switch kinds[p.ID()] {
				case 0: // no state
				case 1, 3: // a sum, in which no order can be seen
					st = (st + a.state) % states
				default: // the last
					st = a.state
				}
			}
			state.Set(p, int64(st))
		})
	}
	return pr
}
