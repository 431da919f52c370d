package mapping

import (
	"fmt"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

// Some loggers number the lines of a process: seq=17, #17. Where the numbers skip, lines are missing, whatever a
// mapping declares.

// sequenceFields are the names of fields with such numbers.
var sequenceFields = []string{
	"seq", "seqno", "seqnum", "seqnr", "sequence", "sequenceno", "sequencenumber",
	"lineno", "linenumber", "eventno", "eventseq", "recordno", "logseq",
}

// sequenceMarks are patterns of such numbers in the words of a line.
var sequenceMarks = []string{`^#(?<sequence>\d+)\b`, `\bseq(?:no|uence)?[=:]\s*(?<sequence>\d+)\b`}

// skips takes in the number of the record at hand among the lines of its process. If it skips some, they are missing. A
// number that does not rise begins to count anew, as after a restart.
func (l *log) skips(process string) {
	value, ok := l.sequence.text(l.rec)
	if !ok || l.again {
		return
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return
	}
	last, counted := l.numbers[process]
	if missing := n - last - 1; counted && missing > 0 {
		l.builder.Gap(process, missing)
		if l.skipped++; l.skipped == 1 {
			l.skipPlace = l.reading.Place(l.rec.line)
		}
	}
	if l.numbers == nil {
		l.numbers = make(map[string]int64)
	}
	l.numbers[process] = n
}

// noteSkips notes that numbers of lines skip.
func (l *log) noteSkips() {
	if l.skipped > 0 {
		l.reading.Caution(fmt.Sprintf("the numbers of lines skip at %s, the first at %s",
			text.Counted(l.skipped, "place", "places"), l.skipPlace), "what happened there is unknown")
	}
}

// findSequence finds the field that numbers the lines of a process, and what cuts it from their words.
func (x *suggestion) findSequence() {
	for _, rule := range x.rules {
		if strings.Contains(strings.Join(rule.parts, " "), "message: ") {
			return // the numbers may name messages
		}
	}
	for _, key := range x.ranked(sequenceFields) {
		if x.counts(func(rec *sampled) string { return rec.fields[key] }) {
			x.sequence = key
			return
		}
	}
	if x.shape.msg == "" {
		return
	}
	for _, mark := range sequenceMarks {
		pattern := text.Pattern(mark)()
		found := x.counts(func(rec *sampled) string {
			if at := pattern.FindStringSubmatch(rec.fields[x.shape.msg]); at != nil {
				return at[1]
			}
			return ""
		})
		if found {
			x.sequence, x.sequenceMark = "sequence", mark
			return
		}
	}
}

// counts reports whether every line of a process has a number that grows with each line, mostly by one, or begins anew.
func (x *suggestion) counts(number func(rec *sampled) string) bool {
	const least = 6
	last, steps, ones := make(map[string]int64), 0, 0
	for _, rec := range x.records {
		process := x.processOf(rec, x.roles)
		if process == "" {
			continue
		}
		n, err := strconv.ParseInt(number(rec), 10, 64)
		if err != nil {
			return false
		}
		if before, counted := last[process]; counted {
			switch {
			case n == before+1:
				ones++
			case n <= before && n > 1:
				return false
			}
			steps++
		}
		last[process] = n
	}
	return steps >= least && 2*ones >= steps
}
