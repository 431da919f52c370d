package mapping_test

import (
	"strings"
	"testing"

	"etrace/fixtures/readings"

	"github.com/google/go-cmp/cmp"
)

// backwards are the lines of a log, the last first.
func backwards(log string) string {
	lines := strings.SplitAfter(log, "\n")
	var b strings.Builder
	for i := len(lines) - 1; i >= 0; i-- {
		b.WriteString(lines[i])
	}
	return b.String()
}

const votesMap = `
match: '^(?<time>\d+) (?<node>\w) (?<msg>[^\n]*)'
begin: '^\d'
process: ${node}
time: {from: '${time}', layout: s}
events:
  - {when: {msg: '/^term (?<term>\d+)/'}, state: {term: '${term}'}}
`

// A log with its newest line first is read from its end: lines keep their numbers,
// and records of several lines their order.
func TestNewestFirst(t *testing.T) {
	const log = "1 a term 1\n2 b term 1\n3 a term 2\n3 b term 2\n5 a term 3\n"
	want := "a state term=1\nb state term=1\na state term=2\nb state term=2\na state term=3\n"
	for name, log := range map[string]string{
		"newest first": backwards(log),
		"of records":   "5 a term 3\n more\n and more\n3 b term 2\n3 a term 2\n2 b term 1\n1 a term 1\n",
	} {
		run, report := readings.Read(t, votesMap, "log", log)
		if diff := cmp.Diff(want, readings.Events(t, run)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := strings.Join(report.Notes, "; "); !strings.Contains(got, "the newest line of log is its first: it is read from its end") {
			t.Errorf("%s: notes %q", name, got)
		}
		lines := int64(strings.Count(log, "\n"))
		for e := range run.Events(1) {
			if from := e.Origin(); from.Line != lines {
				t.Errorf("%s: the first event is from line %d, want %d", name, from.Line, lines)
			}
			break
		}
	}
}

// Each file is read as it is: by the exporter of its process.
func TestNewestFirstOfFiles(t *testing.T) {
	run, _ := readings.Read(
		t, votesMap, "a.log", "1 a term 1\n3 a term 2\n5 a term 3\n7 a term 4\n", "b.log",
		"8 b term 4\n6 b term 3\n4 b term 2\n2 b term 1\n",
	)
	want := "a state term=1\nb state term=1\na state term=2\nb state term=2\na state term=3\nb state term=3\na state term=4\nb state term=4\n"
	if diff := cmp.Diff(want, readings.Events(t, run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for e := range run.Events(2) {
		if from := e.Origin(); from.File != "b.log" || from.Line != 4 {
			t.Errorf("the second event is from %s:%d, want b.log:4", from.File, from.Line)
		}
		break
	}
}

// A table that a viewer exports has its newest row below the names of the columns.
func TestNewestFirstOfTables(t *testing.T) {
	const m = "lines: csv\nprocess: ${node}\ntime: {from: '${time}', layout: s}\nevents: [{state: {term: '${term}'}}]\n"
	run, report := readings.Read(t, m, "t.csv", "time,node,term\n4,b,2\n3,a,2\n2,b,1\n1,a,1\n")
	if diff := cmp.Diff("a state term=1\nb state term=1\na state term=2\nb state term=2\n", readings.Events(t, run)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(report.Notes) != 1 {
		t.Errorf("notes %q", report.Notes)
	}
	for e := range run.Events(1) {
		if from := e.Origin(); from.Line != 5 {
			t.Errorf("the first event is from line %d, want 5", from.Line)
		}
		break
	}
}

// What is in order stays: with steps back, with few lines, without times, with times of day over
// midnight.
func TestOldestFirst(t *testing.T) {
	for name, log := range map[string]string{
		"steps back":  "1 a term 1\n3 b term 1\n2 a term 2\n5 b term 2\n4 a term 3\n7 b term 3\n6 a term 4\n",
		"two lines":   "2 a term 1\n1 b term 1\n",
		"a late file": "9 a term 1\n1 b term 1\n2 a term 2\n3 b term 2\n",
		"one moment":  "1 a term 1\n1 b term 1\n1 a term 2\n1 b term 2\n1 a term 3\n",
		"none":        "a term 4\na term 3\na term 2\na term 1\n",
	} {
		m := votesMap
		if name == "none" {
			m = strings.NewReplacer("(?<time>\\d+) ", "", "begin: '^\\d'\n", "", "time: {from: '${time}', layout: s}\n", "").Replace(m)
		}
		run, report := readings.Read(t, m, "log", log)
		last := int64(0)
		for e := range run.Events(1) {
			if from := e.Origin(); from.Line < last {
				t.Errorf("%s: line %d comes after line %d", name, from.Line, last)
			} else {
				last = from.Line
			}
		}
		if len(report.Notes) > 0 {
			t.Errorf("%s: notes %q", name, report.Notes)
		}
	}
}
