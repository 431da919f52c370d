package tracefmt

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestKeys: the tables of keys have those of the types that are encoded, in their
// order.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		keys   []jsonKey
		object any
	}{
		{headerKeys, header{}},
		{memberKeys, headerMember{}},
		{boundKeys, Bound{}},
		{trailerKeys, trailer{}},
		{sliceTrailerKeys, sliceTrailer{}},
	} {
		var want []string
		for i := range reflect.TypeOf(c.object).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(c.object).Field(i).Tag.Get("json"), ",")
			if formerKeys[name] == "" {
				want = append(want, name)
			}
		}
		if got := keyNames(c.keys); !slices.Equal(got, want) {
			t.Errorf("%T: keys %q, want %q", c.object, got, want)
		}
	}
}

// TestExample: the example is well-formed, and has every key of the objects and of events. It has an event of
// every kind with all keys except optional keys without a reader.
func TestExample(t *testing.T) {
	m := exampleRun()
	if err := Validate(m); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := NewEncoder(&b).Encode(m); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(b.String()) {
		for key := range Fields([]byte(line)) {
			seen[string(key)] = true
		}
	}
	for _, keys := range [][]jsonKey{headerKeys, eventKeys, trailerKeys} {
		for _, k := range keys {
			if !seen[k.name] && k.name != "slice" { // which makes another thing of it
				t.Errorf("the example has no %s", k.name)
			}
		}
	}
	for key := range seen {
		if !slices.ContainsFunc(slices.Concat(headerKeys, eventKeys, trailerKeys), func(k jsonKey) bool { return k.name == key }) {
			t.Errorf("%s is not in the tables", key)
		}
	}
	kinds := map[Kind]bool{}
	for e := range m.Events(1) {
		kinds[e.Kind] = true
	}
	for _, k := range Kinds() {
		if !kinds[k] {
			t.Errorf("the example has no %s", k)
		}
	}
	bound, _ := json.Marshal(m.Run().Bounds[0])
	for _, k := range boundKeys {
		if !bytes.Contains(bound, []byte(`"`+k.name+`":`)) {
			t.Errorf("its bound has no %s", k.name)
		}
	}
}

// The required fields of each kind are starred in the description, except a cause that the message determines.
func TestStarredKeys(t *testing.T) {
	for _, want := range []string{
		"receive      process* type peer* message* cause payload",
		"timeout      process* type* payload",
		"partition    payload*",
	} {
		if !strings.Contains(DescribeJSONL(), "  "+want+"\n") {
			t.Errorf("not described: %s", want)
		}
	}
}

// TestEventKeys: a reader takes the keys of events that the table has.
func TestEventKeys(t *testing.T) {
	d := &Decoder{types: map[string]string{}, members: memberNames{`"a"`: 1}}
	for _, k := range eventKeys {
		value := map[string]string{"name": `"a"`, "kind": `"note"`, "text": `"x"`, "integer": `1`, "object": `{}`}[k.value]
		if _, err := d.field([]byte(k.name), []byte(value), false); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}
