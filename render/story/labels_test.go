package story

import (
	"testing"
	"unicode/utf8"

	"etrace/tracefmt"
)

// A label loses the names of fields first, then the middle of the list, then all
// of its payload.
func TestLabelIn(t *testing.T) {
	const payload = `{"initiator":4,"chosen":5,"list":[4,5,1,2,3]}`
	st := Step{Type: "election", Text: values([]byte(payload), plainValue), bare: bare([]byte(payload), plainValue)}
	list := Step{Type: "M", Text: "(1,2,3,4,5)", bare: "(1,2,3,4,5)"}
	foreign := Step{Type: "M", Text: " of some length"}
	content := Step{Type: "M", Text: " term 2, index 1, entries 0", Kind: tracefmt.Send, log: true}
	for _, c := range []struct {
		st   *Step
		most int
		want string
	}{
		{&st, 60, "election(initiator 4, chosen 5, list 4,5,1,2,3)"},
		{&st, 40, "election(4, 5, [4,5,1,2,3])"},
		{&st, 26, "election(4, 5, [4,5,…,3])"},
		{&st, 24, "election(4, 5, [4,…,3])"},
		{&st, 20, "election(…)"},
		{&list, 11, "M(1,2,…,5)"},
		{&list, 9, "M(1,…,5)"},
		{&list, 7, "M(…)"},
		{&foreign, 12, "M(…)"},
		{&content, 28, "M term 2, index 1, entries 0"},
		{&content, 27, "M term 2, index 1 …"},
		{&content, 21, "M term 2, index 1 …"},
		{&content, 12, "M term 2 …"},
		{&content, 4, "M …"},
	} {
		got := c.st.LabelIn(func(label string) bool { return utf8.RuneCountInString(label) <= c.most })
		if got != c.want {
			t.Errorf("in %d characters: %s, want %s", c.most, got, c.want)
		}
	}
}
