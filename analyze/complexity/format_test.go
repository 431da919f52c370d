package complexity_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// hostile is a name that means something to LaTeX, Markdown, spreadsheets and terminals.
const hostile = "=a|b_$\\{\x1b[31m"

// formatted returns two runs of three processes, one with an awkward name: 1 notices that 3 is down, 2 wins.
func formatted(t *testing.T) *complexity.Report {
	t.Helper()
	rep := &complexity.Report{}
	budget, err := complexity.ParseBudget("messages < 3")
	if err != nil {
		t.Fatal(err)
	}
	link, err := complexity.ParseGrouping("link")
	if err != nil {
		t.Fatal(err)
	}
	for number, more := range [][]tracefmt.Event{nil, {send(1, 2, 9, hostile)}} {
		m := newRun(3)
		m.Run().Number, m.Run().Members[0].Name = number+1, hostile
		m = write(m, append([]tracefmt.Event{
			{Kind: tracefmt.Crash, Process: 3},
			{Kind: tracefmt.Suspect, Process: 1, Peer: 3},
			carrying(send(1, 2, 1, "ELECTION"), `{"id":1}`), receive(1, 2, 1), send(1, 3, 2, "ELECTION"), lose(1, 3, 2, "receiver crashed"),
			send(2, 1, 3, "COORDINATOR"), state(2, `{"elected":2}`), receive(2, 1, 3), state(1, `{"elected":2}`),
		}, more...)...)
		s, err := complexity.CountDetailed(
			m,
			complexity.Detail{By: []*complexity.Grouping{link}, Path: true, Latency: true, Per: []*spec.Operation{complexity.Elections()}},
		)
		if err != nil {
			t.Fatal(err)
		}
		if err := rep.Add(s, []*complexity.Budget{budget}); err != nil {
			t.Fatal(err)
		}
	}
	return rep
}

// TestFormats is a golden of every form.
func TestFormats(t *testing.T) {
	for _, f := range complexity.Formats().All() {
		var out bytes.Buffer
		if err := f.Write(&out, formatted(t), complexity.Style{}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(out.String(), '\x1b') {
			t.Errorf("%s steers the terminal", f.Name)
		}
		golden(t, "testdata/report."+f.Name, out.Bytes())
	}
}

// TestCSV: each line has as many columns as the first, and no cell is a formula.
func TestCSV(t *testing.T) {
	var out bytes.Buffer
	f, err := complexity.Formats().Lookup("csv")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(&out, formatted(t), complexity.Style{}); err != nil {
		t.Fatal(err)
	}
	// The reader fails if a row is not as long as the first.
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if strings.HasPrefix(cell, "=") {
				t.Errorf("%q is a formula", cell)
			}
		}
	}
}
