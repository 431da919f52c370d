package diagram

import "testing"

// The lists name every style and every row once, and all that they need.
func TestListsAreComplete(t *testing.T) {
	names := map[string]bool{}
	for i, s := range styles {
		if s == nil || s.Name == "" || names[s.Name] {
			t.Fatalf("style %d is missing, nameless, or listed twice: %+v", i, s)
		}
		names[s.Name] = true
	}
	texts := map[*LegendRow]bool{}
	for i, row := range legendRows {
		if row == nil || row.Text == "" || row.Draw == nil || texts[row] {
			t.Fatalf("row %d of the legend is missing, empty, or listed twice: %+v", i, row)
		}
		texts[row] = true
	}
}
