package mapping_test

import (
	"slices"
	"strings"
	"testing"

	"etrace/fixtures/readings"

	"github.com/google/go-cmp/cmp"
)

const (
	byTerms = `
match: '^(?<node>\w+) (?<role>\w+) (?<term>\d+)$'
process: '${node}'
events: [{state: {role: '${role}', term: '${term}'}}]
`
	byClocks = `
match: '^(?<at>[\d.]+) (?<node>\w+) (?<role>\w+)$'
process: '${node}'
time: {from: '${at}', layout: unix}
events: [{state: {role: '${role}'}}]
`
)

// A new execution begins where the terms of all processes fall to where they began, or their clocks do. One process
// that falls alone has lost its memory, or another program has its name.
func TestExecutions(t *testing.T) {
	for _, tt := range []struct {
		name, mapping string
		lines, want   []string
	}{
		{
			"the terms of all fall", byTerms,
			[]string{"a x 1", "b x 1", "a y 2", "b y 2", "b x 1", "a x 1", "b y 2"},
			[]string{"a x 1|b x 1|a y 2|b y 2", "b x 1|a x 1|b y 2"},
		},
		{
			"a process without terms, and one whose term never rose, wait with the others", byTerms,
			[]string{"a x 1", "b x 1", "c x 1", "a y 2", "b y 2", "c z 1", "b x 1", "c w 1", "a x 1"},
			[]string{"a x 1|b x 1|c x 1|a y 2|b y 2|c z 1", "b x 1|c w 1|a x 1"},
		},
		{
			"three executions", byTerms,
			[]string{"a x 1", "b x 1", "a y 2", "b y 3", "b x 1", "a x 1", "b y 2", "a y 4", "a x 1", "b x 1"},
			[]string{"a x 1|b x 1|a y 2|b y 3", "b x 1|a x 1|b y 2|a y 4", "a x 1|b x 1"},
		},
		{
			"one process falls", byTerms,
			[]string{"a x 1", "b x 1", "a y 2", "b y 2", "b x 1", "a z 2"},
			[]string{"a x 1|b x 1|a y 2|b y 2|b x 1|a z 2"},
		},
		{
			"the log ends before the other shows whether it falls", byTerms,
			[]string{"a x 1", "b x 1", "a y 2", "b y 2", "b x 1"},
			[]string{"a x 1|b x 1|a y 2|b y 2|b x 1"},
		},
		{
			"old terms, but not those of the beginning", byTerms,
			[]string{"a x 1", "b x 1", "a y 5", "b y 5", "b x 4", "a x 4"},
			[]string{"a x 1|b x 1|a y 5|b y 5|b x 4|a x 4"},
		},
		{
			"one process goes on in the second execution before the other shows", byTerms,
			[]string{"a x 1", "b x 1", "a y 2", "b y 2", "b x 1", "b y 2", "b z 3", "a x 1"},
			[]string{"a x 1|b x 1|a y 2|b y 2", "b x 1|b y 2|b z 3|a x 1"},
		},
		{
			"one of three has no part in the second execution", byTerms,
			[]string{"a x 1", "b x 1", "c x 1", "a y 2", "b y 2", "c y 2", "b x 1", "a x 1"},
			[]string{"a x 1|b x 1|c x 1|a y 2|b y 2|c y 2", "b x 1|a x 1"},
		},
		{
			"terms of two processes fall back, and not to the beginning", byTerms,
			[]string{"a x 5", "b x 5", "a y 6", "b y 6", "b x 5", "a x 5"},
			[]string{"a x 5|b x 5|a y 6|b y 6|b x 5|a x 5"},
		},
		{
			"a log that begins late, and then an execution from its beginning", byTerms,
			[]string{"a x 5", "b x 5", "a y 6", "b y 6", "b x 2", "a x 3"},
			[]string{"a x 5|b x 5|a y 6|b y 6", "b x 2|a x 3"},
		},
		{
			"one process alone in the log", byTerms,
			[]string{"a x 1", "a y 2", "a x 1"},
			[]string{"a x 1|a y 2|a x 1"},
		},
		{
			"the first term is 2", byTerms,
			[]string{"a x 2", "b x 2", "a y 3", "b y 3", "b x 2", "a x 2"},
			[]string{"a x 2|b x 2|a y 3|b y 3", "b x 2|a x 2"},
		},
		{
			"one process alone in the log falls to term 0", byTerms,
			[]string{"a x 0", "a y 1", "a x 0", "a y 1", "a x 0"},
			[]string{"a x 0|a y 1", "a x 0|a y 1", "a x 0"},
		},
		{
			"a process falls to term 0, and another goes on", byTerms,
			[]string{"a x 0", "b x 0", "a y 1", "b y 1", "b x 0", "a z 1"},
			[]string{"a x 0|b x 0|a y 1|b y 1|b x 0|a z 1"},
		},
		{
			"a log that begins late, in which a process falls to term 0, and another goes on", byTerms,
			[]string{"a x 5", "b x 5", "b x 0", "a z 5"},
			[]string{"a x 5|b x 5|b x 0|a z 5"},
		},
		{
			"executions of some of the processes", byTerms,
			[]string{"a x 0", "b x 0", "a y 1", "b y 1", "a x 0", "a z 1", "a x 0", "b x 0", "b y 1", "b x 0", "b y 2"},
			[]string{"a x 0|b x 0|a y 1|b y 1", "a x 0|a z 1", "a x 0|b x 0|b y 1", "b x 0|b y 2"},
		},
		{
			"the clocks of all fall", byClocks,
			[]string{"0.1 a x", "0.2 b x", "3.0 a y", "3.1 b y", "0.1 b x", "0.3 a z"},
			[]string{"a x|b x|a y|b y", "b x|a z"},
		},
		{
			"one clock falls", byClocks,
			[]string{"0.1 a x", "0.2 b x", "3.0 a y", "3.1 b y", "0.1 b x", "3.2 a z"},
			[]string{"a x|b x|a y|b y|b~2 x|a z"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := executions(t, tt.mapping, tt.lines)
			for i := range tt.want {
				tt.want[i] = sortedWords(tt.want[i])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if len(tt.want) > 1 {
				split := executions(t, tt.mapping+"split: '^never$'\n", tt.lines)
				if len(split) != 1 {
					t.Errorf("%d runs of a mapping with split, expected 1", len(split))
				}
			}
		})
	}
}

// Files that each have lines of the same processes are read as one file, except that clocks decide nothing.
func TestExecutionsInFiles(t *testing.T) {
	const terms = `
match: '^(?<at>[\d.]+) (?<node>\w+) (?<role>\w+) (?<term>\d+)$'
process: '${node}'
time: {from: '${at}', layout: unix}
events: [{when: {role: up}, start: {}}, {when: {term: /./}, state: {role: '${role}', term: '${term}'}}]
`
	for _, tt := range []struct {
		name, first, second string
		runs                int
		notes               string
	}{
		{"the terms of all fall", "1 a x 1|2 b x 1|3 a y 2|4 b y 2", "5 a x 1|6 b x 1|7 a y 2|8 b y 2", 2, ""},
		{"so they do in the other order of the files", "5 a x 1|6 b x 1|7 a y 2|8 b y 2", "1 a x 1|2 b x 1|3 a y 2|4 b y 2", 2, ""},
		{"the second execution begins in the first file", "1 a x 1|2 b x 1|3 a y 2|4 b y 2|5 b x 1", "6 a x 1|7 b y 2|8 a z 2", 2, ""},
		{"the terms go on", "1 a x 1|2 b x 1|3 a y 2|4 b y 2", "5 a z 2|6 b z 2|7 a y 3|8 b y 3", 1, ""},
		{"one term falls", "1 a x 1|2 b x 1|3 a y 2|4 b y 2", "5 a x 1|6 b z 2|7 a y 2|8 b y 3", 1, ""},
		{"the times are the same", "1 a x 1|2 b x 1|5 a y 2|6 b y 2", "3 a x 1|4 b x 1|7 a y 2|8 b y 2", 1, "at the same time"},
		{"each process starts in each file", "1 a up 0|2 b up 0|5 a y 2|6 b y 2", "3 a up 0|4 b up 0|7 a y 2|8 b y 2", 2, ""},
		{"one process starts in one file", "1 a up 0|2 b up 0|5 a y 2|6 b y 2", "3 a up 0|4 b x 1|7 a y 2|8 b y 2", 1, "at the same time"},
		{"each file has one process", "1 a x 1|2 a y 2|3 a z 3", "4 b x 1|5 b y 2|6 b z 3", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := func(s string) string { return strings.ReplaceAll(s, "|", "\n") + "\n" }
			runs, report := readings.ReadRuns(t, terms, "n1.log", lines(tt.first), "n2.log", lines(tt.second))
			if len(runs) != tt.runs {
				t.Errorf("%d runs, want %d", len(runs), tt.runs)
			}
			if notes := strings.Join(report.Cautions, "|"); (notes == "") != (tt.notes == "") || !strings.Contains(notes, tt.notes) {
				t.Errorf("cautions %q, want %q", notes, tt.notes)
			}
		})
	}
}

// executions returns the states of each run that the lines become, in the order of their letters: where clocks
// contradict the lines, the run goes by clocks.
func executions(t *testing.T, m string, lines []string) (found []string) {
	t.Helper()
	runs, report := readings.ReadRuns(t, m, "x.log", strings.Join(lines, "\n")+"\n")
	for i, rec := range runs {
		if begins := report.Runs[i].Begins; (begins != "") != (i > 0) {
			t.Errorf("run %d begins %q", i+1, begins)
		}
		var states []string
		for e := range rec.Events(1) {
			words := []string{rec.Run().ProcessName(e.Process)}
			for _, field := range []string{"role", "term"} {
				if value, ok := e.Field(field); ok {
					words = append(words, strings.Trim(string(value), `"`))
				}
			}
			states = append(states, strings.Join(words, " "))
		}
		found = append(found, sortedWords(strings.Join(states, "|")))
	}
	return found
}

func sortedWords(states string) string {
	words := strings.Split(states, "|")
	slices.Sort(words)
	return strings.Join(words, "|")
}
