package report_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// styles are the only styles that change a report for machines.
var styles = []report.Style{{}, {AllowOpen: true}, {Quiet: true}}

// TestSARIFIsValid compares the reports with the schema of SARIF 2.1.0, which
// OASIS publishes at the address that is in the file as its id. The file
// was taken from github.com/owenrumney/go-sarif/v3, which is in the public domain.
func TestSARIFIsValid(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range styles {
		for _, r := range []*report.Report{everything(), severalTraces(), {Tool: "etrace"}, {Traces: []string{"/a b/ä.db"}, Tool: "etrace 1"}} {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(write(t, "sarif", r, s)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Error(err)
			}
		}
	}
	if err := schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"tool": 1}}}); err == nil {
		t.Error("the schema accepts a tool that is a number: it checks nothing")
	}
}

// TestSARIFRules: each result names its rule twice, by name and by place.
func TestSARIFRules(t *testing.T) {
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
			}
		}
	}
	if err := json.Unmarshal([]byte(write(t, "sarif", everything(), report.Style{})), &log); err != nil {
		t.Fatal(err)
	}
	var levels []string
	for _, result := range log.Runs[0].Results {
		levels = append(levels, result.Level)
		if rule := log.Runs[0].Tool.Driver.Rules[result.RuleIndex]; rule.ID != result.RuleID {
			t.Errorf("the result of %s points at the rule %s", result.RuleID, rule.ID)
		}
	}
	// Two violated, one pending, one unknown; what holds or does not apply is no result.
	if diff := cmp.Diff([]string{"error", "error", "warning", "warning"}, levels); diff != "" {
		t.Errorf("levels (-want +got)\n%s", diff)
	}
}

// TestFingerprints: a result is known again when runs are added before it,
// and distinguished from the result of another seed or property.
func TestFingerprints(t *testing.T) {
	first, two := int64(1), int64(2)
	printOf := func(number int, seed *int64, scenario, name string) string {
		run := &tracefmt.Run{Number: number, Seed: seed}
		if scenario != "" {
			run.Scenario = []byte(scenario)
		}
		text := write(t, "sarif", &report.Report{Runs: inTrace("", &analyze.RunReport{Run: run, Results: []*analyze.Result{
			{Property: property(name, analyze.Safety), Verdict: analyze.Violated, Violations: 1},
		}})}, report.Style{})
		return regexp.MustCompile(`"etraceRunAndProperty/v1": "(.*)"`).FindStringSubmatch(text)[1]
	}
	base := printOf(1, &first, "{}", "p")
	if printOf(7, &first, "{}", "p") != base {
		t.Error("the fingerprint hangs on the place of the run in its trace")
	}
	for change, fingerprint := range map[string]string{
		"seed": printOf(1, &two, "{}", "p"), "scenario": printOf(1, &first, `{"n":1}`, "p"), "property": printOf(1, &first, "{}", "q"),
	} {
		if fingerprint == base {
			t.Errorf("another %s, the same fingerprint", change)
		}
	}
	if printOf(1, nil, "", "p") == printOf(2, nil, "", "p") {
		t.Error("two runs without a scenario have one fingerprint")
	}
}

// TestJUnitCounts: a report is red, that is, has failures or errors, exactly
// if the exit status of the check is not zero.
func TestJUnitCounts(t *testing.T) {
	type counts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	// Run 1: one satisfied, one vacuous. Run 2: two violated, a pending, a
	// holding, an unknown and a not applicable result.
	for _, tt := range []struct {
		style report.Style
		want  counts
	}{
		{report.Style{}, counts{8, 2, 2, 2}},
		{report.Style{AllowOpen: true}, counts{8, 2, 0, 4}},
	} {
		var got counts
		if err := xml.Unmarshal([]byte(write(t, "junit", everything(), tt.style)), &got); err != nil {
			t.Fatal(err)
		}
		if got != tt.want {
			t.Errorf("%+v: got %+v, want %+v", tt.style, got, tt.want)
		}
	}
}

// TestJUnitIsXML: XML 1.0 forbids most control characters, even escaped.
func TestJUnitIsXML(t *testing.T) {
	dec := xml.NewDecoder(strings.NewReader(write(t, "junit", everything(), report.Style{})))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		switch token := token.(type) {
		case xml.CharData:
			texts = append(texts, string(token))
		case xml.StartElement:
			for _, a := range token.Attr {
				texts = append(texts, a.Value)
			}
		}
		for _, r := range strings.Join(texts, "") {
			if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
				t.Errorf("the report holds %U", r)
			}
		}
	}
}

// TestGitHubCommands: each line is one command, whatever names and texts hold.
func TestGitHubCommands(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning|notice) file=[^:,]*,title=[^:,]*::[^\r\n]*$`)
	var got []string
	for line := range strings.Lines(write(t, "github", everything(), report.Style{})) {
		m := command.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			t.Errorf("%q is no workflow command", line)
			continue
		}
		got = append(got, m[1])
	}
	if diff := cmp.Diff([]string{"warning", "notice", "error", "error", "warning", "warning"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestSARIFNamesDamage: what could not be examined or was left out is there with its file, and the run if one is named.
func TestSARIFNamesDamage(t *testing.T) {
	var log struct {
		Runs []struct {
			Invocations []struct {
				Notifications []struct {
					Message   struct{ Text string }
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
						LogicalLocations []struct{ Name string }
					}
				} `json:"toolExecutionNotifications"`
			}
		}
	}
	if err := json.Unmarshal([]byte(write(t, "sarif", severalTraces(), report.Style{})), &log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, note := range log.Runs[0].Invocations[0].Notifications {
		if !strings.HasPrefix(note.Message.Text, "not examined: ") && !strings.HasPrefix(note.Message.Text, "left out: ") {
			continue
		}
		place := note.Locations[0].PhysicalLocation.ArtifactLocation.URI
		for _, logical := range note.Locations[0].LogicalLocations {
			place += " " + logical.Name
		}
		got = append(got, place)
	}
	if diff := cmp.Diff([]string{"none.db", "other.db run 2", "other.db run 5"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
