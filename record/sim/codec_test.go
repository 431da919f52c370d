package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

type hue uint8

func (hue) Words() []string { return []string{"red", "green", "blue"} }

// sample has a field of every sort.
type sample struct {
	Yes    bool
	N      int64
	Small  int8
	Count  uint16
	Text   string
	P      tracefmt.ProcessID
	Term   Term
	Hue    hue
	List   List[tracefmt.ProcessID]
	Set    Set[string]
	Counts Map[tracefmt.ProcessID, int]
	Words  Map[string, hue]
	Deep   List[struct {
		term  Term
		cells Map[int, Set[hue]]
	}]
}

var sampleRoster = newRoster([]tracefmt.Member{{Name: "7"}, {Name: `a "b"`}, {Name: "07"}})

func drawSample(t *rapid.T, label string) sample {
	type deep = struct {
		term  Term
		cells Map[int, Set[hue]]
	}
	process := rapid.Custom(func(t *rapid.T) tracefmt.ProcessID { return tracefmt.ProcessID(rapid.IntRange(1, 3).Draw(t, "p")) })
	color := rapid.Custom(func(t *rapid.T) hue { return hue(rapid.IntRange(0, 2).Draw(t, "hue")) })
	return rapid.Custom(func(t *rapid.T) sample {
		s := sample{
			Yes: rapid.Bool().Draw(t, "yes"), N: rapid.Int64().Draw(t, "n"), Small: rapid.Int8().Draw(t, "small"),
			Count: rapid.Uint16().Draw(t, "count"), Text: rapid.StringMatching(`[a-z"\\ ]{0,3}`).Draw(t, "text"),
			P: tracefmt.ProcessID(rapid.IntRange(0, 3).Draw(t, "process")), Term: Term(rapid.Int64().Draw(t, "term")), Hue: color.Draw(t, "h"),
			List: ListOf(rapid.SliceOfN(process, 0, 3).Draw(t, "list")...),
			Set:  SetOf(rapid.SliceOfN(rapid.StringMatching(`[ab]{0,2}`), 0, 3).Draw(t, "set")...),
		}
		for range rapid.IntRange(0, 2).Draw(t, "entries") {
			s.Counts = s.Counts.With(process.Draw(t, "key"), rapid.Int().Draw(t, "value"))
			s.Words = s.Words.With(rapid.StringMatching(`[xy"]?`).Draw(t, "word"), color.Draw(t, "color"))
			s.Deep = s.Deep.Append(deep{3, Map[int, Set[hue]]{}.With(rapid.IntRange(-1, 1).Draw(t, "cell"), SetOf(color.Draw(t, "c")))})
		}
		return s
	}).Draw(t, label)
}

// TestCodecLaws: a value is read back as it was; two values are equal, as their
// binary forms are, if and only if they are the same; equal ones hash alike.
func TestCodecLaws(t *testing.T) {
	c := codecOf[sample]("sample")
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawSample(t, "x"), drawSample(t, "y")
		if rapid.Bool().Draw(t, "same") {
			y = x
		}
		px, py := unsafe.Pointer(&x), unsafe.Pointer(&y)
		var back sample
		written := c.appendJSON(nil, sampleRoster, px)
		if err := c.parse(sampleRoster, written, unsafe.Pointer(&back)); err != nil || !reflect.DeepEqual(x, back) {
			t.Fatalf("%s is read as %+v, %v", written, back, err)
		}
		same := reflect.DeepEqual(x, y)
		if got := c.equal(px, py); got != same {
			t.Fatalf("%+v and %+v: equal %v", x, y, got)
		}
		if got := slices.Equal(c.appendBinary(nil, px, nil), c.appendBinary(nil, py, nil)); got != same {
			t.Fatalf("%+v and %+v: one binary form %v", x, y, got)
		}
		if same && c.hash(1, px) != c.hash(1, py) {
			t.Fatalf("%+v hashes in two ways", x)
		}
	})
}

// TestCodecSlips: values that differ in one place are not equal, wherever it is.
func TestCodecSlips(t *testing.T) {
	c := codecOf[sample]("sample")
	var plain sample
	plain.Counts, plain.Words = plain.Counts.With(1, 8), plain.Words.With("k", 1)
	for name, change := range map[string]func(*sample){
		"a truth":    func(x *sample) { x.Yes = true },
		"a number":   func(x *sample) { x.N = 1 },
		"a process":  func(x *sample) { x.P = 1 },
		"an item":    func(x *sample) { x.List = x.List.Append(1) },
		"a member":   func(x *sample) { x.Set = SetOf("") },
		"a key":      func(x *sample) { x.Counts = Map[tracefmt.ProcessID, int]{}.With(2, 8) },
		"its value":  func(x *sample) { x.Counts = x.Counts.With(1, 9) },
		"a word":     func(x *sample) { x.Words = Map[string, hue]{}.With("l", 1) },
		"one more":   func(x *sample) { x.Words = x.Words.With("l", 1) },
		"its colour": func(x *sample) { x.Words = x.Words.With("k", 2) },
	} {
		x := plain
		change(&x)
		px, py := unsafe.Pointer(&x), unsafe.Pointer(&plain)
		if c.equal(px, py) || c.equal(py, px) || slices.Equal(c.appendBinary(nil, px, nil), c.appendBinary(nil, py, nil)) {
			t.Errorf("%s makes no difference", name)
		}
	}
}

func TestCodecJSON(t *testing.T) {
	x := sample{
		Yes: true, N: -5, Text: "a\n", P: 2, Term: 4, Hue: 2, List: ListOf[tracefmt.ProcessID](1, 3), Set: SetOf("z", "a"),
		Counts: Map[tracefmt.ProcessID, int]{}.With(2, 9).With(1, 8), Words: Map[string, hue]{}.With("k", 1),
	}
	want := `{"yes":true,"n":-5,"small":0,"count":0,"text":"a\n","p":"a \"b\"","term":4,"hue":"blue","list":[7,"07"],"set":["a","z"],` +
		`"counts":{"7":8,"a \"b\"":9},"words":{"k":"green"},"deep":[]}`
	if got := codecOf[sample]("sample").appendJSON(nil, sampleRoster, unsafe.Pointer(&x)); string(got) != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestDeclarationMistakes: what cannot be recorded is refused when it is
// declared, with what and why.
func TestDeclarationMistakes(t *testing.T) {
	type tree struct{ Children List[*int] }
	for want, declare := range map[string]func(pr *Protocol){
		"sim: variable x: float64 is no type that can be recorded":      func(pr *Protocol) { Declare[float64](pr, "x", "") },
		"sim: variable x: sim.tree.Children: *int is no type":           func(pr *Protocol) { Declare[tree](pr, "x", "") },
		"sim: message M: int, expected a struct":                        func(pr *Protocol) { DeclareMessage[int](pr, "M", "") },
		"sim: message \"M: expected a name without quotes":              func(pr *Protocol) { pr.Signal(`"M`, "") },
		"sim: variable x: expected at most 64 variables":                func(pr *Protocol) { Declare[int](pr, "x", "", Indexed) },
		"sim: note n: sim.twins.B: expected a name that no other":       func(pr *Protocol) { DeclareNote[twins](pr, "n", "") },
		"sim: variable x: sim.wordless has the words [], expected one ": func(pr *Protocol) { Declare[wordless](pr, "x", "") },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}()
			declare(&Protocol{})
		}()
	}
}

//lint:ignore U1000 two fields of one name, which are refused
type twins struct {
	A int
	B int `sim:"a"`
}

type wordless int

func (wordless) Words() []string { return nil }

// TestEmptyWord: the empty word is recorded as null, and read as such.
func TestEmptyWord(t *testing.T) {
	c := codecOf[mood]("x")
	for value, text := range []string{"null", `"calm"`, `"cross"`} {
		x, y := mood(value), mood(9)
		if got := string(c.appendJSON(nil, nil, unsafe.Pointer(&x))); got != text {
			t.Errorf("%d is recorded as %s, want %s", value, got, text)
		}
		if err := c.parse(nil, []byte(text), unsafe.Pointer(&y)); err != nil || y != x {
			t.Errorf("%s is read as %d, %v, want %d", text, y, err, value)
		}
	}
	var x mood
	if err := c.parse(nil, []byte(`"angry"`), unsafe.Pointer(&x)); err == nil || err.Error() != `"angry", expected one of null, calm, cross` {
		t.Error(err)
	}
}

type mood uint8

func (mood) Words() []string { return []string{"", "calm", "cross"} }

// TestFixedSizeAllocatesNothing: to assign, send and receive records of fixed
// size costs no memory once there is room.
func TestFixedSizeAllocatesNothing(t *testing.T) {
	type fields struct {
		Term Term
		Text string
		P    tracefmt.ProcessID
		Yes  bool
	}
	run := func(events int64) float64 {
		pr := &Protocol{}
		state := Declare[fields](pr, "state", "")
		term := Declare[Term](pr, "term", "")
		m := DeclareMessage[fields](pr, "M", "")
		pr.Start = func(p *Process) { m.Send(p, 2, fields{Text: "x"}) }
		m.On(func(p *Process, from tracefmt.ProcessID, f fields) {
			f.Term, f.P, f.Yes = f.Term+1, from, !f.Yes
			term.Set(p, f.Term)
			state.Set(p, f)
			m.Send(p, from, f)
		})
		c := Config{Protocol: pr, Members: []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}}, MaxEvents: events}
		c.Actions = []Action{{Kind: StartProcess, Process: 1}}
		return testing.AllocsPerRun(3, func() {
			if _, err := Run(t.Context(), c, forgetting{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := run(2_000), run(50_000); long > short+10 {
		t.Errorf("%v allocations for 2,000 events, %v for 50,000", short, long)
	}
}

type forgetting struct{}

func (forgetting) Write(*tracefmt.Event) error { return nil }
