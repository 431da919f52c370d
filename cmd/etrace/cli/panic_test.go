package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// racy is an algorithm whose author did not think of everything: process 3
// believes that the message of 1 comes before that of 2.
func racy() *algorithm.Algorithm {
	return &algorithm.Algorithm{
		Name: "racy", Doc: "An algorithm with a mistake.",
		New: func(algorithm.Values) *sim.Protocol {
			pr := &sim.Protocol{}
			elected := pr.Elected()
			word := pr.Signal("WORD", "")
			pr.Start = func(p *sim.Process) { word.Send(p, 3) }
			word.On(func(p *sim.Process, from tracefmt.ProcessID) {
				if known := []string{"", "1"}; elected.Get(p) == 0 {
					_ = known[from] // 2 is out of range
				}
				elected.Set(p, 1)
			})
			return pr
		},
	}
}

// An algorithm that panics ends the command with one line that names the
// process, the event and the scenario, without a stack trace, and nothing is
// written: in a run, in a hunt that comes upon it, and among all orders.
func TestPanicOfAnAlgorithm(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct{ args, origin string }{
		{"record racy --nodes 3 --start 2,1@1", `etrace record racy --ids 1-3 --start 2@0 --start 1@1`},
		{"record racy --nodes 3 --start 1,2@1 --hunt agreement --hunt-faults slow", `etrace record racy --ids 1-3 --start .*--slow .*`},
		{"record racy --nodes 3 --start 1,2 --all-orders", `etrace record racy --ids 1-3 --start 1@0 --start 2@0 --choices 1 .*`},
	} {
		var out, errOut bytes.Buffer
		status := Run(strings.Fields(test.args), strings.NewReader(""), &out, &errOut, Algorithms(racy()))
		want := `^etrace: .*a mistake of the algorithm at process 3, t=[\d.]+, after event \d+: ` +
			`it panics: runtime error: index out of range \[2\] with length 2; the scenario: ` + test.origin + "\n$"
		if status != exitFail || !regexp.MustCompile(want).MatchString(errOut.String()) || out.Len() > 0 {
			t.Errorf("%s: exit status %d, want %d, stdout %q, stderr\n%swant %s", test.args, status, exitFail, &out, &errOut, want)
		}
	}
	if files, _ := os.ReadDir("."); len(files) > 0 {
		t.Errorf("files were written: %v", files)
	}
}

// A panic before the run is reported in the same way.
func TestPanicBeforeTheRun(t *testing.T) {
	t.Chdir(t.TempDir())
	empty := &algorithm.Algorithm{
		Name: "empty", Doc: "An algorithm without a declaration.", Problem: "broadcast",
		New: func(v algorithm.Values) *sim.Protocol {
			if len(v) == 0 {
				panic("no parameters")
			}
			return nil
		},
	}
	var out, errOut bytes.Buffer
	status := Run([]string{"record", "empty", "--nodes", "2"}, strings.NewReader(""), &out, &errOut, Algorithms(empty))
	want := "etrace: a mistake of the algorithm empty, before the run: it panics: no parameters; the scenario: etrace record empty --ids 1,2\n"
	if status != exitFail || errOut.String() != want || out.Len() > 0 {
		t.Errorf("exit status %d, want %d, stdout %q, stderr\n%swant\n%s", status, exitFail, &out, &errOut, want)
	}
}

// Notes about coordinators and leaders are for elections.
func TestRecordWithoutElection(t *testing.T) {
	t.Chdir(t.TempDir())
	for problem, notes := range map[string]bool{"election": true, "broadcast": false} {
		still := &algorithm.Algorithm{Name: "still", Problem: problem, New: func(algorithm.Values) *sim.Protocol {
			return &sim.Protocol{Start: func(*sim.Process) {}}
		}}
		var out, errOut bytes.Buffer
		if status := Run([]string{"record", "still", "--nodes", "2"}, strings.NewReader(""), &out, &errOut, Algorithms(still)); status != 0 {
			t.Fatal(status, &errOut)
		}
		if got := strings.Contains(errOut.String(), "coordinator is gone"); got != notes {
			t.Errorf("%s: stderr %q", problem, &errOut)
		}
		if got := strings.Contains(out.String(), ", no common leader"); got != notes {
			t.Errorf("%s: stdout %q", problem, &out)
		}
	}
}
