package interop

import (
	"fmt"
	"regexp"
	"strings"

	"etrace/tracefmt"
)

const shivizName = "shiviz"

// ShiVizOptions say how a vector-clock log looks, in the regular expressions
// that ShiViz's users write. Both are optional: a log may carry them in its
// first two lines, and the forms of well-known loggers are tried in turn.
type ShiVizOptions struct {
	// Regex matches one event, which may span lines. Its groups host, clock
	// and event must be there; any other named group becomes a field.
	Regex string
	// Delimiter matches what stands between two executions; its group trace,
	// if it has one, gives the label of the execution that follows.
	Delimiter string
}

// shiviz reads logs with vector clocks. One execution is one run.
//
// Order. The events of a host follow its own clock, whatever their order in
// the file. Between hosts an event comes after those that its clock knows,
// otherwise at its place in the file. Processes are listed as their first
// events appear in the file, because authors tend to put first who acts first.
//
// Time. The clocks are all that is known of time, so time is logical, one
// unit per tick of the Lamport clock. A group such as date stays a field:
// stamps of different hosts contradict causality, and coarse ones tie.
//
// Kinds. An event is a note, labelled with its text when that is one word.
// It is a send or a receive only when its text says so, see shivizMessages.
//
// Payload. What belongs to a message and is equal at both its ends stands at
// the top; what the log says about one event stands under "log"; "causes" are
// direct causes beside [tracefmt.Event.Cause]. "causes" and "log" are
// reserved, the equality of a message's ends does not extend to them:
//
//	{"content":"ACK(1)",                       sends and receives only
//	 "causes":[4,9],                           seqs, if there are more than one
//	 "log":{"text":"Sending ACK(1) to node0",  group event
//	        "line":12,                         where it began in the file
//	        "fields":{"date":"…"},             the other groups, if any
//	        "clock":{"node0":2,"node1":2}}}    entries that are not zero
var shiviz = Format{
	Name:   shivizName,
	Doc:    "logs with vector clocks: ShiViz, GoVector, and others by --regex",
	Source: "DistributedClocks/shiviz at ea00d3d48b2e, its parser; DistributedClocks/GoVector at ae07272d0ebd",
	Detect: detectShiViz,
	Read:   readShiViz,
}

var (
	clockInText = regexp.MustCompile(`(?m)^[^{\s].*\{\\?"[^"\\]+\\?"\s*:\s*[0-9]+\s*[,}]`)
	clockOfTLC  = regexp.MustCompile(`(?m)^(/\\ Clock = "\{|TLC2 Version )`)
)

func detectShiViz(head []byte) Confidence {
	line1, _, _ := strings.Cut(string(head), "\n")
	switch {
	case isParserLine(line1):
		return Sure
	case clockInText.Match(head), clockOfTLC.Match(head):
		return Maybe
	}
	return No
}

// readShiViz understands the whole file before the sink gets a first run, so
// that a log which is refused leaves nothing behind.
func readShiViz(in *Input, sink tracefmt.Sink, o Options) (Report, error) {
	report := Report{Format: shivizName}
	text, replaced, err := in.text(maxText)
	if err != nil {
		return report, err
	}
	if strings.TrimSpace(text) == "" {
		return report, in.errorf(0, "the file is empty, expected a log with vector clocks")
	}
	if replaced {
		report.Notes = append(report.Notes, "bytes that are not UTF-8 were replaced by U+FFFD")
	}
	log := &shivizLog{in: in, text: text, lines: lineStarts(text)}
	if err := log.chooseForm(o.ShiViz, &report); err != nil {
		return report, err
	}
	histories, err := log.histories(&report)
	if err != nil {
		return report, err
	}
	if o.Strict {
		if err := report.strict(in); err != nil {
			return report, err
		}
	}
	for i, h := range histories {
		if err := h.emit(&intake{sink: sink}, &report.Runs[i]); err != nil {
			return report, in.errorf(0, "execution %q: %w", h.label, err)
		}
	}
	return report, nil
}

// histories parses, orders and checks each execution. The counts of the
// report are left to the intake.
func (l *shivizLog) histories(report *Report) ([]*history, error) {
	executions, err := l.executions()
	if err != nil {
		return nil, err
	}
	all := make([]*history, len(executions))
	report.Runs = make([]RunReport, len(executions))
	for i, x := range executions {
		report.Runs[i].Name = x.label
		h, err := l.parse(x, &report.Runs[i])
		if err != nil {
			return nil, err
		}
		if err := h.understand(); err != nil {
			return nil, err
		}
		all[i] = h
	}
	return all, nil
}

// understand derives from the clocks everything that a run needs.
func (h *history) understand() error {
	if err := h.sortByOwnClock(); err != nil {
		return err
	}
	h.findCandidates()
	if err := h.sortByCausality(); err != nil {
		return err
	}
	h.findParents()
	h.checkRules()
	h.pairMessages()
	return nil
}

// run describes the history; its members are the hosts that have events.
func (h *history) run() *tracefmt.Run {
	run := &tracefmt.Run{
		Name: h.label, Source: shivizName, TimeUnit: tracefmt.Logical, End: tracefmt.Open,
		Members: make([]tracefmt.Member, h.processes),
	}
	for i := range h.hosts {
		if p := h.hosts[i].process; p != 0 {
			run.Members[p-1] = tracefmt.Member{Name: h.hosts[i].name, Position: int(p)}
		}
	}
	return run
}

// exampleRegex is shown where the user has to write one.
const exampleRegex = `--regex '(?<host>\S*) (?<clock>{.*})\n(?<event>.*)'`

func missingGroup(group string) error {
	return fmt.Errorf("the regex has no group %s; an event needs the groups host, clock and event, as in %s", group, exampleRegex)
}
