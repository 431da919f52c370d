package adversary_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"etrace/analyze/experiment/adversary"
	"etrace/analyze/experiment/sweep"
	"etrace/record/scenario"
)

// TestTimeoutsLong: for an algorithm with timers, the proof names the assumption that no timer expires while a
// message is in transit. Slower messages lead to higher values.
func TestTimeoutsLong(t *testing.T) {
	for algorithm, want := range map[string]string{"bully": adversary.TimeoutsLong, "chang-roberts": ""} {
		r := search(t, parse(t, "algorithm: %s\nids: 1-4\ndown: [4]\nstart: all", algorithm), adversary.Options{})
		if !r.Proven || r.Assumes != want {
			t.Errorf("%s: proven %v, assumes %q, want %q", algorithm, r.Proven, r.Assumes, want)
		}
	}
	slow := grid(t, "algorithm", "bully", "nodes", "4", "start", "all", "down", "highest", "delay", "exponential(3)")
	table, err := slow.Run(context.Background(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	quick := adversaryTable(t, grid(t, "algorithm", "bully", "nodes", "4", "start", "all", "down", "highest"))
	if seen, proven := table.Cells[0].Measure("messages").Max, quick.Rows[0].Value; seen <= proven {
		t.Errorf("slow messages: %d, timeouts long enough: %d, want fewer", seen, proven)
	}
	var b bytes.Buffer
	if err := quick.WriteText(&b); err != nil || !strings.Contains(b.String(), "proven, timeouts long enough ") {
		t.Errorf("%v: %s", err, &b)
	}
}

// TestLaterAtAnyMoment: Chang-Roberts on 3 processes sends at most 6 election messages and 3 announcements,
// which is the published bound for one election. A start after time 0 may begin a second election. That breaks
// no bound, and the proof names the assumption.
func TestLaterAtAnyMoment(t *testing.T) {
	const bound = 6 + 3
	for plan, want := range map[string]string{
		"start: all":                         "",
		"start: all@5":                       adversary.LaterAnytime,
		"start: [1, 2@5]":                    adversary.LaterAnytime,
		"start: 1\ncrash: 2@5":               adversary.LaterAnytime,
		"start: 1\ncrash: 2@5\nrecover: 2@7": adversary.LaterAnytime,
	} {
		r := search(t, parse(t, "algorithm: chang-roberts\nids: 3-1\n%s", plan), adversary.Options{})
		if !r.Proven || r.Assumes != want || (len(r.Theory) == 0) != (want != "") {
			t.Errorf("%s: proven %v, assumes %q, want %q, bounds %v", plan, r.Proven, r.Assumes, want, r.Theory)
		}
	}
	table := adversaryTable(t, grid(t, "algorithm", "chang-roberts", "nodes", "3", "start", "all@5"))
	if table.Rows[0].Value <= bound || table.Broken() {
		t.Errorf("%d messages, want more than %d, and no bound broken: %v", table.Rows[0].Value, bound, table.Broken())
	}
	var b bytes.Buffer
	if err := table.WriteText(&b); err != nil ||
		!strings.Contains(b.String(), "proven, "+adversary.LaterAnytime+"  none ") ||
		!strings.Contains(b.String(), "\n"+adversary.LaterAnytime+": ") {
		t.Errorf("%v: %s", err, &b)
	}
}

// TestUnitBounds: the bounds of the bully assume that each message takes one unit of time. The adversary has
// other schedules. The table names this difference, and a schedule with more messages breaks no bound.
func TestUnitBounds(t *testing.T) {
	table := adversaryTable(t, grid(t, "algorithm", "bully", "nodes", "4", "start", "1", "down", "highest"))
	want := "No published bound of bully applies: the scenario lets messages take any time (choices)"
	if len(table.Rows[0].Theory) > 0 || table.Broken() || !slices.Equal(table.Unbounded, []string{want}) {
		t.Errorf("bounds %v, broken %v, %q; want none, and %q", table.Rows[0].Theory, table.Broken(), table.Unbounded, want)
	}
}

// TestBothAssumptions: the report names both timers and later actions.
func TestBothAssumptions(t *testing.T) {
	r := search(t, parse(t, "algorithm: bully\nids: 1-3\ndown: [3]\nstart: [1, 2@5]"), adversary.Options{})
	if want := adversary.TimeoutsLong + ", " + adversary.LaterAnytime; r.Assumes != want {
		t.Errorf("%q, want %q", r.Assumes, want)
	}
}

func adversaryTable(t *testing.T, p *sweep.Plan) *adversary.Table {
	t.Helper()
	table, err := adversary.Sweep(context.Background(), p, adversary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// grid returns the plan of axes, given as name and value by turns.
func grid(t *testing.T, words ...string) *sweep.Plan {
	t.Helper()
	g := &sweep.Grid{Base: &scenario.Scenario{}, Free: true}
	for i := 0; i < len(words); i += 2 {
		if err := g.Add(words[i], words[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestOfSeeds: for processes that draw random numbers, a proof covers the searched seeds only, and the report
// lists them.
func TestOfSeeds(t *testing.T) {
	for seeds, want := range map[int64]string{
		1: "the seed 5 draws some of the scenario, and for that alone it is proven",
		3: "the seeds 5 to 7 draw some of the scenario, and for these alone it is proven",
	} {
		g := &sweep.Grid{Base: &scenario.Scenario{Seed: 5}, Free: true, Seeds: seeds}
		for _, axis := range [][2]string{{"algorithm", "itai-rodeh"}, {"nodes", "3"}, {"start", "all"}} {
			if err := g.Add(axis[0], axis[1]); err != nil {
				t.Fatal(err)
			}
		}
		p, err := g.Plan()
		if err != nil {
			t.Fatal(err)
		}
		row := adversaryTable(t, p).Rows[0]
		if row.Proven || row.Doubt != want || row.Certified != row.Rings {
			t.Errorf("proven %v, %d of %d orders certified, %q; want %q", row.Proven, row.Certified, row.Rings, row.Doubt, want)
		}
	}
}
