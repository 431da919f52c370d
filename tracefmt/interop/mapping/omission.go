package mapping

import (
	"strings"

	"etrace/tracefmt/text"
)

// People who paste logs leave out lines, and say so; so do loggers that limit their rate, and viewers that
// show only a part. Where they do, events may be missing, whatever the mapping says of the log.

var (
	// shortOmission is a line that stands for others: ..., [snip], --.
	shortOmission = text.Pattern(`^(?:[\[<({]?(?:\.{3,}|…)[\])}>]?|-{2,3})$`)
	// longOmission is a line that says so in words.
	longOmission = text.Pattern(`(?i)^[\[<({*#/ -]{0,6}(?:\.{3,}|…)?\s*(?:snip(?:ped)?|truncated|omitted|elided|skipp(?:ed|ing)|(?:some|many|several|more|\d+)(?: \w+)? (?:lines|entries|records|log messages))\b[^=]{0,60}$` +
		`|\b(?:lines?|log (?:messages?|entries|records|events?)|entries|records)\b[^=]{0,24}\b(?:suppressed|omitted|dropped|skipped|truncated|elided|snipped|lost|discarded|limited)\b` +
		`|\bsuppressed \d+ (?:\w+ )?(?:lines?|messages?|entries|records|events?|logs?)\b` +
		`|\bmessages? (?:repeated \d+ times|suppressed)\b` +
		`|\b(?:lost|dropped?|dropping) (?:\d+ )?messages\b.*\brate[- ]limit` +
		`|[<\[](?:log |output )?(?:truncated|cut)\b`)
	// omissionWords are the texts without which no line is a long omission, in small letters.
	omissionWords = []string{"snip", "cut", "truncated", "omitted", "elided", "skip", "suppressed", "repeated", "limit", "lines", "entries", "records", "log messages"}
)

// omits reports whether a line says that others are missing.
func omits(line string) bool {
	line = strings.TrimSpace(line)
	if len(line) <= 8 {
		return shortOmission().MatchString(line) || len(line) > 3 && longOmission().MatchString(line)
	}
	if len(line) > 300 {
		return false
	}
	lower := strings.ToLower(line)
	for _, word := range omissionWords {
		if strings.Contains(lower, word) {
			return longOmission().MatchString(line)
		}
	}
	return false
}
