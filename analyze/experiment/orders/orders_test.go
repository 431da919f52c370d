package orders

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/replay/diff"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// oneStep is a protocol whose processes do one thing when they start, and
// nothing ever after.
type oneStep struct {
	processes int
	start     func(p *sim.Process, m sim.Signal, t sim.Timer)
	reply     bool // answer to each message that comes from process 1
	timeout   func(p *sim.Process, m sim.Signal, t sim.Timer)
	config    func(c *sim.Config)
}

func (n oneStep) simulate(choices scenario.Choices) (sim.Config, *tracefmt.Run, error) {
	pr := &sim.Protocol{}
	m, r, t := pr.Signal("m", ""), pr.Signal("r", ""), pr.Timer("t")
	pr.Start = func(p *sim.Process) { n.start(p, m, t) }
	m.On(func(p *sim.Process, from tracefmt.ProcessID) {
		if n.reply && from == 1 {
			r.Send(p, from)
		}
	})
	pr.Timeout = func(p *sim.Process, _ sim.Timer) {
		if n.timeout != nil {
			n.timeout(p, m, t)
		}
	}
	c := sim.Config{Protocol: pr, Config: network.Config{Chooser: network.ScriptedChoices(choices)}}
	for i := range n.processes {
		c.Members = append(c.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
		c.Actions = append(c.Actions, sim.Action{Kind: sim.StartProcess, Process: tracefmt.ProcessID(i + 1)})
	}
	if n.config != nil {
		n.config(&c)
	}
	return c, &tracefmt.Run{Members: c.Members, TimeUnit: tracefmt.Delays, Source: "simulated", End: tracefmt.Open}, nil
}

// to sends a message to each of the processes, from process 1 only.
func fromOne(receivers ...tracefmt.ProcessID) func(*sim.Process, sim.Signal, sim.Timer) {
	return func(p *sim.Process, m sim.Signal, _ sim.Timer) {
		if p.ID() == 1 {
			for _, q := range receivers {
				m.Send(p, q)
			}
		}
	}
}

// toOne sends a message from each process to process 1.
func toOne(p *sim.Process, m sim.Signal, _ sim.Timer) { m.Send(p, 1) }

// timer sets a timer at each process; a later one at each later process.
func timer(later tracefmt.Time) func(*sim.Process, sim.Signal, sim.Timer) {
	return func(p *sim.Process, _ sim.Signal, t sim.Timer) {
		p.SetTimer(t, 3*tracefmt.Unit+later*tracefmt.Time(p.ID()))
	}
}

// The number of orders follows by hand.
func TestOrdersByHand(t *testing.T) {
	crash := func(c *sim.Config) {
		c.Actions = append(c.Actions, sim.Action{Kind: sim.CrashProcess, At: tracefmt.Unit, Process: 2})
	}
	for _, c := range []struct {
		name     string
		load     oneStep
		orders   int64
		distinct int
	}{
		{"nothing happens", oneStep{processes: 3, start: fromOne()}, 1, 1},
		{"three messages to one receiver: 3!, it can tell each", oneStep{processes: 4, start: toOne}, 6, 6},
		{"four messages to one receiver: 4!", oneStep{processes: 5, start: toOne}, 24, 24},
		{"to four receivers: 4!, and no process can distinguish them", oneStep{processes: 5, start: fromOne(2, 3, 4, 5)}, 24, 1},
		{"three on one channel: FIFO", oneStep{processes: 2, start: fromOne(2, 2, 2)}, 1, 1},
		{"three on one channel that may overtake: 3!", oneStep{
			processes: 2, start: fromOne(2, 2, 2), config: func(c *sim.Config) { c.Reorder = true },
		}, 6, 6},
		{"two each on two channels: 4! / (2! 2!)", oneStep{processes: 3, start: fromOne(2, 2, 3, 3)}, 6, 1},
		// m2 r2 m3 r3 with m before r each: 4! / 4; the order of the two answers decides the rest.
		{"two questions and their answers", oneStep{processes: 3, start: fromOne(2, 3), reply: true}, 6, 2},
		{"three timers due at one instant: 3!, at three processes", oneStep{processes: 3, start: timer(0)}, 6, 1},
		{"three timers due one after the other", oneStep{processes: 3, start: timer(1)}, 1, 1},
		{"a crash before or after the receive", oneStep{processes: 2, start: fromOne(2), config: crash}, 2, 2},
		// After the crash both messages are lost, in whatever order.
		{"a crash among two receives", oneStep{processes: 2, start: fromOne(2, 2), config: crash}, 3, 3},
		{"a message to a process that is down for good is no choice", oneStep{
			processes: 3, start: fromOne(2, 3), config: func(c *sim.Config) { c.Down = []tracefmt.ProcessID{2} },
		}, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := exploreAll(context.Background(), c.load.simulate, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Orders.Int64() != c.orders || r.Distinct != c.distinct || !r.Complete {
				t.Errorf("%v orders, %d distinct, complete %v; want %d and %d", r.Orders, r.Distinct, r.Complete, c.orders, c.distinct)
			}
		})
	}
}

// Timers wait for messages: with timeouts that are long enough none expires
// before what is on its way has arrived.
func TestTimersWait(t *testing.T) {
	n := oneStep{processes: 2, start: func(p *sim.Process, m sim.Signal, tm sim.Timer) {
		p.SetTimer(tm, 1) // at once, by the clock
		m.Send(p, 3-p.ID())
	}}
	r, err := exploreAll(context.Background(), n.simulate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	received := 0
	for e := range r.Witnesses[0].Events(1) {
		if e.Kind == tracefmt.Receive {
			received++
		}
		if e.Kind == tracefmt.Timeout && received < 2 {
			t.Errorf("seq %d: a timer expires with %d of 2 messages delivered", e.Seq, received)
		}
	}
	// Either receive first, then either timer first.
	if r.Orders.Int64() != 4 || r.Distinct != 1 {
		t.Errorf("%v orders, %d distinct; want 4 and 1", r.Orders, r.Distinct)
	}
}

// Every sequence of choices, one after the other and without any memory, gives
// the same numbers and the same verdicts.
func TestOrdersByBruteForce(t *testing.T) {
	scenarios := []string{
		"algorithm: bully\nids: 1-3\nstart: 1",
		"algorithm: bully\nids: 1-4\ndown: 4\nstart: 1",
		"algorithm: bully-buffalo\nids: 1-3\nstart: 1",
		"algorithm: bully\nids: 1-3\nstart: 1\ncrash: 3@1",
		"algorithm: ring\nids: 1-3\nstart: [1, 2]",
		"algorithm: bully\nids: 1-2\nstart: 1\ncrash: 2@1\nrecover: 2@2",
		"algorithm: bully\nids: 1-3\ndown: 3\nstart: 1\nrecover: 2@1\ncrash: 2@1",
		"algorithm: bully\nids: 1-3\ndown: [2, 3]\nstart: 1\nrecover: 2@1",
		"algorithm: chang-roberts\nids: 1-4\nstart: [1, 3]\ncrash: 4@2",
		"algorithm: chang-roberts\nids: 1-3\nstart: all\ndrop: 'election:*>*#2'",
	}
	for _, text := range scenarios[:size.Pick(2, 4, len(scenarios))] {
		s, err := scenario.Parse("test", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Explore(context.Background(), s, Options{Properties: property.Builtin().All()[:0]})
		if err != nil {
			t.Fatal(err)
		}
		base := *s
		base.MaxEvents = maxEvents
		orders, distinct := bruteForce(t, func(scenario.Choices) (sim.Config, *tracefmt.Run, error) { return base.Simulation() })
		if !r.Complete || r.Orders.Cmp(big.NewInt(orders)) != 0 || r.Distinct != distinct {
			t.Errorf("%q: %v orders, %d distinct, complete %v; want %d and %d", text, r.Orders, r.Distinct, r.Complete, orders, distinct)
		}
		if orders < 2 {
			t.Errorf("%q: there is nothing to choose", text)
		}
	}
}

// odometer is a chooser that counts through all sequences of choices.
type odometer struct{ taken, ways []int }

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

func bruteForce(t *testing.T, simulate simulation) (orders int64, distinct int) {
	ends := map[uint64]bool{}
	for o := (&odometer{}); ; {
		c, run, err := simulate(nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Chooser = o
		d := diff.NewDigest(run)
		if _, err := sim.Run(context.Background(), c, d); err != nil {
			t.Fatal(err)
		}
		ends[d.Sum()] = true
		orders++
		if !o.next() {
			return orders, len(ends)
		}
	}
}

// Two ways to the same events are two configurations if timers are then due at
// other times: 2 begins before the first timer of 1 or after it, which decides
// whether 2's timer comes before 1's second one. 4 is there to leave a choice.
func TestOrdersTellTimersApart(t *testing.T) {
	n := oneStep{
		processes: 4,
		start: func(p *sim.Process, _ sim.Signal, tm sim.Timer) {
			if p.ID() <= 2 {
				p.SetTimer(tm, tracefmt.Time(p.ID()+1)*tracefmt.Unit)
			}
		},
		timeout: func(p *sim.Process, m sim.Signal, tm sim.Timer) {
			m.Send(p, 3)
			if p.ID() == 1 {
				p.SetTimer(tm, 2*tracefmt.Unit)
			}
		},
		config: func(c *sim.Config) {
			c.MaxEvents = 30
			c.Actions[1].At, c.Actions[3].At = tracefmt.Unit, 2*tracefmt.Unit
		},
	}
	r, err := exploreAll(context.Background(), n.simulate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	orders, distinct := bruteForce(t, n.simulate)
	if r.Orders.Cmp(big.NewInt(orders)) != 0 || r.Distinct != distinct {
		t.Errorf("%v orders, %d distinct; want %d and %d", r.Orders, r.Distinct, orders, distinct)
	}
}

// A witness names its choices: its scenario makes the same run.
func TestOrderWitnesses(t *testing.T) {
	s, err := scenario.Parse("test", []byte("algorithm: bully\nids: 1-3\nstart: 1\ncrash: 3@1"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Explore(context.Background(), s, Options{Properties: property.Builtin().Default()})
	if err != nil {
		t.Fatal(err)
	}
	// If 3 wins and then crashes, no process notices.
	if r.Verdict() != analyze.Violated {
		t.Fatalf("verdict %s, want a violation", r.Verdict())
	}
	for i, w := range r.Witnesses {
		again, err := scenario.Parse("witness", w.Run().Scenario)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := rerun.Record(context.Background(), again)
		if err != nil {
			t.Fatal(err)
		}
		d, err := diff.Compare(w, rec, diff.Options{Strict: true})
		if err != nil || !d.Same {
			t.Errorf("witness %d, %s: %v, %+v", i, w.Run().Scenario, err, d)
		}
	}
	for _, v := range r.Verdicts {
		w := r.Witnesses[v.Witness]
		text := fmt.Sprintf("in %d of %d runs", v.Runs, r.Runs)
		if v.Runs == r.Runs {
			text = "in every run"
		}
		stored := text
		if v.Runs != r.Runs {
			stored += ", such as run 7"
		}
		for number, want := range map[int]string{0: text, 7: stored} { // 0: no trace stores it
			w.Run().Number = number
			if r.share(&v) != want {
				t.Errorf("%s, run %d: %q, want %q", v.Result.Property.Name, number, r.share(&v), want)
			}
		}
		report, err := analyze.Check(w, []*analyze.Property{v.Result.Property}, analyze.Options{})
		if err != nil || report.Verdict != v.Result.Verdict {
			t.Errorf("%s: the witness is %s, the verdict %s (%v)", v.Result.Property.Name, report.Verdict, v.Result.Verdict, err)
		}
	}
}

// Each run is checked after it was handed on, and whoever takes the runs can end the exploration.
func TestOrdersMade(t *testing.T) {
	n := oneStep{processes: 4, start: toOne}
	full := errors.New("the disk is full")
	for made, want := range map[int]error{6: nil, 2: full} { // of 3!
		runs := 0
		r, err := exploreAll(context.Background(), n.simulate, Options{
			Properties: property.Builtin().All(), Made: func(*tracefmt.Memory, scenario.Choices) error {
				runs++
				if runs == made {
					return want
				}
				return nil
			},
		})
		if !errors.Is(err, want) || runs != made {
			t.Errorf("%d runs are made, error %v; want %d, %v", runs, err, made, want)
		}
		for _, v := range r.Verdicts {
			if want == nil && v.Runs != made {
				t.Errorf("%s: %d runs are checked", v.Result.Property.Name, v.Runs)
			}
		}
		if len(r.Verdicts) == 0 {
			t.Errorf("of %d runs nothing is checked", made)
		}
	}
}

// A limit is reported, and the counts so far are lower bounds.
func TestOrdersLimited(t *testing.T) {
	n := oneStep{processes: 6, start: toOne}
	r, err := exploreAll(context.Background(), n.simulate, Options{MaxRuns: 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict() != analyze.Unknown {
		t.Errorf("the verdict of a part of the orders is %s, want unknown", r.Verdict())
	}
	if r.Complete || r.Runs != 10 || r.Orders.Int64() != 10 ||
		!strings.Contains(r.summary(), "at least 10 orders, 10 distinct runs, incomplete") {
		t.Errorf("%s", r.summary())
	}
}

// Settings without meaning where messages take any time are rejected.
func TestOrdersRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"slow: 'OK:2>1=4'": "slow rules have no meaning",
		"choices: 1":       "choices would leave one order only",
		"loss: 0.5":        "loss by chance",
		"duplicate: 0.5":   "duplicates by chance",
		"until: 5":         "a last instant",
		"edit: drop m1":    "edits",
	} {
		s, err := scenario.Parse("test", []byte("algorithm: bully\nids: 1-3\nstart: 1\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Explore(context.Background(), s, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}
