package cli

import (
	"bytes"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/report"
	"etrace/record/algorithm"
	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/render/notation"
	"etrace/tracefmt/interop"
)

// A name that is taken is refused at the start, whatever the command is, and
// so is a thing without a name.
func TestTakenNames(t *testing.T) {
	for _, tt := range []struct {
		option Option
		want   string
	}{
		{Algorithms(&algorithm.Algorithm{Name: "bully"}), `two of the kind algorithm are named "bully"`},
		{Algorithms(&algorithm.Algorithm{}), `an algorithm without a name`},
		{Properties(&analyze.Property{Name: "agreement"}), `two of the kind property are named "agreement"`},
		{Formats(interop.Format{Name: "jsonl"}), `two of the kind format are named "jsonl"`},
		{Diagrams(diagram.Diagram{Name: "ring"}), `two of the kind diagram are named "ring"`},
		{Pictures(format.Format{Name: "svg"}), `two of the kind format are named "svg"`},
		{Notations(notation.Notation{Name: "svg"}), `two of the kind format are named "svg"`},
		{Reports(&report.Format{Name: "text"}), `two of the kind report format are named "text"`},
		{SuiteReports(&suite.Format{Name: "text"}), `two of the kind format of suite reports are named "text"`},
	} {
		var out, errOut bytes.Buffer
		status := Run([]string{"list", "kinds"}, strings.NewReader(""), &out, &errOut, tt.option)
		if want := "etrace: " + tt.want + "\n"; status != exitFail || errOut.String() != want || out.Len() > 0 {
			t.Errorf("exit status %d, stderr %q, stdout %q, want %d, %q and nothing", status, &errOut, &out, exitFail, want)
		}
	}
}

// What one program adds, the next does not know.
func TestOptionsOfOneRun(t *testing.T) {
	mine := Reports(&report.Format{Name: "mine"})
	for _, tt := range []struct {
		options []Option
		want    bool
	}{{[]Option{mine}, true}, {nil, false}} {
		var out, errOut bytes.Buffer
		Run([]string{"list", "reports"}, strings.NewReader(""), &out, &errOut, tt.options...)
		if got := strings.Contains(out.String(), "mine"); got != tt.want {
			t.Errorf("%d options: listed %v, want %v\n%s%s", len(tt.options), got, tt.want, &out, &errOut)
		}
	}
}
