package mapping

import (
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// A file may go on after a restart: a script or a person has marked the place, as in --- restart ---. In the log of one process
// the mark is its start, so that a crash before it is inferred. In a log of several it may also begin a new execution.

var (
	// restartMark matches a line that marks a restart. It has no head but a time and the word for all processes.
	restartMark = text.Pattern(`(?i)^\W*(?:` + SystemPattern + `\W+)?(?:re-?start(?:ed|ing)?|re-?boot(?:ed|ing)?)\W*$|` +
		`^(?:\W*` + SystemPattern + `)?\W{2,}(?:[\w.-]+ ){0,3}?` +
		`(?:re-?start(?:ed|ing)?|re-?boot(?:ed|ing)?|start(?:ing|ed)? ?up|new run)\b[^=]{0,40}\W*$|` +
		`^\W{2,} ?(?:(?:test )?(?:run|trial|experiment|execution|scenario|seed)\b\W*\w*|(?-i:Test[A-Z])\w*)\W*$`)
	// runMark matches a line that begins a numbered run or a test.
	runMark = text.Pattern(`(?i)^(?:\W{2,}|(?:\W*(?:` + SystemPattern + `|info|debug)\W+)?` +
		`(?:starting|started|start|beginning|begin|running|new|executing)\W+)` +
		`(?:(?:starting|running|new|test|random)\W+)*(?:run|trial|experiment|execution|seed|iteration|repetition)\W{1,3}\d+` +
		`(?:\W+(?:of|with|using|seed|run|trial|iteration|\d+))*\W*$|^\W{2,}(?-i:(?:RUN +|Running )?Test[A-Z])[\w/]*\W*$`)
	oneRestarts = text.Pattern(`(?i)\b(?:node|process|server|replica|member|worker|peer|leader)\b`)
)

// SystemPattern matches the words for all processes together, which write no lines but such marks.
const SystemPattern = `\b(?:system|cluster|test|harness|simulator|simulation)\b`

// MarksRestart reports whether a line marks a restart. It is called for each line without a rule.
func MarksRestart(line string) bool {
	const word = len("simulation: restarting...")
	line = withoutTime(line)
	return line != "" && len(line) <= longestMark && (len(line) <= word || !text.IsWordByte(line[0])) && restartMark().MatchString(line) ||
		marksRun(line)
}

// longestMark is the greatest length of a line that marks a restart or a run.
const longestMark = 80

// withoutTime returns a line without the time at its beginning.
func withoutTime(line string) string {
	line = strings.TrimSpace(line)
	for line != "" && '0' <= line[0] && line[0] <= '9' { // a time
		first, tail, _ := strings.Cut(line, " ")
		if strings.Trim(first, "0123456789:.,/-+TZ") != "" {
			break
		}
		line = strings.TrimSpace(tail)
	}
	return line
}

// marksRun reports whether a line without its time begins a run of its own.
func marksRun(line string) bool { return len(line) <= longestMark && runMark().MatchString(line) }

// restarts takes in a line that marks a restart, and reports whether it is one.
func (l *log) restarts() bool {
	if !MarksRestart(l.rec.text) {
		return false
	}
	l.explain.line(l.rec, "marks a restart")
	l.reading.AtOnce("%s marks a restart, perhaps of processes in other files", l.reading.Place(l.rec.line))
	if len(l.lives) == 0 { // nothing has happened yet
		return true
	}
	if marksRun(withoutTime(l.rec.text)) && l.runs == nil && !l.reading.Joined() {
		if err := l.begin(""); err == nil { // it fails only where lines name runs
			l.builder.Begins = "at " + l.reading.Place(l.rec.line) + ", which marks a run"
			return true
		}
	}
	for _, word := range strings.FieldsFunc(l.rec.text, func(r rune) bool { return strings.ContainsRune("-=*#~<>[]():,. ", r) }) {
		if l.lives[l.builder.Called(word)] != nil {
			l.restart(l.builder.Called(word))
			return true
		}
	}
	name := l.onlyWriter()
	if l.namedByFile() {
		name = l.processOf(nil)
	}
	switch {
	case name != "":
		l.restart(name)
	// One node restarts within the execution, though the mark does not name it.
	case oneRestarts().MatchString(l.rec.text) || !l.awaitsTermsAfterMark():
		l.gap("", 0)
	}
	return true
}

// onlyWriter returns the process of all lines so far, or "" if there are several.
func (l *log) onlyWriter() (name string) {
	if len(l.lives) != 1 {
		return ""
	}
	for process := range l.lives {
		name = process
	}
	return name
}

// restart adds the start that such a line marks. Other starts and crashes may be unrecorded.
func (l *log) restart(process string) {
	e := interop.Entry{Line: l.rec.line, Text: l.rec.text, Kind: tracefmt.Start, Process: process}
	if p := l.lives[process]; p != nil {
		e.Time = p.time
	}
	delete(l.carried, process)
	l.live(&e)
	l.explain.entry(&e)
	l.builder.Add(e)
	l.builder.InPart(process, tracefmt.Fact{Kind: tracefmt.Start}, tracefmt.Fact{Kind: tracefmt.Crash}, tracefmt.Fact{Kind: tracefmt.Recover})
}

// awaitsTermsAfterMark lets the lines after a mark of a restart wait, if some process has a term. Their terms show
// whether all processes begin with their first terms again, that is, whether a new execution begins.
func (l *log) awaitsTermsAfterMark() bool {
	f := &fall{place: l.reading.Place(l.rec.line), terms: true, marked: true, fallen: make(map[string]bool)}
	return !l.reading.Joined() && l.opens(f)
}
