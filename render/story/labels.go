package story

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
)

// TypeText returns the type of a message as it is drawn.
func TypeText(typ string) string { return Clean(typ, maxLabel) }

// Label returns the text beside a message: "election(5)".
func (st *Step) Label() string {
	name := st.Type
	if name == "" && st.Text == "" {
		name = "message"
	}
	if st.Fate == tracefmt.Lost && st.Kind == tracefmt.Lose {
		return name
	}
	return name + st.Text
}

// Payload returns the payload of a message without the names of fields: "(5)"; "" for no payload.
func (st *Step) Payload() string { return st.bare }

// Bare returns the label without the names of fields: "election(5)" for "election(id 5)".
func (st *Step) Bare() string {
	if st.bare == "" {
		return st.Label()
	}
	return st.Type + st.bare
}

// Named returns the label with the names of all fields, also of a single field.
func (st *Step) Named() string {
	if st.named == "" {
		return st.Label()
	}
	return st.Type + st.named
}

// Labels returns the form of the labels in a picture: [Step.Named], or [Step.Bare], so that no label differs from
// others. They have names if a message that is sent has several fields, and all labels fit with the names.
func (s *Story) Labels(fits func(label string) bool) func(*Step) string {
	several := false
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Kind != tracefmt.Send || st.bare == "" {
			continue
		}
		if !fits(st.Named()) {
			return (*Step).Bare
		}
		several = several || st.named == ""
	}
	if several {
		return (*Step).Named
	}
	return (*Step).Bare
}

// LabelIn returns the longest form of the label that fits. Shorter forms first omit the names of fields. Then they
// shorten or count lists, then omit the last fields, and at last the payload. A log's text of a message loses its
// last words. The shortest form need not fit.
func (st *Step) LabelIn(fits func(label string) bool) string {
	label := st.Label()
	switch {
	case fits(label) || st.Text == "" || label == st.Type:
		return label
	case st.hasContent():
		return st.contentIn(fits)
	}
	for payload := range st.shorterPayloads() {
		if fits(st.Type + payload) {
			return st.Type + payload
		}
	}
	if st.Type == "" {
		return label
	}
	return st.Type + "(…)"
}

// shorterPayloads yields ever shorter forms of the payload.
func (st *Step) shorterPayloads() iter.Seq[string] {
	return func(yield func(string) bool) {
		for payload, ok := st.bare, st.bare != ""; ok; payload, ok = shortenList(payload) {
			if !yield(payload) {
				return
			}
		}
		if st.counted != "" && !yield(st.counted) {
			return
		}
		for payload, ok := dropField(st.bare); ok; payload, ok = dropField(payload) {
			if !yield(payload) {
				return
			}
		}
	}
}

// dropField removes the last field of a payload in the form of payloadWithoutNames, and reports whether a field is
// left.
func dropField(payload string) (string, bool) {
	const sep, more = ", ", ", …)"
	kept := strings.TrimSuffix(payload, more)
	end := strings.LastIndex(kept, sep)
	if end < 0 {
		return payload, false
	}
	return kept[:end] + more, true
}

// hasContent reports whether the text of the step is a log's text of a typed message.
func (st *Step) hasContent() bool { return st.log && st.Kind != tracefmt.Note && st.Type != "" }

// contentIn returns the label with as many of the first words as fit, otherwise with the beginning of the first word,
// such as a long identifier, or the type alone.
func (st *Step) contentIn(fits func(label string) bool) string {
	for words := strings.TrimRight(Clean(st.Text, maxLabel), "…"); ; {
		end := strings.LastIndexByte(words, ' ')
		if end <= 0 {
			const leastPart = 5 // of a word, with its blank
			for part := []rune(words); len(part) > leastPart; part = part[:len(part)-1] {
				if label := st.Type + string(part) + "…"; fits(label) {
					return label
				}
			}
			return st.Type + " …"
		}
		words = strings.TrimRight(words[:end], " ,;")
		if label := st.Type + words + " …"; fits(label) {
			return label
		}
	}
}

// ShortLabel returns the label, cut to at most that many characters.
func (st *Step) ShortLabel(limit int) string {
	return Clean(st.LabelIn(func(label string) bool { return utf8.RuneCountInString(label) <= limit }), limit)
}

// shortenList removes an item from the middle of the longest list in a payload in the form of payloadWithoutNames. It
// reports whether there was such an item; the first and the last item stay.
func shortenList(payload string) (string, bool) {
	start, end := longestList(payload)
	items := splitItems(payload[start:end])
	if len(items) < 3 || len(items) == 3 && items[1] == "…" {
		return payload, false
	}
	switch gap := slices.Index(items, "…"); {
	case gap < 0:
		items[len(items)/2] = "…"
	case gap > len(items)-1-gap: // more items are before the gap than after it
		items = slices.Delete(items, gap-1, gap)
	default:
		items = slices.Delete(items, gap+1, gap+2)
	}
	return payload[:start] + strings.Join(items, ",") + payload[end:], true
}

// splitItems splits the inside of a list at the commas between its items. Commas inside parentheses do
// not split.
func splitItems(list string) (items []string) {
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				items, start = append(items, list[start:i]), i+1
			}
		}
	}
	return append(items, list[start:])
}

// longestList returns start and end of the inside of the list or map with most items. Without brackets it takes the
// parentheses.
func longestList(payload string) (start, end int) {
	longest := -1
	for i := 0; i < len(payload); i++ {
		closing, ok := closings[payload[i]]
		if !ok {
			continue
		}
		length := strings.IndexByte(payload[i:], closing)
		if length < 0 {
			break
		}
		if n := strings.Count(payload[i:i+length], ","); n > longest {
			longest, start, end = n, i+1, i+length
		}
	}
	if longest < 0 && len(payload) > 1 && !strings.Contains(payload, ", ") {
		return 1, len(payload) - 1
	}
	return start, end
}

// closings maps opening brackets of lists and maps to closing brackets.
var closings = map[byte]byte{'[': ']', '{': '}'}
