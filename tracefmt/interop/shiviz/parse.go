package shiviz

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// shivizLog is a log as text, with the regexes that divide it.
type shivizLog struct {
	in        *interop.Reading
	text      string
	lines     []int // offsets at which lines start
	start     int   // where the log begins, after lines that hold regexes
	pattern   *pattern
	delimiter *regexp.Regexp // nil for none
}

// execution is the part of a log from one delimiter to the next.
type execution struct {
	label    string
	from, to int
}

// history is an execution, parsed.
type history struct {
	log       *shivizLog
	label     string
	report    *interop.RunReport
	hosts     []host
	hostIndex map[string]hostID
	processes tracefmt.ProcessID // how many hosts have events
	events    []logEvent         // in file order
	order     []eventID          // causes first
	messages  []message
	memory    []entry // what clocks are cut from
}

type (
	// hostID is an index of history.hosts, eventID one of history.events.
	hostID  int32
	eventID int32
)

const noEvent eventID = -1

// host is a name that occurs as a host or in a clock.
type host struct {
	name    string
	process tracefmt.ProcessID // 0 if it has no events
	events  []eventID          // by own clock
}

// logEvent is one event, first as the log has it, then as understood.
type logEvent struct {
	host   hostID
	line   int32
	own    int64
	clock  clock
	text   string
	fields []string // values by pattern.fields

	previous   eventID   // on the same host
	candidates []eventID // of other hosts, newly known
	parents    []eventID // direct causes among the candidates
	lamport    int64
	message    int32 // index of history.messages + 1; 0 for none
}

func lineStarts(text string) []int {
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the number of the line that holds the offset.
func (l *shivizLog) line(offset int) int {
	return sort.SearchInts(l.lines, offset+1)
}

func (l *shivizLog) errorf(offset int, format string, args ...any) error {
	return l.in.Errorf(l.line(offset), format, args...)
}

// executions divides the log. Text before the first delimiter is an
// execution without a label, unless it is blank.
func (l *shivizLog) executions() ([]execution, error) {
	all := []execution{{"", l.start, len(l.text)}}
	if l.delimiter == nil {
		return all, nil
	}
	group := l.delimiter.SubexpIndex("trace")
	seen := map[string]bool{"": true}
	for i, m := range l.delimiter.FindAllStringSubmatchIndex(l.text[l.start:], -1) {
		label := fmt.Sprintf("execution %d", i+1)
		if group >= 0 && m[2*group] >= 0 {
			label = strings.TrimSpace(l.text[l.start+m[2*group] : l.start+m[2*group+1]])
		}
		if seen[label] {
			return nil, l.errorf(l.start+m[0], "the label %q is not unique among the executions, expected each delimiter to give another", label)
		}
		seen[label] = true
		all[len(all)-1].to = l.start + m[0]
		all = append(all, execution{label, l.start + m[1], len(l.text)})
	}
	if strings.TrimSpace(l.text[all[0].from:all[0].to]) == "" {
		all = all[1:]
	}
	return all, nil
}

// parse reads the events of an execution.
func (l *shivizLog) parse(x execution, report *interop.RunReport) (*history, error) {
	h := &history{log: l, label: x.label, report: report, hostIndex: make(map[string]hostID)}
	body := l.text[x.from:x.to]
	end := 0
	matches := l.pattern.re.FindAllStringSubmatchIndex(body, -1)
	h.events = make([]logEvent, 0, len(matches))
	for _, m := range matches {
		h.skip(x.from+end, x.from+m[0])
		end = m[1]
		if err := h.addEvent(x.from, m); err != nil {
			return nil, err
		}
	}
	if len(h.events) == 0 {
		return nil, l.noEvents(x)
	}
	h.skip(x.from+end, x.to)
	return h, nil
}

func (l *shivizLog) noEvents(x execution) error {
	line, first := firstLine(l.text[x.from:x.to])
	what := "the log"
	if x.label != "" {
		what = fmt.Sprintf("execution %q", x.label)
	}
	return l.in.Errorf(l.line(x.from)+line-1, "the regex %s matches nothing in %s, which begins with %q",
		strings.TrimPrefix(l.pattern.re.String(), "(?m)"), what, interop.Shorten(first))
}

// skip counts the lines between two events that are not blank. What is left
// of a line of which the regex took only a part is such a line too.
func (h *history) skip(from, to int) {
	for piece := range strings.Lines(h.log.text[from:to]) {
		if text := strings.TrimSpace(piece); text != "" {
			h.report.Skip(h.log.line(from), text)
		}
		from += len(piece)
	}
}

// addEvent reads the event of a match, whose offsets count from base.
func (h *history) addEvent(base int, m []int) error {
	l, p := h.log, h.log.pattern
	group := func(g int) string {
		if m[2*g] < 0 {
			return ""
		}
		return l.text[base+m[2*g] : base+m[2*g+1]]
	}
	at := base + firstOffset(m, p)
	name := group(p.host)
	if name == "" {
		return l.errorf(at, "the host is empty; expected the regex to take a name for group host")
	}
	id := h.intern(name)
	e := logEvent{host: id, line: int32(l.line(at)), text: group(p.event), previous: noEvent}
	if err := h.readClock(&e, group(p.clock)); err != nil {
		return l.errorf(at, "%w", err)
	}
	if len(p.fields) > 0 {
		e.fields = make([]string, len(p.fields))
		for i, f := range p.fields {
			e.fields[i] = group(f.group)
		}
	}
	if h.hosts[id].process == 0 {
		h.processes++
		h.hosts[id].process = h.processes
	}
	h.hosts[id].events = append(h.hosts[id].events, eventID(len(h.events)))
	h.events = append(h.events, e)
	return nil
}

// firstOffset returns where the first of the needed groups begins; the match
// itself may begin earlier, with line ends.
func firstOffset(m []int, p *pattern) int {
	first := m[1]
	for _, g := range []int{p.host, p.clock, p.event} {
		if m[2*g] >= 0 {
			first = min(first, m[2*g])
		}
	}
	return first
}

// readClock sets the clock of the event, and its host's entry.
func (h *history) readClock(e *logEvent, text string) error {
	c, repeated, err := h.parseClock(text)
	if err != nil {
		return err
	}
	name := h.hosts[e.host].name
	e.clock, e.own = c, c.at(e.host)
	if e.own == 0 {
		return fmt.Errorf("the clock %s has no entry for its own host %q", interop.Shorten(text), name)
	}
	if repeated != "" {
		h.report.Find(ruleUniqueKeys, int(e.line), "the clock has two entries for %q, the last is taken", repeated)
	}
	return nil
}

func (h *history) intern(name string) hostID {
	id, ok := h.hostIndex[name]
	if !ok {
		id = hostID(len(h.hosts))
		h.hosts = append(h.hosts, host{name: name})
		h.hostIndex[name] = id
	}
	return id
}

// name writes an event as host:own.
func (h *history) name(id eventID) string {
	e := &h.events[id]
	return fmt.Sprintf("%s:%d", h.hosts[e.host].name, e.own)
}

// sortByOwnClock gives each host its events in the order in which they
// happened, which need not be that of the file.
func (h *history) sortByOwnClock() error {
	for i := range h.hosts {
		events := h.hosts[i].events
		h.noteFileOrder(&h.hosts[i])
		slices.SortStableFunc(events, func(a, b eventID) int {
			return cmp.Compare(h.events[a].own, h.events[b].own)
		})
		for k, id := range events {
			if k > 0 {
				h.events[id].previous = events[k-1]
			}
			if err := h.checkOwnClock(id, &h.hosts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *history) noteFileOrder(host *host) {
	var lines []int
	latest := int64(0)
	for _, id := range host.events {
		if own := h.events[id].own; own < latest {
			lines = append(lines, int(h.events[id].line))
		} else {
			latest = own
		}
	}
	if len(lines) > 0 {
		h.report.Note("%s: %s out of file order (%s), sorted by own clock",
			host.name, text.Counted(len(lines), "event", "events"), interop.ListLines(lines, len(lines)))
	}
}

// checkOwnClock holds the own entry against that of the previous event: equal
// ones leave the order open, a gap does not.
func (h *history) checkOwnClock(id eventID, host *host) error {
	e := &h.events[id]
	before := int64(0)
	if e.previous != noEvent {
		p := &h.events[e.previous]
		if before = p.own; before == e.own {
			return h.log.in.Errorf(int(max(e.line, p.line)), "the own clock %s occurs before, at line %d; expected each value once "+
				"(does the file hold several executions? then a delimiter has to divide them)", h.name(id), min(e.line, p.line))
		}
	}
	if e.own != before+1 {
		h.report.Find(ruleOwnSequence, int(e.line), "the own clock of %q goes from %d to %d, expected %d; events are missing", host.name, before, e.own, before+1)
	}
	return nil
}
