package stdio_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/record/stdio"
	"etrace/tracefmt"
)

// record makes a recording of nodes that are a script of sh.
func record(t *testing.T, script string, c stdio.Config) *tracefmt.Memory {
	t.Helper()
	c.Command = []string{"/bin/sh", "-c", script}
	if c.Workload == "" {
		c.Workload = "echo"
	}
	var run tracefmt.Memory
	if _, err := stdio.Record(context.Background(), c, &run); err != nil {
		t.Fatal(err)
	}
	if err := tracefmt.Validate(&run); err != nil {
		t.Error(err)
	}
	return &run
}

// events are those of some kinds as words: process, kind, type and the fields of the event.
func events(run *tracefmt.Memory, keys ...string) string {
	var b strings.Builder
	for e := range run.Events(1) {
		name := "-"
		if e.Process != 0 {
			name = run.Run().ProcessName(e.Process)
		}
		fmt.Fprint(&b, name, " ", e.Kind, " ", e.Type)
		for _, key := range keys {
			if value, ok := e.Field(key); ok {
				fmt.Fprintf(&b, " %s=%s", key, value)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestEverythingIsAnEvent: what a node logs, what it prints that is no message or reaches nobody, and how it ends are
// events, in the order in which they happened.
func TestEverythingIsAnEvent(t *testing.T) {
	got := events(record(t, `read -r init
echo nonsense
echo '{"src":"n1","dest":"n7","body":{"type":"hello"}}'
echo '{"src":"n1","dest":"c1","body":{"type":"init_ok","in_reply_to":1}}'
echo oops >&2
printf '{"src":"n1"'
exit 3`, stdio.Config{Nodes: 1, Until: 10 * time.Second, Lockstep: true}), "reason", tracefmt.LogKey)
	want := `n1 start  log={"text":"{\"t\":0,\"ev\":\"start\",\"node\":\"n1\"}"}
c1 send init
n1 receive init
n1 note malformed log={"text":"nonsense"}
n1 note undeliverable log={"text":"{\"src\":\"n1\",\"dest\":\"n7\",\"body\":{\"type\":\"hello\"}}"}
n1 send init_ok
n1 note malformed log={"text":"{\"src\":\"n1\""}
n1 note  log={"text":"oops"}
n1 crash  reason="exit status 3"
c1 receive init_ok
`
	var lines []string
	for line := range strings.Lines(got) {
		if strings.Contains(line, " receive ") || strings.Contains(line, " send ") ||
			strings.Contains(line, " crash ") { // their log is the journal
			line, _, _ = strings.Cut(line, " log=")
			line = strings.TrimSuffix(line, "\n") + "\n"
		}
		lines = append(lines, line)
	}
	if diff := cmp.Diff(want, strings.Join(lines, "")); diff != "" {
		t.Error(diff)
	}
}

// TestEnds: a node that ends in an orderly way halts and stays away; what cannot be delivered is lost; a node that is
// killed comes back with another life.
func TestEnds(t *testing.T) {
	run := record(t, `read -r init; read -r more`, stdio.Config{Nodes: 2, Until: time.Second, Lockstep: true, Actions: []sim.Action{
		{Kind: sim.CrashProcess, Process: 1, At: 2e8},
		{Kind: sim.RecoverProcess, Process: 1, At: 3e8},
		{Kind: sim.CrashProcess, Process: 1, At: 3e8},
	}})
	got := events(run)
	life := "n1 recover \nc1 send init\nn1 receive init\nn1 crash \n"
	if !strings.HasSuffix(got, life) || strings.Count(got, "n1 crash") != 2 {
		t.Errorf("got\n%s\nwant n1 to crash twice, the second time after init has arrived", got)
	}
	halts := events(record(t, `read -r init`, stdio.Config{
		Nodes: 1, Until: time.Second, Lockstep: true,
		Actions: []sim.Action{{Kind: sim.RecoverProcess, Process: 1, At: 3e8}},
	}))
	if want := "n1 start \nc1 send init\nn1 receive init\nn1 halt \n"; halts != want {
		t.Errorf("got\n%s\nwant\n%s", halts, want)
	}
}

// TestInitFirst: init is the first message of each life, though the other node sends all the time, so that messages
// are under way when a life begins.
func TestInitFirst(t *testing.T) {
	var actions []sim.Action
	for at := tracefmt.Time(1e8); at < 1e9; at += 1e8 {
		actions = append(actions, sim.Action{Kind: sim.CrashProcess, Process: 1, At: at},
			sim.Action{Kind: sim.RecoverProcess, Process: 1, At: at + 5e7})
	}
	run := record(t, `read -r init
case "$init" in
*'"node_id":"n2"'*)
  while sleep 0.001; do
    for i in 1 2 3 4 5; do echo '{"src":"n2","dest":"n1","body":{"type":"gossip"}}'; done
  done;;
esac
while read -r line; do :; done`, stdio.Config{Nodes: 2, Until: time.Second, Actions: actions})
	lives, first := 0, false
	for e := range run.Events(1) {
		switch {
		case e.Process != 1:
		case e.Kind == tracefmt.Recover:
			lives, first = lives+1, true
		case e.Kind == tracefmt.Receive && first:
			first = false
			if e.Type != "init" {
				t.Errorf("life %d receives %s first", lives, e.Type)
			}
		}
	}
	if lives != 9 {
		t.Errorf("%d lives, want 9", lives)
	}
}

// TestUnreadIsLost: a message that lies in the stdin of a node when this is killed was not received.
func TestUnreadIsLost(t *testing.T) {
	killed := []sim.Action{{Kind: sim.CrashProcess, Process: 1, At: 2e8}}
	run := record(t, `exec sleep 100`, stdio.Config{Nodes: 1, Until: 400 * time.Millisecond, Actions: killed})
	got := events(run, "reason")
	want := `n1 start 
c1 send init
n1 lose init reason="receiver crashed"
n1 crash 
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	silent := stdio.Node{Name: "n1", Command: []string{"cat"}}
	const nothing = "n1 has read and printed nothing in run 0, expected a node with messages"
	if _, err := silent.Compare(t.Context(), run); err == nil || err.Error() != nothing {
		t.Errorf("comparing nothing is no agreement: error %v", err)
	}
}

// forward is a node of two that asks the other one, twice at once, whenever a client asks it.
const forward = `while read -r line; do
  case "$line" in
  *'"init"'*) me=$(echo "$line" | sed 's/.*"node_id":"\([^"]*\)".*/\1/'); other=n1; [ $me = n1 ] && other=n2
    id=$(echo "$line" | sed 's/.*"msg_id":\([0-9]*\).*/\1/'); echo "{\"src\":\"$me\",\"dest\":\"c${me#n}\",\"body\":{\"type\":\"init_ok\",\"in_reply_to\":$id}}";;
  *'"echo"'*) for k in 1 2; do echo "{\"src\":\"$me\",\"dest\":\"$other\",\"body\":{\"type\":\"gossip\"}}"; done;;
  esac
done`

// TestNetwork: losses, duplicates and partitions are between nodes; clients reach their nodes always.
func TestNetwork(t *testing.T) {
	for _, test := range []struct {
		name   string
		config network.Config
		apart  bool
		lost   string
		copies int // of a message that arrives
	}{
		{name: "plain", copies: 1},
		{name: "loss", config: network.Config{Loss: 1}, lost: "dropped"},
		{name: "duplicate", config: network.Config{Duplicate: 1}, copies: 2},
		{name: "partition", apart: true, lost: "partitioned"},
		{name: "drop", config: network.Config{Rules: []network.Rule{{Type: "gossip", Drop: true}}}, lost: "dropped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := stdio.Config{Nodes: 2, Until: 2 * time.Second, Lockstep: true, Config: test.config}
			if test.apart {
				c.Actions = []sim.Action{{Kind: sim.SplitNetwork, Groups: [][]tracefmt.ProcessID{{1}, {2}}}}
			}
			run := record(t, forward, c)
			sent, received, lost, asked := 0, 0, 0, 0
			for e := range run.Events(1) {
				switch {
				case e.Type == "echo" && e.Kind == tracefmt.Receive:
					asked++
				case e.Type != "gossip":
				case e.Kind == tracefmt.Send:
					sent++
				case e.Kind == tracefmt.Receive:
					received++
				case e.Kind == tracefmt.Lose:
					lost++
					if reason, _ := e.Field("reason"); string(reason) != `"`+test.lost+`"` {
						t.Errorf("lost: %s", reason)
					}
				}
			}
			if asked == 0 || sent != 2*asked {
				t.Errorf("asked %d times, %d messages between nodes", asked, sent)
			}
			if test.lost != "" && (lost != sent || received != 0) {
				t.Errorf("of %d messages %d are lost, %d received", sent, lost, received)
			}
			if inFlight := 4 * test.copies; lost == 0 && (received > sent*test.copies || received < sent*test.copies-inFlight) {
				t.Errorf("%d messages are received %d times, expected each %d times", sent, received, test.copies)
			}
		})
	}
}

// TestInterrupted: what happened until then is a run that was stopped.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var run tracefmt.Memory
	_, err := stdio.Record(ctx, stdio.Config{Command: []string{"cat"}, Nodes: 2, Workload: "echo", Until: time.Hour}, &run)
	if err != nil || run.Run().End != tracefmt.Stopped || run.Run().Events == 0 {
		t.Errorf("%v, %+v", err, run.Run())
	}
}

// failing is a sink without room.
type failing struct{ tracefmt.Discard }

func (failing) Write(*tracefmt.Event) error { return fmt.Errorf("no room") }

func TestRefused(t *testing.T) {
	good := stdio.Config{Command: []string{"cat"}, Nodes: 1, Workload: "echo", Until: time.Millisecond}
	for want, change := range map[string]func(c *stdio.Config){
		"no command":                         func(c *stdio.Config) { c.Command = nil },
		"no-such-program: executable file":   func(c *stdio.Config) { c.Command = []string{"no-such-program"} },
		"0 nodes, expected":                  func(c *stdio.Config) { c.Nodes = 0 },
		"until 0s, expected":                 func(c *stdio.Config) { c.Until = 0 },
		`"ecko"`:                             func(c *stdio.Config) { c.Workload = "ecko" },
		"must be probabilities":              func(c *stdio.Config) { c.Loss = 2 },
		"action 1, expected":                 func(c *stdio.Config) { c.Actions = []sim.Action{{Kind: sim.CrashProcess, Process: 2}} },
		"a chooser needs time":               func(c *stdio.Config) { c.Chooser = network.ScriptedChoices{} },
		"time -0.000000001, expected 0 to 7": func(c *stdio.Config) { c.Actions = []sim.Action{{Kind: sim.HealNetwork, At: -1}} },
	} {
		c := good
		change(&c)
		if _, err := stdio.Record(context.Background(), c, tracefmt.Discard{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := stdio.Record(context.Background(), good, failing{}); err == nil || err.Error() != "no room" {
		t.Errorf("error %v of a sink without room", err)
	}
}

func TestWords(t *testing.T) {
	for line, want := range map[string]string{
		`./node --flag`:             `./node|--flag`,
		"  a\tb  ":                  `a|b`,
		`'a b' "c d" e\ f`:          `a b|c d|e f`,
		`a"b"'c'`:                   `abc`,
		`"a\"b\\c\d" '\'`:           `a"b\c\d|\`,
		`sh -c 'x | y > $z'`:        `sh|-c|x | y > $z`,
		`a ''`:                      `a|`,
		`a '`:                       `! expected another '`,
		`a "`:                       `! expected another "`,
		`a \`:                       `! expected a character`,
		`a | b`:                     `! '|' needs a shell`,
		`a $HOME`:                   `! '$' needs a shell`,
		`a "$HOME"`:                 `! '$' needs a shell`,
		``:                          `! no command`,
		`''`:                        `! no command`,
		`python3 node.py *.txt ~ #`: `python3|node.py|*.txt|~|#`,
	} {
		words, err := stdio.Words(line)
		got := strings.Join(words, "|")
		if err != nil {
			got = "! " + err.Error()
		}
		if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// TestLongLines: a message that does not fit into a pipe arrives whole, and so does its answer.
func TestLongLines(t *testing.T) {
	var big bytes.Buffer
	run := record(t, `read -r init
echo '{"src":"n1","dest":"n1","body":{"type":"big","x":"'"$(head -c 300000 /dev/zero | tr '\0' x)"'"}}'
read -r big
echo "${#big}" >&2
read -r end`, stdio.Config{Nodes: 1, Until: time.Second, Lockstep: true})
	for e := range run.Events(1) {
		if e.Kind == tracefmt.Note {
			big.Write(e.Payload)
		}
	}
	if want := fmt.Sprint(300000 + len(`{"src":"n1","dest":"n1","body":{"type":"big","x":""}}`)); !strings.Contains(big.String(), want) {
		t.Errorf("the node read %s, want %s", big.String(), want)
	}
}

// TestReplayOfLoggers: a program that logs more than a pipe holds is compared, too.
func TestReplayOfLoggers(t *testing.T) {
	const logging = `while read -r line; do
  head -c 200000 /dev/zero | tr '\0' x >&2; echo >&2
  id=$(echo "$line" | sed 's/.*"msg_id":\([0-9]*\).*/\1/')
  echo "{\"src\":\"n1\",\"dest\":\"c1\",\"body\":{\"type\":\"init_ok\",\"in_reply_to\":$id}}"
done`
	run := record(t, logging, stdio.Config{Nodes: 1, Until: 500 * time.Millisecond, Lockstep: true})
	node := stdio.Node{Name: "n1", Command: []string{"/bin/sh", "-c", logging}}
	if got, err := node.Compare(t.Context(), run); err != nil || got.Divergence != nil || got.Printed < 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestReplayOfSleepers: a program that sleeps without reading its input is not waited for without end.
func TestReplayOfSleepers(t *testing.T) {
	t.Parallel()
	run := record(t, `read -r line
echo '{"src":"n1","dest":"c1","body":{"type":"init_ok","in_reply_to":1}}'`, stdio.Config{Nodes: 1, Until: time.Second, Lockstep: true})
	node := stdio.Node{Name: "n1", Command: []string{"sleep", "1000"}}
	got, err := node.Compare(t.Context(), run)
	if err != nil || got.Divergence == nil || !strings.Contains(got.Divergence.Reason, "does not read its input") {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPause: a node that is paused reads nothing; what came meanwhile it reads when it goes on. In lockstep that repeats.
func TestPause(t *testing.T) {
	const echoing = `while read -r line; do
  id=$(echo "$line" | sed 's/.*"msg_id":\([0-9]*\).*/\1/')
  echo "{\"src\":\"n1\",\"dest\":\"c1\",\"body\":{\"type\":\"init_ok\",\"in_reply_to\":$id}}"
done`
	for _, lockstep := range []bool{false, true} {
		c := stdio.Config{Nodes: 1, Until: 1500 * time.Millisecond, Lockstep: lockstep, Pauses: []stdio.Pause{{Node: 1, From: 5e8, To: 1e9}}}
		run := record(t, echoing, c)
		words := events(run)
		before, later, paused := strings.Cut(words, "n1 note pause")
		during, after, resumed := strings.Cut(later, "n1 note resume")
		// On a busy machine the node may be paused while its client waits for an answer, and so sends nothing.
		asked := strings.Contains(during, "c1 send echo") || !lockstep && strings.HasPrefix(strings.TrimSpace(after), "n1 send")
		if !paused || !resumed || !strings.Contains(before, "n1 receive echo") || strings.Contains(during, "n1 receive") ||
			!asked || !strings.Contains(after, "n1 receive echo") || run.Run().End != tracefmt.Quiescent {
			t.Errorf("lockstep %v, the run ends %v:\n%s", lockstep, run.Run().End, words)
		}
		if again := events(record(t, echoing, c)); lockstep && again != words {
			t.Errorf("in lockstep another run is\n%s\nthe first\n%s", again, words)
		}
	}
}
