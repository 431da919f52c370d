package interop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// The format of the example, with each of the things that the kit sees to.
func TestKitReadsArrows(t *testing.T) {
	log := "5 b <- a PING\n4 a -> b PING\n\n# later\n1000 b elected = b\r\n"
	got, report, err := importText(t, arrows, "\uFEFF"+log, interop.Settings{Options: map[string]string{"unit": "ms"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "b receive PING a #1 ^1\na send PING b #2 ^1\nb state ^2 elected=\"b\"\n"
	if diff := cmp.Diff(want, sketch(got.Runs[0])); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if at := got.Runs[0].At(3).Time; at != tracefmt.Unit {
		t.Errorf("1000 ms are %v, want 1", at)
	}
	remarks := `1 receive has no send in the file, so not all sends of its sender are recorded (line 1)
1 message is not received in the file (line 2)
1 line is not part of any event (line 4), the first is "# later"`
	if diff := cmp.Diff(remarks, strings.Join(report.Runs[0].Remarks(), "\n")); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
}

func TestKitErrors(t *testing.T) {
	for _, c := range []struct {
		name, log string
		s         interop.Settings
		want      string
	}{
		{"strict", "1 a -> b X\nhello\n", interop.Settings{Strict: true}, `arrows.log:2: every-line: expected a part of an event, not "hello"`},
		{"no event", "hello\n", interop.Settings{}, `arrows.log:1: no event of format arrows in the file, here it says "hello"`},
		{"empty", "", interop.Settings{}, "arrows.log: no event of format arrows in the file"},
		{"option", "", interop.Settings{Options: map[string]string{"units": "s"}}, `arrows.log: format arrows has no option "units"`},
		{"value", "", interop.Settings{Options: map[string]string{"unit": "sec"}}, `arrows.log: option unit: unknown value "sec" (known: ms, s)`},
	} {
		got, _, err := importText(t, arrows, c.log, c.s)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
		if len(got.Runs) != 0 {
			t.Errorf("%s: %d runs reached the sink, want none", c.name, len(got.Runs))
		}
	}
}

func TestKitIsInterrupted(t *testing.T) {
	input, err := interop.NewInput("x", strings.NewReader(strings.Repeat("1 a -> b X\n", 5000)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var got tracefmt.Collector
	if _, err := interop.Import(ctx, arrows, input, &got, interop.Settings{}); !errors.Is(err, context.Canceled) || len(got.Runs) > 0 {
		t.Errorf("error %v and %d runs, want an interrupt and none", err, len(got.Runs))
	}
}

// What the bytes of a line look like does not change what the reader sees.
func TestLines(t *testing.T) {
	lines := func(text string) (list []string, notes []string, err error) {
		f := interop.Format{Name: "lines", Read: func(r *interop.Reading) error {
			b := r.Build(tracefmt.Run{})
			for n, line := range r.Lines() {
				list = append(list, fmt.Sprintf("%d:%s", n, line))
				b.Add(step("a", "x"))
			}
			return nil
		}}
		_, report, err := importText(t, f, text, interop.Settings{})
		return list, report.Notes, err
	}
	for text, want := range map[string]string{
		"a\nb\n":           "1:a 2:b",
		"a\r\nb":           "1:a 2:b",
		"\uFEFFa\n\uFEFFb": "1:a 2:\uFEFFb",
		"\n\n":             "1: 2:",
		"a\x00b\n":         "1:a\x00b",
		"a\xffb\n":         "1:a\uFFFDb",
	} {
		got, notes, err := lines(text)
		if err != nil || strings.Join(got, " ") != want || (len(notes) > 0) != strings.Contains(text, "\xff") {
			t.Errorf("%q: got %q, notes %q, %v; want %q", text, got, notes, err, want)
		}
	}
	long := strings.Repeat("x", 10<<20)
	if got, _, err := lines(long + "\n" + long); err != nil || len(got) != 2 || len(got[1]) != len(long)+2 {
		t.Errorf("%d lines, %v; want two of 10 MiB", len(got), err)
	}
	if _, _, err := lines("a\n" + strings.Repeat("x", 65<<20)); err == nil || err.Error() != "lines.log:2: the line has more than 64 MiB" {
		t.Errorf("got %v, want an error about line 2", err)
	}
}

func TestToRead(t *testing.T) {
	reader := func(name string, c interop.Confidence, options ...string) interop.Format {
		f := interop.Format{Name: name, Detect: func([]byte) interop.Confidence { return c }, Read: func(*interop.Reading) error { return nil }}
		for _, o := range options {
			f.ReadOptions = append(f.ReadOptions, interop.Option{Name: o, Arg: "X", Doc: "an X"})
		}
		return f
	}
	writer := interop.Format{Name: "w", Write: func(*interop.Writing, []tracefmt.Recording) error { return nil }}
	known := interop.NewRegistry(
		reader("a", interop.Maybe, "p"), reader("b", interop.Sure, "q", "s"), reader("c", interop.No, "r", "s"),
		writer,
	)
	for _, c := range []struct {
		name, options, want string
	}{
		{"", "", "b"},
		{"a", "", "a"},
		{"a", "q", "a"}, // Import refuses option q of format a
		{"", "p", "a"},
		{"", "r", "c"},
		{"", "r,s", "c"},
		{"", "s", "b"},
		{"", "p,q", "no format has all the options p, q"},
		{"", "x", "no format has all the options x"},
		{"w", "", "format w is only written, expected one of: a, b, c"},
		{"d", "", `unknown format "d" (known: a, b, c)`},
	} {
		given := map[string]string{}
		for o := range strings.SplitSeq(c.options, ",") {
			if o != "" {
				given[o] = "1"
			}
		}
		f, err := interop.ToRead(known, c.name, given, []byte("x"))
		if got := f.Name; err != nil {
			got = err.Error()
			if got != c.want {
				t.Errorf("%q, %s: got %s, want %s", c.name, c.options, got, c.want)
			}
		} else if got != c.want {
			t.Errorf("%q, %s: got %s, want %s", c.name, c.options, got, c.want)
		}
	}
	if _, err := interop.ToWrite(known, "a"); err == nil || err.Error() != "format a is only read, expected one of: w" {
		t.Errorf("got %v", err)
	}
}

func TestOptionsAreShared(t *testing.T) {
	format := func(name string, options ...interop.Option) interop.Format {
		return interop.Format{
			Name: name, ReadOptions: options, Detect: func([]byte) interop.Confidence { return interop.No },
			Read: func(*interop.Reading) error { return nil },
		}
	}
	zone := interop.Option{Name: "zone", Arg: "ZONE", Doc: "the ZONE of times", Default: "UTC"}
	list, err := interop.OptionsToRead(interop.NewRegistry(format("b", zone), format("a", zone, interop.Option{Name: "all", Doc: "take all"})))
	var got []string
	for _, o := range list {
		got = append(got, o.Name+" = "+o.Usage())
	}
	if want := []string{"all = a: take all", "zone = a, b: the ZONE of times"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	second := zone
	second.Doc = "something else"
	if _, err := interop.OptionsToRead(interop.NewRegistry(format("a", zone), format("b", second))); err == nil ||
		err.Error() != `the formats a and b mean different things by their option "zone"` {
		t.Errorf("got %v", err)
	}
}

// A registry refuses what is no whole format.
func TestFormatIsChecked(t *testing.T) {
	for want, f := range map[string]interop.Format{
		`format "x": expected a function Read or Write`:      {Name: "x"},
		`format "x": expected a function Detect beside Read`: {Name: "x", Read: func(*interop.Reading) error { return nil }},
	} {
		if _, err := interop.NewRegistry().With(f); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A writer lists what its format cannot express.
func TestExportOmits(t *testing.T) {
	f := interop.Format{
		Name: "plain", WriteOptions: []interop.Option{{Name: "loud", Doc: "in capitals"}},
		Write: func(w *interop.Writing, runs []tracefmt.Recording) error {
			for _, run := range runs {
				for e, err := range run.Events(1) {
					switch word := e.Type; {
					case err != nil:
						return err
					case e.Kind != tracefmt.Note:
						w.Omit(e.Kind.String(), e.Kind.String()+"s")
					case w.On("loud"):
						io.WriteString(w, strings.ToUpper(word)+"\n")
					default:
						io.WriteString(w, word+"\n")
					}
				}
			}
			return nil
		},
	}
	run, _, err := build(
		t, interop.Settings{},
		addAll([]interop.Entry{step("a", "x"), send("a", "b", "A"), send("a", "b", "A"), {Kind: tracefmt.Halt, Process: "a"}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	left, err := interop.Export(f, &b, []tracefmt.Recording{run}, map[string]string{"loud": "true"})
	if want := "[2 sends are left out, plain has no words for them 1 halt is left out, plain has no words for it]"; err != nil ||
		b.String() != "X\n" ||
		fmt.Sprint(left) != want {
		t.Errorf("wrote %q, %v, %v", b.String(), left, err)
	}
	if _, err := interop.Export(f, &b, nil, map[string]string{"loud": "very"}); err == nil {
		t.Error("a switch took the value very")
	}
}

// An execution without events is no run; the remarks on its lines are made at another run.
func TestEmptyExecutionsAreLeftOut(t *testing.T) {
	f := interop.Format{Name: "three", Read: func(r *interop.Reading) error {
		r.Build(tracefmt.Run{}).Skip(1, "before the first one")
		r.Build(tracefmt.Run{Name: "one"}).Add(step("a", "x"))
		r.Build(tracefmt.Run{Name: "two"}).Skip(4, "nothing here")
		return nil
	}}
	got, report, err := importText(t, f, "", interop.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 1 || got.Runs[0].Run().Name != "one" || len(report.Runs) != 1 {
		t.Errorf("%d runs, %d in the report, want the one with events", len(got.Runs), len(report.Runs))
	}
	want := `2 lines are not part of any event (lines 1, 4), the first is "before the first one"`
	if said := strings.Join(report.Runs[0].Remarks(), "\n"); !strings.Contains(said, want) {
		t.Errorf("remarks %q, want %q", said, want)
	}
	if want := []string{"1 execution is without events, left out"}; !slices.Equal(report.Notes, want) {
		t.Errorf("notes %q, want %q", report.Notes, want)
	}
}
