package sweep

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// rankTable is a table of made-up means: algorithm, n, and the values of the runs of each cell,
// of a sample if there are several.
func rankTable(cells ...[]any) *Table {
	t := &Table{Axes: []string{"algorithm", "nodes"}, Measures: []string{"messages"}}
	for _, cell := range cells {
		n := cell[1].(int)
		s := Summary{Measure: "messages", Unit: 1, Sum: new(big.Int), Squares: new(big.Int)}
		for run, v := range cell[2:] {
			s.add(int64(run), int64(v.(int)))
		}
		t.Cells = append(
			t.Cells,
			Cell{At: []string{cell[0].(string), strconv.Itoa(n)}, N: n, Runs: s.Count, Of: s.Count, Exhausted: s.Count == 1, Measures: []Summary{s}},
		)
	}
	return t
}

// TestRank: exact means are compared as they are, those of samples by their intervals. Of 9 and 11
// the mean is 10, the deviation the root of 2, and half of the interval 12.706, by Student's table
// for one degree of freedom.
func TestRank(t *testing.T) {
	for _, tt := range []struct {
		name  string
		table *Table
		want  string
	}{
		{
			"a crossing", rankTable(
				[]any{"a", 3, 1}, []any{"a", 4, 2}, []any{"a", 5, 3}, []any{"a", 6, 9}, []any{"a", 8, 9},
				[]any{"b", 3, 2}, []any{"b", 4, 4}, []any{"b", 5, 3}, []any{"b", 6, 4}, []any{"b", 8, 5},
			),
			"messages: a is below b up to n = 4, the same as it at n = 5, above it from n = 6 on",
		},
		{
			"none", rankTable([]any{"a", 3, 1}, []any{"a", 4, 2}, []any{"b", 3, 2}, []any{"b", 4, 4}),
			"messages: a is below b at every n from 3 to 4",
		},
		{"one size", rankTable([]any{"a", 3, 5}, []any{"b", 3, 4}), "messages: a is above b at n = 3"},
		{
			"a gap between", rankTable(
				[]any{"a", 3, 5}, []any{"a", 4, 5}, []any{"a", 5, 5}, []any{"a", 6, 5}, []any{"b", 3, 4},
				[]any{"b", 4, 6}, []any{"b", 5, 6}, []any{"b", 6, 4},
			),
			"messages: a is above b at n = 3, below it from n = 4 to 5, above it at n = 6",
		},
		{"different sizes", rankTable([]any{"a", 3, 5}, []any{"b", 4, 4}), ""},
		// 10 ± 12.706 and 22 do not touch, 10 ± 12.706 and 23 neither, 10 ± 12.706 and 22.7 = 22.
		{"within the interval", rankTable([]any{"a", 3, 9, 11}, []any{"b", 3, 22}), "messages: a is not distinguishable from b at n = 3"},
		{"beyond the interval", rankTable([]any{"a", 3, 9, 11}, []any{"b", 3, 23}), "messages: a is below b at n = 3"},
		// The sum of both halves is 25.412.
		{
			"two samples that overlap", rankTable([]any{"a", 3, 9, 11}, []any{"b", 3, 34, 36}),
			"messages: a is not distinguishable from b at n = 3",
		},
		{"two samples apart", rankTable([]any{"a", 3, 9, 11}, []any{"b", 3, 35, 37}), "messages: a is below b at n = 3"},
		// Two runs that measure the same could have had a third that measures one more: 12.706/2.
		{
			"a sample that does not vary", rankTable([]any{"a", 3, 10, 10}, []any{"b", 3, 16}),
			"messages: a is not distinguishable from b at n = 3",
		},
		{"a sample that does not vary, apart", rankTable([]any{"a", 3, 10, 10}, []any{"b", 3, 17}), "messages: a is below b at n = 3"},
		{
			"equal samples are not the same", rankTable([]any{"a", 3, 10, 10}, []any{"b", 3, 10, 10}),
			"messages: a is not distinguishable from b at n = 3",
		},
		{
			"three", rankTable(
				[]any{"c", 3, 7}, []any{"c", 4, 7}, []any{"c", 5, 1}, []any{"a", 3, 1}, []any{"a", 4, 2},
				[]any{"a", 5, 2}, []any{"b", 3, 9, 11}, []any{"b", 4, 49, 51}, []any{"b", 5, 49, 51},
			),
			"messages, n = 3: c ~ a ~ b\nmessages, n = 4: a < c < b\nmessages, n = 5: c < a < b\nmessages: " +
				"c is above a up to n = 4, below it at n = 5",
		},
		{"three of which two are the same", rankTable([]any{"a", 3, 2}, []any{"b", 3, 2}, []any{"c", 3, 1}), "messages, n = 3: c < a = b"},
	} {
		tt.table.Rank()
		var lines []string
		for i := range tt.table.Rankings {
			lines = append(lines, tt.table.Rankings[i].lines()...)
		}
		if got := strings.Join(lines, "\n"); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestRankUnfinished: an incomplete cell is not compared.
func TestRankUnfinished(t *testing.T) {
	table := rankTable([]any{"a", 3, 1}, []any{"b", 3, 2})
	table.Cells[0].Of++
	if table.Rank(); len(table.Rankings) != 0 {
		t.Errorf("got %+v", table.Rankings)
	}
}
