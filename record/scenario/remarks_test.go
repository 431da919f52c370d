package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// What of a scenario has no effect is said; what has, is not.
func TestRemarks(t *testing.T) {
	for text, want := range map[string]string{
		"{ids: 1-3, down: 3, start: '1', round-length: 2}": "round-length 2 has no effect: bully does not work in rounds",
		// One id goes round.
		"{algorithm: chang-roberts, ids: 1-3, start: 1, choices: '0,0'}": "choices has no effect from number 1 on: the run has 0 moments at which several things may come next",
		// Two ids begin to go round at once.
		"{algorithm: chang-roberts, ids: 1-3, start: '1,2', choices: '1'}": "",
		"{algorithm: chang-roberts, ids: 1-3, start: '1,2', choices: '2'}": "choices: number 1 is 2, but only 0 to 1 could come next; the last did",
		"{ids: 1-3, down: 3, start: '1,3@2.5'}":                            "start 3@2.5 has no effect: process 3 is down at 2.5",
		// 3 recovers in time.
		"{ids: 1-3, down: 3, recover: 3@2, start: '3@2.5'}":                               "",
		"{ids: 1-3, down: 3, start: '1', crash: 3@1, recover: 1@1}":                       "crash 3@1 has no effect: process 3 is down already at 1\nrecover 1@1 has no effect: process 1 is up at 1",
		"{ids: 1-3, down: 3, start: '3,3'}":                                               "start 3@0 has no effect: process 3 is down at 0",
		"{ids: 1-3, down: 3, start: '1', drop: ['ELECTION:1>2', 'ELECTION:1>2#2']}":       "drop ELECTION:1>2#2 has no effect: no message of the run fits it",
		"{ids: 1-3, down: 3, start: '1', drop: 'OK:*>3', slow: ['OK:2>1=2', 'OK:1>2=4']}": "drop OK:*>3 has no effect: no message of the run fits it\nslow OK:1>2=4 has no effect: no message of the run fits it",
	} {
		s := mustParse(t, text)
		if s.Algorithm == "" {
			s.Algorithm = "bully"
		}
		_, result, err := Record(t.Context(), s, &tracefmt.Memory{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, strings.Join(s.Remarks(result), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Where an algorithm works in rounds, their length has an effect.
func TestRemarksRounds(t *testing.T) {
	s := mustParse(t, "{ids: 1-3, round-length: 2}")
	if got := s.Remarks(sim.Result{InRounds: true}); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
