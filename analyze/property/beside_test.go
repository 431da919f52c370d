package property_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/fixtures/mask"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// TestRuleBesideMonitor compares each rule of testdata/beside/*.rules with the property of its
// name: on the corpus, on the runs that oracles draw, on changed runs of logs, and on masks of
// all these. A rule that differs nowhere, or only where the monitor is wrong, can replace it.
// So can a rule that decides more, if TestCompletions agrees afterwards.
func TestRuleBesideMonitor(t *testing.T) {
	files, err := filepath.Glob("testdata/beside/*.rules")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b := newBeside(spec.Library(file, string(text)))
		b.compareCorpus(t)
		logs := corpusRuns(t)
		size.Check(t, 30, 100, 1_000, func(t *rapid.T) {
			for _, sort := range lawfulRuns {
				b.compareMasked(t, sort.draw(t))
			}
			b.compareMasked(t, mutated(t, rapid.SampledFrom(logs).Draw(t, "run")))
		})
		b.report(t)
	}
}

// beside are rules with the properties of their names.
type beside struct {
	rules, monitors []*analyze.Property
	compared        map[string]int
	differ          map[difference]int
	shortest        map[difference]string
}

// difference is of what verdicts a property and the rule are.
type difference struct {
	name          string
	monitor, rule analyze.Verdict
}

func newBeside(rules []*analyze.Property) *beside {
	b := &beside{rules: rules, compared: map[string]int{}, differ: map[difference]int{}, shortest: map[difference]string{}}
	for _, p := range rules {
		b.monitors = append(b.monitors, bound(p.Name)...)
	}
	return b
}

// compareCorpus compares them on all traces of the corpus, as they are and masked.
func (b *beside) compareCorpus(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := decode(t, section(t, archive, "trace.jsonl").Data)[0]
		b.compare(t, m, file)
		masks, err := mask.All(m)
		if err != nil {
			continue // some traces are not in order
		}
		for _, state := range masks {
			if masked, err := state.Of(m); err == nil {
				b.compare(t, masked, file+" "+state.String())
			}
		}
	}
}

// compareMasked compares them on a run and on one of its masks.
func (b *beside) compareMasked(t *rapid.T, m *tracefmt.Memory) {
	b.compare(t, m, "a run")
	masks, err := mask.All(m)
	if err != nil || len(masks) == 0 {
		return
	}
	state := rapid.SampledFrom(masks).Draw(t, "mask")
	if masked, err := state.Of(m); err == nil {
		b.compare(t, masked, state.String())
	}
}

func (b *beside) compare(t failer, m *tracefmt.Memory, outcome string) {
	t.Helper()
	check := func(properties []*analyze.Property) []*analyze.Result {
		report, err := analyze.Check(m, properties, analyze.Options{Named: true})
		if err != nil {
			t.Fatal(err)
		}
		return report.Results
	}
	monitors, rules := check(b.monitors), check(b.rules)
	for i, was := range monitors {
		now := rules[i]
		b.compared[now.Property.Name]++
		if was.Verdict == now.Verdict && was.Violations == now.Violations {
			continue
		}
		d := difference{now.Property.Name, was.Verdict, now.Verdict}
		b.differ[d]++
		text := fmt.Sprintf("%s\nmonitor: %s (%d) %s\nrule: %s (%d) %s\n%s", outcome, was.Verdict, was.Violations,
			was.Explanation, now.Verdict, now.Violations, now.Explanation, inText(m))
		if old := b.shortest[d]; old == "" || len(text) < len(old) {
			b.shortest[d] = text
		}
	}
}

// report fails for each difference but those where the rule decides more.
func (b *beside) report(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(b.compared)) {
		t.Logf("%s: %d compared", name, b.compared[name])
	}
	for _, d := range slices.SortedFunc(maps.Keys(b.differ), func(a, b difference) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(string(a.monitor+a.rule), string(b.monitor+b.rule)))
	}) {
		say := t.Errorf
		if d.monitor == analyze.Unknown {
			say = t.Logf
		}
		say("%s: %s by the monitor, %s by the rule, %d times: %s", d.name, d.monitor, d.rule, b.differ[d], b.shortest[d])
	}
}
