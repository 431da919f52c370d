package render_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/render"
	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/render/view"
	"etrace/tracefmt"
)

func draw(t testing.TB, rec tracefmt.Recording, o render.Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := render.Render(context.Background(), &out, rec, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// The DOT text describes all of a drawing, and it is the same on every machine.
// ETRACE_UPDATE=1 rewrites the goldens.
func TestGoldenDOT(t *testing.T) {
	for _, name := range recordings {
		for _, d := range diagram.Builtin().All() {
			// The recording of a diagram that shows few events of others.
			single := map[string]string{"history": "operations", "overview": "faults"}[d.Name]
			if (single != "" || name == "operations") && single != name {
				continue
			}
			file := filepath.Join("testdata", name+"."+d.Name+".dot")
			got := draw(t, load(t, name), render.Options{Diagram: d.Name, Format: "dot"})
			if again := draw(t, load(t, name), render.Options{Diagram: d.Name, Format: "dot"}); again != got {
				t.Errorf("%s: two renderings of the same run differ:\n%s", file, cmp.Diff(got, again))
			}
			golden(t, file, got)
		}
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("ETRACE_UPDATE") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// marked are pictures about some of the events of a run.
var marked = map[string]struct {
	recording string
	options   render.Options
}{
	"two-leaders.witness": {"two-leaders", render.Options{
		Caption: "single-leader is violated", Highlight: []tracefmt.Seq{3, 4, 6, 8, 9, 13, 16, 17, 18, 19}, Witness: []tracefmt.Seq{17, 19},
	}},
	"loop.witness": {"loop", render.Options{
		Highlight: []tracefmt.Seq{3, 4, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17}, Witness: []tracefmt.Seq{14, 16},
	}},
	"bully.cut": {"bully", render.Options{Cut: []tracefmt.Seq{1, 2, 3, 4, 33, 37, 38}}},
}

func TestGoldenWitness(t *testing.T) {
	for name, tt := range marked {
		tt.options.Format = "dot"
		golden(t, filepath.Join("testdata", name+".dot"), draw(t, load(t, tt.recording), tt.options))
		tt.options.Format = "svg"
		parseSVG(t, draw(t, load(t, tt.recording), tt.options))
	}
}

// svgDoc is what the tests look at in an SVG.
type svgDoc struct {
	role, labelledBy string
	title, desc      string
	tips             []string
	texts            []string
}

// parseSVG reads the whole document, which must be well-formed, and makes sure
// that nothing in it can act.
func parseSVG(t testing.TB, svg string) svgDoc {
	t.Helper()
	var doc svgDoc
	d := xml.NewDecoder(strings.NewReader(svg))
	d.Strict = true
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return doc
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			open = append(open, token.Name.Local)
			checkElement(t, token)
			doc.attributes(token, len(open))
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			doc.text(open, string(token))
		}
	}
}

var harmless = regexp.MustCompile(`^(svg|g|title|desc|polygon|polyline|path|ellipse|text)$`)

func checkElement(t testing.TB, e xml.StartElement) {
	t.Helper()
	if !harmless.MatchString(e.Name.Local) {
		t.Errorf("element <%s> in the drawing", e.Name.Local)
	}
	for _, a := range e.Attr {
		if name := strings.ToLower(a.Name.Local); name == "href" || strings.HasPrefix(name, "on") ||
			strings.Contains(strings.ToLower(a.Value), "javascript") {
			t.Errorf("attribute %s=%q in the drawing", a.Name.Local, a.Value)
		}
	}
}

func (doc *svgDoc) attributes(e xml.StartElement, depth int) {
	if depth != 1 {
		return
	}
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "role":
			doc.role = a.Value
		case "aria-labelledby":
			doc.labelledBy = a.Value
		}
	}
}

func (doc *svgDoc) text(open []string, text string) {
	switch strings.Join(open, " ") {
	case "svg title":
		doc.title += text
	case "svg desc":
		doc.desc += text
	default:
		if n := len(open); n > 0 && open[n-1] == "text" {
			doc.texts = append(doc.texts, text)
		} else if n > 0 && open[n-1] == "title" {
			doc.tips = append(doc.tips, text)
		}
	}
}

func TestSVGTellsWhatItShows(t *testing.T) {
	doc := parseSVG(t, draw(t, load(t, "bully"), render.Options{}))
	want := svgDoc{
		role: "img", labelledBy: "etrace-title etrace-desc",
		title: "bully: election among 8 processes",
		desc: "A sequence diagram of 8 processes: 0, 1, 2, 3, 4, 5, 6 and 7. Down from the start: 7. 1 suspicion. " +
			"15 messages: 6 ELECTION, 3 OK, 6 COORDINATOR. 3 lost at receivers that are down. Down at the end: 7. " +
			"At the end 6 is elected. The run ends quiescent: nothing can happen any more.",
	}
	doc.tips, doc.texts = nil, nil
	if diff := cmp.Diff(want, doc, cmp.AllowUnexported(svgDoc{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSVGHasTips(t *testing.T) {
	doc := parseSVG(t, draw(t, load(t, "bully"), render.Options{}))
	for _, want := range []string{
		"ELECTION from 4 to 5: sent at t = 0 (event 11), received at t = 1 (event 15)",
		"ELECTION from 4 to 7: sent at t = 0 (event 13), lost at t = 1 (event 26) because the receiver is down",
		"t = 4, event 38: process 6, timeout, answer timeout",
	} {
		found := false
		for _, tip := range doc.tips {
			found = found || tip == want
		}
		if !found {
			t.Errorf("no tip %q", want)
		}
	}
}

func TestEveryPictureIsWellFormed(t *testing.T) {
	for _, name := range recordings {
		for _, d := range diagram.Builtin().All() {
			t.Run(name+"/"+d.Name, func(t *testing.T) {
				doc := parseSVG(t, draw(t, load(t, name), render.Options{Diagram: d.Name}))
				if doc.title == "" || doc.desc == "" || len(doc.texts) == 0 {
					t.Errorf("title %q, desc %q, %d texts", doc.title, doc.desc, len(doc.texts))
				}
			})
		}
	}
}

func TestHostileNamesStayNames(t *testing.T) {
	svg := draw(t, load(t, "hostile"), render.Options{})
	doc := parseSVG(t, svg)
	list := strings.Join(doc.texts, "\n")
	for _, want := range []string{`"quoted" \N \G`, `a&b &lt;c&gt; &`, `<script>alert(1`, "new\uFFFDline\uFFFDtab", `];x->y [URL="ja`} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in the picture:\n%s", want, list)
		}
	}
	for _, bad := range []string{"\u202e", "\u2066", "\x00", "<script"} {
		if strings.Contains(svg, bad) {
			t.Errorf("the SVG contains %q", bad)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	for _, c := range []struct {
		o    render.Options
		want string
	}{
		{render.Options{Diagram: "rong"}, `render: unknown diagram "rong", did you mean "ring"?`},
		{render.Options{Format: "gif"}, `render: unknown format "gif"`},
		{
			render.Options{Diagram: "ring", Witness: []tracefmt.Seq{1}},
			`render: ring diagram: events cannot be marked, expected history or sequence`,
		},
		{render.Options{Select: view.Selection{From: "9", To: "3"}}, `render: sequence diagram: the window begins at 9, after its end at 3`},
		{render.Options{Select: view.Selection{From: "-1"}}, `render: sequence diagram: from "-1": expected the seq of an event, from 1 on`},
		{render.Options{Select: view.Selection{To: "-1"}}, `render: sequence diagram: to "-1": expected the seq of an event, from 1 on`},
		{render.Options{Select: view.Selection{From: "1000"}}, `render: sequence diagram: the window begins at 1000, but the run has 57 events`},
		{
			render.Options{Select: view.Selection{From: "58"}, Format: "mermaid"},
			`render: sequence diagram: the window begins at 58, but the run has 57 events`,
		},
		{
			render.Options{Select: view.Selection{MaxEvents: 1e9}},
			`render: at most 1000000000 events are to be drawn, expected 1 to 50000, or 0 for the default`,
		},
	} {
		var out bytes.Buffer
		err := render.Render(context.Background(), &out, load(t, "bully"), c.o)
		message, _, _ := strings.Cut(fmt.Sprint(err), " (known: ") // further diagrams change nothing here
		if message != c.want {
			t.Errorf("%+v: error %v, want %s", c.o, err, c.want)
		}
		if out.Len() > 0 {
			t.Errorf("%+v: %d bytes were written", c.o, out.Len())
		}
	}
}

func TestAWindowSaysWhatIsMissing(t *testing.T) {
	for _, d := range diagram.Builtin().All() {
		doc := parseSVG(t, draw(t, load(t, "bully"), render.Options{Select: view.Selection{From: "14", To: "30"}, Diagram: d.Name}))
		if !strings.Contains(strings.Join(doc.texts, "\n"), "events 14 to 30 of 57") {
			t.Errorf("%s: the picture does not say that it shows a part: %q", d.Name, doc.texts)
		}
	}
	svg := draw(t, load(t, "bully"), render.Options{Select: view.Selection{MaxEvents: 20}})
	if want := "events not shown (use --from/--to)"; !strings.Contains(svg, want) {
		t.Errorf("the picture does not say %q", want)
	}
}

func TestOddRuns(t *testing.T) {
	empty := tracefmt.Run{TimeUnit: tracefmt.Delays, End: tracefmt.Open}
	first := empty
	first.Members = members(1)
	two := empty
	two.Members = members(2)
	two.TimeUnit = tracefmt.Logical
	for name, rec := range map[string]*tracefmt.Memory{
		"no process": tracefmt.NewMemory(empty), "one process": tracefmt.NewMemory(first), "no event": tracefmt.NewMemory(two),
		"many processes": storm(120, 300), "a storm": storm(5, 700),
	} {
		for _, d := range diagram.Builtin().All() {
			t.Run(name+"/"+d.Name, func(t *testing.T) {
				parseSVG(t, draw(t, rec, render.Options{Diagram: d.Name}))
			})
		}
	}
}

func TestWindowBeyondTheRun(t *testing.T) {
	parseSVG(t, draw(t, load(t, "bully"), render.Options{Select: view.Selection{From: "57", To: "5000"}}))
}

// Registries are what the command line and its documentation derive from.
func TestAll(t *testing.T) {
	last := ""
	for _, d := range diagram.Builtin().All() {
		if d.Name <= last || d.Doc == "" || d.Build == nil {
			t.Errorf("diagram %q after %q: %q", d.Name, last, d.Doc)
		}
		last = d.Name
	}
	last = ""
	for _, f := range format.Builtin().All() {
		if f.Name <= last || f.Doc == "" || f.Write == nil {
			t.Errorf("format %q after %q: %q", f.Name, last, f.Doc)
		}
		last = f.Name
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := render.Render(ctx, io.Discard, load(t, "bully"), render.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// A run of an unknown problem, such as one from a foreign log, is titled by
// its name alone.
func TestTitleOfARunWithoutAProblem(t *testing.T) {
	rec := load(t, "bully")
	rec.Run().Name, rec.Run().Problem = "Some events differ", ""
	doc := parseSVG(t, draw(t, rec, render.Options{}))
	if want := "Some events differ: 8 processes"; !strings.Contains(strings.Join(doc.texts, "\n"), want) {
		t.Errorf("the picture is not titled %q: %q", want, doc.texts)
	}
}

// TestHiddenLeader: a process that is not shown is named where another one elects it.
func TestHiddenLeader(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(`{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"time":0,"process":"a","kind":"state","payload":{"elected":"b"}}
`))
	if err != nil {
		t.Fatal(err)
	}
	picture := draw(t, runs[0], render.Options{Select: view.Selection{Processes: []string{"a"}}})
	if !strings.Contains(picture, ">elected = b</text>") {
		t.Errorf("the picture does not name b, which a elects:\n%s", picture)
	}
}
