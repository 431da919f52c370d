package modelcheck

import (
	"encoding/json"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// value is a value of a model: an atom or a collection. It is small, since a file may have half as many values
// as bytes.
type value struct {
	kind  valueKind
	line  int32
	text  string // the JSON of an atom, numbers with all their digits
	inner *inner // the content of a collection, nil for an empty one
}

// inner has the keys and items of a collection.
type inner struct {
	keys  []value // the keys of a record or table
	items []value
}

func (v *value) keys() []value  { return v.content().keys }
func (v *value) items() []value { return v.content().items }

func (v *value) content() inner {
	if v.inner == nil {
		return inner{}
	}
	return *v.inner
}

// add adds an item to a collection, of a record or table with its key.
func (v *value) add(key *value, item value) {
	if v.inner == nil {
		v.inner = new(inner)
	}
	content := v.inner
	if key != nil {
		content.keys = append(content.keys, *key)
	}
	if len(content.items) == cap(content.items) { // append alone would leave behind four times a long list, this once
		content.items = slices.Grow(content.items, len(content.items)+1)
	}
	content.items = append(content.items, item)
}

// valueKind is the sort of a value.
type valueKind uint8

const (
	atom valueKind = iota
	list
	set
	record // its keys are names of fields
	table  // a function of values
)

// maxDepth bounds the nesting of values, maxValues the values of a document. maxOfState bounds the values of a state
// where states are read one by one: they are in memory several times, together with those of the previous state.
// maxVariables bounds the variables of a state, which take the most memory.
const (
	maxDepth     = 500
	maxValues    = 2 << 20
	maxOfState   = 512 << 10
	maxVariables = 64 << 10
)

func textValue(s string) value { return value{text: string(tracefmt.AppendString(nil, s))} }

var null = value{text: "null"}

// appendJSON appends the value as JSON. Equal values have equal texts: members of sets, and keys of records and
// tables, are sorted.
func (v *value) appendJSON(dst []byte) []byte {
	switch v.kind {
	case list:
		dst = append(dst, '[')
		for i := range v.items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.items()[i].appendJSON(dst)
		}
		return append(dst, ']')
	case set:
		return append(append(append(dst, '['), strings.Join(v.members(), ",")...), ']')
	case record, table:
		return v.appendObject(dst)
	}
	return append(dst, v.text...)
}

// members returns the members of a set, or of a list in its place, as JSON.
func (v *value) members() []string {
	texts := make([]string, len(v.items()))
	for i := range v.items() {
		texts[i] = v.items()[i].json()
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// appendObject appends a record or table as a JSON object with sorted keys.
func (v *value) appendObject(dst []byte) []byte {
	dst = append(dst, '{')
	for i, k := range v.byName() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(tracefmt.AppendString(dst, v.keys()[k].plain()), ':')
		dst = v.items()[k].appendJSON(dst)
	}
	return append(dst, '}')
}

// byName returns the indices of the keys, sorted by name. Of equal names the last counts.
func (v *value) byName() []int {
	last := make(map[string]int, len(v.keys()))
	for i := range v.keys() {
		last[v.keys()[i].plain()] = i
	}
	names := make([]string, 0, len(last))
	for name := range last {
		names = append(names, name)
	}
	slices.Sort(names)
	order := make([]int, len(names))
	for i, name := range names {
		order[i] = last[name]
	}
	return order
}

func (v *value) json() string { return string(v.appendJSON(nil)) }

// plain returns the value as a word: a text without quotes, other values as JSON.
func (v *value) plain() string {
	if !v.isText() {
		return v.json()
	}
	if !strings.ContainsRune(v.text, '\\') {
		return v.text[1 : len(v.text)-1]
	}
	var s string
	if json.Unmarshal([]byte(v.text), &s) == nil {
		return s
	}
	return v.json()
}

// isText reports whether the value is a text.
func (v *value) isText() bool { return v.kind == atom && strings.HasPrefix(v.text, `"`) }

// field returns the value of a key of a record or table.
func (v *value) field(name string) (value, bool) {
	for i := len(v.keys()) - 1; i >= 0; i-- {
		if k := &v.keys()[i]; k.kind == atom && k.plain() == name {
			return v.items()[i], true
		}
	}
	return value{}, false
}

// named is a value with a name: a variable, a field, a parameter.
type named struct {
	name string
	value
}

// fields returns the fields of a record or table, sorted by name.
func (v *value) fields() []named {
	list := make([]named, 0, len(v.keys()))
	for _, i := range v.byName() {
		list = append(list, named{v.keys()[i].plain(), v.items()[i]})
	}
	return list
}

// names returns the names of all keys as one text, for comparisons.
func (v *value) names() string {
	var b strings.Builder
	for _, i := range v.byName() {
		b.WriteString(v.keys()[i].text)
		b.WriteByte(' ')
	}
	return b.String()
}
