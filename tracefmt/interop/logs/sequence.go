package logs

import (
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

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
