package document

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestObject: the keys keep their order, optional ones are left out where the value is empty, and null stays null.
func TestObject(t *testing.T) {
	no := false
	for _, c := range []struct {
		object Object
		want   string
	}{
		{nil, `null`},
		{Object{}, `{}`},
		{Object{"b", 1, "a", "<&>"}, `{"b":1,"a":"<&>"}`},
		{
			Object{
				"a?", 0, "b?", "", "c?", nil, "d?",
				[]int{},
				"e?",
				map[string]int{},
				"f?", Object(nil),
				"g?",
				[]Object{},
				"h?", false, "i?", (*bool)(nil),
			},
			`{}`,
		},
		{Object{"a?", 1, "b?", &no, "c?", []int{0}}, `{"a":1,"b":false,"c":[0]}`},
		{
			Object{"a", nil, "b", []Object(nil), "c", []Object{}, "d", Object(nil), "e", []Object{{"f", "\"\n"}}},
			`{"a":null,"b":null,"c":[],"d":null,"e":[{"f":"\"\n"}]}`,
		},
		{Object{"a", List([]int{1, 2}, func(n int) Object { return Object{"n", n} })}, `{"a":[{"n":1},{"n":2}]}`},
		{Object{"a", List([]int(nil), func(n int) Object { return nil })}, `{"a":[]}`},
	} {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(c.object); err != nil || b.String() != c.want+"\n" {
			t.Errorf("got %s, %v, want %s", b.String(), err, c.want)
		}
	}
	if _, err := json.Marshal(Object{"a", func() {}}); err == nil {
		t.Error("a function became JSON")
	}
}
