package shiviz

import (
	"fmt"
	"regexp"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

const name = "shiviz"

// options say how a vector-clock log looks, in the regular expressions that
// ShiViz's users write. Both are optional: a log may carry them in its first two
// lines, and the forms of well-known loggers are tried in turn.
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
var Format = interop.Format{
	Name:   name,
	Doc:    "logs with vector clocks: ShiViz, GoVector, and others by --regex",
	Source: "DistributedClocks/shiviz at ea00d3d48b2e, its parser; DistributedClocks/GoVector at ae07272d0ebd",
	Detect: detect,
	Read:   read,
	ReadOptions: []interop.Option{
		{Name: "regex", Arg: "REGEX", Doc: "a REGEX with the named groups host, clock, event"},
		{Name: "delimiter", Arg: "REGEX", Doc: "a REGEX of the lines between executions"},
	},
}

var (
	clockInText = regexp.MustCompile(`(?m)^[^{\s].*\{\\?"[^"\\]+\\?"\s*:\s*[0-9]+\s*[,}]`)
	clockOfTLC  = regexp.MustCompile(`(?m)^(/\\ Clock = "\{|TLC2 Version )`)
)

func detect(head []byte) interop.Confidence {
	line1, _, _ := strings.Cut(string(head), "\n")
	switch {
	case isParserLine(line1):
		return interop.Sure
	case clockInText.Match(head), clockOfTLC.Match(head):
		return interop.Maybe
	}
	return interop.No
}

// read understands the whole file before the sink gets a first run, so that a
// log which is refused leaves nothing behind.
func read(r *interop.Reading) error {
	text, err := r.Text()
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return r.Errorf(0, "the file is empty, expected a log with vector clocks")
	}
	log := &shivizLog{in: r, text: text, lines: lineStarts(text)}
	if err := log.chooseForm(options{r.Value("regex"), r.Value("delimiter")}); err != nil {
		return err
	}
	histories, err := log.histories()
	if err != nil {
		return err
	}
	for _, h := range histories {
		to, err := r.PassWith(h.run(), h.report)
		if err != nil {
			return err
		}
		if err := h.emit(to); err != nil {
			return r.Errorf(0, "execution %q: %w", h.label, err)
		}
	}
	return nil
}

// histories parses, orders and checks each execution.
func (l *shivizLog) histories() ([]*history, error) {
	executions, err := l.executions()
	if err != nil {
		return nil, err
	}
	all := make([]*history, len(executions))
	for i, x := range executions {
		h, err := l.parse(x, l.in.Report(x.label))
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
		Name: h.label, Source: name, TimeUnit: tracefmt.Logical, End: tracefmt.Open,
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
