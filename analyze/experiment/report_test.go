package experiment_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment"
	"etrace/record/scenario"
)

// everything is a report in which every status and odd text occurs.
func everything() *experiment.Report {
	const evil = "\x1b[31m\u202e\n<b>|*]]>\xff"
	entry := func(name, entry, place, note string) *experiment.Case {
		return &experiment.Case{Name: name, Entry: entry, Place: place, Note: note, Scenario: &scenario.Scenario{Algorithm: "bully"}}
	}
	ok := []experiment.Cell{
		{Measure: "messages", Expected: "5", Measured: "5", Status: experiment.OK},
		{Measure: "leader", Expected: "none", Published: "none", Measured: "none", Status: experiment.OK},
	}
	explained := []experiment.Cell{ok[0], {Measure: "time", Expected: "4.5", Published: "1", Measured: "4.5", Status: experiment.Explained}}
	failed := []experiment.Cell{
		{Measure: "messages", Published: "7", Measured: "15", Status: experiment.Failed},
		{Measure: "election-safety", Expected: "satisfied", Measured: "violated", Status: experiment.Failed, Detail: "process " + evil + " ends"},
		ok[1],
	}
	return &experiment.Report{Suites: []*experiment.SuiteReport{
		{
			Suite: &experiment.Suite{File: "a.yaml", Title: "First", Description: "About " + evil + ".\n\nMore.\n"},
			Cases: []*experiment.CaseReport{
				{Case: entry("one", "one", "a.yaml:3:5", ""), Status: experiment.OK, Cells: ok},
				{Case: entry("n = 1", "n = ${n}", "a.yaml:9:5", "why"), Status: experiment.OK, Cells: ok},
				{Case: entry("n = 2", "n = ${n}", "a.yaml:9:5", "why"), Status: experiment.OK, Cells: ok},
				{Case: entry("n = 3", "n = ${n}", "a.yaml:9:5", "why"), Status: experiment.Explained, Cells: explained},
				{Case: entry("n = 4", "n = ${n}", "a.yaml:9:5", "why"), Status: experiment.Explained, Cells: explained},
				{Case: entry("n = 5", "n = ${n}", "a.yaml:9:5", "why"), Status: experiment.OK, Cells: ok},
			},
		},
		{
			Suite: &experiment.Suite{File: evil},
			Cases: []*experiment.CaseReport{
				{Case: entry("bad "+evil, "bad "+evil, "b.yaml:2:5", "note "+evil), Status: experiment.Failed, Cells: failed},
				{Case: entry("broken", "broken", "b.yaml:7:5", ""), Status: experiment.Failed, Err: errors.New("no run: " + evil)},
			},
		},
	}}
}

func write(t *testing.T, format string, r *experiment.Report, s experiment.Style) string {
	t.Helper()
	f, err := experiment.LookupFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, r, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		file, format string
		report       *experiment.Report
		style        experiment.Style
	}{
		{"text.golden", "text", everything(), experiment.Style{}},
		{"text_all.golden", "text", everything(), experiment.Style{All: true}},
		{"text_quiet.golden", "text", everything(), experiment.Style{Quiet: true}},
		{"text_color.golden", "text", everything(), experiment.Style{Color: true}},
		{"text_empty.golden", "text", &experiment.Report{}, experiment.Style{}},
		{"json.golden", "json", everything(), experiment.Style{}},
		{"json_empty.golden", "json", &experiment.Report{}, experiment.Style{}},
		{"markdown.golden", "markdown", everything(), experiment.Style{}},
		{"markdown_all.golden", "markdown", everything(), experiment.Style{All: true}},
		{"junit.golden", "junit", everything(), experiment.Style{}},
	} {
		got := write(t, tt.format, tt.report, tt.style)
		file := filepath.Join("testdata", tt.file)
		if os.Getenv("ETRACE_UPDATE") != "" {
			if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", file, diff)
		}
	}
}

// TestHarmless: whatever a file holds, a terminal or a browser shows it as
// text, and no line ends with spaces.
func TestHarmless(t *testing.T) {
	for _, format := range []string{"text", "markdown"} {
		out := write(t, format, everything(), experiment.Style{All: true})
		for _, r := range out {
			if r != '\n' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
				t.Errorf("%s holds %U", format, r)
			}
		}
		if regexp.MustCompile(`(?m)[ \t]$`).MatchString(out) {
			t.Errorf("%s: a line ends with spaces", format)
		}
		if format == "markdown" && strings.Contains(out, "<b>") {
			t.Error("markdown: a tag passes through")
		}
	}
}

// TestParsers: JSON and XML are what other programs read.
func TestParsers(t *testing.T) {
	var j struct {
		Format, Status string
		Suites         []struct {
			Cases []struct {
				Values []struct{ Expected, Measured any }
			}
		}
	}
	if err := json.Unmarshal([]byte(write(t, "json", everything(), experiment.Style{})), &j); err != nil {
		t.Fatal(err)
	}
	values := j.Suites[0].Cases[0].Values
	if j.Format != experiment.JSONVersion || j.Status != "failed" || values[0].Measured != 5.0 || values[1].Expected != "none" {
		t.Errorf("got %+v", j)
	}
	var x struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal([]byte(write(t, "junit", everything(), experiment.Style{})), &x); err != nil {
		t.Fatal(err)
	}
	if x.Tests != 8 || x.Failures != 1 || x.Errors != 1 {
		t.Errorf("got %+v, want 8 tests, 1 failure, 1 error", x)
	}
}

func TestLookupFormat(t *testing.T) {
	last := ""
	for _, f := range experiment.Formats() {
		if f.Name <= last || f.Doc == "" || f.Write == nil {
			t.Errorf("%s: expected the order of the names, a doc and a writer", f.Name)
		}
		last = f.Name
	}
	if _, err := experiment.LookupFormat("markdwon"); err == nil || !strings.Contains(err.Error(), `did you mean "markdown"?`) {
		t.Errorf("got %v, expected a suggestion", err)
	}
}

// failing is a writer that is full.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteError(t *testing.T) {
	for _, f := range experiment.Formats() {
		if err := f.Write(failing{}, everything(), experiment.Style{}); err == nil {
			t.Errorf("%s: no error of writing", f.Name)
		}
	}
}
