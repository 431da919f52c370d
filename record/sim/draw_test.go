package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// drawing is a protocol whose processes, once started, draw numbers from 1 to n and keep the list.
func drawing(draws int, n int64) *sim.Protocol {
	pr := &sim.Protocol{Draws: true}
	drawn := sim.Declare[sim.List[int64]](pr, "drawn", "what was drawn")
	pr.Start = func(p *sim.Process) {
		for range draws {
			sim.Append(p, drawn, p.Draw(n))
		}
	}
	return pr
}

// drawnBy runs a protocol with these processes started and returns what each has drawn,
// by its number.
func drawnBy(t *testing.T, pr *sim.Protocol, seed int64, starts ...tracefmt.ProcessID) map[tracefmt.ProcessID]string {
	t.Helper()
	c := sim.Config{Protocol: pr, Config: network.Config{Delay: network.Delay{A: tracefmt.Unit}, Seed: seed}}
	for i := range 4 {
		c.Members = append(c.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
	}
	for _, p := range starts {
		c.Actions = append(c.Actions, sim.Action{Kind: sim.StartProcess, Process: p})
	}
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	drawn := map[tracefmt.ProcessID]string{}
	for e := range m.Events(1) {
		if v, ok := e.Field("drawn"); ok && e.Kind == tracefmt.State {
			drawn[e.Process] = string(v)
		}
	}
	return drawn
}

// TestDraw: what a process draws depends on the seed and on itself, not on who else draws.
func TestDraw(t *testing.T) {
	draws := drawnBy(t, drawing(20, 6), 7, 1, 2, 3, 4)
	again := drawnBy(t, drawing(20, 6), 7, 4, 2)
	if draws[2] != again[2] || draws[4] != again[4] {
		t.Errorf("with others %v, without %v", draws, again)
	}
	second := drawnBy(t, drawing(20, 6), 8, 1, 2, 3, 4)
	seen := []string{}
	for p := tracefmt.ProcessID(1); p <= 4; p++ {
		seen = append(seen, draws[p], second[p])
	}
	slices.Sort(seen)
	if len(slices.Compact(seen)) != 8 {
		t.Errorf("two processes or two seeds draw alike: %v, %v", draws, second)
	}
}

// TestDrawIsUniform: of 6000 draws of 1 to 6 each number occurs 1000 times, within five standard deviations of
// sqrt(6000*5/36) = 29. Each of the 36 pairs of successive draws occurs 83 times of 3000, within five times
// sqrt(3000*35)/36 = 9.
func TestDrawIsUniform(t *testing.T) {
	counts, pairs := map[string]int{}, map[string]int{}
	for _, list := range drawnBy(t, drawing(1500, 6), 1, 1, 2, 3, 4) {
		numbers := strings.Split(strings.Trim(list, "[]"), ",")
		for i, n := range numbers {
			counts[n]++
			if i%2 == 1 {
				pairs[numbers[i-1]+n]++
			}
		}
	}
	for n, count := range counts {
		if count < 1000-145 || count > 1000+145 {
			t.Errorf("%s was drawn %d times of 6000", n, count)
		}
	}
	for pair, count := range pairs {
		if count < 83-45 || count > 83+45 {
			t.Errorf("%s was drawn %d times of 3000", pair, count)
		}
	}
	if len(counts) != 6 || len(pairs) != 36 {
		t.Errorf("%d numbers and %d pairs, want 6 and 36", len(counts), len(pairs))
	}
}

// TestDrawMistakes: a protocol declares that its processes draw, and the range must not be empty.
func TestDrawMistakes(t *testing.T) {
	for want, pr := range map[string]*sim.Protocol{
		"its protocol does not say so": func() *sim.Protocol { pr := drawing(1, 6); pr.Draws = false; return pr }(),
		"expected at least 1":          drawing(1, 0),
	} {
		c := sim.Config{
			Protocol: pr, Members: []tracefmt.Member{{Name: "1", Position: 1}}, Config: network.Config{Delay: network.Delay{A: tracefmt.Unit}},
			Actions: []sim.Action{{Kind: sim.StartProcess, Process: 1}},
		}
		if _, err := sim.Run(t.Context(), c, tracefmt.NewMemory(tracefmt.Run{Members: c.Members})); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// TestDrawsAreNoLoop: a process that asks its other self forever, and draws a number each time, is in no
// proven loop, since other draws are ahead; without the draw it is, and where there is one number to draw.
func TestDrawsAreNoLoop(t *testing.T) {
	for numbers, want := range map[int64]tracefmt.End{2: tracefmt.Deadline, 1: tracefmt.Stopped, 0: tracefmt.Stopped} {
		pr := &sim.Protocol{Draws: true}
		again := pr.Signal("AGAIN", "once more")
		again.On(func(p *sim.Process, from tracefmt.ProcessID) {
			if numbers > 0 {
				p.Draw(numbers)
			}
			again.Send(p, from)
		})
		pr.Start = func(p *sim.Process) { again.Send(p, 2) }
		c := sim.Config{
			Protocol: pr, Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}}, MaxEvents: 500,
			Config: network.Config{Delay: network.Delay{A: tracefmt.Unit}}, Actions: []sim.Action{{Kind: sim.StartProcess, Process: 1}},
		}
		result, err := sim.Run(t.Context(), c, tracefmt.NewMemory(tracefmt.Run{Members: c.Members}))
		if err != nil || result.End != want {
			t.Errorf("draws from %d: %s, %v, want %s", numbers, result.End, err, want)
		}
	}
}
