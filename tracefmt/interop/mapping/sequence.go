package mapping

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

// Some loggers number the lines of a process, others those of a file: seq=17, #17, 0017. Where the numbers skip, lines
// are missing, whatever a mapping declares.

// sequence is the number of a line, counted for each process or for each file.
type sequence struct {
	number *template
	ofFile bool
}

// setOf sets whether the number counts the lines of a process or of a file.
func (s *sequence) setOf(text string) error {
	if text != "process" && text != "file" {
		return fmt.Errorf("%q, expected process or file", text)
	}
	s.ofFile = text == "file"
	return nil
}

// skips examines the number of the current record. If numbers are skipped, lines are missing: of its process, or if
// the lines of a file are counted, of any process. If the number does not rise, the count begins again, as after a
// restart.
func (l *log) skips(process string) {
	value, ok := l.sequence.number.text(l.rec)
	if !ok || l.again {
		return
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return
	}
	series := process
	if l.sequence.ofFile {
		series = l.name
	}
	if missing := n - l.numbers[series] - 1; missing > 0 {
		if l.sequence.ofFile {
			l.gap("", 0)
		} else {
			l.gap(process, missing)
		}
		if l.skipped++; l.skipped == 1 {
			l.skipPlace = l.reading.Place(l.rec.line)
		}
	}
	if l.numbers == nil {
		l.numbers = make(map[string]int64)
	}
	l.numbers[series] = n
}

// noteSkips notes how many times numbers are skipped.
func (l *log) noteSkips() {
	if l.skipped > 0 {
		l.reading.Caution(fmt.Sprintf("the numbers of lines skip at %s, the first at %s",
			text.Counted(l.skipped, "place", "places"), l.skipPlace), "what happened there is unknown")
	}
}

// sequenceFields are names of fields with such numbers.
var sequenceFields = []string{
	"seq", "seqno", "seqnum", "seqnr", "sequence", "sequenceno", "sequencenumber",
	"lineno", "linenumber", "eventno", "eventseq", "recordno", "logseq", "n", "no", "num", "number",
}

// sequenceMarks are patterns of such numbers in a line. The first is of numbers at its beginning.
var sequenceMarks = []string{
	`^\s*[#\[(<L]?(?<sequence>\d+)[\])>.]?(?:\s*\||\s)`,
	`(?:^|\s)#(?<sequence>\d+)\b`,
	`\bseq(?:no|uence)?[=:]\s*(?<sequence>\d+)\b`,
	`\bline"?[ =:]\s*"?(?<sequence>\d+)\b`,
}

// findSequence finds the field that numbers the lines, or the pattern that extracts the number.
func (x *suggestion) findSequence() {
	named := slices.ContainsFunc(x.rules, func(rule *guessed) bool {
		return strings.Contains(strings.Join(rule.parts, " "), "message: ")
	})
	for _, key := range x.ranked(sequenceFields) {
		if !named && key != x.time && x.counts(func(rec *sampled) string { return rec.fields[key] }) {
			x.sequence = key
			return
		}
	}
	for i, mark := range sequenceMarks {
		if named && i > 0 {
			return // the numbers may name messages
		}
		pattern := text.Pattern(mark)()
		found := x.counts(func(rec *sampled) string {
			if at := pattern.FindStringSubmatch(rec.text); at != nil && at[1] != rec.fields[x.time] {
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

// counts reports whether the numbers of each process grow from line to line, mostly by one, or begin again. If they
// do so in each file whatever the process, they count the lines of the file.
func (x *suggestion) counts(number func(rec *sampled) string) bool {
	const minimum = 4
	byProcess, byFile := growth{last: make(map[string]int64)}, growth{last: make(map[string]int64)}
	for _, rec := range x.records {
		process := x.processOf(rec, x.roles)
		if process == "" {
			continue
		}
		n, err := strconv.ParseInt(number(rec), 10, 64)
		if err != nil {
			return false
		}
		byProcess.take(process, n)
		byFile.take(rec.file, n)
	}
	x.sequenceOfFile = len(byProcess.last) > len(byFile.last) && byFile.falls == 0
	c := byProcess
	if x.sequenceOfFile {
		c = byFile
	}
	return c.steps >= minimum && 2*c.ones >= c.steps && c.falls == c.anew
}

// growth counts how numbers grow.
type growth struct {
	last map[string]int64
	// steps counts pairs of successive numbers. ones counts increases by one, falls counts numbers that do not grow,
	// and anew counts falls to the beginning.
	steps, ones, falls, anew int
}

// take counts the next number of a series.
func (c *growth) take(series string, n int64) {
	if last, counted := c.last[series]; counted {
		c.steps++
		switch {
		case n == last+1:
			c.ones++
		case n <= last:
			c.falls++
			if n <= 1 {
				c.anew++
			}
		}
	}
	c.last[series] = n
}
