package notation_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/render/notation"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// load reads a recording of render/testdata.
func load(t testing.TB, name string) *tracefmt.Memory {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := tracefmt.ReadMemory(f)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%s: %d runs, %v, expected one", name, len(runs), err)
	}
	return runs[0]
}

func write(t rapid.TB, name string, rec tracefmt.Recording, o story.Options) string {
	t.Helper()
	n, err := notation.Builtin().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := story.Read(context.Background(), rec, o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := n.Write(&out, s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// ETRACE_UPDATE=1 rewrites the goldens.
func TestGoldenMermaid(t *testing.T) {
	for _, name := range []string{"bully", "faults", "hostile", "loop", "partial"} {
		file := filepath.Join("testdata", name+".mermaid")
		got := write(t, "mermaid", load(t, name), story.Options{})
		if os.Getenv("ETRACE_UPDATE") == "1" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// mermaidText is text that means nothing in Mermaid's grammar, nor in HTML:
// letters, digits, a few signs, and codes of characters.
const mermaidText = `(?:[\pL\pM\pN .,()=_/·…-]|#[0-9]+;)*`

// mermaidLine is every line that there may be.
var mermaidLine = regexp.MustCompile(`^(?:sequenceDiagram|    (?:` + strings.Join([]string{
	`title ` + mermaidText, `accDescr: ` + mermaidText, `%% [0-9 ]+ events? not drawn`,
	`%% [0-9 ]+ changes? of other variables not drawn`, `participant p[0-9]+ as ` + mermaidText,
	`p[0-9]+(?:->>|-->>|-x|-\))p[0-9]+: ` + mermaidText, `Note over p[0-9]+(?:,p[0-9]+)?: ` + mermaidText,
}, "|") + `))$`)

func checkMermaid(t rapid.TB, text string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if !mermaidLine.MatchString(line) || strings.ContainsAny(line, "ﬂß") {
			t.Fatalf("this line may mean something else: %q", line)
		}
	}
}

// Names, types, payloads and titles from anywhere stay texts.
func TestHostileTextsStayTexts(t *testing.T) {
	nasty := []string{
		"end", "p1->>p2: x", "a;b", "a\nparticipant x", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "#35;",
		"#quot;", "&lt;", "%%{init: {}}%%",
		"wrap: x", "$$x$$", "ﬂ°°60¶ßb", "\u202e\u2028\x00", "`code` *b*", "[click](javascript:alert(1))",
		"@{ \"type\": \"actor\" }", "---", "\\", "\"", "",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String())
		run := tracefmt.Run{Name: text.Draw(t, "run"), Problem: text.Draw(t, "problem"), TimeUnit: tracefmt.Delays}
		for range 2 {
			run.Members = append(run.Members, tracefmt.Member{Name: text.Draw(t, "name")})
		}
		m := tracefmt.NewMemory(run)
		for _, kind := range tracefmt.Kinds() {
			e := tracefmt.Event{
				Seq: tracefmt.Seq(m.Len() + 1), Kind: kind, Process: 1, Peer: 2,
				Message: tracefmt.MessageID(m.Len() + 1), Type: text.Draw(t, "type"),
			}
			e.Payload = append(tracefmt.AppendString([]byte(`{"elected":`), text.Draw(t, "payload")), '}')
			m.Write(&e)
		}
		checkMermaid(t, write(t, "mermaid", m, story.Options{Title: text.Draw(t, "title")}))
	})
	checkMermaid(t, write(t, "mermaid", load(t, "hostile"), story.Options{}))
}

// TestMermaidSaysWhatIsMissing: of the 57 events of the run those from 14 to 30
// are in the window, and 10 of these are drawn.
func TestMermaidSaysWhatIsMissing(t *testing.T) {
	text := write(t, "mermaid", load(t, "bully"), story.Options{View: view.View{From: 14, To: 30, MaxEvents: 10}})
	for _, want := range []string{"Note over p5,p8: events 14 to 26 of 57#59; 7 events not shown", "%% 7 events not drawn\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the text:\n%s", want, text)
		}
	}
	if n := strings.Count(text, ">>"); n > 10 {
		t.Errorf("%d arrows, expected 10 at most", n)
	}
}

// TestMermaidFates: a message that is lost has a cross, one that is in flight
// when the window ends an open arrow, a duplicate dashes.
func TestMermaidFates(t *testing.T) {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a", Position: 2}, {Name: "b", Position: 1}}}
	m := tracefmt.NewMemory(run)
	event := func(kind tracefmt.Kind, process, peer tracefmt.ProcessID, message tracefmt.MessageID, payload string) {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(m.Len() + 1), Kind: kind, Process: process, Peer: peer, Message: message,
			Type: "m", Payload: []byte(payload),
		})
	}
	for message := range tracefmt.MessageID(4) {
		event(tracefmt.Send, 1, 2, message+1, `{"id":`+string(rune('0'+message))+`}`)
	}
	event(tracefmt.Receive, 2, 1, 1, `{"id":0}`)
	event(tracefmt.Receive, 2, 1, 1, `{"id":0}`)
	event(tracefmt.Lose, 2, 1, 2, `{"reason":"partitioned"}`)
	event(tracefmt.Lose, 2, 1, 3, `{"reason":"receiver crashed"}`)
	text := write(t, "mermaid", m, story.Options{Title: "fates"})
	_, got, _ := strings.Cut(text, "participant p2 as b\n    participant p1 as a\n")
	want := `    p1-)p2: m(3)
    p1->>p2: m(0)
    p1-->>p2: m(0) once more
    p1-xp2: m#58; partitioned
    p1-xp2: m
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

func TestMermaidMarksNothing(t *testing.T) {
	s, err := story.Read(t.Context(), load(t, "bully"), story.Options{Witness: []tracefmt.Seq{3}})
	if err != nil {
		t.Fatal(err)
	}
	mermaid, err := notation.Builtin().Lookup("mermaid")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = mermaid.Write(&out, s)
	if want := "events and cuts cannot be marked, expected svg, png or pdf for that"; err == nil || err.Error() != want || out.Len() > 0 {
		t.Errorf("got %v and %d bytes, want %s", err, out.Len(), want)
	}
}

// TestMermaidStaysSmall: the text of a long run stays within the limit of Mermaid, and counts the hidden events.
func TestMermaidStaysSmall(t *testing.T) {
	members := []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: members})
	for i := range 3000 {
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.Note, Process: 1, Type: "note"})
	}
	m.Finish(tracefmt.Stopped)
	text := write(t, "mermaid", m, story.Options{})
	shown := strings.Count(text, "Note over p1: ")
	if want := fmt.Sprintf("Note over p1,p2: %d events not shown", 3000-shown); len(text) > 50_000 || !strings.Contains(text, want) {
		t.Errorf("%d bytes with %d notes, expected at most 50,000 and %q", len(text), shown, want)
	}
}

// TestMermaidLossToHidden: a message that is lost on the way to a hidden process is there, and named lost.
func TestMermaidLossToHidden(t *testing.T) {
	m := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "M", Message: 1})
	m.Write(&tracefmt.Event{Seq: 2, Kind: tracefmt.Lose, Process: 2, Peer: 1, Type: "M", Message: 1, Cause: 1})
	m.Finish(tracefmt.Stopped)
	text := write(t, "mermaid", m, story.Options{View: view.View{Processes: []bool{false, true, false}}})
	if want := "Note over p1: M (lost) to b\n"; !strings.Contains(text, want) {
		t.Errorf("%q is not in the text:\n%s", want, text)
	}
}
