package story

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"etrace/tracefmt"
)

// The longest texts, in characters, that are drawn in full.
const (
	maxName    = 16
	maxLabel   = 28
	maxValue   = 14
	maxSummary = 400
	maxTip     = 300
	maxSpan    = 60
)

// replacement replaces each invisible character, and each character that changes how its neighbours are displayed.
const replacement = '\uFFFD'

// Clean returns at most limit characters of s, safe to draw: one line, without control characters, changes of writing
// direction, or stacked accents. A truncated text ends with "…". Texts of traces are not trusted.
func Clean(s string, limit int) string {
	if isPlain(s) && len(s) <= limit {
		return s
	}
	var b strings.Builder
	n, marks := 0, 0
	for i, r := range s {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
			if marks > 2 {
				continue
			}
		} else {
			marks = 0
		}
		if n == limit-1 && i+utf8.RuneLen(r) < len(s) {
			b.WriteRune('…')
			break
		}
		b.WriteRune(visible(r))
		n++
	}
	return b.String()
}

// isPlain reports whether s is printable ASCII.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// visible returns r, or the replacement for an invisible character.
func visible(r rune) rune {
	switch {
	case unicode.IsPrint(r):
		return r
	case unicode.Is(unicode.Zs, r):
		return ' '
	}
	return replacement
}

// payloadText returns a short text for an event's payload. A single field is written as its value, "(5)"; several
// fields have their names. An event from a foreign log has the log's own words.
func (s *Story) payloadText(e *tracefmt.Event) string {
	if text, ok := s.logWords(e); ok {
		return text
	}
	payload, value := s.best.withoutValues(s.labelledPayload(e))
	plain := s.value
	if e.Process == 0 { // a line across the picture has room
		plain = wideValue
	}
	return appendValue(values(payload, plain), value)
}

// wideValue returns a plain value; texts are longer than in [plainValue].
func wideValue(value []byte) string {
	if len(value) > 0 && value[0] == '"' {
		return Clean(unquote(value), maxTip)
	}
	return plainValue(value)
}

// shortForms has the shorter forms of the text that brief returns for a payload.
type shortForms struct {
	// bare is the text without names of fields. named is the text of a single field with its name. counted is the text
	// with the length of each list in its place. Each is "" if the payload has no such form.
	bare, named, counted string
}

// shorten returns the shorter forms of the text of brief; the words of a foreign log have none.
func (s *Story) shorten(e *tracefmt.Event) shortForms {
	if _, ok := s.logWords(e); ok {
		return shortForms{}
	}
	payload, _ := s.best.withoutValues(s.labelledPayload(e))
	return shortForms{
		s.intern(payloadWithoutNames(payload, s.value)), s.intern(singleField(payload, s.value)),
		s.intern(listLengths(payload)),
	}
}

// hasChosenField reports whether the label of an event shows a field that the user has chosen.
func (s *Story) hasChosenField(e *tracefmt.Event) bool {
	return s.Options.Label != "" && (e.Kind == tracefmt.Send || e.Kind == tracefmt.Receive)
}

// labelledPayload returns the payload that the label of an event shows: of a message only the chosen field, if there
// is one.
func (s *Story) labelledPayload(e *tracefmt.Event) []byte {
	if !s.hasChosenField(e) {
		return e.Payload
	}
	value, ok := e.Field(s.Options.Label)
	if !ok {
		return nil
	}
	payload := append(tracefmt.AppendString([]byte{'{'}, s.Options.Label), ':')
	return append(append(payload, value...), '}')
}

// logWords returns the words of a foreign log for the label of an event, unless the user has chosen a field.
func (s *Story) logWords(e *tracefmt.Event) (string, bool) {
	if s.hasChosenField(e) {
		return "", false
	}
	return logWords(e)
}

// logWords returns the words of a foreign log for an event, without the type at their beginning. They are the content
// of a message, or the text of a note. It returns false without such words, and for a note whose text does not begin
// with its type.
func logWords(e *tracefmt.Event) (string, bool) {
	words, ok := e.Field(tracefmt.ContentKey)
	if !ok && e.Kind == tracefmt.Note {
		log, _ := e.Field(tracefmt.LogKey)
		for key, value := range tracefmt.Fields(log) {
			if string(key) == "text" {
				words, ok = value, true
			}
		}
	}
	if !ok || len(words) == 0 || words[0] != '"' {
		return "", false
	}
	text := unquote(words)
	switch tail, found := strings.CutPrefix(text, e.Type); {
	case found:
		text = tail
	case e.Kind == tracefmt.Note:
		return "", false
	// The words follow the type, which is no part of them: a blank separates the two.
	case text != "" && !strings.ContainsRune(" (:", rune(text[0])):
		text = " " + text
	}
	return Clean(text, maxTip), true
}

// field is a field of a payload as people write it.
type field struct {
	name, value string
	raw         []byte
}

// The greatest numbers of fields of a payload that are written: with their names, and without.
const (
	mostNamed = 3
	mostBare  = 6
)

// fieldsOf returns the first fields of a payload that belong to the event itself, at most that many, and whether there
// are more.
func fieldsOf(payload []byte, limit int, plain func([]byte) string) (fields []field, more bool) {
	for key, value := range tracefmt.Fields(payload) {
		if string(key) == tracefmt.CausesKey || string(key) == tracefmt.LogKey {
			continue
		}
		if len(fields) == limit {
			return fields, true
		}
		fields = append(fields, field{Clean(string(key), maxName), plain(value), value})
	}
	return fields, false
}

// values returns the values of a payload that belong to the event itself, with their names if there are several.
// plain formats a value.
func values(payload []byte, plain func([]byte) string) string {
	return listFields(payload, mostNamed, plain, func(f field, alone bool) string {
		if alone {
			return f.value
		}
		return f.name + " " + f.value
	})
}

// payloadWithoutNames returns the values of a payload without names: lists in brackets, records in parentheses, and
// other objects in braces: "(4, (5,1), [4,5,1], {2:0,3:1})".
func payloadWithoutNames(payload []byte, plain func([]byte) string) string {
	return listFields(payload, mostBare, plain, func(f field, alone bool) string {
		switch {
		case isRecord(f.raw) && alone:
			return recordValues(f.raw, mostNested)
		case isRecord(f.raw):
			return itemValue(f.raw)
		case !alone && len(f.raw) > 0 && f.raw[0] == '[' && f.value != noItems:
			return "[" + f.value + "]"
		case !alone && len(f.raw) > 0 && f.raw[0] == '{':
			return "{" + strings.ReplaceAll(f.value, ", ", ",") + "}"
		}
		return f.value
	})
}

// singleField returns the value of a single field with its name; "" for another number of fields.
func singleField(payload []byte, plain func([]byte) string) string {
	fields, more := fieldsOf(payload, 1, plain)
	if len(fields) == 0 || more {
		return ""
	}
	return "(" + fields[0].name + " " + fields[0].value + ")"
}

// listLengths returns the lengths of the lists in a payload: "(3 in entries)". It omits lists that are short enough
// to be written whole: empty ones, and those of a single item that is not a list. Without other lists it returns "".
func listLengths(payload []byte) string {
	fields, _ := fieldsOf(payload, mostBare, func([]byte) string { return "" })
	var parts []string
	for _, f := range fields {
		if len(f.raw) == 0 || f.raw[0] != '[' {
			continue
		}
		// A list with one plain item is shorter than its count.
		items := splitList(f.raw)
		if len(items) > 1 || len(items) == 1 && strings.ContainsRune("[{", rune(items[0][0])) {
			parts = append(parts, fmt.Sprintf("%d in %s", len(items), f.name))
		}
	}
	if parts == nil {
		return ""
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// listFields writes the first fields of a payload in parentheses, at most that many.
func listFields(payload []byte, limit int, plain func([]byte) string, write func(f field, alone bool) string) string {
	fields, more := fieldsOf(payload, limit, plain)
	if len(fields) == 0 {
		return ""
	}
	var parts []string
	for _, f := range fields {
		parts = append(parts, write(f, len(fields) == 1))
	}
	if more {
		parts = append(parts, "…")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// noValue is how null is written.
const noValue = "none"

// plainValue returns a JSON value as people write it: strings without
// quotes, lists without brackets and of long ones the ends.
func plainValue(value []byte) string {
	switch {
	case len(value) == 0 || string(value) == "null":
		return noValue
	case value[0] == '"':
		return Clean(unquote(value), maxValue)
	case value[0] == '[':
		return listValue(value)
	case value[0] == '{':
		return Clean(strings.NewReplacer(`"`, "", ",", ", ", "{", "", "}", "").Replace(string(value[:min(len(value), 64)])), maxLabel)
	}
	return Clean(string(value), maxValue)
}

// shortValue returns a plain value without the names of a record's fields.
func (s *Story) shortValue(value []byte) string {
	if isRecord(value) {
		return itemValue(value)
	}
	return s.value(value)
}

// value returns a plain value, or the name of the process that it names.
func (s *Story) value(value []byte) string {
	if p, ok := s.Run.ProcessValue(value); ok && p > 0 {
		return s.Name(p)
	}
	return plainValue(value)
}

// unquote returns the text of a JSON string, or any other value as it is.
func unquote(value []byte) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// maxItems is the greatest number of items of a list that are written; of longer
// ones the first and the last are.
const maxItems = 12

// noItems is how a list without items is written.
const noItems = "[]"

// listValue returns the items of a list, of a long list the first and the last ones.
func listValue(list []byte) string {
	items := splitList(list)
	if len(items) == 0 {
		return noItems
	}
	var texts []string
	for i, item := range items {
		switch {
		case len(items) <= maxItems || i < maxItems/2 || i > len(items)-maxItems/2:
			texts = append(texts, itemValue(item))
		case i == maxItems/2:
			texts = append(texts, "…")
		}
	}
	return strings.Join(texts, ",")
}

// splitList returns the items of a JSON list.
func splitList(list []byte) [][]byte {
	var items [][]byte
	depth, start, quoted := 0, 1, false
	for i := 1; i < len(list); i++ {
		c := list[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		// Only commas of the list itself end an item, those of nested lists and objects belong to it.
		case (c == ',' || c == ']') && depth == 0:
			if i > start {
				items = append(items, list[start:i])
			}
			start = i + 1
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
	}
	return items
}

// A record is an object with so few fields that people know them by their places, and none that is
// named by a number, as the items of a map are. Within a value they are written so deep.
const (
	mostRecord = 3
	mostNested = 3
)

// isRecord reports whether a value is a small object whose keys are not numbers.
func isRecord(value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	n := 0
	for key := range tracefmt.Fields(value) {
		n++
		if n > mostRecord || len(key) > 0 && key[0] >= '0' && key[0] <= '9' {
			return false
		}
	}
	return n > 0
}

// itemValue returns the plain value of a nested item: the values of a record in parentheses, "…" for anything deeper.
func itemValue(item []byte) string { return nestedValue(item, mostNested) }

// nestedValue does the same down to a given depth of records.
func nestedValue(item []byte, depth int) string {
	switch {
	case item[0] != '[' && item[0] != '{':
		return plainValue(item)
	case depth > 0 && isRecord(item):
		return "(" + recordValues(item, depth-1) + ")"
	}
	return "…"
}

// recordValues returns the values of a record, without the names of its fields.
func recordValues(record []byte, depth int) string {
	var values []string
	for _, value := range tracefmt.Fields(record) {
		values = append(values, nestedValue(value, depth))
	}
	return strings.Join(values, ",")
}

// Plural writes a count and its noun: "1 message", "2 messages".
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ss") {
		noun += "e"
	}
	return Group(n) + " " + noun + "s"
}

// Group writes a count with gaps between the thousands at which no line breaks: "12 500".
func Group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && n >= 10_000; i -= 3 {
		s = s[:i] + "\u00a0" + s[i:]
	}
	return s
}

// join writes a list as people do: "a, b and c".
func join(list []string) string {
	switch n := len(list); n {
	case 0:
		return ""
	case 1:
		return list[0]
	default:
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}

// partitionText writes {"groups":[["1","2"],["3"]]} as "1,2 | 3".
func partitionText(payload []byte) string {
	var groups [][]byte
	for _, value := range tracefmt.Fields(payload) {
		if value[0] != '[' {
			continue
		}
		inner := bytes.TrimSuffix(bytes.TrimPrefix(value, []byte("[")), []byte("]"))
		for len(inner) > 0 && len(groups) < 12 {
			end := bytes.IndexByte(inner, ']')
			if inner[0] != '[' || end < 0 {
				break
			}
			groups = append(groups, inner[:end+1])
			inner = bytes.TrimPrefix(inner[end+1:], []byte(","))
		}
		break
	}
	if len(groups) == 0 {
		return values(payload, plainValue)
	}
	text := ""
	for i, g := range groups {
		if i > 0 {
			text += "  |  "
		}
		text += listValue(g)
	}
	return Clean(text, 2*maxLabel)
}
