package shiviz

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop"
)

// options describe the form of a vector-clock log, in the regular expressions that ShiViz's users write. Both
// are optional: a log may carry them in its first two lines, and the forms of well-known loggers are tried in
// turn.
type options struct {
	// regex matches one event, which may span lines. Its groups host, clock
	// and event must be there; any other named group becomes a field.
	regex string
	// delimiter matches what separates two executions; its group trace, if it
	// has one, gives the label of the execution that follows.
	delimiter string
}

// Format reads logs with vector clocks. One execution is one run.
//
// Order. The events of a host follow its own clock, whatever their order in
// the file. Between hosts an event comes after the events that its clock knows,
// otherwise at its place in the file. Processes are listed as their first
// events appear in the file, because authors tend to put first who acts first.
//
// Time. The clocks are all that is known of time, so time is logical, one
// unit per tick of the Lamport clock. A group such as date stays a field:
// stamps of different hosts contradict causality, and coarse ones tie.
//
// Kinds. An event is a note, labelled with its text when that is one word.
// It is a send or a receive only by its text, see shivizMessages.
//
// Completeness. The Builder finds it. The kinds that occur are complete, with two
// exceptions. The messages of a process are incomplete if its clock knows of events that
// no message explains. There is a gap where the own clock of a process leaves out values. A receive without a send in
// its past is a note, since the text alone does not make it a receive.
//
// Payload. That of the Builder; the groups besides host, clock and event are
// the log's fields.
var Format = interop.Format{
	Name: "shiviz",
	Doc: "logs with vector clocks: ShiViz, GoVector, and others by --regex; an export keeps processes, " +
		"messages and causality, but no times",
	Describe:   describe,
	Source:     "DistributedClocks/shiviz at ea00d3d48b2e, its parser; DistributedClocks/GoVector at ae07272d0ebd",
	Detect:     detect,
	Read:       read,
	Write:      write,
	Keeps:      interop.Processes | interop.Messages | interop.Causality,
	Returns:    interop.Processes | interop.Messages | interop.Causality,
	Extensions: []string{"log"},
	ReadOptions: []interop.Option{
		{Name: "regex", Arg: "REGEX", Doc: "a REGEX with the named groups host, clock, event"},
		{Name: "delimiter", Arg: "REGEX", Doc: "a REGEX of the lines between executions"},
	},
}

var (
	// A line with a vector clock, which is no line of a JSON document.
	clockInText = regexp.MustCompile(`(?m)^([^{[\s]|\[[^{[\s]).*\{(\\?"[^"\\]+\\?"\s*:\s*[0-9]+\s*,\s*)*\\?"[^"\\]+\\?"\s*:\s*[0-9]+\s*\}`)
	numeric     = regexp.MustCompile(`^\d+$`)
	clockOfTLC  = regexp.MustCompile(`(?m)^(/\\ Clock = "\{|TLC2 Version )`)
)

// detect recognises a log with a regex in line 1, or with a vector clock in some line.
func detect(head []byte) interop.Confidence {
	line1, _, _ := strings.Cut(string(head), "\n")
	switch {
	case isParserLine(line1) && strings.HasPrefix(line1, "(?<"):
		return interop.Certain
	case isParserLine(line1):
		return interop.Sure
	case hasClock(head), clockOfTLC.Match(head):
		return interop.Maybe
	}
	return interop.No
}

// hasClock reports whether a line has a vector clock: an object of numbers with an entry of the host that the line
// names. Numbers of other names are the fields of a message, such as {"node": 1, "term": 3}.
func hasClock(head []byte) bool {
	for _, at := range clockInText.FindAllIndex(head, maxClocks) {
		begin := bytes.LastIndexByte(head[:at[1]], '{')
		after, _, _ := bytes.Cut(head[at[1]:], []byte("\n"))
		outside := slices.Concat(head[at[0]:begin], after)
		for entry := range bytes.SplitSeq(head[begin+1:at[1]-1], []byte(",")) {
			name, _, _ := bytes.Cut(entry, []byte(":"))
			name = bytes.Trim(name, ` \"`)
			// A number occurs in any line, so a host with such a name is beside the clock or begins the line.
			words := bytes.Fields(head[at[0]:begin])
			isBeside := len(words) == 0 || bytes.Equal(words[0], name) || bytes.Equal(words[len(words)-1], name)
			if numeric.Match(name) && !isBeside {
				continue
			}
			if bytes.Contains(outside, name) {
				return true
			}
		}
	}
	return false
}

// maxClocks bounds the lines that hasClock examines.
const maxClocks = 20

// read divides the log into executions, and makes a run of each.
func read(r *interop.Reading) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return r.Errorf(0, "the file is empty, expected a log with vector clocks")
	}
	log := &shivizLog{reading: r, text: text, lines: lineStarts(text)}
	if err := log.chooseForm(options{r.Value("regex"), r.Value("delimiter")}); err != nil {
		return err
	}
	executions, err := log.executions()
	if err != nil {
		return err
	}
	for _, x := range executions {
		if err := x.read(); err != nil {
			return err
		}
	}
	return nil
}

// exampleRegex is the example in errors about a missing regex.
const exampleRegex = `--regex '(?<host>\S*) (?<clock>{.*})\n(?<event>.*)'`

// missingGroup returns the error for a regex without a required group.
func missingGroup(group string) error {
	return fmt.Errorf("the regex has no group %s; an event needs the groups host, clock and event, as in %s", group, exampleRegex)
}
