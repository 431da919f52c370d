package mapping

import (
	"fmt"
	"strconv"

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
