package stdio

import (
	"slices"
	"strings"
	"testing"
	"time"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// TestEndsBeforeReady: programs that end at once are an error with their last words; of one such node there is a note.
func TestEndsBeforeReady(t *testing.T) {
	c := Config{Nodes: 2, Until: time.Hour, Workload: "echo"}
	c.Command = []string{"sh", "-c", "echo no such module >&2; exit 3"}
	want := " ended before it answered init: exit status 3: no such module"
	if _, err := Record(t.Context(), c, new(tracefmt.Memory)); err == nil ||
		!strings.HasSuffix(err.Error(), want+"; no node has answered init") {
		t.Errorf("error %v", err)
	}
	c.Command[2], c.Until = "read -r init; case $init in *'node_id\":\"n1'*) echo no such module >&2; exit 3;; esac;"+
		`echo '{"src":"n2","dest":"c2","body":{"type":"init_ok","in_reply_to":1}}'; read -r more`, 300*time.Millisecond
	report, err := Record(t.Context(), c, new(tracefmt.Memory))
	if err != nil || len(report.Notes) == 0 || report.Notes[0] != "n1"+want {
		t.Errorf("%q, %v", report.Notes, err)
	}
}

// TestStrangers: a program that does not speak the protocol leaves notes about that.
func TestStrangers(t *testing.T) {
	for command, want := range map[string]string{
		"sleep 600":                 "n1 has not answered init",
		"echo hello; sleep 600":     "n1 has printed a line that is no message: hello",
		`echo '{"a":1}'; sleep 600`: `n1 has printed a line that is no message: {"a":1}`,
	} {
		c := Config{Command: []string{"sh", "-c", command}, Nodes: 1, Until: 200 * time.Millisecond, Workload: "echo"}
		if report, err := Record(t.Context(), c, new(tracefmt.Memory)); err != nil || !slices.Contains(report.Notes, want) {
			t.Errorf("%s: %q, %v; expected %q", command, report.Notes, err, want)
		}
	}
}

// TestEnds: a run ends though a node prints without end, or has left its process group.
func TestEnds(t *testing.T) {
	for _, command := range [][]string{{"yes"}, {"setsid", "sleep", "600"}} {
		c := Config{Command: command, Nodes: 1, Until: 200 * time.Millisecond, Workload: "echo"}
		if _, err := Record(t.Context(), c, new(tracefmt.Memory)); err != nil {
			t.Errorf("%v: %v", command, err)
		}
	}
}

// TestVain: a fault without effect leaves a note, and does not count as something under way.
func TestVain(t *testing.T) {
	const half = tracefmt.Time(5e8)
	for want, c := range map[string]Config{
		"crash 1@2 has no effect: the run ends at 1": {Actions: []sim.Action{{Kind: sim.CrashProcess, Process: 1, At: 2e9}}},
		"partition at 2 has no effect: the run ends at 1": {
			Actions: []sim.Action{{Kind: sim.SplitNetwork, Groups: [][]tracefmt.ProcessID{{1}}, At: 2e9}},
		},
		"pause 1@2-3 has no effect: the run ends at 1": {Pauses: []Pause{{Node: 1, From: 2e9, To: 3e9}}},
		"drop gossip:*>1#2 has no effect: no message of the run fits it": {
			Config: network.Config{Rules: []network.Rule{{Type: "gossip", To: 1, Occurrence: 2, Drop: true}}},
		},
		"recover 1@0.5 has no effect: n1 is up": {Actions: []sim.Action{{Kind: sim.RecoverProcess, Process: 1, At: half}}},
		"crash 1@0.5 has no effect: n1 is down": {Actions: []sim.Action{
			{Kind: sim.CrashProcess, Process: 1, At: half / 2}, {Kind: sim.CrashProcess, Process: 1, At: half},
		}},
		"pause 1@0.5-1 has no effect: n1 is down": {
			Actions: []sim.Action{{Kind: sim.CrashProcess, Process: 1, At: half / 2}}, Pauses: []Pause{{Node: 1, From: half, To: 2 * half}},
		},
		"n1 ended by itself: exit status 3: no more": {
			Command: []string{"sh", "-c", "read -r line\n" +
				`echo '{"src":"n1","dest":"c1","body":{"type":"init_ok","in_reply_to":1}}'` + "\nread -r line; echo no more >&2; exit 3"},
		},
		"recover 1@0.5 has no effect: n1 has ended by itself": {
			Command: []string{"sh", "-c", "read -r init"}, Actions: []sim.Action{{Kind: sim.RecoverProcess, Process: 1, At: half}},
		},
	} {
		if c.Command == nil {
			c.Command = []string{"sh", "-c", "while read -r line; do\n" +
				`echo '{"src":"n1","dest":"c1","body":{"type":"init_ok","in_reply_to":1}}'` + "\ndone"}
		}
		c.Nodes, c.Until, c.Workload, c.Lockstep = 1, time.Second, "echo", true
		report, err := Record(t.Context(), c, new(tracefmt.Memory))
		const underWay = "the run is not known to be at rest: messages are under way"
		if err != nil || !slices.Contains(report.Notes, want) || slices.Contains(report.Notes, underWay) {
			t.Errorf("%q, %v; expected %q", report.Notes, err, want)
		}
	}
}
