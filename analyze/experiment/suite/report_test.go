package suite_test

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

	"etrace/analyze/experiment/suite"
	"etrace/record/scenario"
)

// everything is a report in which every status and odd text occurs.
func everything() *suite.Report {
	const evil = "\x1b[31m\u202e\n<b>|*]]>\xff"
	entry := func(name, entry, place, note string) *suite.Case {
		return &suite.Case{Name: name, Entry: entry, Place: place, Note: note, Scenario: &scenario.Scenario{Algorithm: "bully"}}
	}
	ok := []suite.Cell{
		{Measure: "messages", Expected: "5", Measured: "5", Status: suite.OK},
		{Measure: "leader", Expected: "none", Published: "none", Measured: "none", Status: suite.OK},
	}
	explained := []suite.Cell{ok[0], {Measure: "time", Expected: "4.5", Published: "1", Measured: "4.5", Status: suite.Explained}}
	failed := []suite.Cell{
		{Measure: "messages", Published: "7", Measured: "15", Status: suite.Failed},
		{Measure: "election-safety", Expected: "satisfied", Measured: "violated", Status: suite.Failed, Detail: "process " + evil + " ends"},
		ok[1],
	}
	return &suite.Report{Suites: []*suite.FileReport{
		{
			Suite: &suite.Suite{File: "a.yaml", Title: "First", Description: "About " + evil + ".\n\nMore.\n"},
			Cases: []*suite.CaseReport{
				{Case: entry("one", "one", "a.yaml:3:5", ""), Status: suite.OK, Cells: ok},
				{Case: entry("n = 1", "n = ${n}", "a.yaml:9:5", "why"), Status: suite.OK, Cells: ok},
				{Case: entry("n = 2", "n = ${n}", "a.yaml:9:5", "why"), Status: suite.OK, Cells: ok},
				{Case: entry("n = 3", "n = ${n}", "a.yaml:9:5", "why"), Status: suite.Explained, Cells: explained},
				{Case: entry("n = 4", "n = ${n}", "a.yaml:9:5", "why"), Status: suite.Explained, Cells: explained},
				{Case: entry("n = 5", "n = ${n}", "a.yaml:9:5", "why"), Status: suite.OK, Cells: ok},
			},
		},
		{
			Suite: &suite.Suite{File: evil},
			Cases: []*suite.CaseReport{
				{Case: entry("bad "+evil, "bad "+evil, "b.yaml:2:5", "note "+evil), Status: suite.Failed, Cells: failed},
				{Case: entry("broken", "broken", "b.yaml:7:5", ""), Status: suite.Failed, Err: errors.New("no run: " + evil)},
			},
		},
	}}
}

func write(t *testing.T, format string, r *suite.Report, s suite.Style) string {
	t.Helper()
	f, err := suite.Formats().Lookup(format)
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
		report       *suite.Report
		style        suite.Style
	}{
		{"text.golden", "text", everything(), suite.Style{}},
		{"text_all.golden", "text", everything(), suite.Style{All: true}},
		{"text_quiet.golden", "text", everything(), suite.Style{Quiet: true}},
		{"text_color.golden", "text", everything(), suite.Style{Color: true}},
		{"text_empty.golden", "text", &suite.Report{}, suite.Style{}},
		{"json.golden", "json", everything(), suite.Style{}},
		{"json_empty.golden", "json", &suite.Report{}, suite.Style{}},
		{"markdown.golden", "markdown", everything(), suite.Style{}},
		{"markdown_all.golden", "markdown", everything(), suite.Style{All: true}},
		{"junit.golden", "junit", everything(), suite.Style{}},
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
		out := write(t, format, everything(), suite.Style{All: true})
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
	if err := json.Unmarshal([]byte(write(t, "json", everything(), suite.Style{})), &j); err != nil {
		t.Fatal(err)
	}
	values := j.Suites[0].Cases[0].Values
	if j.Format != suite.JSONVersion || j.Status != "failed" || values[0].Measured != 5.0 || values[1].Expected != "none" {
		t.Errorf("got %+v", j)
	}
	var x struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal([]byte(write(t, "junit", everything(), suite.Style{})), &x); err != nil {
		t.Fatal(err)
	}
	if x.Tests != 8 || x.Failures != 1 || x.Errors != 1 {
		t.Errorf("got %+v, want 8 tests, 1 failure, 1 error", x)
	}
}

func TestLookupFormat(t *testing.T) {
	last := ""
	for _, f := range suite.Formats().All() {
		if f.Name <= last || f.Doc == "" || f.Write == nil {
			t.Errorf("%s: expected the order of the names, a doc and a writer", f.Name)
		}
		last = f.Name
	}
	if _, err := suite.Formats().Lookup("markdwon"); err == nil || !strings.Contains(err.Error(), `did you mean "markdown"?`) {
		t.Errorf("got %v, expected a suggestion", err)
	}
}

// failing is a writer that is full.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteError(t *testing.T) {
	for _, f := range suite.Formats().All() {
		if err := f.Write(failing{}, everything(), suite.Style{}); err == nil {
			t.Errorf("%s: no error of writing", f.Name)
		}
	}
}
