package spans

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// Chrome reads the trace events of Chrome and of the older Perfetto: an object with
// traceEvents, or a bare array. A thread is a process of the run. A slice is two notes, an
// instant one. A flow is a chain of messages between the slices of its events: the slice that is open then or, for
// an end without bp, the next one. In several
// files the number of a process is the file's own, unless both call the process the same;
// flows go from file to file.
var Chrome = interop.Format{
	Name:   "chrome",
	Doc:    "trace events of Chrome and older Perfetto, as JSON: slices and flows",
	Source: "google/perfetto at ec5d16b14b74, its JSON importer",
	Detect: detectChrome,
	Read:   readChrome,
	Joins:  true,
}

var signOfChrome = regexp.MustCompile(`^(?:\x{FEFF})?\s*(?:\[\s*\{(?:[^{}]|\{[^{}]*\})*"ph"\s*:\s*"|\{[^\[]*"traceEvents"\s*:\s*\[)`)

func detectChrome(head []byte) interop.Confidence { return interop.CertainIf(signOfChrome.Match(head)) }

// word is a number or a text of JSON, as written.
type word string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	*w = word(s)
	return nil
}

// micros is a time in microseconds, kept exactly in nanoseconds.
type micros int64

// UnmarshalJSON implements [json.Unmarshaler].
func (m *micros) UnmarshalJSON(b []byte) error {
	integer, part, _ := strings.Cut(strings.Trim(string(b), `"`), ".")
	us, err := strconv.ParseInt(integer, 10, 64)
	ns, _ := strconv.ParseInt((part + "000")[:3], 10, 64)
	if err != nil {
		f, wrong := strconv.ParseFloat(strings.Trim(string(b), `"`), 64)
		if wrong != nil && string(b) != "null" {
			return wrong
		}
		us, ns = int64(f), 0
	}
	if us < 0 {
		ns = -ns
	}
	*m = micros(us*1000 + ns)
	return nil
}

// chromeEvent is a trace event in JSON.
type chromeEvent struct {
	Phase    string                     `json:"ph"`
	PID      word                       `json:"pid"`
	TID      word                       `json:"tid"`
	Time     micros                     `json:"ts"`
	Duration micros                     `json:"dur"`
	Name     word                       `json:"name"`
	Category string                     `json:"cat"`
	ID       json.RawMessage            `json:"id"`
	Binds    string                     `json:"bp"`
	Bound    json.RawMessage            `json:"bind_id"`
	Out      bool                       `json:"flow_out"`
	In       bool                       `json:"flow_in"`
	Args     map[string]json.RawMessage `json:"args"`
}

// flowID returns the key that all events of a flow have in common. A text as id is hexadecimal.
func flowID(id json.RawMessage) string {
	var s string
	key := string(id)
	if json.Unmarshal(id, &s) == nil {
		key = s
		if n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(s), "0x"), 16, 64); err == nil {
			key = strconv.FormatUint(n, 10)
		}
	}
	return key
}

// arguments returns the arguments as JSON, sorted by name.
func (e *chromeEvent) arguments() string {
	b := []byte("{")
	for _, key := range slices.Sorted(maps.Keys(e.Args)) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(tracefmt.AppendString(b, key), ':'), e.Args[key]...)
	}
	return string(append(b, '}'))
}

// readChrome makes one run of all files.
func readChrome(r *interop.Reading) error {
	c := newChart(r)
	for more := true; more; more = r.Next() {
		if err := c.read(r); err != nil {
			return err
		}
	}
	c.addRun()
	return nil
}

// read adds the events of the present file.
func (c *chromeRun) read(r *interop.Reading) error {
	d, err := newDocument(r)
	if err != nil {
		return err
	}
	array := func() error { return d.array(func() error { return d.readChromeEvent(c) }) }
	bare := strings.HasPrefix(strings.TrimLeft(d.text, " \t\r\n"), "[")
	read := func() error {
		if bare {
			return array()
		}
		return d.object(map[string]func() error{"traceEvents": array})
	}
	if bare { // the format allows that the last bracket is missing
		text := strings.TrimRight(d.text, " \t\r\n,")
		if !strings.HasSuffix(text, "]") {
			d.text = text + "]"
			d.dec = json.NewDecoder(strings.NewReader(d.text))
			d.dec.UseNumber()
		}
	}
	// Each event has a phase. A list that grows by copying would take twice the memory.
	c.events = slices.Grow(c.events, min(strings.Count(d.text, `"ph"`), maxSpans))
	known := c.threads.events
	if err := d.each(read); err != nil || !r.Joined() {
		return err
	}
	if c.threads.events == known {
		r.Note("%s has no events", r.Name())
	}
	return nil
}

// readChromeEvent reads one event of the list.
func (d *document) readChromeEvent(c *chromeRun) error {
	line, file := d.r.Line(d.currentLine()), ""
	if d.r.Joined() {
		file = strings.TrimSuffix(d.r.Name(), filepath.Ext(d.r.Name()))
	}
	var e chromeEvent
	if err := d.dec.Decode(&e); err != nil {
		return err
	}
	if len(c.events) == maxSpans {
		return fmt.Errorf("there are more than %d events, the most that this format reads", maxSpans)
	}
	c.add(file, &e, line)
	return nil
}
