package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/lint"
	"etrace/analyze/report"
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/render/notation"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/formats"
	"etrace/tracefmt/interop/mapping"

	"etrace/fixtures/size"
)

// The start fails for a name that is taken, whatever the command is, for a thing without a name, and for a
// thing without an effect.
func TestRefused(t *testing.T) {
	protocol := func(algorithm.Values) *sim.Protocol { return &sim.Protocol{} }
	jsonl, err := formats.Builtin().Lookup("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	monitor := func(*tracefmt.Run) analyze.Monitor { return nil }
	write := func(io.Writer, *report.Report, report.Style) error { return nil }
	for _, tt := range []struct {
		option Option
		want   string
	}{
		{Algorithms(&algorithm.Algorithm{Name: "bully", New: protocol}), `two of the kind algorithm are named "bully"`},
		{Algorithms(&algorithm.Algorithm{New: protocol}), `an algorithm without a name`},
		{Algorithms(&algorithm.Algorithm{Name: "a"}), `algorithm "a": expected a function New`},
		{
			Algorithms(&algorithm.Algorithm{Name: "a", New: protocol, Params: []algorithm.Param{{Name: "p", Time: true, Default: "x"}}}),
			`algorithm "a": p "x": expected a time above 0`,
		},
		{Properties(&analyze.Property{Name: "agreement", New: monitor}), `two of the kind property are named "agreement"`},
		{Properties(&analyze.Property{Name: "p"}), `property "p": expected one of the functions New and Bind`},
		{Formats(interop.Format{Name: "jsonl", Write: jsonl.Write}), `two of the kind format are named "jsonl"`},
		{Formats(interop.Format{Name: "f"}), `format "f": expected a function Read or Write`},
		{
			Formats(interop.Format{Name: "f", Write: jsonl.Write, WriteOptions: []interop.Option{{Name: "output", Arg: "A", Doc: "d"}}}),
			`format f: the option output is a flag of import or export, expected another name`,
		},
		{Diagrams(diagram.Diagram{Name: "d"}), `diagram "d": expected a function Build`},
		{Pictures(format.Format{Name: "p"}), `format "p": expected a function Write`},
		{Notations(notation.Notation{Name: "n"}), `format "n": expected a function Write`},
		{Reports(&report.Format{Name: "text", Write: write}), `two of the kind report format are named "text"`},
		{Reports(&report.Format{Name: "r"}), `report format "r": expected a function Write`},
		{
			LintRules(&lint.Rule{Name: "gap", Severity: lint.Note, Property: &analyze.Property{New: monitor}}),
			`two of the kind lint rule are named "gap"`,
		},
		{LintRules(&lint.Rule{Name: "r"}), `lint rule "r": expected a Property with a function New`},
		{
			LintRules(&lint.Rule{Name: "r", Severity: "grave", Property: &analyze.Property{New: monitor}}),
			`lint rule "r": unknown severity "grave" (known: error, warning, note)`,
		},
		{Maps(&mapping.Map{Name: "m"}), `map "m": expected one that Parse or Load has read`},
		{StatsReports(&complexity.Format{Name: "c"}), `format of message counts "c": expected a function Write`},
		{SuiteReports(&suite.Format{Name: "s"}), `format of suite reports "s": expected a function Write`},
	} {
		var out, errOut bytes.Buffer
		status := Run([]string{"list", "kinds"}, strings.NewReader(""), &out, &errOut, tt.option)
		if want := "etrace: " + tt.want + "\n"; status != exitFail || errOut.String() != want || out.Len() > 0 {
			t.Errorf("exit status %d, stderr %q, stdout %q, want %d, %q and nothing", status, &errOut, &out, exitFail, want)
		}
	}
}

// TestWrittenTwice: what a registered format wrote it may write again, by whatever
// mark that is known (see CONTRIBUTING.md); a trace, which a format is that gives
// everything back, it may not.
func TestWrittenTwice(t *testing.T) {
	size.SkipQuick(t)
	t.Chdir(t.TempDir())
	quietly(t, "record", "-q")
	mustWrite(t, "suite.yaml", jsonSuite)
	known, err := knownWith()
	if err != nil {
		t.Fatal(err)
	}
	twice := func(want int, args ...string) {
		t.Helper()
		for range 2 {
			var errOut bytes.Buffer
			if status := Run(args, strings.NewReader(""), io.Discard, &errOut); status != want && status != exitOK {
				t.Errorf("%q: %s", args, errOut.String())
			}
		}
	}
	for _, name := range known.Pictures.Names() {
		twice(exitOK, "render", "--format", name, "-o", "picture-"+name)
	}
	for _, name := range known.SuiteReports.Names() {
		twice(exitBad, "suite", "suite.yaml", "--format", name, "-o", "report-"+name)
	}
	for _, f := range interop.Writable(known.Formats) {
		args := []string{"export", "--to", f.Name, "-o", "export-" + f.Name}
		if f.Returns != interop.Everything {
			twice(exitOK, args...)
			continue
		}
		quietly(t, args...)
		if status := Run(args, strings.NewReader(""), io.Discard, io.Discard); status != exitFail {
			t.Errorf("%q a second time: exit status %d, want %d: a trace is never overwritten", args, status, exitFail)
		}
	}
}

// An option of one program does not change the next program.
func TestOptionsOfOneRun(t *testing.T) {
	custom := Reports(&report.Format{Name: "mine", Write: func(io.Writer, *report.Report, report.Style) error { return nil }})
	for _, tt := range []struct {
		options []Option
		want    bool
	}{{[]Option{custom}, true}, {nil, false}} {
		var out, errOut bytes.Buffer
		Run([]string{"list", "reports"}, strings.NewReader(""), &out, &errOut, tt.options...)
		if got := strings.Contains(out.String(), "mine"); got != tt.want {
			t.Errorf("%d options: listed %v, want %v\n%s%s", len(tt.options), got, tt.want, &out, &errOut)
		}
	}
}

// TestFlagsOfFiles: the list of reserved names for options of formats contains every flag of import and
// export.
func TestFlagsOfFiles(t *testing.T) {
	a := newApp(t)
	for name, options := range map[string]func(interop.Registry) ([]interop.SharedOption, error){
		"import": interop.OptionsToRead, "export": interop.OptionsToWrite,
	} {
		ofFormats, err := options(a.Formats)
		if err != nil {
			t.Fatal(err)
		}
		cmd, _, err := a.root().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			isOption := slices.ContainsFunc(ofFormats, func(o interop.SharedOption) bool { return o.Name == f.Name })
			if !isOption && !slices.Contains(flagsOfFiles, f.Name) {
				t.Errorf("%s has the flag --%s, which an option of a format may be named like, too", name, f.Name)
			}
		})
	}
}

// TestFlagsOfSpark: cmd/etrace-spark passes on every flag of plan and of merge, except the flags that it sets
// itself and the flags that no check of shards has.
func TestFlagsOfSpark(t *testing.T) {
	program, err := os.ReadFile("../../etrace-spark/etrace_spark/__main__.py")
	if err != nil {
		t.Fatal(err)
	}
	a := newApp(t)
	for name, excluded := range map[string][]string{
		"plan":  {"output", "force", "shards", "for", "estimate", "json"},
		"merge": slices.Concat(findingsFlags, []string{"output", "force", "plan", "trace", "partial", "all"}),
	} {
		list := regexp.MustCompile(`(?m)^` + strings.ToUpper(name) + ` = "(.*)"$`).FindSubmatch(program)
		if list == nil {
			t.Fatalf("no list of the flags of %s in the program", name)
		}
		var passed, want []string
		for _, flag := range regexp.MustCompile(`--([a-z-]+)`).FindAllSubmatch(list[1], -1) {
			if string(flag[1]) != "quiet" {
				passed = append(passed, string(flag[1]))
			}
		}
		cmd, _, err := a.root().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(excluded, f.Name) && f.Name != "help" {
				want = append(want, f.Name)
			}
		})
		slices.Sort(passed)
		slices.Sort(want)
		if !slices.Equal(passed, want) {
			t.Errorf("of %s the program passes on %q, expected %q", name, passed, want)
		}
	}
}
