package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recorded makes the lecture example the trace of the present folder.
func recorded(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	var errOut bytes.Buffer
	if status := Run([]string{"record", "-q"}, strings.NewReader(""), &bytes.Buffer{}, &errOut); status != exitOK {
		t.Fatal(errOut.String())
	}
}

// TestReplayJSON: a program finds in the JSON what people find in the text. At
// seq 24 process 6, which was asked by 4, has answered and asked 7, and waits
// for no one yet.
func TestReplayJSON(t *testing.T) {
	recorded(t)
	var out, errOut bytes.Buffer
	if status := Run([]string{"replay", "--at", "24", "--json"}, strings.NewReader(""), &out, &errOut); status != exitOK {
		t.Fatal(errOut.String())
	}
	type process struct {
		Process, Status string
		Since, Lamport  int
		Variables       map[string]any
		Timers          []any
		Vector          []int
	}
	var got struct {
		Format string
		Runs   []struct {
			Run, Events int
			State       struct {
				Seq       int
				Event     struct{ Text string }
				Processes []process
				Channels  []struct {
					From, To string
					Messages []struct{ Type string }
				}
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.Bytes())
	}
	if got.Format != "etrace.replay/1" || len(got.Runs) != 1 || got.Runs[0].Run != 1 || got.Runs[0].Events != 57 {
		t.Fatalf("the frame is not as documented: %s", out.Bytes())
	}
	state := got.Runs[0].State
	if state.Seq != 24 || state.Event.Text != "6 sends ELECTION to 7" || len(state.Processes) != 8 {
		t.Errorf("seq %d, %s, %d processes", state.Seq, state.Event.Text, len(state.Processes))
	}
	want := process{
		Process: "6", Status: "running", Since: 7, Lamport: 9, Timers: []any{}, Vector: []int{0, 0, 0, 0, 5, 0, 5, 0},
		Variables: map[string]any{"role": "follower", "holding": true, "answered": false},
	}
	if diff := cmp.Diff(want, state.Processes[6]); diff != "" {
		t.Errorf("process 6 (-want +got):\n%s", diff)
	}
	var flights []string
	for _, ch := range state.Channels {
		for _, m := range ch.Messages {
			flights = append(flights, ch.From+">"+ch.To+" "+m.Type)
		}
	}
	if diff := cmp.Diff([]string{"4>7 ELECTION", "5>4 OK", "5>6 ELECTION", "5>7 ELECTION", "6>4 OK", "6>7 ELECTION"}, flights); diff != "" {
		t.Errorf("in flight (-want +got):\n%s", diff)
	}
}

// TestReplayFullScreen: on a terminal, replay opens the stepper at the position of --at, and restores the
// terminal at the end.
func TestReplayFullScreen(t *testing.T) {
	recorded(t)
	t.Setenv("TERM", "xterm-256color")
	ours, theirs := openTerminal(t)
	seen := make(chan string)
	go func() {
		var output strings.Builder
		b := make([]byte, 4096)
		for {
			n, err := ours.Read(b)
			output.Write(b[:n])
			if strings.Contains(output.String(), "seq 39 of 57") && !strings.Contains(output.String(), "quitting") {
				output.WriteString("quitting")
				_, _ = ours.WriteString("q")
			}
			if err != nil || strings.Contains(output.String(), "\x1b[?1049l") {
				seen <- output.String()
				return
			}
		}
	}()
	var errOut bytes.Buffer
	status := Run([]string{"replay", "--at", "state elected"}, theirs, theirs, &errOut)
	if status != exitOK || errOut.Len() > 0 {
		t.Errorf("exit status %d, %s", status, errOut.String())
	}
	select {
	case screen := <-seen:
		if !strings.Contains(screen, "6 elects itself") {
			t.Errorf("the screen does not tell the event: %q", screen)
		}
	case <-time.After(time.Minute):
		t.Error("the terminal is left on the alternate screen")
	}
}
