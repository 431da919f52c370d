package diff

import (
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Part is something of a run that a comparison may leave out.
type Part struct {
	Name, Doc string
	// kinds of events that do not count then.
	kinds []tracefmt.Kind
}

// fieldPrefix comes before the name of a payload field that is left out.
const fieldPrefix = "payload."

// The parts that are more than kinds of events.
const (
	fields   = "fields"
	order    = "order"
	payloads = "payloads"
	states   = "states"
	terms    = "terms"
	logTexts = "texts"
	times    = "times"
)

// Key is the part's name; see [text.Named].
func (p Part) Key() string { return p.Name }

var parts = text.NewRegistry(
	"part to ignore",
	Part{Name: fields, Doc: "fields of a log other than its texts, such as dates; compared only with --strict"},
	Part{Name: "notes", Doc: "notes", kinds: []tracefmt.Kind{tracefmt.Note}},
	Part{Name: order, Doc: "the recorded order of concurrent events; compared only with --strict"},
	Part{Name: payloads, Doc: "the fields of messages, states and other events, all of them"},
	Part{Name: fieldPrefix + "NAME", Doc: "one field of messages, states and other events"},
	Part{Name: states, Doc: "the variables of the processes", kinds: []tracefmt.Kind{tracefmt.State}},
	Part{
		Name: "suspicions", Doc: "suspected and trusted processes",
		kinds: []tracefmt.Kind{tracefmt.Suspect, tracefmt.Trust},
	},
	Part{Name: terms, Doc: "the terms of events"},
	Part{Name: logTexts, Doc: "the texts of the lines of a log"},
	Part{Name: "timers", Doc: "timers that are set, " +
		"stopped, or expire", kinds: []tracefmt.Kind{tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout}},
	Part{Name: times, Doc: "the times of events; compared only with --strict"},
)

// Parts returns the registry of what [Options.Ignore] may name.
func Parts() text.Registry[Part] { return parts }

// Omission is a part of the runs that was not compared.
type Omission struct {
	// Part is its name; see [Parts].
	Part string `json:"part"`
	// Why: ignored, or what the runs lack.
	Why string `json:"why"`
}

// ignored lists what a comparison leaves out.
type ignored struct {
	names  []string // as the user gave them, each once
	kinds  map[tracefmt.Kind]bool
	parts  map[string]bool
	fields map[string]bool
	// occurred are the ignored fields that some event has.
	occurred map[string]bool
	// withoutTexts explains why texts are left out without a user's request.
	withoutTexts string
	gaps         *gaps // nil for nothing
}

// parseIgnore reads the names of parts to ignore; it fails for an unknown name.
func parseIgnore(names []string) (*ignored, error) {
	ig := &ignored{
		kinds: map[tracefmt.Kind]bool{}, parts: map[string]bool{},
		fields: map[string]bool{tracefmt.CausesKey: true, tracefmt.LogKey: true}, occurred: map[string]bool{},
	}
	for _, name := range names {
		if !slices.Contains(ig.names, name) {
			ig.names = append(ig.names, name)
		}
		if field, ok := strings.CutPrefix(name, fieldPrefix); ok && field != "" {
			ig.fields[field] = true
			continue
		}
		part, err := parts.Lookup(name)
		if err != nil {
			return nil, err
		}
		ig.parts[name] = true
		for _, k := range part.kinds {
			ig.kinds[k] = true
		}
	}
	return ig, nil
}

// leaveOutTexts ignores the texts of logs, unless the user asked for that; reason is shown in the report.
func (ig *ignored) leaveOutTexts(reason string) {
	if !ig.parts[logTexts] {
		ig.withoutTexts, ig.parts[logTexts] = reason, true
	}
}

// payload reports whether a field of an event is compared. The due time of a timer is compared as a time; the
// seqs in the note of a loop are not compared.
func (ig *ignored) payload(e *tracefmt.Event, field []byte) bool {
	switch {
	case ig.fields[string(field)]:
		ig.occurred[string(field)] = true
		return false
	case ig.parts[payloads], ig.gaps.field(e, field):
		return false
	case e.Kind == tracefmt.SetTimer || e.Kind == tracefmt.Timeout:
		return string(field) != "due"
	// The payloads of these events are the initial variables, a part of the states.
	case e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover:
		return !ig.parts[states]
	}
	return e.Kind != tracefmt.Note || e.Type != tracefmt.LoopNote
}

// omissions lists what was not compared, first what the user asked to ignore.
func (ig *ignored) omissions() []Omission {
	var list []Omission
	for _, name := range ig.names {
		extension := "ignored"
		if field, ok := strings.CutPrefix(name, fieldPrefix); ok && !ig.occurred[field] {
			extension = "no event has such a field"
		}
		list = append(list, Omission{name, extension})
	}
	if ig.withoutTexts != "" {
		list = append(list, Omission{logTexts, ig.withoutTexts})
	}
	return append(list, ig.gaps.omissions()...)
}
