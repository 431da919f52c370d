package formats_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// export writes runs, and the format must leave nothing out.
func export(t testing.TB, format string, runs ...tracefmt.Recording) string {
	t.Helper()
	var b bytes.Buffer
	if left, err := interop.Export(lookup(t, format), &b, runs, nil); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	return b.String()
}

// described is the run of etrace explain jsonl, in which every kind and key occurs.
func described(t testing.TB) *tracefmt.Memory {
	t.Helper()
	_, text, _ := strings.Cut(tracefmt.DescribeJSONL(), "\nExample:\n")
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err != nil || len(runs) != 1 {
		t.Fatal(len(runs), err)
	}
	return runs[0]
}

// TestCSV: all that events have is read from the table again.
func TestCSV(t *testing.T) {
	run := described(t)
	rows, err := csv.NewReader(strings.NewReader(export(t, "csv", run))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], " "); got != "run seq time process kind type peer message cause lamport term payload" {
		t.Errorf("columns %s", got)
	}
	again := tracefmt.NewMemory(*run.Run())
	for _, row := range rows[1:] {
		if err := again.Write(eventOfRow(t, run.Run(), row)); err != nil {
			t.Fatal(err)
		}
	}
	if err := again.Finish(run.Run().End); err != nil {
		t.Fatal(err)
	}
	if got, want := export(t, "jsonl", again), export(t, "jsonl", run); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func eventOfRow(t *testing.T, run *tracefmt.Run, row []string) *tracefmt.Event {
	t.Helper()
	process := func(name string) tracefmt.ProcessID { p, _ := run.Process(name); return p }
	number := func(column int) int64 {
		n, err := strconv.ParseInt(cmp.Or(row[column], "0"), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	kind, err := tracefmt.ParseKind(row[4])
	if err != nil {
		t.Fatal(err)
	}
	e := &tracefmt.Event{
		Seq: tracefmt.Seq(number(1)), Time: tracefmt.Time(number(2)), Process: process(row[3]), Kind: kind, Type: row[5], Peer: process(row[6]),
		Message: tracefmt.MessageID(number(7)), Cause: tracefmt.Seq(number(8)), Lamport: number(9), Term: number(10),
	}
	if row[11] != "" {
		e.Payload = []byte(row[11])
	}
	return e
}

// TestCSVIsHarmless: no cell begins a formula, or ends before its end; what was
// changed for that is known by its apostrophe.
func TestCSVIsHarmless(t *testing.T) {
	for name, want := range map[string]string{
		`=HYPERLINK("http://x";"y")`: `'=HYPERLINK("http://x";"y")`,
		"+1+cmd|' /C calc'!A0":       "'+1+cmd|' /C calc'!A0",
		"-2+3":                       "'-2+3",
		"-2":                         "-2",
		"@SUM(1)":                    "'@SUM(1)",
		"\t=1":                       "'\t=1",
		"\r=1":                       "'\r=1",
		" =1":                        "' =1",
		"＝1":                         "'＝1",
		"'=1":                        "''=1",
		"a,=1":                       "a,=1",
		"a\"\n=1":                    "a\"\n=1",
		"n1":                         "n1",
	} {
		run := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: name, Position: 1}}})
		payload := fmt.Appendf(nil, `{"x":%s}`, tracefmt.AppendString(nil, name))
		if err := run.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Process: 1, Type: name, Payload: payload}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(export(t, "csv", run))).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != 12 {
			t.Fatalf("%q: %d rows, %v", name, len(rows), err)
		}
		if row := rows[1]; row[3] != want || row[5] != want || row[11] != string(payload) {
			t.Errorf("%q: %q, want %q", name, row, want)
		}
	}
}
