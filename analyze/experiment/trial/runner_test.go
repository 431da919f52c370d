package trial_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/analyze/property"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// scenarios returns those of the fixtures, most with faults, some that end only in a loop, and rings of all
// sizes with orders from the seed.
func scenarios(t *testing.T) (list []*scenario.Scenario) {
	t.Helper()
	files, err := filepath.Glob("../../../fixtures/scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no scenarios")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, parsed(t, file, string(text)))
	}
	for _, text := range []string{
		"{algorithm: chang-roberts, ids: shuffle(9), start: all}",
		"{algorithm: chang-roberts, ids: shuffle(9), start: [3, 7@2.5], coordinator: 9, delay: 'uniform(0.5,1.5)'}",
		"{algorithm: chang-roberts, ids: shuffle(9), start: all, params: {mark-starter: 'off'}}",
		"{algorithm: chang-roberts, ids: shuffle(40), start: 1}",
		"{algorithm: franklin, ids: shuffle(9), start: all, loss: 0.05}",
		"{algorithm: peterson, ids: shuffle(9), start: all, duplicate: 0.1}",
		"{algorithm: hirschberg-sinclair, ids: 4-12, start: all, reorder: on, delay: 'exponential(1)'}",
		"{algorithm: bully, nodes: 9, down: 9, start: 1}",
		"{algorithm: bully, nodes: 9, down: 9, start: 1, crash: 8@2, recover: 8@9, partition: '1,2|3,4@3-5'}",
		"{algorithm: bully, ids: '2,30,400', start: 2, drop: 'OK:30>2#1', silence: 400@3}",
	} {
		s := parsed(t, text, text)
		for seed := range int64(5) {
			second := *s
			second.Seed = seed
			list = append(list, &second)
		}
	}
	return list
}

func parsed(t testing.TB, name, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s.Complete()
	s.MaxEvents = 3000
	return s
}

// TestRunnerKeepsNothing: whatever a runner ran before, a run comes to what it
// comes to when it is recorded first, and then checked and counted.
func TestRunnerKeepsNothing(t *testing.T) {
	properties := property.Builtin().All()
	options := analyze.Options{Named: true, MaxSteps: 1000}
	runner, counting := trial.NewRunner(properties, options), trial.NewRunner(nil, options)
	list := append(scenarios(t), scenarios(t)...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	loops := 0
	for _, s := range list {
		want, err := trial.Run(t.Context(), s, properties, options)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*trial.Runner{runner, counting} {
			got, err := r.Run(t.Context(), s)
			if err != nil {
				t.Fatalf("%s: %v", s.CommandLine(), err)
			}
			if diff := cmp.Diff(written(t, want.Stats), written(t, got.Stats())); diff != "" {
				t.Fatalf("%s: counts (-want +got):\n%s", s.CommandLine(), diff)
			}
			if diff := cmp.Diff(totalsOf(want.Stats), got.Totals()); diff != "" {
				t.Fatalf("%s: totals (-want +got):\n%s", s.CommandLine(), diff)
			}
			if r == counting {
				continue
			}
			if got.Report.Ending.Looping() {
				loops++
			}
			if diff := cmp.Diff(found(want.Report), found(got.Report)); diff != "" {
				t.Fatalf("%s: verdicts (-want +got):\n%s", s.CommandLine(), diff)
			}
		}
	}
	if loops == 0 {
		t.Error("no run ends in a loop")
	}
}

func written(t *testing.T, stats *complexity.Stats) string {
	t.Helper()
	b, err := json.MarshalIndent(stats, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// totalsOf computes the totals from the counts of a whole run.
func totalsOf(s *complexity.Stats) complexity.Totals {
	m := s.Messages
	t := complexity.Totals{
		Events: s.Events, Sent: m.Sent, Delivered: m.Delivered, Lost: m.Lost, ToCrashed: m.ToCrashed, InFlight: m.InFlight,
		CausalDepth: s.CausalDepth, Suspicions: s.Suspicions,
	}
	if s.LastDelivery != nil {
		t.LastDelivery, t.Delivers = tracefmt.Time(math.Round(*s.LastDelivery*float64(tracefmt.Unit))), true
	}
	if s.LastDecision != nil {
		t.LastDecision, t.Decides = tracefmt.Time(math.Round(*s.LastDecision*float64(tracefmt.Unit))), true
	}
	for _, typ := range slices.Sorted(maps.Keys(m.ByType)) {
		t.ByType = append(t.ByType, complexity.TypeCount{Type: typ, Sent: m.ByType[typ]})
	}
	return t
}

// found formats a report.
func found(r *analyze.RunReport) string {
	text := fmt.Sprintf("%+v %s %q\n", r.Ending, r.Verdict, r.Remarks)
	for _, p := range r.Results {
		text += fmt.Sprintf(
			"%s: %s %q of %d, %d, at %v, cut %v, open %q\n", p.Property.Name, p.Verdict, p.Explanation,
			p.Violations, p.Examined, p.Witness, p.Cut, p.Open,
		)
	}
	return text
}

// TestValuesAsJSON: a number is a number and a name a text, also a name that a parser of numbers reads.
func TestValuesAsJSON(t *testing.T) {
	for v, want := range map[trial.Value]string{
		"": "null", "3": "3", "-0.5": "-0.5",
		"007": `"007"`, "1e3": `"1e3"`, "NaN": `"NaN"`, "+Inf": `"+Inf"`, "satisfied": `"satisfied"`,
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v, want %s", string(v), got, err, want)
		}
	}
}
