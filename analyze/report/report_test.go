package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

func property(name string, kind analyze.Kind) *analyze.Property {
	return &analyze.Property{Name: name, Kind: kind}
}

// everything is a report in which every verdict, ending and odd text occurs.
func everything() *report.Report {
	const evil = "\x1b[31m\u202e\n<b>\xff"
	safety, liveness := property("election-safety", analyze.Safety), property("live", analyze.Liveness)
	safety.Doc, safety.Source = "Never "+evil+"\ntwo leaders.\n\nThe second\nparagraph.", "Slides, "+evil
	result := &analyze.Result{
		Property: safety, Verdict: analyze.Violated, Violations: 1, Witness: []tracefmt.Seq{3}, Cut: []tracefmt.Seq{3, 5},
		Explanation: "process " + evil + " ends with elected = 2",
	}
	long := &analyze.Result{
		Property: safety, Verdict: analyze.Violated, Violations: 12,
		Witness: []tracefmt.Seq{1, 2, 3, 4, 5, 6, 7, 8}, Explanation: "bad",
	}
	crash := analyze.Need{Process: 1, Fact: tracefmt.Fact{Kind: tracefmt.Crash}}
	odd := analyze.Need{Process: analyze.AnyProcess, Fact: tracefmt.StateOf(evil)}
	unknown := &analyze.Result{
		Property: liveness, Verdict: analyze.Unknown, Counts: true,
		Explanation: "the receive at seq 3 does not name its send", Needs: []analyze.Need{odd, crash},
	}
	unknown.Needs[1].From, unknown.Needs[1].To = 2, 3
	const trace = "runs,100%: a\r\n.db"
	return &report.Report{Traces: []string{trace}, Tool: "etrace 1.2.3", Explanations: map[*analyze.Result]*explain.Explanation{
		result: {
			Minimal: true,
			Steps:   []explain.Step{{Seq: 3, Process: evil, Text: evil + " elects itself"}, {Seq: 12, Text: "the network is whole again"}},
		},
		long: {Note: "too " + evil, Steps: manySteps(42)},
	}, LogNext: map[*analyze.Result][]analyze.Wanted{
		unknown: {{Facts: []analyze.Need{crash}, Complete: "p:crash=all"}, {Facts: []analyze.Need{odd, crash}}},
	}, Runs: inTrace(trace,
		&analyze.RunReport{
			Run:     &tracefmt.Run{Number: 1, Algorithm: "bully", Members: make([]tracefmt.Member, 8), Events: 57, End: tracefmt.Quiescent},
			Verdict: analyze.Satisfied,
			Results: []*analyze.Result{
				{Property: safety, Verdict: analyze.Satisfied},
				{Property: liveness, Verdict: analyze.Vacuous},
			},
			Ending: analyze.Ending{Quiescent: true},
		},
		&analyze.RunReport{
			Run: &tracefmt.Run{
				Number: 2, Name: evil, Source: "shiviz", Members: []tracefmt.Member{{Name: evil}}, Events: 1,
				End: tracefmt.Stopped,
			},
			Verdict: analyze.Violated,
			Results: []*analyze.Result{
				result,
				long,
				{Property: liveness, Verdict: analyze.Pending, Counts: true, Open: []string{"a " + evil, "b"}, Explanation: "a " + evil + "; b"},
				{Property: liveness, Verdict: analyze.HoldsSoFar},
				unknown,
				{Property: liveness, Verdict: analyze.NotApplicable, Explanation: "the run solves mutex, not election"},
			},
			Ending: analyze.Ending{Doubt: "the run claims " + evil}, Remarks: []string{"the run claims " + evil},
			Assumed: "every state." + evil + " is recorded",
			Advice: &analyze.Advice{
				Log: "crash of " + evil, Decides: 1, Open: 2, State: "p:crash=all",
				Lacks: map[string]string{"live": "crash of " + evil},
			},
		},
		&analyze.RunReport{
			Run: &tracefmt.Run{
				Number: 3, Name: "forever", Algorithm: "chang-roberts", Members: make([]tracefmt.Member, 2),
				Events: 20, End: tracefmt.Stopped,
			},
			Verdict: analyze.NotApplicable,
			Ending:  analyze.Ending{LoopFrom: 4, LoopTo: 9},
		},
	)}
}

// otherProblem is a run without a subject for most properties, for two reasons.
func otherProblem() *analyze.RunReport {
	results := []*analyze.Result{{Property: property("election-safety", analyze.Safety), Verdict: analyze.Satisfied}}
	for _, name := range []string{"broadcast-agreement", "fifo", "broadcast-validity"} {
		reason := "the run solves raft: not broadcast\x1b"
		if name == "fifo" {
			reason = "the run does not state the trait fifo"
		}
		results = append(results, &analyze.Result{Property: property(name, analyze.Safety), Verdict: analyze.NotApplicable, Explanation: reason})
	}
	return &analyze.RunReport{
		Run:     &tracefmt.Run{Number: 1, Members: make([]tracefmt.Member, 3), Events: 2, End: tracefmt.Stopped},
		Verdict: analyze.Satisfied, Results: results,
	}
}

func inTrace(name string, runs ...*analyze.RunReport) (list []report.Run) {
	for _, run := range runs {
		list = append(list, report.Run{Trace: name, RunReport: run})
	}
	return list
}

// severalTraces is everything, with its last two runs in another file.
func severalTraces() *report.Report {
	r := everything()
	r.Traces = append(r.Traces, "other.db", "none.db")
	r.Runs[1].Trace, r.Runs[2].Trace = "other.db", "other.db"
	r.Failures = []string{"none.db: no such file"}
	r.LeftOut = []string{"other.db: run 2: \x1b[31mdamaged", "other.db: run 5: damaged"}
	return r
}

func manySteps(n int) (steps []explain.Step) {
	for i := range n {
		steps = append(steps, explain.Step{Seq: tracefmt.Seq(i + 1), Process: "p", Text: "p halts"})
	}
	return steps
}

func write(t *testing.T, format string, r *report.Report, s report.Style) string {
	t.Helper()
	f, err := report.Formats().Lookup(format)
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
		report       *report.Report
		style        report.Style
	}{
		{"text.golden", "text", everything(), report.Style{}},
		{"text_applicable.golden", "text", everything(), report.Style{Applicable: true}},
		{"text_reasons.golden", "text", &report.Report{Runs: inTrace("a.db", otherProblem())}, report.Style{Applicable: true, Reasons: true}},
		{
			"text_reasons_narrow.golden", "text", &report.Report{Runs: inTrace("a.db", otherProblem())},
			report.Style{Applicable: true, Reasons: true, Width: 60},
		},
		{"text_quiet.golden", "text", everything(), report.Style{Quiet: true}},
		{"text_color.golden", "text", everything(), report.Style{Color: true}},
		{"text_empty.golden", "text", &report.Report{}, report.Style{}},
		{"text_several.golden", "text", severalTraces(), report.Style{Applicable: true}},
		{"text_fine.golden", "text", &report.Report{Runs: everything().Runs[:1]}, report.Style{}},
		{"text_fine_quiet.golden", "text", &report.Report{Runs: everything().Runs[:1]}, report.Style{Quiet: true}},
		{"json_several.golden", "json", severalTraces(), report.Style{}},
		{"github_several.golden", "github", severalTraces(), report.Style{}},
		{"junit_several.golden", "junit", severalTraces(), report.Style{}},
		{"markdown.golden", "markdown", everything(), report.Style{}},
		{"markdown_several.golden", "markdown", severalTraces(), report.Style{Quiet: true, Applicable: true}},
		{"json.golden", "json", everything(), report.Style{Color: true}},
		{"json_empty.golden", "json", &report.Report{}, report.Style{}},
		{"junit.golden", "junit", everything(), report.Style{}},
		{"junit_allow_open.golden", "junit", everything(), report.Style{AllowOpen: true}},
		{"github.golden", "github", everything(), report.Style{}},
		{"github_allow_open.golden", "github", everything(), report.Style{AllowOpen: true}},
		{"sarif.golden", "sarif", everything(), report.Style{}},
		{"sarif_empty.golden", "sarif", &report.Report{Tool: "etrace 1.2.3"}, report.Style{}},
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

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestTextIsHarmless: whatever a trace holds, a terminal shows it as text.
func TestTextIsHarmless(t *testing.T) {
	plain, colored := write(t, "text", everything(), report.Style{}), write(t, "text", everything(), report.Style{Color: true})
	for _, r := range plain {
		if r != '\n' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			t.Errorf("the text holds %U", r)
		}
	}
	if stripped := escapes.ReplaceAllString(colored, ""); stripped != plain {
		t.Errorf("colour changes more than the colour (-plain +coloured)\n%s", cmp.Diff(plain, stripped))
	}
	if plain == colored {
		t.Error("no colour, though asked for")
	}
	for _, text := range []string{plain, colored} {
		for line := range strings.Lines(text) {
			if bare := escapes.ReplaceAllString(line, ""); strings.TrimRight(bare, " \n") != strings.TrimSuffix(bare, "\n") {
				t.Errorf("%q ends with spaces", line)
			}
		}
	}
}

// TestTextColumns: verdicts begin in one column, and what follows them too.
func TestTextColumns(t *testing.T) {
	for _, section := range strings.Split(write(t, "text", everything(), report.Style{}), "\n\n") {
		columns := map[int][]string{}
		for line := range strings.Lines(section) {
			if at := regexp.MustCompile(`^  \S+ +`).FindStringIndex(line); at != nil && !strings.HasPrefix(line, "  note:") &&
				!strings.HasPrefix(line, "  assumed:") {
				columns[at[1]] = append(columns[at[1]], line)
			}
		}
		if len(columns) > 1 {
			t.Errorf("verdicts in several columns: %v", columns)
		}
	}
}

// TestJSONIsOne: the report is one JSON object, with lists where there is
// nothing to list.
// TestTextWidth: on a terminal, text that does not fit beside the verdict is below it, in lines that fit.
func TestTextWidth(t *testing.T) {
	results := []*analyze.Result{
		{Property: property("agreement", analyze.Safety), Verdict: analyze.Unknown, Explanation: "too long a search"},
		{
			Property: property("fifo", analyze.Safety), Verdict: analyze.Violated, Witness: []tracefmt.Seq{3, 17},
			Explanation: "process 1 receives message 2 before message 1",
		},
	}
	rep := &report.Report{Runs: inTrace("", &analyze.RunReport{
		Run: &tracefmt.Run{Number: 1, End: tracefmt.Stopped, Events: 17}, Results: results,
	})}
	for width, want := range map[int]string{
		0: `  agreement  unknown         too long a search
  fifo       violated        process 1 receives message 2 before message 1 (seq 3, 17)
`,
		46: `  agreement  unknown         too long a search
  fifo       violated
      process 1 receives message 2 before
      message 1 (seq 3, 17)
`,
		12: `  agreement  unknown
      too
      long a
      search
  fifo       violated
      process
      1
      receives
      message
      2
      before
      message
      1 (seq
      3, 17)
`,
	} {
		text, err := report.Formats().Lookup("text")
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		if err := text.Write(&got, rep, report.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		_, below, _ := strings.Cut(got.String(), "\n")
		below, _, _ = strings.Cut(below, "\n1 run:")
		if diff := cmp.Diff(want, below); diff != "" {
			t.Errorf("in %d columns (-want +got)\n%s", width, diff)
		}
	}
}

func TestJSONIsOne(t *testing.T) {
	var got struct {
		Format, Verdict string
		Runs            []struct {
			Run        int
			Verdict    string
			Loop       []int
			Properties []map[string]any
		}
	}
	dec := json.NewDecoder(strings.NewReader(write(t, "json", everything(), report.Style{})))
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	// A second value would mean that each run is written by itself.
	if dec.More() || got.Format != report.JSONVersion || got.Verdict != "violated" ||
		len(got.Runs) != 3 || !slices.Equal(got.Runs[2].Loop, []int{4, 9}) {
		t.Errorf("got %+v", got)
	}
	for _, run := range got.Runs {
		if run.Properties == nil {
			t.Errorf("run %d: properties is null, expected a list", run.Run)
		}
		for _, p := range run.Properties {
			for _, key := range []string{"name", "kind", "verdict", "violations", "witness", "explanation"} {
				if p[key] == nil {
					t.Errorf("run %d, %s: no %s", run.Run, p["name"], key)
				}
			}
		}
	}
}

func TestLookup(t *testing.T) {
	last := ""
	for _, f := range report.Formats().All() {
		if f.Name <= last || f.Doc == "" || f.Write == nil {
			t.Errorf("%s: expected the order of the names, a doc and a writer", f.Name)
		}
		last = f.Name
	}
	if _, err := report.Formats().Lookup("jsom"); err == nil || !strings.Contains(err.Error(), `did you mean "json"?`) {
		t.Errorf("got %v, expected a suggestion", err)
	}
}

// failing is a writer that is full.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteError(t *testing.T) {
	for _, f := range report.Formats().All() {
		if err := f.Write(failing{}, everything(), report.Style{}); err == nil {
			t.Errorf("%s: no error of writing", f.Name)
		}
	}
}

// TestOverall: a report that lacks a run is not satisfied, and a violation stays one.
func TestOverall(t *testing.T) {
	lacking := func(verdict analyze.Verdict, set func(*report.Report)) *report.Report {
		run := otherProblem()
		run.Verdict = verdict
		r := &report.Report{Runs: inTrace("a.db", run)}
		set(r)
		return r
	}
	fails := func(r *report.Report) { r.Failures = []string{"b.db: no such file"} }
	leaves := func(r *report.Report) { r.LeftOut = []string{"a.db: run 2: damaged"} }
	empty := func(r *report.Report) {
		r.Runs = append(r.Runs, inTrace("c.db", &analyze.RunReport{Run: &tracefmt.Run{Number: 1}, Verdict: analyze.Vacuous})...)
	}
	nothing := func(*report.Report) {}
	for _, c := range []struct {
		report *report.Report
		want   analyze.Verdict
	}{
		{lacking(analyze.Satisfied, nothing), analyze.Satisfied},
		{lacking(analyze.Satisfied, fails), analyze.Unknown},
		{lacking(analyze.HoldsSoFar, leaves), analyze.Unknown},
		{lacking(analyze.Satisfied, empty), analyze.Unknown},
		{lacking(analyze.Vacuous, nothing), analyze.Vacuous},
		{lacking(analyze.Violated, fails), analyze.Violated},
		{&report.Report{Failures: []string{"b.db: no such file"}}, analyze.Unknown},
	} {
		if got := c.report.Overall(); got != c.want {
			t.Errorf("%s, %d failures: %s, want %s", c.report.Verdict(), len(c.report.Failures), got, c.want)
		}
	}
}
