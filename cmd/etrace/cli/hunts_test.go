package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
)

// TestHunts runs each hunt of testdata/hunts.txt, and compares the plan that it finds. The file has every election:
// a delay misleads an election with timeouts, a crash blocks another.
func TestHunts(t *testing.T) {
	size.SkipQuick(t)
	hunts := mustRead(t, filepath.Join("testdata", "hunts.txt"))
	t.Chdir(t.TempDir())
	var seen []string
	hunt := ""
	for line := range strings.Lines(hunts) {
		line = strings.TrimRight(line, "\n")
		plan, isPlan := strings.CutPrefix(line, "    ")
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case !isPlan:
			hunt = line
			seen = append(seen, strings.Fields(line)[0])
			continue
		}
		var out, errOut bytes.Buffer
		status := Run(append([]string{"record"}, words(hunt)...), strings.NewReader(""), &out, &errOut)
		printed := strings.Split(out.String(), "\n")
		if status == exitFail || len(printed) < 3 || printed[2] != "  etrace record "+plan {
			t.Errorf("%s: expected the plan\n%s\nbut it finds (exit status %d)\n%s%s", hunt, plan, status, &out, &errOut)
		}
	}
	for _, a := range builtin.Algorithms().All() {
		if a.Problem == tracefmt.Election && !slices.Contains(seen, a.Name) {
			t.Errorf("no hunt is in %s", a.Name)
		}
	}
}
