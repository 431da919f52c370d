package hunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

func mustScenario(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustHunt(t *testing.T, text, name string, o Options) *Finding {
	t.Helper()
	properties, err := property.Builtin().Named(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Search(context.Background(), mustScenario(t, text), properties[0], o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var hunts = []struct {
	name, scenario, property string
	options                  Options
	// fits reports whether the plan is as small as the rules allow.
	fits func(s *scenario.Scenario) bool
}{
	{
		// A process whose question or answer is late is taken for dead: two lead.
		"a late message makes two leaders of the bully", "algorithm: bully-buffalo\nids: 1-4\ndown: 4\nstart: 2", "single-leader",
		Options{},
		func(s *scenario.Scenario) bool {
			return len(s.Slow) == 1 && len(s.Crash)+len(s.Recover)+len(s.Drop)+len(s.Partitions) == 0
		},
	},
	{
		// The winner crashes after its own id: no process takes it off the ring.
		"a crash lets an id go round forever", "algorithm: chang-roberts\nnodes: 5\nstart: 2", "election-liveness",
		Options{},
		func(s *scenario.Scenario) bool { return len(s.Crash) == 1 && len(s.Slow)+len(s.Recover) == 0 },
	},
	{
		"a lost result leaves somebody without a leader", "algorithm: bully\nids: 1-4\nstart: 1", "election-liveness",
		Options{Faults: []string{"drop"}},
		func(s *scenario.Scenario) bool { return len(s.Drop) <= 2 && len(s.Crash)+len(s.Slow) == 0 },
	},
	{
		"a split makes two leaders", "algorithm: bully\nids: 1-4\nstart: all@3", "single-leader",
		Options{Faults: []string{"partition"}},
		func(s *scenario.Scenario) bool { return len(s.Partitions) == 1 },
	},
	{
		// One copy already violates FIFO and exactly-once delivery.
		"a copy is a second receive", "algorithm: ring\nids: 1-4\nstart: 1", "no-duplication",
		Options{Faults: []string{"duplicate"}},
		func(s *scenario.Scenario) bool { return len(s.Edits) == 1 },
	},
	{
		// Without black processes a round may pass by a message that is on its way; it needs
		// that one and the token to be late. Starts after 0, which may be drawn, are refused.
		"late messages pass by the token", "algorithm: safra\nnodes: 3\nstart: 1\nparams: {mutant: never-black}", "announcement-not-early",
		Options{},
		func(s *scenario.Scenario) bool { return len(s.Slow) > 0 && len(s.Start) >= 1 && len(s.Crash) == 0 },
	},
}

func TestHunt(t *testing.T) {
	for _, c := range hunts {
		t.Run(c.name, func(t *testing.T) {
			f := mustHunt(t, c.scenario, c.property, c.options)
			if f.Scenario == nil {
				t.Fatalf("nothing found in %d plans", f.Plans)
			}
			if !c.fits(f.Scenario) {
				t.Errorf("shrunk to %s", f.Scenario.CommandLine())
			}
			if base := mustScenario(t, c.scenario); !random(base) && f.Scenario.Seed != base.Seed {
				t.Errorf("the seed of a plan that draws nothing is %d, want %d", f.Scenario.Seed, base.Seed)
			}
			checkAgain(t, f)
			checkMinimal(t, f)
		})
	}
}

// The ring's own failure is a run that never ends; a message that is lost with
// its receiver comes second.
func TestHuntFindsTheLoop(t *testing.T) {
	f := mustHunt(t, hunts[1].scenario, hunts[1].property, Options{})
	report, err := analyze.Check(f.Recording, []*analyze.Property{f.Property}, analyze.Options{})
	if err != nil || !report.Ending.Looping() {
		t.Errorf("%s: the run ends %+v (%v), want a proven loop", f.Scenario.CommandLine(), report.Ending, err)
	}
}

// checkAgain makes the run again from the finding's scenario, and compares it byte for byte.
func checkAgain(t *testing.T, f *Finding) {
	t.Helper()
	again := mustScenario(t, string(f.Recording.Run().Scenario))
	rec, err := rerun.Record(context.Background(), again)
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	for buffer, r := range map[*bytes.Buffer]*tracefmt.Memory{&want: f.Recording, &got: rec} {
		if err := tracefmt.NewEncoder(buffer).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Errorf("the scenario %s does not make the run that was found", f.Recording.Run().Scenario)
	}
}

// checkMinimal takes each single thing out of the plan and sees that the
// property is not violated any more, or not by a loop.
func checkMinimal(t *testing.T, f *Finding) {
	t.Helper()
	h := &hunt{base: f.Scenario, property: f.Property}
	full, err := h.runAndCheck(context.Background(), f.Scenario)
	if err != nil || !full.violated() {
		t.Fatalf("%s: %v, want a violation", f.Scenario.CommandLine(), err)
	}
	for _, p := range removableLists {
		for i := range p.len(f.Scenario) {
			s := clone(f.Scenario)
			p.remove(s, i, i+1)
			if a, err := h.runAndCheck(context.Background(), s); err == nil && a.violated() && a.looping == full.looping {
				t.Errorf("%s is not minimal: so is %s", f.Scenario.CommandLine(), s.CommandLine())
			}
		}
	}
}

// The same seed has the same finding, however many plans run at a time.
func TestHuntIsDeterministic(t *testing.T) {
	for _, c := range hunts[:size.Pick(1, 2, len(hunts))] {
		var first *Finding
		for _, workers := range size.Pick([]int{1, 7}, []int{1, 7}, []int{1, 2, 7}) {
			o := c.options
			o.Workers = workers
			f := mustHunt(t, c.scenario, c.property, o)
			f.Took = 0
			if first == nil {
				first = f
			} else if f.Plans != first.Plans || f.Refused != first.Refused || f.Largest < 1 ||
				!bytes.Equal(f.Scenario.JSON(), first.Scenario.JSON()) {
				t.Errorf(
					"%s, %d workers: %d plans, %s; with one %d, %s", c.name, workers, f.Plans,
					f.Scenario.CommandLine(), first.Plans, first.Scenario.CommandLine(),
				)
			}
		}
	}
}

// A run that violates the property already needs no fault.
func TestHuntTakesTheScenarioFirst(t *testing.T) {
	f := mustHunt(
		t, "algorithm: chang-roberts\nids: 0-5\ndown: 5\nstart: 2\ncrash: 4@5\nslow: 'election:3>4#2=1'",
		"election-liveness", Options{},
	)
	if f.Plans != 1 || f.Largest != 0 || len(f.Scenario.Crash) != 1 || len(f.Scenario.Slow) != 0 {
		t.Errorf(
			"%d plans with up to %d faults, %s; want the scenario itself, without the rule that slows nothing",
			f.Plans, f.Largest, f.Scenario.CommandLine(),
		)
	}
}

// A hunt without result reports how much it tried.
func TestHuntFindsNothing(t *testing.T) {
	// No schedule lets a ring of one direction elect two: ids meet.
	f := mustHunt(t, "algorithm: chang-roberts\nids: 1-4\nstart: all", "single-leader", Options{Faults: []string{"slow"}, Plans: 500})
	if f.Scenario != nil || f.Plans > 500 || f.Plans < 450 {
		t.Fatalf("found %v in %d plans", f.Scenario, f.Plans)
	}
	var b strings.Builder
	if err := f.WriteText(&b); err != nil || !strings.Contains(b.String(), "no violation found in") ||
		!strings.Contains(b.String(), "that is no proof") {
		t.Errorf("report %q (%v)", b.String(), err)
	}
	if strings.Contains(b.String(), "the time was over") {
		t.Errorf("report %q, but all plans were tried", b.String())
	}
	f.OutOfTime = true
	b.Reset()
	if err := f.WriteText(&b); err != nil || !strings.Contains(b.String(), "the time was over; that is no proof") {
		t.Errorf("report %q (%v), want that the time was over", b.String(), err)
	}
}

// Dijkstra and Scholten's algorithm allows one start, at 0. Of 64 plans with one more start, the hunt tries only
// plans that start the same process again, at 0. It rejects such a scenario of the user with an error.
func TestRefusedPlansAreLeftOut(t *testing.T) {
	o := Options{Faults: []string{"start"}, Plans: 1 + firstWalks}
	f := mustHunt(t, "algorithm: dijkstra-scholten\nnodes: 3\nstart: 1", "announcement-not-early", o)
	var b strings.Builder
	if err := f.WriteText(&b); err != nil || f.Scenario != nil {
		t.Fatalf("found %v (%v)", f.Scenario, err)
	}
	if f.Refused < firstWalks/2 || f.Plans+f.Refused != 1+firstWalks {
		t.Errorf("%d plans tried, %d refused, want %d in all, and most of them refused", f.Plans, f.Refused, 1+firstWalks)
	}
	if want := fmt.Sprintf(
		", without %d plans that the algorithm does not take: that is no proof", f.Refused,
	); !strings.Contains(b.String(), want) {
		t.Errorf("report %q, want in it %q", b.String(), want)
	}

	properties, err := property.Builtin().Named("announcement-not-early")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Search(context.Background(), mustScenario(t, "algorithm: dijkstra-scholten\nnodes: 3\nstart: [1, 2]"), properties[0], o)
	if _, refused := errors.AsType[*algorithm.Unsuited](err); !refused {
		t.Errorf("two starts: error %v, want a refusal", err)
	}
}

// An interrupt ends a hunt; an unknown fault is refused with the nearest.
func TestHuntFails(t *testing.T) {
	s := mustScenario(t, "algorithm: chang-roberts\nids: 1-4\nstart: all")
	properties, err := property.Builtin().Named("single-leader")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err = Search(ctx, s, properties[0], Options{Progress: func(done int) {
		if done == 20 {
			cancel()
		}
	}})
	if err == nil || err.Error() != "interrupted while hunting" {
		t.Errorf("interrupted: error %v", err)
	}
	if _, err := Search(context.Background(), s, properties[0], Options{Faults: []string{"crush"}}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "crash"?`) {
		t.Errorf("unknown fault: error %v", err)
	}
}

// TestMessageRuleMatchesOne: a drawn rule names one message of the run, by its number among those of its type and
// channel.
func TestMessageRuleMatchesOne(t *testing.T) {
	s := mustScenario(t, "algorithm: ring\nids: 1-4\nstart: all")
	rec, err := rerun.Record(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	longest := 0
	for seed := range uint64(100) {
		d := draw{rand.New(rand.NewPCG(seed, 1)), s, rec}
		r, ok := d.message()
		if !ok || r.Occurrence < 1 {
			t.Fatalf("the rule %+v matches every message, want one", r)
		}
		like := 0
		for _, e := range d.sends() {
			if e.Type == r.Type && *d.id(e.Process) == *r.From && *d.id(e.Peer) == *r.To {
				like++
			}
		}
		longest = max(longest, like)
		if r.Occurrence > like {
			t.Errorf("the rule %+v matches none of %d messages", r, like)
		}
	}
	if longest < 2 {
		t.Error("no channel has two messages of a type")
	}
}

// TestTryLimitsRuns: a run without a limit of its own ends with the step that makes maxEvents events, one with a
// limit there.
func TestTryLimitsRuns(t *testing.T) {
	properties, err := property.Builtin().Named("single-leader")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"": maxEvents, "\nmax-events: 500": 500} {
		s := mustScenario(t, "algorithm: bully-wikipedia\nnodes: 4\ndown: 4\nstart: all\ndrop: 'Victory:*>*'\ndelay: uniform(0.9,1.1)"+text)
		a, err := (&hunt{base: s, property: properties[0]}).runAndCheck(t.Context(), s)
		if err != nil || a.rec.Len() < want || a.rec.Len() > want+100 || a.scenario.MaxEvents != int64(want) {
			t.Errorf("%q: %d events, limit %d, %v, want a run that is cut after %d", text, a.rec.Len(), a.scenario.MaxEvents, err, want)
		}
	}
}

// The parts of shrinking cover every field of a scenario except its name, its algorithm and its limits.
func TestPartsAreComplete(t *testing.T) {
	var kept []string
	fields := reflect.TypeFor[scenario.Scenario]()
	full := mustScenario(
		t,
		`{"ids":"1-3","attribute":"load=1:3,2:1,3:3","best":"greatest:load","attribute-ties":"id","anonymous":"on","down":"1","coordinator":"1","start":"2","op":"read:2","crash":"2@1","recover":"2@2","delay":"2","drop":"*:*>*","slow":"*:*>*=2",
		"loss":"0.5","duplicate":"0.5","reorder":"on","ring-repair":"off","partition":"1|2@3","edit":"drop m1","seed":"4","silence":"3@1","lie":"3@1 OK:a=1","forge":"3>2@1 OK","round-length":"2","topology":"ring","edges":"1-2"}`,
	)
	for _, p := range removableLists {
		for p.len(full) > 0 {
			p.remove(full, 0, 1)
		}
	}
	for i := range fields.NumField() {
		f := fields.Field(i)
		if !f.IsExported() {
			continue
		}
		v := reflect.ValueOf(full).Elem().Field(i)
		if !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			t.Errorf("%s is not removed: %v", f.Name, v)
		}
		kept = append(kept, f.Name)
	}
	// A new field must become a part, or be listed here as kept.
	for _, name := range kept {
		known := []string{
			"Name", "Algorithm", "Algorithms", "IDs", "Shuffle", "Topology", "Edges", "Down",
			"Coordinator", "Start", "Operations", "Crash", "Recover", "Delay", "Drop", "Slow", "Loss",
			"Duplicate", "Reorder",
			"NoRingRepair", "RoundLength", "Choices", "Partitions", "Silence", "Lies", "Forgeries",
			"Edits", "Attributes", "Best", "TiesByID", "Anonymous", "Params", "Seed", "Until", "MaxEvents",
		}
		if !slices.Contains(known, name) {
			t.Errorf("scenario.Scenario.%s is new: is it something that can be left out?", name)
		}
	}
}

// TestByHarm: the sets of faults grow, so that no set is tried twice.
func TestByHarm(t *testing.T) {
	for _, test := range []struct {
		harms []int
		want  []int // the sizes of the sets
	}{
		{nil, nil},
		{[]int{1}, []int{1}},
		{[]int{1, 1, Unreliable}, []int{2, 3}},
		{[]int{Unreliable}, []int{1}},
	} {
		var faults []*Fault
		for _, harm := range test.harms {
			faults = append(faults, &Fault{Harm: harm})
		}
		var sizes []int
		for _, set := range byHarm(faults) {
			sizes = append(sizes, len(set))
		}
		if !slices.Equal(sizes, test.want) {
			t.Errorf("harms %v: sets of %v faults, want %v", test.harms, sizes, test.want)
		}
	}
}
