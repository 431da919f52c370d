package story

import (
	"testing"
	"unicode/utf8"

	"etrace/tracefmt"
)

// A label loses the names of fields first, then the middle of the list, which is counted
// then, its last fields, and all of its payload.
func TestLabelIn(t *testing.T) {
	const payload = `{"initiator":4,"chosen":5,"list":[4,5,1,2,3]}`
	const log = `{"term":3,"previousIndex":1,"previousTerm":[2],"entries":[{"term":3,"command":5},{"term":3,"command":6},{"term":3,"command":7}],"commit":0}`
	step := func(typ, payload string) Step {
		p := []byte(payload)
		return Step{Type: typ, Text: values(p, plainValue), shortForms: shortForms{
			payloadWithoutNames(p, plainValue), singleField(p, plainValue), listLengths(p),
		}}
	}
	st, entries, list := step("election", payload), step("AppendEntries", log), step("M", `{"list":[1,2,3,4,5]}`)
	heartbeat := step("AppendEntries", `{"term":3,"previousIndex":1,"previousTerm":[2],"entries":[],"commit":0}`)
	snapshot := step("record", `{"state":99,"sent":{"2":1,"3":0,"4":0},"received":{"2":0,"3":0,"4":0},"before":1}`)
	channels := step("recorded", `{"channels":{"1":0,"3":0,"4":10}}`)
	foreign := Step{Type: "M", Text: " of some length"}
	content := Step{Type: "M", Text: " term 2, index 1, entries 0", Kind: tracefmt.Send, log: true}
	id := Step{Type: "M", Text: " 7f7cbd930782ba186b17 in epoch 1", Kind: tracefmt.Send, log: true}
	for _, c := range []struct {
		st    *Step
		limit int
		want  string
	}{
		{&st, 60, "election(initiator 4, chosen 5, list 4,5,1,2,3)"},
		{&st, 40, "election(4, 5, [4,5,1,2,3])"},
		{&st, 26, "election(4, 5, [4,5,…,3])"},
		{&st, 24, "election(4, 5, [4,…,3])"},
		{&st, 20, "election(5 in list)"},
		{&st, 18, "election(4, 5, …)"},
		{&st, 16, "election(4, …)"},
		{&st, 13, "election(…)"},
		{&list, 11, "M(1,2,…,5)"},
		{&list, 9, "M(1,…,5)"},
		{&list, 7, "M(…)"},
		{&entries, 49, "AppendEntries(3, 1, [2], [(3,5),(3,6),(3,7)], 0)"},
		{&entries, 47, "AppendEntries(3, 1, [2], [(3,5),…,(3,7)], 0)"},
		{&entries, 40, "AppendEntries(3 in entries)"},
		{&entries, 26, "AppendEntries(3, 1, …)"},
		{&heartbeat, 40, "AppendEntries(3, 1, [2], [], 0)"},
		{&heartbeat, 28, "AppendEntries(3, 1, [2], …)"},
		{&snapshot, 42, "record(99, {2:1,…,4:0}, {2:0,3:0,4:0}, 1)"},
		{&snapshot, 28, "record(99, {2:1,3:0,4:0}, …)"},
		{&snapshot, 27, "record(99, …)"},
		{&channels, 20, "recorded(1:0, …)"},
		{&channels, 21, "recorded(1:0, 3:0, …)"},
		{&foreign, 12, "M(…)"},
		{&content, 28, "M term 2, index 1, entries 0"},
		{&content, 27, "M term 2, index 1 …"},
		{&content, 21, "M term 2, index 1 …"},
		{&content, 12, "M term 2 …"},
		{&content, 4, "M …"},
		{&id, 12, "M 7f7cbd930…"},
		{&id, 8, "M 7f7cb…"},
		{&id, 7, "M …"},
	} {
		got := c.st.LabelIn(func(label string) bool { return utf8.RuneCountInString(label) <= c.limit })
		if got != c.want {
			t.Errorf("in %d characters: %s, want %s", c.limit, got, c.want)
		}
	}
}
