package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Parts of a scenario without effect are remarked, the others are not.
func TestRemarks(t *testing.T) {
	for text, want := range map[string]string{
		"{ids: 1-3, down: 3, start: '1', round-length: 2}": "round-length 2 has no effect: bully does not work in rounds",
		// One id goes round.
		"{algorithm: chang-roberts, ids: 1-3, start: 1, choices: '0,0'}": "choices has no effect from number 1 " +
			"on: the run has 0 moments at which several things may come next",
		// Two ids begin to go round at once.
		"{algorithm: chang-roberts, ids: 1-3, start: '1,2', choices: '1'}": "",
		"{algorithm: chang-roberts, ids: 1-3, start: '1,2', choices: '2'}": "choices: number 1 is 2, but only 0 " +
			"to 1 could come next; the last did",
		"{ids: 1-3, down: 3, start: '1,3@2.5'}": "start 3@2.5 has no effect: process 3 is down at 2.5",
		// 3 recovers in time.
		"{ids: 1-3, down: 3, recover: 3@2, start: '3@2.5'}": "",
		"{ids: 1-3, down: 3, start: '1', crash: 3@1, recover: 1@1}": "crash 3@1 has no effect: process 3 is down at " +
			"1\nrecover 1@1 has no effect: process 1 is up at 1",
		"{ids: 1-3, down: 3, start: '3,3'}": "start 3@0 has no effect: process 3 is down at 0",
		"{ids: 1-3, down: 3, start: '1', drop: ['ELECTION:1>2', 'ELECTION:1>2#2']}": "drop ELECTION:1>2#2 " +
			"has no effect: no message of the run fits it",
		"{ids: 1-3, down: 3, start: '1', drop: 'OK:*>3', slow: ['OK:2>1=2', 'OK:1>2=4']}": "drop OK:*>3 has no " +
			"effect: no message of the run fits it\nslow OK:1>2=4 has no effect: no message of the run fits it",
	} {
		s := mustParse(t, text)
		if s.Algorithm == "" {
			s.Algorithm = "bully"
		}
		checkRemarks(t, text, s, want)
	}
}

// checkRemarks records a scenario, and compares what is remarked of the run.
func checkRemarks(t *testing.T, text string, s *Scenario, want string) {
	t.Helper()
	_, result, err := Record(t.Context(), s, &tracefmt.Memory{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if diff := cmp.Diff(want, strings.Join(s.Remarks(result), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", text, diff)
	}
}

// A start of a process that is at it already has no effect: why that is depends on what the algorithm is for. The last of
// each scenario is a start that has one.
func TestRemarksBusy(t *testing.T) {
	for text, want := range map[string]string{
		"{algorithm: chang-roberts, ids: 1-3, start: '1,1@0.5'}": "start 1@0.5 has no effect: " +
			"process 1 participates in an election already at 0.5",
		"{algorithm: ricart-agrawala, ids: 1-3, start: '1,1@1,1@9'}": "start 1@1 has no effect: " +
			"process 1 waits for the critical section or is inside at 1",
		"{algorithm: paxos, ids: 1-3, start: '2,1@9'}": "start 1@9 has no effect: " +
			"process 1 has proposed or decided at 9",
		"{algorithm: pbft, ids: 1-5, start: '5,5@1'}": "start 5@1 has no effect: " +
			"process 5 has proposed or decided at 1",
		"{algorithm: two-phase-commit, ids: 1-3, start: '1,1@1'}": "start 1@1 has no effect: " +
			"process 1 has voted or decided at 1",
		"{algorithm: raft, ids: 1-3, start: '2@5', until: 9, params: {timers: on}}": "start 2@5 has no effect: process 2 does not lead at 5",
		"{algorithm: chandy-lamport, ids: 1-3, start: '1,2@3'}": "start 2@3 has no effect: " +
			"process 2 has recorded its state at 3",
		"{algorithm: dijkstra-scholten, ids: 1-3, start: '1,1@0'}": "start 1@0 has no effect: process 1 is at work at 0",
		"{algorithm: echo-wave, ids: 1-3, start: '1,2@1.5'}":       "start 2@1.5 has no effect: process 2 is in the wave at 1.5",
		"{algorithm: reliable-broadcast, ids: 1-3, start: '1,1'}":  "",
		"{algorithm: two-phase-commit, ids: 1-3, start: '1,2'}":    "", // Misstarts has the remark
	} {
		s := mustParse(t, text)
		checkRemarks(t, text, s, want)
	}
}

// A start of a process at which the algorithm never begins anything is remarked, not refused. By the docs of
// the algorithms, the client of pbft and the coordinator of a commitment can be started, and in rounds and in
// the wave on a tree no process.
func TestMisstarts(t *testing.T) {
	for text, want := range map[string]string{
		"{algorithm: pbft, ids: 1-5, start: 5}": "",
		"{algorithm: pbft, ids: 1-5}":           "",
		"{algorithm: pbft, ids: 1-5, start: '1,5,2@3'}": "start 1@0, 2@3 has no effect: in pbft " +
			"only the client is started, process 5",
		"{algorithm: pbft, ids: 1-7, down: 2, start: all}": "start 1@0, 3@0, 4@0, 5@0 and 1 more " +
			"has no effect: in pbft only the client is started, process 7",
		"{algorithm: pbft, ids: 1-5, start: 1, lie: '5@0 REQUEST:1=5'}": "start 1@0 has no effect: in pbft only " +
			"some processes are started, process 5",
		"{algorithm: two-phase-commit, ids: '30,20,10', start: 30}": "start 30@0 has no effect: in " +
			"two-phase-commit only the coordinator is started, process 10",
		"{algorithm: three-phase-commit, ids: 1-3, start: 1}":           "",
		"{algorithm: floodset, ids: 1-3, start: 1}":                     "start 1@0 has no effect: in floodset all begin by themselves",
		"{algorithm: tree-wave, ids: 1-3, topology: line, start: 2}":    "start 2@0 has no effect: in tree-wave all begin by themselves",
		"{algorithm: bully, ids: 1-3, start: all}":                      "",
		"{algorithm: raft, ids: 1-3, start: all, params: {timers: on}}": "",
	} {
		if got := mustParse(t, text).Misstarts(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// Where no process starts, how one is; not where none can be.
func TestIdle(t *testing.T) {
	for text, want := range map[string]string{
		"{algorithm: pbft, ids: 1-5}":            "--start P lets process P propose a value; in pbft only the client is started",
		"{algorithm: paxos, ids: 1-5}":           "--start P lets process P propose a value",
		"{algorithm: floodset, ids: 1-5}":        "",
		"{algorithm: paxos, ids: 1-5, start: 1}": "",
	} {
		if got := mustParse(t, text).Idle(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
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
