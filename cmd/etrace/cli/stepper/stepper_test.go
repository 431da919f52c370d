package stepper

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// records is where the runs of the failure scenarios are.
var records = filepath.Join("..", "..", "..", "..", "fixtures", "scenarios", "records")

func load(tb testing.TB, path string) *tracefmt.Memory {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return decode(tb, text)
}

func decode(tb testing.TB, text []byte) *tracefmt.Memory {
	tb.Helper()
	runs, err := tracefmt.ReadMemory(bytes.NewReader(text))
	if err != nil || len(runs) != 1 {
		tb.Fatalf("%d runs, %v, expected one", len(runs), err)
	}
	return runs[0]
}

// examined returns properties; some runs violate some of them.
func examined(tb testing.TB) []*analyze.Property {
	tb.Helper()
	list, err := property.Builtin().Named("agreement", "election-liveness", "fifo", "mutual-exclusion", "single-leader")
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// session runs a model as the framework does, but without delays: background work ends before the next
// message.
type session struct {
	tb   testing.TB
	m    *model
	quit bool
}

func newSession(tb testing.TB, rec tracefmt.Recording, width, height int) *session {
	tb.Helper()
	m, err := newModel(rec, Options{Properties: examined(tb), Color: true})
	if err != nil {
		tb.Fatal(err)
	}
	s := &session{tb: tb, m: m}
	s.send(tea.WindowSizeMsg{Width: width, Height: height})
	return s
}

func (s *session) send(msg tea.Msg) {
	for msg != nil && !s.quit {
		_, cmd := s.m.Update(msg)
		msg = nil
		if cmd != nil {
			msg = cmd()
		}
		_, s.quit = msg.(tea.QuitMsg)
	}
}

// named are the keys that have a name; all others are characters.
var named = map[string]tea.KeyPressMsg{
	"right": {Code: tea.KeyRight}, "left": {Code: tea.KeyLeft}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "backspace": {Code: tea.KeyBackspace},
	"space": {Code: ' ', Text: " "}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl},
}

// press presses a key by its name, or types a text.
func (s *session) press(key string) {
	if k, ok := named[key]; ok {
		s.send(k)
		return
	}
	for _, r := range key {
		s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// frame is the screen without looks.
func (s *session) frame() string {
	var b strings.Builder
	for line := range strings.Lines(s.m.screen.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// looks lists each stretch of the screen with that look.
func (s *session) looks(l look) string {
	var list []string
	for y := range s.m.screen.height {
		text := ""
		for x := range s.m.screen.width + 1 {
			at := s.m.screen.at(x, y)
			if at != nil && at.look == l {
				text += at.text
			} else if text != "" {
				list, text = append(list, text), ""
			}
		}
	}
	return strings.Join(list, "\n") + "\n"
}

// TestScripts runs the sessions of testdata. Directives:
//
//	open    opens a run, a record of fixtures/scenarios or the JSON Lines
//	        below, on a screen of width x height
//	press   presses the keys below, a line each: a name such as right or
//	        enter, or characters; then shows the screen
//	looks   lists what has the look "changed" or "broken"
//	resize  makes the screen another size
//
// ETRACE_UPDATE=1 writes the outputs anew: look at every one of them then.
func TestScripts(t *testing.T) {
	if os.Getenv("ETRACE_UPDATE") == "1" {
		if err := flag.Set("rewrite", "true"); err != nil {
			t.Fatal(err)
		}
	}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *session
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "open":
				s = open(t, d)
			case "press":
				for key := range strings.Lines(d.Input) {
					s.press(strings.TrimSuffix(key, "\n"))
				}
			case "resize":
				width, height := size(t, d)
				s.send(tea.WindowSizeMsg{Width: width, Height: height})
			case "looks":
				return s.looks(map[string]look{"changed": changed, "broken": broken}[d.CmdArgs[0].Key])
			default:
				d.Fatalf(t, "unknown directive %s", d.Cmd)
			}
			if s.quit {
				return "quits\n"
			}
			return s.frame()
		})
	})
}

func open(t *testing.T, d *datadriven.TestData) *session {
	t.Helper()
	width, height := size(t, d)
	if d.HasArg("record") {
		var name string
		d.ScanArgs(t, "record", &name)
		return newSession(t, load(t, filepath.Join(records, name+".jsonl")), width, height)
	}
	return newSession(t, decode(t, []byte(d.Input+"\n")), width, height)
}

func size(t *testing.T, d *datadriven.TestData) (width, height int) {
	t.Helper()
	d.ScanArgs(t, "width", &width)
	d.ScanArgs(t, "height", &height)
	return width, height
}

// hostile is a run of names that terminals would obey, of wide and combining
// characters, and of long texts.
func hostile(tb testing.TB) *tracefmt.Memory {
	tb.Helper()
	mem := tracefmt.NewMemory(tracefmt.Run{
		Number: 1, Name: "\x1b[31mred 日本語", TimeUnit: tracefmt.Nanoseconds,
		Members: []tracefmt.Member{
			{Name: "\x1b]0;owned\a"},
			{Name: "日本"},
			{Name: "e\u0301\u0301\u0301"},
			{Name: strings.Repeat("long", 50)},
			{Name: "🙂"},
		},
	})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Start, Process: 1, Payload: []byte("{\"elected\":\"日本\",\"\x1b[2J\":\"\\u001b[2J\"}")},
		{Kind: tracefmt.Send, Process: 1, Peer: 5, Type: "\x1b[2J全角", Message: 1},
		{Kind: tracefmt.Send, Process: 2, Peer: 2, Type: strings.Repeat("全", 100), Message: 2},
		{Kind: tracefmt.Receive, Process: 5, Peer: 1, Type: "\x1b[2J全角", Message: 1, Cause: 2},
		{Kind: tracefmt.Lose, Process: 2, Peer: 99, Message: 9},
		{Kind: tracefmt.State, Process: 99, Payload: []byte("not JSON")},
		{Kind: tracefmt.State, Process: 3, Payload: []byte(`{"a":1,"b":[[[{"c":"` + strings.Repeat("x", 500) + `"}]]]}`)},
		{Kind: tracefmt.Partition, Payload: []byte(`{"groups":[["日本"],["\u001b[2J"]]}`)},
		{Kind: tracefmt.SetTimer, Process: 4, Type: "\r\n\t", Payload: []byte(`{"due":1700000000123456789}`)},
		{Kind: tracefmt.Note, Process: 4, Type: "\u202eevil"},
		{Kind: tracefmt.Kind(77), Process: 4},
		{Kind: tracefmt.Crash, Process: 5},
		{Kind: tracefmt.Recover, Process: 5, Peer: -3},
		{Kind: tracefmt.Receive, Process: 0, Peer: 0},
	} {
		e.Seq, e.Time = tracefmt.Seq(i+1), tracefmt.Time(1700000000123456789+i)
		if err := mem.Write(&e); err != nil {
			tb.Fatal(err)
		}
	}
	mem.Finish(tracefmt.Stopped)
	return mem
}

// TestScreenStaysWhole: for every run, size and key, a screen keeps its lines and each line its columns, and
// the terminal gets only text.
func TestScreenStaysWhole(t *testing.T) {
	runs := []*tracefmt.Memory{
		hostile(t), load(t, filepath.Join(records, "lecture-bully.jsonl")), load(t, filepath.Join(records, "f16-bully-final-split.jsonl")),
		tracefmt.NewMemory(tracefmt.Run{}),
		many(t),
	}
	keys := []string{
		"?", "q", "/", "g", "t", "esc", "enter", "backspace", "crash", "state elected@", "3", "=", "\"", "全",
		"\x1b", "-1", "99999999999999999999",
	}
	for _, b := range bindings() {
		keys = append(keys, b.keys...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		run := rapid.SampledFrom(runs).Draw(rt, "run")
		dimension := rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(13, 130))
		s := newSession(t, run, dimension.Draw(rt, "width"), dimension.Draw(rt, "height"))
		for range rapid.IntRange(1, 25).Draw(rt, "keys") {
			s.quit = false
			s.press(rapid.SampledFrom(keys).Draw(rt, "key"))
			if rapid.IntRange(0, 9).Draw(rt, "resize") == 0 {
				s.send(tea.WindowSizeMsg{Width: dimension.Draw(rt, "width"), Height: dimension.Draw(rt, "height")})
			}
			checkScreen(rt, s.m)
		}
	})
}

var (
	graphicRendition = regexp.MustCompile("\x1b\\[[0-9;]*m")
	colour           = regexp.MustCompile("\x1b\\[[0-9;]*3[0-9][;m]")
)

func checkScreen(t *rapid.T, m *model) {
	content := m.View().Content
	lines := strings.Split(content, "\n")
	if m.screen.height > 0 && len(lines) != m.screen.height {
		t.Fatalf("%d lines, want %d", len(lines), m.screen.height)
	}
	for i, line := range lines {
		plain := ansi.Strip(line)
		if w := ansi.StringWidthWc(plain); w != m.screen.width && m.screen.height > 0 {
			t.Fatalf("line %d has %d columns, want %d: %q", i, w, m.screen.width, plain)
		}
		if plain != text.Printable(plain) {
			t.Fatalf("line %d is not harmless: %q", i, plain)
		}
		if stripped := graphicRendition.ReplaceAllString(line, ""); stripped != plain {
			t.Fatalf("line %d has other commands than looks: %q", i, line)
		}
	}
}

// many is a run of 200 processes; each process sends to the next.
func many(tb testing.TB) *tracefmt.Memory {
	tb.Helper()
	const n = 200
	run := tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("p", i+1)})
	}
	mem := tracefmt.NewMemory(run)
	for i := range n {
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Send, Process: tracefmt.ProcessID(i + 1), Peer: tracefmt.ProcessID((i+1)%n + 1),
			Message: tracefmt.MessageID(i + 1), Type: "TOKEN", Lamport: 1,
		}
		if err := mem.Write(&e); err != nil {
			tb.Fatal(err)
		}
	}
	mem.Finish(tracefmt.Stopped)
	return mem
}

// TestColorless: without colours the screen has the same text, without colour commands.
func TestColorless(t *testing.T) {
	s := newSession(t, load(t, filepath.Join(records, "f16-bully-final-split.jsonl")), 80, 24)
	s.press("v")
	colored := s.m.View().Content
	s.m.options.Color = false
	bare := s.m.View().Content
	if ansi.Strip(colored) != ansi.Strip(bare) {
		t.Error("colours change the text")
	}
	if !colour.MatchString(colored) || colour.MatchString(bare) {
		t.Errorf("coloured: %v and %v, want true and false", colour.MatchString(colored), colour.MatchString(bare))
	}
}

// TestBackground: a move that reads more than can be read soon leaves the
// cursor to a command, and the keys wait.
func TestBackground(t *testing.T) {
	mem := tracefmt.NewMemory(tracefmt.Run{Number: 1, Members: []tracefmt.Member{{Name: "a"}}})
	for i := range 3 * fewEvents {
		if err := mem.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.Note, Process: 1}); err != nil {
			t.Fatal(err)
		}
	}
	mem.Finish(tracefmt.Stopped)
	s := newSession(t, mem, 80, 10)
	_, cmd := s.m.Update(named["end"])
	if cmd == nil || s.m.cursor.Seq() != 0 || !strings.Contains(s.frame(), "reading events ...") {
		t.Fatalf("to the end of a long run: command %v, at %d\n%s", cmd != nil, s.m.cursor.Seq(), s.frame())
	}
	// Two moves at once would race for the cursor.
	if _, cmd := s.m.Update(named["right"]); cmd != nil || s.m.cursor.Seq() != 0 {
		t.Error("a key moves a cursor that is on its way")
	}
	s.m.Update(cmd())
	if s.m.cursor.Seq() != 3*fewEvents || s.m.busy != "" || strings.Contains(s.frame(), "reading events") {
		t.Errorf("after the command: at %d\n%s", s.m.cursor.Seq(), s.frame())
	}
	if _, cmd := s.m.Update(named["left"]); cmd != nil || s.m.cursor.Seq() != 3*fewEvents-1 {
		t.Errorf("one back from the end reads little, but stands at %d", s.m.cursor.Seq())
	}
}

// TestDown: who is down after each event follows from the state at the cursor, in both directions.
func TestDown(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}})
	var events []*tracefmt.Event
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Note, Type: "x", Process: 1},
		{Kind: tracefmt.Crash, Process: 1},
		{Kind: tracefmt.Crash, Process: 2},
		{Kind: tracefmt.Recover, Process: 1},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		if err := rec.Write(&e); err != nil {
			t.Fatal(err)
		}
		events = append(events, &e)
	}
	rec.Finish(tracefmt.Stopped)
	want := "[[false false] [true false] [true true] [false true]]"
	for at := tracefmt.Seq(0); at <= 4; at++ {
		c := replay.NewCursor(rec)
		if err := c.Seek(at); err != nil {
			t.Fatal(err)
		}
		l := &lifelines{run: rec.Run()}
		if got := fmt.Sprint(l.down(events, c)); got != want {
			t.Errorf("at seq %d: down are %s, want %s", at, got, want)
		}
	}
}

// TestGapsAtStart: a gap is shown at an event, not before the first.
func TestGapsAtStart(t *testing.T) {
	rec := decode(t, []byte(`{"format":"etrace/1","time_unit":"logical","members":[{"name":"a","position":1}],`+
		`"complete":{"default":"all","gaps":[{"process":"a"}]}}`+"\n"+`{"seq":1,"process":"a","kind":"note","type":"x"}`+"\n"))
	m, err := newModel(rec, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.screen.height = 24
	if err := m.cursor.Seek(0); err != nil || m.gapsHere() != nil {
		t.Errorf("before the first event: gaps %q, error %v, want none", m.gapsHere(), err)
	}
	if err := m.cursor.Seek(1); err != nil || len(m.gapsHere()) != 1 {
		t.Errorf("at seq 1: gaps %q, error %v, want one", m.gapsHere(), err)
	}
}
