package scenario_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/scenario"
	"etrace/tracefmt"
)

// kept is a sink that keeps one run.
type kept struct{ *tracefmt.Memory }

func (k *kept) Begin(run *tracefmt.Run) error {
	k.Memory = tracefmt.NewMemory(*run)
	return nil
}

func (k *kept) Finish(end tracefmt.End) error {
	k.Memory.Finish(end)
	return nil
}

// TestRecorderRemembersNothing: what a recorder recorded before changes nothing of a run.
func TestRecorderRemembersNothing(t *testing.T) {
	var recorder scenario.Recorder
	for _, text := range []string{
		"{algorithm: chang-roberts, ids: 1-9, start: all, loss: 0.1}",
		"{algorithm: chang-roberts, ids: 1-9, start: all, loss: 0.1, seed: 2}",
		"{algorithm: bully, nodes: 5, down: 5, start: 1, delay: 'uniform(0.5,1.5)', crash: 4@2}",
		"{algorithm: chang-roberts, ids: '3,1,2', start: 1, duplicate: 0.2}",
		"{algorithm: itai-rodeh, nodes: 6, start: all, seed: 3}",
		"{algorithm: chang-roberts, ids: 1-9, start: all, loss: 0.1}",
	} {
		s, err := scenario.Parse("scenario", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s.Complete()
		var want, got kept
		if _, _, err := scenario.Record(t.Context(), s, &want); err != nil {
			t.Fatal(err)
		}
		if _, _, err := recorder.Record(t.Context(), s, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Run(), got.Run()); diff != "" {
			t.Errorf("%s: the run (-want +got):\n%s", text, diff)
		}
		if diff := cmp.Diff(events(t, want.Memory), events(t, got.Memory)); diff != "" {
			t.Errorf("%s: its events (-want +got):\n%s", text, diff)
		}
	}
}

func events(t *testing.T, rec tracefmt.Recording) (events []tracefmt.Event) {
	t.Helper()
	for e, err := range rec.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, *e.Clone())
	}
	return events
}
