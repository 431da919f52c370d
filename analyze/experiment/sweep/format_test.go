package sweep

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// hostile returns a table made by hand: an exhausted cell, a sample, a cell with missing runs and a cell
// without runs. The names contain characters that are special in each form.
func hostile() *Table {
	const name = `<b>&_$|"a\b{}%#` + "\x1b[31m"
	summary := func(unit int64, values ...int64) Summary {
		s := Summary{Measure: "messages", Unit: unit, Sum: new(big.Int), Squares: new(big.Int)}
		for run, v := range values {
			s.add(int64(run), v)
		}
		s.MinRun, s.MaxRun = "bully --name '<&>'", "bully"
		return s
	}
	worst := &tracefmt.Bound{Messages: "n*n", Source: "a text"}
	mean := &tracefmt.Bound{Messages: "n*H(n)", Kind: tracefmt.MeanCase}
	return &Table{
		Fixed: []Setting{{"algorithm", name}}, Axes: []string{"start"}, Measures: []string{"messages"}, Properties: []string{name},
		Cells: []Cell{
			{
				At: []string{name}, N: 3, Runs: 2, Of: 2, Exhausted: true, Command: "bully", Measures: []Summary{summary(1, 3, 4)},
				Verdicts: []Tally{{name, map[analyze.Verdict]int64{analyze.Satisfied: 1, analyze.Violated: 1}, []string{"bully --name '<&>'"}, nil}},
				Theory: []complexity.Compared{
					complexity.Restored(worst, 3, 4, complexity.Broken),
					complexity.Restored(mean, 5.5, 4, complexity.Beside),
				},
			},
			{
				At: []string{"lowest"}, N: 3, Runs: 4, Of: 4,
				Measures: []Summary{summary(1e9, 1e9, 2e9, 1e9, 25e8)},
				Verdicts: []Tally{{Property: name}},
			},
			{
				At: []string{"highest"}, N: 3, Runs: 2, Of: 9, Exhausted: true,
				Measures: []Summary{summary(1, 7, 9)}, Verdicts: []Tally{{Property: name}},
			},
			{At: []string{"none"}, N: 3, Of: 9, Measures: []Summary{{Measure: "messages", Unit: 1}}, Verdicts: []Tally{{Property: name}}},
		},
	}
}

// TestFormats compares each form with its golden file. The numbers follow from the values in the table: 3 and 4
// have the mean 7/2. 1, 2, 1 and 2.5 have the mean 13/8 and the variance (0.390625 + 0.140625 + 0.390625 +
// 0.765625)/3 = 0.5625. By Student's distribution with 3 degrees of freedom, half of the interval is
// 3.1824*0.75/2 = 1.1934. An unfinished cell has no interval.
func TestFormats(t *testing.T) {
	for _, format := range Formats().All() {
		var b strings.Builder
		if err := format.Write(&b, hostile()); err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", format.Name+".golden")
		if os.Getenv("ETRACE_UPDATE") != "" {
			if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format.Name, diff)
		}
	}
}

// TestStudent: the quantiles are those of Student's table (1908), to three decimals: with
// one degree of freedom 12.706, with 4 2.776, with 9 2.262.
func TestStudent(t *testing.T) {
	for runs, want := range map[int64]float64{2: 12.706, 5: 2.776, 10: 2.262} {
		s := Summary{Unit: 1, Sum: new(big.Int), Squares: new(big.Int)}
		for run := range runs {
			s.add(run, run)
		}
		deviation, _ := s.deviation(true)
		half, ok := s.Interval()
		got := half / deviation * sqrt(runs)
		if !ok || got < want-0.0006 || got > want+0.0006 {
			t.Errorf("%d runs: the quantile %v, want %v", runs, got, want)
		}
	}
}

func sqrt(n int64) float64 {
	x, _ := new(big.Float).Sqrt(big.NewFloat(float64(n))).Float64()
	return x
}

// TestTwoDigits: an interval has two digits that count, and no exponent where it is large.
func TestTwoDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.6449: "0.64", 3.35001: "3.4", 7: "7", 12.4: "12", 99.6: "100", 118: "120",
		43210: "43000", 0.00123: "0.0012",
	} {
		if got := twoDigits(x); got != want {
			t.Errorf("%v: got %s, want %s", x, got, want)
		}
	}
}
