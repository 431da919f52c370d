package mapping

import (
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// People who paste logs leave out lines and mark the place. Loggers that limit their rate and viewers that
// show a part do so, too. Then events may be missing, even if the mapping declares the log complete.

var (
	// shortOmission matches a line in place of omitted lines, such as ..., [...] and --.
	shortOmission = text.Pattern(`^(?:[\[<({]?(?:\.{3,}|…|⋮)[\])}>]?|-{2,3})$`)
	// longOmission matches a line that states in words that lines are omitted.
	longOmission = text.Pattern(`(?i)^-+ *(?:8<|>8|✂) *-+$|^[\[<({*#/ -]{0,6}(?:\.{3,}|…)?\s*(?:snip(?:ped)?|truncated|omitted|elided|` +
		`skipp(?:ed|ing)|(?:some|many|several|more|\d+)(?: \w+)? (?:lines|entries|records|log messages))\b[^=]{0,60}$` +
		`|\b(?:lines?|log (?:messages?|entries|records|events?)|entries|records)\b[^=]{0,24}\b(?:suppressed|omitted|` +
		`dropped|skipped|truncated|elided|snipped|lost|discarded|limited)\b` +
		`|\bsuppressed \d+ (?:\w+ )?(?:lines?|messages?|entries|records|events?|logs?)\b` +
		`|\bmessages? (?:repeated \d+ times|suppressed)\b` +
		`|\b(?:lost|dropped?|dropping) (?:\d+ )?messages\b.*\brate[- ]limit` +
		`|\brate[- ]limit\w*\b.*\bmessages\b.{0,12}\b(?:dropped|lost|discarded)\b` +
		`|[<\[](?:log |output )?(?:truncated|cut)\b`)
	// omissionWords are those with which a word begins in each long omission that does not begin with a count, in small
	// letters. Programs write about lines and entries all the time, and the search for a match takes ten times as long as an
	// import of the line.
	omissionWords = []string{
		"snip", "cut", "truncated", "omitted", "elided", "skip", "suppressed", "repeated", "limit", "dropped", "lost", "discarded",
	}
	countWords = []string{"some ", "many ", "several ", "more "}
)

// beginsWithCount reports whether a line begins as 12 lines or some entries do, after signs.
func beginsWithCount(line string) bool {
	line = strings.TrimLeft(line, "[<({*#/ -.…\t\n\f\r")
	if after := strings.TrimLeft(line, "0123456789"); after != line {
		return strings.HasPrefix(after, " ")
	}
	return slices.ContainsFunc(countWords, func(count string) bool {
		return len(line) > len(count) && strings.EqualFold(line[:len(count)], count)
	})
}

// omits reports whether a line marks omitted lines.
func omits(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) <= 8 {
		return shortOmission().MatchString(line) || len(line) > 3 && longOmission().MatchString(line)
	}
	if len(line) > 300 {
		return false
	}
	return (line[0] == '-' || hasOmissionWord(line) || beginsWithCount(line)) && longOmission().MatchString(line)
}

// omissionInitials has the first letters of omissionWords, in both cases.
var omissionInitials = func() (initials [256]bool) {
	for _, word := range omissionWords {
		initials[word[0]], initials[word[0]-'a'+'A'] = true, true
	}
	return initials
}()

// hasOmissionWord reports whether a word of the line begins with one of omissionWords. It is called for each line, so
// it compares only the beginnings of words.
func hasOmissionWord(line string) bool {
	inWord := false
	for i := range len(line) {
		c := line[i]
		begins := !inWord
		inWord = text.IsWordByte(c)
		if !begins || !omissionInitials[c] {
			continue
		}
		for _, word := range omissionWords {
			if len(line)-i >= len(word) && strings.EqualFold(line[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}
