package shiviz

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// shivizLog is a log as text, with the regexes that divide it.
type shivizLog struct {
	reading   *interop.Reading
	text      string
	lines     []int // offsets at which lines start
	start     int   // the offset of the log, after lines that hold regexes
	pattern   *pattern
	delimiter *finder // nil for none
}

// execution is the part of a log between two delimiters.
type execution struct {
	*shivizLog
	label    string
	from, to int
	run      *interop.Builder
	hosts    map[string]bool   // hosts with events
	names    map[string]string // the names of hosts in clocks, allocated once each
	clock    []interop.Tick    // memory for the present clock
}

// lineStarts returns the offsets at which lines start.
func lineStarts(text string) []int {
	starts := make([]int, 1, strings.Count(text, "\n")+1)
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the number of the line with the offset.
func (l *shivizLog) line(offset int) int {
	return sort.SearchInts(l.lines, offset+1)
}

// errorf returns an error at the line with the offset.
func (l *shivizLog) errorf(offset int, format string, args ...any) error {
	return l.reading.Errorf(l.line(offset), format, args...)
}

// executions divides the log. Text before the first delimiter is an
// execution without a label, unless it is blank.
func (l *shivizLog) executions() ([]*execution, error) {
	list := []*execution{{shivizLog: l, from: l.start, to: len(l.text)}}
	if l.delimiter == nil {
		return list, nil
	}
	group := l.delimiter.re.SubexpIndex("trace")
	seen := map[string]bool{"": true}
	found := l.delimiter.list(l.text[l.start:])
	for m := range found.each {
		if len(list) > interop.MaxRuns { // Build refuses the last
			break
		}
		label := fmt.Sprintf("execution %d", len(seen))
		if group >= 0 && m[2*group] >= 0 {
			label = strings.TrimSpace(l.text[l.start+int(m[2*group]) : l.start+int(m[2*group+1])])
		}
		if seen[label] {
			return nil, l.errorf(
				l.start+int(m[0]),
				"the label %q is not unique among the executions, expected each delimiter to give another", label,
			)
		}
		seen[label] = true
		list[len(list)-1].to = l.start + int(m[0])
		list = append(list, &execution{shivizLog: l, label: label, from: l.start + int(m[1]), to: len(l.text)})
	}
	if strings.TrimSpace(l.text[list[0].from:list[0].to]) == "" {
		list = list[1:]
	}
	return list, nil
}

// read adds the events of an execution to a run.
func (x *execution) read() error {
	x.run = x.reading.Build(tracefmt.Run{Name: x.label})
	x.run.FirstSeen = true
	x.names = make(map[string]string)
	matches := x.pattern.list(x.text[x.from:x.to])
	if len(matches.offsets) == 0 {
		return x.noEvents()
	}
	x.hosts = make(map[string]bool)
	for m := range matches.each {
		x.hosts[x.group(m, x.pattern.host)] = true
	}
	end := 0
	for m := range matches.each {
		x.skip(x.from+end, x.from+int(m[0]))
		end = int(m[1])
		if err := x.addEvent(m); err != nil {
			return err
		}
	}
	x.skip(x.from+end, x.to)
	return nil
}

// noEvents returns the error for an execution in which the regex matches nothing.
func (x *execution) noEvents() error {
	line, first := firstLine(x.text[x.from:x.to])
	place := "the log"
	if x.label != "" {
		place = fmt.Sprintf("execution %q", x.label)
	}
	return x.reading.Errorf(x.line(x.from)+line-1, "the regex %s matches nothing in %s, which begins with %q",
		strings.TrimPrefix(x.pattern.re.String(), "(?m)"), place, interop.Shorten(first))
}

// skip counts the nonblank lines between two events. It includes lines that the regex matched in part.
func (x *execution) skip(from, to int) {
	for piece := range strings.Lines(x.text[from:to]) {
		if text := strings.TrimSpace(piece); text != "" {
			x.run.Skip(x.line(from), text)
		}
		from += len(piece)
	}
}

// group returns the text of a group of a match, "" if the group did not match.
func (x *execution) group(m match, g int) string {
	if m[2*g] < 0 {
		return ""
	}
	return x.text[x.from+int(m[2*g]) : x.from+int(m[2*g+1])]
}

// addEvent adds the event of a match.
func (x *execution) addEvent(m match) error {
	p := x.pattern
	at := x.from + firstOffset(m, p)
	host, text := x.group(m, p.host), x.group(m, p.event)
	if host == "" {
		return x.errorf(at, "the host is empty; expected the regex to take a name for group host")
	}
	clock, err := x.parseClock(x.group(m, p.clock))
	if err != nil {
		return x.errorf(at, "%w", err)
	}
	e := interop.Entry{Line: x.line(at), Text: text, Process: host, Clock: clock}
	x.parseText(&e)
	for _, f := range p.fields {
		e.Extra = append(e.Extra, interop.Text(f.name, x.group(m, f.group)))
	}
	x.run.Add(e)
	return nil
}

// firstOffset returns the offset of the first required group. The match itself may begin earlier, with line
// ends.
func firstOffset(m match, p *pattern) int {
	first := m[1]
	for _, g := range []int{p.host, p.clock, p.event} {
		if m[2*g] >= 0 {
			first = min(first, m[2*g])
		}
	}
	return int(first)
}

// parseClock reads a JSON object from host to integer. Loggers that print a
// quoted string escape the quotes inside, TLC for one. Of a key that occurs
// twice the last value counts, as in JavaScript.
func (x *execution) parseClock(text string) ([]interop.Tick, error) {
	object := []byte(text)
	if !json.Valid(object) {
		object = []byte(strings.ReplaceAll(text, `\"`, `"`))
	}
	if len(object) == 0 || !json.Valid(object) || !strings.HasPrefix(strings.TrimLeft(text, " \t"), "{") {
		return nil, fmt.Errorf("the clock %q is not a JSON object, expected one like {\"a\":1, \"b\":2}", interop.Shorten(text))
	}
	clock := x.clock[:0]
	for key, value := range tracefmt.Fields(object) {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("the clock entry %q is %s, expected an integer from 0 on", key, interop.Shorten(string(value)))
		}
		clock = append(clock, interop.Tick{Process: x.name(key), Count: n})
	}
	if len(clock) == 0 {
		return nil, fmt.Errorf("the clock %s is empty, expected one like {\"a\":1, \"b\":2}", text)
	}
	x.clock = clock
	return clock, nil
}

// name returns the host that a key names, without an allocation for known ones.
func (x *execution) name(key []byte) string {
	name, ok := x.names[string(key)]
	if !ok {
		name = strings.ToValidUTF8(string(key), "\uFFFD")
		x.names[string(key)] = name
	}
	return name
}
