package history

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop"
)

// Text reads histories in the lines that Jepsen logs, or keeps in history.txt.
var Text = interop.Format{
	Name:        "jepsen",
	Doc:         "histories of operations in lines of text: Jepsen's log, its history.txt",
	Describe:    func() string { return describeText + describeBoth },
	Source:      "jepsen-io/jepsen, jepsen.util/log-op; anishathalye/porcupine at 55508eb201b3, which reads them",
	Detect:      detectText,
	Read:        readText,
	ReadOptions: []interop.Option{conventionOption},
}

const describeText = `A line has the process, the type, the operation and the value, separated by tabs or blanks. In a log they
follow the word jepsen:

  INFO  jepsen.util - 1	:invoke	:cas	[1 4]

Times are logical: 1, 2, 3, ...

`

var signOfText = regexp.MustCompile(`(?m)^(?:.*\bjepsen\S*:? .*)?:?[\w-]+\s*\t:(?:invoke|ok|fail|info)\t:[^\t\n]+\t`)

// aligned matches a line in which blanks replace the tabs. There only a number or nemesis is recognised as the
// process.
var aligned = regexp.MustCompile(`(?m)^(?:.*\bjepsen\S*:? .*[ \t])?(\d+|:?nemesis)[ \t]+:(invoke|ok|fail|info)[ \t]+:(\S+)[ \t]+(\S.*)$`)

func detectText(head []byte) interop.Confidence {
	return interop.SureIf(signOfText.Match(head) || aligned.Match(head))
}

// readText reads a history in lines.
func readText(r *interop.Reading) error {
	h := newHistory(r, func(line int, text string) entry {
		e := entry{line: line, text: text}
		e.parse(text)
		return e
	})
	for n, line := range r.Lines() {
		if line == "" { // a packed file may have millions of them
			continue
		}
		e := h.parse(n, line)
		h.add(&e)
	}
	h.addRun()
	return nil
}

// betweenTabs are the sorts of entries, as in lines with tabs.
var betweenTabs = []string{"\t:" + invokes + "\t", "\t:" + done + "\t", "\t:" + undone + "\t", "\t:" + unsure + "\t"}

// parse reads a line of a log. A logger's prefix may precede the process.
func (e *entry) parse(line string) {
	for i, sort := range sorts {
		head, tail, found := strings.Cut(line, betweenTabs[i])
		if !found {
			continue
		}
		parts, words := strings.SplitN(tail, "\t", 3), strings.Fields(head)
		if len(parts) < 2 || !strings.HasPrefix(parts[0], ":") || !isHead(words) {
			continue
		}
		e.typ, e.operation = sort, parts[0][1:]
		e.process, e.fault = processOf(form{text: words[len(words)-1]})
		e.value = formOf(parts[1])
		if len(parts) > 2 {
			e.failed, e.extra = true, []interop.Field{interop.Text("error", parts[2])}
		}
		return
	}
	if strings.Contains(line, " :") {
		e.parseAligned(line)
	}
}

// parseAligned reads a line without tabs. If two values follow the operation, the second is the error.
func (e *entry) parseAligned(line string) {
	columns := aligned.FindStringSubmatch(line)
	if columns == nil {
		return
	}
	e.typ, e.operation = columns[2], columns[3]
	e.process, e.fault = processOf(form{text: columns[1]})
	value := strings.TrimRight(columns[4], " \t\r")
	s := scanner{text: value, line: 1}
	if _, err := s.next(0); err == nil && strings.HasPrefix(value[s.at:], " ") {
		e.failed, e.extra = true, []interop.Field{interop.Text("error", strings.TrimSpace(value[s.at:]))}
		value = value[:s.at]
	}
	e.value = formOf(value)
}

// isHead reports whether the words before the sort of an entry are a process, or a prefix of a logger of Jepsen
// with the process.
func isHead(words []string) bool {
	return len(words) == 1 || slices.ContainsFunc(words, func(w string) bool { return strings.Contains(w, "jepsen") })
}

// formOf parses the value of a line. A value that is no EDN becomes a text.
func formOf(text string) form {
	s := scanner{text: text, line: 1}
	f, err := s.next(0)
	if err == nil && s.skip(0) == io.EOF {
		return f
	}
	return form{inner: textContent, text: text}
}
