package story

import (
	"testing"
	"unicode/utf8"

	"etrace/tracefmt"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ input, want string }{
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
		if got := Clean(c.input, 10); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.input, got, c.want)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{``, ""},
		{`{}`, ""},
		{`{"id":5}`, "(5)"},
		{`{"id":"p-1"}`, "(p-1)"},
		{`{"members":[2,3,4]}`, "(2,3,4)"},
		{`{"members":["a","b"]}`, "(a,b)"},
		{`{"list":[]}`, "([])"},
		{`{"list":[],"n":1}`, "(list [], n 1)"},
		{`{"list":[1,2,3,4,5,6,7,8]}`, "(1,2,3,4,5,6,7,8)"},
		{`{"list":[1,2,3,4,5,6,7,8,9,10,11,12]}`, "(1,2,3,4,5,6,7,8,9,10,11,12)"},
		{`{"list":[1,2,3,4,5,6,7,8,9,10,11,12,13]}`, "(1,2,3,4,5,6,…,9,10,11,12,13)"},
		{`{"list":[[1],{"a":2},"x]"]}`, "(…,(2),x])"},
		{`{"id":5,"round":2}`, "(id 5, round 2)"},
		{`{"a":1,"b":2,"c":3,"d":4}`, "(a 1, b 2, c 3, …)"},
		{`{"leader":null}`, "(none)"},
		{`{"t":{"1":"up"}}`, "(1:up)"},
		{`{"text":"a \"q\" and a long text"}`, `(a "q" and a l…)`},
		{`not JSON`, ""},
	} {
		if got := values([]byte(c.input), plainValue); got != c.want {
			t.Errorf("values(%s) = %q, want %q", c.input, got, c.want)
		}
	}
}

// TestBare: without names, records are tuples; maps, and what has more fields, are not.
func TestBare(t *testing.T) {
	for _, c := range []struct{ input, want string }{
		{`{"id":5,"round":2}`, "(5, 2)"},
		{`{"members":[2,3],"id":5}`, "([2,3], 5)"},
		{`{"ballot":{"counter":2,"process":1}}`, "(2,1)"},
		{`{"ballot":{"counter":2,"process":1},"value":7}`, "((2,1), 7)"},
		{`{"n":1,"accepted":[{"ballot":{"counter":2,"process":1},"value":7}]}`, "(1, [((2,1),7)])"},
		{`{"deep":{"a":{"b":{"c":{"d":{"e":1}}}}}}`, "((((…))))"},
		{`{"t":{"1":"up","2":"up"}}`, "(1:up, 2:up)"},
		{`{"entry":{"a":1,"b":2,"c":3,"d":4}}`, "(a:1, b:2, c:3, d:4)"},
		{`{"none":{}}`, "()"},
		{`{"n":1,"t":{"1":"up","2":"up"}}`, "(1, {1:up,2:up})"},
		{`{"list":[],"n":1}`, "([], 1)"},
		{`{"a":1,"b":2,"c":3,"d":[4],"e":5,"f":6}`, "(1, 2, 3, [4], 5, 6)"},
		{`{"a":1,"b":2,"c":3,"d":[4],"e":5,"f":6,"g":7}`, "(1, 2, 3, [4], 5, 6, …)"},
	} {
		if got := payloadWithoutNames([]byte(c.input), plainValue); got != c.want {
			t.Errorf("bare(%s) = %q, want %q", c.input, got, c.want)
		}
	}
}

func FuzzBrief(f *testing.F) {
	f.Add([]byte(`{"id":5,"m":[1,[2,"]"],{"x":"\u0000"}]}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, s := range []string{
			values(payload, plainValue), payloadWithoutNames(payload, plainValue), listLengths(payload), partitionText(payload),
		} {
			if s != Clean(s, 1000) || utf8.RuneCountInString(s) > 600 {
				t.Errorf("%q gives %q", payload, s)
			}
		}
	})
}

func TestPartitionText(t *testing.T) {
	for input, want := range map[string]string{
		`{"groups":[["1","2"],["3"]]}`: "1,2  |  3",
		`{"groups":[[1],[2],[3]]}`:     "1  |  2  |  3",
		`{"groups":[]}`:                "([])",
		`{"side":"left"}`:              "(left)",
	} {
		if got := partitionText([]byte(input)); got != want {
			t.Errorf("partitionText(%s) = %q, want %q", input, got, want)
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

// TestFirstItems: a list that is too long ends after an item, and not within one.
func TestFirstItems(t *testing.T) {
	for _, c := range []struct {
		list  string
		limit int
		want  string
	}{
		{"role = leader", 13, "role = leader"},
		{"role = leader, term = 12", 20, "role = leader, …"},
		{"role = leader, term = 12", 16, "role = leader, …"},
		{"role = leader, term = 12", 15, "role = leader,…"}, // no item has room
		{"queue = 1,2,3, clock = 7", 18, "queue = 1,2,3, …"},
		{"participating", 9, "particip…"},
	} {
		if got := firstItems(c.list, c.limit); got != c.want {
			t.Errorf("%q in %d characters: %q, want %q", c.list, c.limit, got, c.want)
		}
	}
}

// TestWideNotes: the text of a note of no process is whole, since its line goes across the picture.
func TestWideNotes(t *testing.T) {
	s := newStory(&tracefmt.Run{Members: []tracefmt.Member{{Name: "1", Position: 1}}}, Options{})
	e := &tracefmt.Event{Kind: tracefmt.Note, Type: "start", Payload: []byte(`{"value":"Cut off n3 from n1 and n2"}`)}
	if got := s.payloadText(e); got != "(Cut off n3 from n1 and n2)" {
		t.Errorf("the note reads %q", got)
	}
	e.Process = 1
	if got := s.payloadText(e); got != "(Cut off n3 fr…)" {
		t.Errorf("the note of a process reads %q", got)
	}
}
