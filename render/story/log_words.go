package story

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortenLogs shortens the words of foreign logs to labels. Lines of a log often begin alike, with a host and a time.
// This beginning is removed first, so that the differences stay. The content of a typed message is not a line of a
// log.
func (s *Story) shortenLogs() {
	begins := make(map[int]*commonWords) // of the texts of a process
	for i := range s.Steps {
		if st := &s.Steps[i]; st.log && !st.hasContent() {
			if p := int(st.Process); begins[p] == nil {
				begins[p] = &commonWords{words: strings.Fields(st.Text)}
			} else {
				begins[p].add(strings.Fields(st.Text))
			}
		}
	}
	for i := range s.Steps {
		if st := &s.Steps[i]; st.log && !st.hasContent() {
			st.Text = s.intern(Clean(begins[int(st.Process)].trim(st.Text), maxLabel))
		}
	}
}

// commonWords has the words that several texts have in common, by place; "" where they differ.
type commonWords struct {
	words []string
	// differ: there are different texts, so that what is common is less than a text.
	differ bool
}

// add takes the words of a further text.
func (b *commonWords) add(words []string) {
	b.differ = b.differ || !slices.Equal(b.words, words)
	b.words = b.words[:min(len(b.words), len(words))]
	for i := range b.words {
		if b.words[i] != words[i] {
			b.words[i] = ""
		}
	}
}

// isCommon reports whether all texts have the word in that place.
func (b *commonWords) isCommon(place int, word string) bool {
	return b.differ && place < len(b.words) && b.words[place] == word
}

// trim removes the beginning of a long text, as far as it consists of common words, times, addresses and the like.
// At least one word stays.
func (b *commonWords) trim(text string) string {
	if utf8.RuneCountInString(text) <= maxLabel {
		return text
	}
	tail := strings.TrimLeft(text, " ")
	for k := 0; ; k++ {
		word, after, _ := strings.Cut(tail, " ")
		after = strings.TrimLeft(after, " ")
		if after == "" || !b.isCommon(k, word) && !isStamp(word) {
			break
		}
		tail = after
	}
	if len(tail) == len(strings.TrimLeft(text, " ")) {
		return text
	}
	return "…" + tail
}

// isStamp reports whether the word is a number, a time, an address.
func isStamp(word string) bool {
	if word == "AM" || word == "PM" {
		return true
	}
	return !strings.ContainsFunc(word, unicode.IsLetter) && strings.ContainsFunc(word, unicode.IsDigit)
}
