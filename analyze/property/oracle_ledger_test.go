package property_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/size"
)

// At least this many percent of the cases that the oracle of partial recordings calls decided are decided:
// by all, by the properties of the library, and by the rules.
const (
	leastOfAll   = 96.0
	leastLibrary = 97.0
	leastRules   = 94.0 // the gap of an inferred crash hides more events than completions add
)

// ledger is what the oracle has found of all cases.
type ledger struct {
	precisions map[examinedIn]*precision
	// unsound are the cases of each property that a completion contradicts.
	unsound map[string][]string
}

// examinedIn is a property in a theme.
type examinedIn struct{ theme, property string }

// precision counts cases.
type precision struct {
	undecided, decided, agreed int // by the oracle; and by the check, too
	example                    string
}

func newLedger() *ledger {
	return &ledger{map[examinedIn]*precision{}, map[string][]string{}}
}

func (f *ledger) state(theme, property string) *precision {
	key := examinedIn{theme, property}
	if f.precisions[key] == nil {
		f.precisions[key] = new(precision)
	}
	return f.precisions[key]
}

// reportUnsound reports the shortest case of each property.
func (f *ledger) reportUnsound(t *testing.T) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(f.unsound)) {
		cases := f.unsound[name]
		slices.SortFunc(cases, func(a, b string) int { return len(a) - len(b) })
		t.Errorf("unsound %d times: %s", len(cases), cases[0])
	}
	if size.Now() != size.Long || onlyTheme() != "" {
		return
	}
	oneSided.CheckNeeded(t.Errorf)
}

// reportPrecision reports the share of decidable cases that are decided, by property, theme, and implementation.
func (f *ledger) reportPrecision(t *testing.T) {
	t.Helper()
	byProperty := f.sums(func(e examinedIn) string { return e.property })
	byGroup := f.sums(func(e examinedIn) string {
		if strings.HasPrefix(e.property, "rule-") {
			return "rules"
		}
		return "library"
	})
	for _, name := range slices.Sorted(maps.Keys(byProperty)) {
		if p := byProperty[name]; p.example != "" && percent(p.agreed, p.decided) < 95 {
			t.Logf("undecided: %s", strings.TrimSpace(p.example))
		}
	}
	reportSums(t, byProperty)
	reportSums(t, f.sums(func(e examinedIn) string { return "theme " + e.theme }))
	maps.Copy(byGroup, f.sums(func(examinedIn) string { return "all" }))
	reportSums(t, byGroup)
	for group, minimum := range map[string]float64{"all": leastOfAll, "library": leastLibrary, "rules": leastRules} {
		if p := byGroup[group]; p != nil && size.Now() != size.Quick && onlyTheme() == "" && percent(p.agreed, p.decided) < minimum {
			t.Errorf("%s: %.1f %% are decided, want %v %%", group, percent(p.agreed, p.decided), minimum)
		}
	}
}

// sums adds up what has the same key.
func (f *ledger) sums(key func(examinedIn) string) map[string]*precision {
	sums := map[string]*precision{}
	for e, p := range f.precisions {
		sum := sums[key(e)]
		if sum == nil {
			sum = new(precision)
			sums[key(e)] = sum
		}
		sum.decided, sum.agreed, sum.undecided = sum.decided+p.decided, sum.agreed+p.agreed, sum.undecided+p.undecided
		if sum.example == "" || p.example != "" && len(p.example) < len(sum.example) {
			sum.example = p.example
		}
	}
	return sums
}

func reportSums(t *testing.T, sums map[string]*precision) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		p := sums[name]
		t.Logf("%-30s %5d of %5d decided, %5.1f %%; of %5d more the completions differ", name, p.agreed, p.decided,
			percent(p.agreed, p.decided), p.undecided)
	}
}

func percent(part, complete int) float64 {
	if complete == 0 {
		return 100
	}
	return 100 * float64(part) / float64(complete)
}
