package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
)

// huntedRow is a row of the tables of docs/failures.md that hunts fill: a scenario, and the smallest plan that
// was found from it.
var huntedRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\|$")

// huntedFor is the hunt that fills the rows after it.
var huntedFor = regexp.MustCompile(`--hunt ([a-z-]+)\s+--hunt-faults ([a-z]+)`)

// TestFailuresPageHunts hunts anew for each row of docs/failures.md, and compares the plan.
// The tables have every election: a delay misleads an election with time-outs, a crash blocks another.
func TestFailuresPageHunts(t *testing.T) {
	size.SkipQuick(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "failures.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var seen []string
	hunts := huntedFor.FindAllSubmatchIndex(page, -1)
	for i, hunt := range hunts {
		// The rows between two hunts belong to the first.
		end := len(page)
		if i+1 < len(hunts) {
			end = hunts[i+1][0]
		}
		property, faults := string(page[hunt[2]:hunt[3]]), string(page[hunt[4]:hunt[5]])
		for _, row := range huntedRow.FindAllStringSubmatch(string(page[hunt[1]:end]), -1) {
			scenario, plan := row[1], row[2]
			seen = append(seen, strings.Fields(scenario)[0])
			var out, errOut bytes.Buffer
			status := Run(
				slices.Concat([]string{"record"}, words(scenario), []string{"--hunt", property, "--hunt-faults", faults}),
				strings.NewReader(""), &out, &errOut,
			)
			lines := strings.Split(out.String(), "\n")
			if status == exitFail || len(lines) < 3 || !strings.HasPrefix(lines[0], property+" violated: ") || lines[2] != "  etrace record "+plan {
				t.Errorf("%s: the page has\n%s\nbut a hunt finds (exit status %d)\n%s%s", scenario, plan, status, &out, &errOut)
			}
		}
	}
	for _, a := range builtin.Algorithms().All() {
		if a.Problem == tracefmt.Election && !slices.Contains(seen, a.Name) {
			t.Errorf("no row of the tables is of %s", a.Name)
		}
	}
}
