package trial_test

import (
	"testing"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
)

// TestWeights: a ring of four, 1 notices. It sends 11 messages: 7 election and 4 elected (see
// ExampleRun). One of two types takes 1 bit, and one of four ids 2; {"id":1} has 8 bytes.
func TestWeights(t *testing.T) {
	s, err := scenario.Parse("ring", []byte("{algorithm: chang-roberts, nodes: 4, start: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := trial.Run(t.Context(), s, nil, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]trial.Value{"messages": "11", "bits": "33", "bytes": "88"} {
		m, ok := trial.Count(name)
		if got := m.Of(run); !ok || got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestWeightsUnknown: the width of messages is known only for algorithms of etrace.
func TestWeightsUnknown(t *testing.T) {
	s, err := scenario.Parse("ring", []byte("{algorithm: chang-roberts, nodes: 4, start: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := trial.Run(t.Context(), s, nil, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run.Recording.Run().Scenario = nil
	bits, _ := trial.Count("bits")
	bytes, _ := trial.Count("bytes")
	if got := bits.Of(run); got != trial.Unknown {
		t.Errorf("bits: %s, want %s", got, trial.Unknown)
	}
	if got := bytes.Of(run); got != "88" {
		t.Errorf("bytes: %s, want 88", got)
	}
}

// TestRunnerWeighs: a runner measures of each run what is measured of it when it is kept in memory.
func TestRunnerWeighs(t *testing.T) {
	runner := trial.NewRunner(nil, analyze.Options{Named: true})
	runner.Weigh()
	for _, s := range scenarios(t) {
		kept, err := trial.Run(t.Context(), s, nil, analyze.Options{Named: true})
		if err != nil {
			t.Fatal(err)
		}
		counted, err := runner.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]trial.Value{"bytes": trial.Integer(counted.Payload.Bytes()), "bits": trial.Unknown}
		if bits, known := counted.Payload.Bits(); known {
			got["bits"] = trial.Integer(bits)
		}
		for name, value := range got {
			if m, _ := trial.Count(name); m.Of(kept) != value {
				t.Errorf("%s: %s %s, want %s", s.CommandLine(), name, value, m.Of(kept))
			}
		}
	}
}
