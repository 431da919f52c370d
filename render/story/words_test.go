package diagram

import (
	"testing"
	"unicode/utf8"

	"etrace/tracefmt"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{"0123456789", "0123456789"},
		{"0123456789a", "012345678…"},
		{"é東京", "é東京"},
		{"éééééééééé", "éééééééééé"},
		{"ééééééééééé", "ééééééééé…"},
		{"a\nb\tc", "a\uFFFDb\uFFFDc"},
		{"\x00\x1b[1m", "\uFFFD\uFFFD[1m"},
		{"\u202eabc", "\uFFFDabc"},
		{"a\u200bb", "a\uFFFDb"},
		{"a\u00a0b", "a b"},
		{"a\u0301\u0301\u0301\u0301", "a\u0301\u0301"},
		{"\xff", "\uFFFD"},
	} {
		if got := clean(c.in, 10); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, ""},
		{`{}`, ""},
		{`{"id":5}`, "(5)"},
		{`{"id":"p-1"}`, "(p-1)"},
		{`{"members":[2,3,4]}`, "(2,3,4)"},
		{`{"members":["a","b"]}`, "(a,b)"},
		{`{"list":[]}`, "()"},
		{`{"list":[1,2,3,4,5,6,7,8]}`, "(1,2,3,4,5,6,…)"},
		{`{"list":[[1],{"a":2},"x]"]}`, "(…,…,x])"},
		{`{"id":5,"round":2}`, "(id 5, round 2)"},
		{`{"a":1,"b":2,"c":3,"d":4}`, "(a 1, b 2, c 3, …)"},
		{`{"leader":null}`, "(none)"},
		{`{"t":{"1":"up"}}`, "(1 up)"},
		{`{"text":"a \"q\" and a long text"}`, `(a "q" and a l…)`},
		{`not JSON`, ""},
	} {
		if got := values([]byte(c.in)); got != c.want {
			t.Errorf("values(%s) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzBrief(f *testing.F) {
	f.Add([]byte(`{"id":5,"m":[1,[2,"]"],{"x":"\u0000"}]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, s := range []string{values(payload), partitionText(payload)} {
			if s != clean(s, 1000) || utf8.RuneCountInString(s) > 600 {
				t.Errorf("%q gives %q", payload, s)
			}
		}
	})
}

func TestPartitionText(t *testing.T) {
	for in, want := range map[string]string{
		`{"groups":[["1","2"],["3"]]}`: "1,2  |  3",
		`{"groups":[[1],[2],[3]]}`:     "1  |  2  |  3",
		`{"groups":[]}`:                "()",
		`{"side":"left"}`:              "(left)",
	} {
		if got := partitionText([]byte(in)); got != want {
			t.Errorf("partitionText(%s) = %q, want %q", in, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		ns   int64
		want string
	}{{0, "0 ns"}, {999, "999 ns"}, {1500, "1.500 µs"}, {2_000_000, "2.000 ms"}, {61_000_000_000, "61.000 s"}, {-5_000_000, "-5.000 ms"}} {
		if got := duration(tracefmt.Time(c.ns)); got != c.want {
			t.Errorf("duration(%d) = %q, want %q", c.ns, got, c.want)
		}
	}
}

func TestNumberList(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
	}{{[]int{1}, "1"}, {[]int{1, 9, 17, 25}, "1, 9, 17, 25"}, {[]int{1, 9, 17, 25, 33}, "1, 9, … 33 (5×)"}} {
		if got := numberList(c.in); got != c.want {
			t.Errorf("numberList(%v) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	width := textWidth("three words here", SummaryText)
	lines := wrap("three words here and some more of them", SummaryText, width)
	if len(lines) != 3 || lines[0] != "three words here" {
		t.Errorf("%q", lines)
	}
	for _, line := range lines {
		if textWidth(line, SummaryText) > width {
			t.Errorf("%q is too wide", line)
		}
	}
}

// Widths must not be underestimated: texts are set by fonts that we do not know.
func TestTextWidth(t *testing.T) {
	if w := textWidth("COORDINATOR", MessageLabel); w < 78 || w > 82 {
		t.Errorf("width of COORDINATOR in Helvetica 10.5 is %.1f, want about 79", w)
	}
	if textWidth("東京", MessageLabel) < 2*Styles[MessageLabel].Size {
		t.Error("wide characters are taken for narrow ones")
	}
}

func TestEveryClassHasAStyle(t *testing.T) {
	for c := range lastClass {
		if Styles[c] == (Style{}) {
			t.Errorf("class %d has no style", c)
		}
	}
	for k := range lastLegend {
		if legendTable[k].text == "" || legendTable[k].draw == nil {
			t.Errorf("legend entry %d is empty", k)
		}
	}
}
