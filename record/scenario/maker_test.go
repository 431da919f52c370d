package scenario_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// TestMakerRemembersNothing: a simulation is the same, and its run has the same
// bytes, whatever was made and simulated before.
func TestMakerRemembersNothing(t *testing.T) {
	var maker scenario.Maker
	var simulator sim.Simulator
	for _, s := range scenariosInAnyOrder(t) {
		config, run, wrong := s.Simulation()
		want, failed := encoded(t, run, wrong, func(sink tracefmt.Sink) (sim.Result, error) { return sim.Run(t.Context(), config, sink) })
		config, run, wrong = maker.Simulation(s)
		got, failedAgain := encoded(t, run, wrong, func(sink tracefmt.Sink) (sim.Result, error) {
			return simulator.Run(t.Context(), config, sink)
		})
		if got != want || failed != failedAgain {
			t.Fatalf("%s: got %s\n%s\nwant %s\n%s", s.CommandLine(), failedAgain, got, failed, want)
		}
	}
}

// encoded is the run as JSON Lines, and the error that it ends with.
func encoded(t *testing.T, run *tracefmt.Run, wrong error, simulate func(tracefmt.Sink) (sim.Result, error)) (text, failed string) {
	t.Helper()
	if wrong != nil {
		return "", wrong.Error()
	}
	var b bytes.Buffer
	sink := tracefmt.NewEncoder(&b)
	if err := sink.Begin(run); err != nil {
		t.Fatal(err)
	}
	result, err := simulate(sink)
	if err != nil {
		failed = err.Error()
	}
	if err := sink.Finish(result.End); err != nil {
		t.Fatal(err)
	}
	return b.String(), failed
}

// scenariosInAnyOrder are those of the fixtures and some that differ in little,
// each twice.
func scenariosInAnyOrder(t *testing.T) (scenarios []*scenario.Scenario) {
	t.Helper()
	files, err := filepath.Glob("../../fixtures/scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no scenarios")
	}
	var texts []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text), string(text))
	}
	ring := "{algorithm: chang-roberts, ids: %ids, start: %start, seed: %seed}"
	for _, ids := range []string{"shuffle(9)", "shuffle(0-8)", "1-9", "9-1", "'2,9,4'", "'1,2,2'", "shuffle(100)"} {
		for _, start := range []string{"all", "2", "[3, 4@2.5]", "77"} {
			for _, seed := range []string{"1", "2"} {
				texts = append(texts, strings.NewReplacer("%ids", ids, "%start", start, "%seed", seed).Replace(ring))
			}
		}
	}
	for _, text := range []string{
		"{algorithm: chang-roberts, ids: shuffle(9), start: all, params: {mark-starter: 'off'}}",
		"{algorithm: chang-roberts, ids: shuffle(9), start: all, topology: ring, down: 9, ring-repair: 'off'}",
		"{algorithm: chang-roberts, ids: shuffle(9), start: all, delay: 'uniform(0.5,1.5)'}",
		"{algorithm: chang-roberts, ids: shuffle(9), start: all, choices: '1,2,0,1'}",
		"{algorithm: bully, nodes: 9, down: 9, start: 1, edit: ['timeout=5@seq12', 'crash 8@seq20']}",
		"{algorithm: bully, nodes: 9, down: 9, start: 1, crash: 8@2, recover: 8@9, partition: '1,2|3,4@3-5'}",
		"{algorithm: bully, nodes: 9, down: 9, start: [1, 3@0.5], loss: 0.2, duplicate: 0.2, reorder: on}",
		"{algorithm: bully, nodes: 9, drop: 'OK:4>2#1', slow: 'OK:3>2=4', start: 2, silence: 7@3}",
		"{algorithm: chang-roberts, nodes: 9, start: 2, lie: '8@0 election:id=3', forge: '4>5@1 elected:id=7'}",
	} {
		texts = append(texts, text, text)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	for _, text := range texts {
		s, err := scenario.Parse("scenario", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s.Complete()
		s.MaxEvents = 3000
		scenarios = append(scenarios, s)
	}
	return scenarios
}
