package text_test

import (
	"testing"

	"etrace/tracefmt/text"
)

func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 events", 1: "1 event", 2: "2 events", -1: "-1 events"} {
		if got := text.Counted(n, "event", "events"); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		list           []string
		and, or, some2 string
	}{
		{nil, "", "", ""},
		{[]string{"a"}, "a", "a", "a"},
		{[]string{"a", "b"}, "a and b", "a or b", "a, b"},
		{[]string{"a", "b", "c"}, "a, b and c", "a, b or c", "a, b and 1 more"},
		{[]string{"a", "b", "c", "d"}, "a, b, c and d", "a, b, c or d", "a, b and 2 more"},
	} {
		if and, or, some := text.And(c.list), text.Or(c.list), text.Some(c.list, 2); and != c.and || or != c.or || some != c.some2 {
			t.Errorf("%q: %q, %q, %q", c.list, and, or, some)
		}
	}
	list := []string{"a", "b", "c"}
	text.Some(list, 2)
	if list[2] != "c" {
		t.Errorf("Some changed the list: %q", list)
	}
}

func TestFirstSentence(t *testing.T) {
	for input, want := range map[string]string{
		"":                                 "",
		"One.":                             "One",
		"No full stop":                     "No full stop",
		"One of 3.5\nparts. Two.\n\nMore.": "One of 3.5 parts",
		"A title\n\nA text. And so on.":    "A title",
	} {
		if got := text.FirstSentence(input); got != want {
			t.Errorf("%q: %q, want %q", input, got, want)
		}
	}
}

func TestIndent(t *testing.T) {
	if got, want := text.Indent("a\n\nb", "  "), "  a\n  \n  b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
