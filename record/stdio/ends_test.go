package stdio

import (
	"slices"
	"strings"
	"testing"
	"time"

	"etrace/fixtures/size"
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

// TestForeignNames: a message under the name of another node is sent on, with one remark for each name.
func TestForeignNames(t *testing.T) {
	c := Config{Nodes: 2, Until: 200 * time.Millisecond, Workload: "echo"}
	c.Command = []string{"sh", "-c", `read -r init; case $init in *'node_id":"n2'*) read -r hello; echo "$hello" >&2;; esac
for src in n9 n9 n1 c1 n9; do echo '{"src":"'$src'","dest":"n2","body":{"type":"hello"}}'; done; read -r more`}
	var run tracefmt.Memory
	report, err := Record(t.Context(), c, &run)
	const end = `, expected n1; it is sent on as it is: {"src":"`
	want := []string{
		"n1 has sent a message with the src n9" + end + `n9","dest":"n2","body":{"type":"hello"}}`,
		"n1 has sent a message with the src c1" + end + `c1","dest":"n2","body":{"type":"hello"}}`,
	}
	got := slices.DeleteFunc(slices.Clone(report.Notes), func(n string) bool { return !strings.HasPrefix(n, "n1 has sent") })
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, remarks\n%s\nwant\n%s", err, strings.Join(report.Notes, "\n"), strings.Join(want, "\n"))
	}
	sent := 0
	for e := range run.Events(1) {
		if e.Kind == tracefmt.Send && e.Type == "hello" && run.Run().ProcessName(e.Process) == "n1" {
			sent++
		}
	}
	if sent != 5 {
		t.Errorf("n1 sends %d messages, expected 5", sent)
	}
}

// TestManyForeignNames: a node gets remarks for ten foreign names. The last remark mentions further names.
func TestManyForeignNames(t *testing.T) {
	c := Config{Nodes: 1, Until: 200 * time.Millisecond, Workload: "echo"}
	c.Command = []string{"sh", "-c", `read -r init
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo '{"src":"m'$i'","dest":"c1","body":{"type":"hello"}}'; done; read -r more`}
	report, err := Record(t.Context(), c, new(tracefmt.Memory))
	got := slices.DeleteFunc(slices.Clone(report.Notes), func(n string) bool { return !strings.HasPrefix(n, "n1 has sent") })
	if err != nil || len(got) != 10 || !strings.HasSuffix(got[9], "; further names are not listed") {
		t.Errorf("%v, remarks\n%s\nwant 10, the last with the end of the list", err, strings.Join(report.Notes, "\n"))
	}
}

// TestFloods: a node that prints without end is killed, and the run ends with what was recorded.
func TestFloods(t *testing.T) {
	floods := []struct {
		command, output string
		lockstep        bool
	}{
		{"cat /dev/zero", "stdout", false},
		{"cat /dev/zero >&2", "stderr", true},
		{"yes", "stdout", true},
		{"yes >&2", "stderr", false},
		{`yes '{"src":"n1","dest":"n1","body":{"type":"again"}}'`, "stdout", true},
	}
	for _, flood := range floods[:size.Pick(2, len(floods), len(floods))] {
		c := Config{
			Command: []string{"sh", "-c", flood.command}, Nodes: 1, Until: time.Hour, Workload: "echo", Lockstep: flood.lockstep,
		}
		var run tracefmt.Memory
		report, err := Record(t.Context(), c, &run)
		want := "n1 has printed too much to " + flood.output + ": 16 MiB and 2 MiB a second are allowed, where a line counts as 160 " +
			"bytes more; the node is killed and the run ends"
		if err != nil || !slices.Contains(report.Notes, want) {
			t.Errorf("%s: %q, %v; expected %q", flood.command, report.Notes, err, want)
			continue
		}
		if err := tracefmt.Validate(&run); err != nil {
			t.Errorf("%s: %v", flood.command, err)
		}
		crashes := 0
		for e := range run.Events(1) {
			if e.Kind == tracefmt.Crash {
				crashes++
			}
		}
		if crashes != 1 || run.Run().End != tracefmt.Stopped {
			t.Errorf("%s: the run ends %v with %d crashes", flood.command, run.Run().End, crashes)
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
