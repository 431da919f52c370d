package experiment

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// Value is something expected, published or measured, in words: a number, a
// verdict, a process. Numbers are written in one way, so that equal values are
// equal texts. "" stands for a value that is not given, None for that of a
// time at which nothing happened or a leader that there is not.
type Value string

// None is the value of what there is not.
const None Value = "none"

// number writes a number.
func number(x float64) Value { return Value(strconv.FormatFloat(x, 'f', -1, 64)) }

// MarshalJSON writes numbers as numbers, other values as strings, and null
// for no value.
func (v Value) MarshalJSON() ([]byte, error) {
	if v == "" {
		return []byte("null"), nil
	}
	if x, err := strconv.ParseFloat(string(v), 64); err == nil && number(x) == v && json.Valid([]byte(v)) {
		return []byte(v), nil
	}
	return json.Marshal(string(v))
}

// outcome is a run that is over, with what was found out about it.
type outcome struct {
	rec    *tracefmt.Memory
	stats  *complexity.Stats
	report *analyze.RunReport
}

// what is a thing to look at in an outcome.
type what struct {
	name string
	look func(o *outcome) Value
	// detail says more about the value that was found; nil if there is nothing
	// to say.
	detail func(o *outcome) string
}

// measures are the counts of a run, in the order of reports.
var measures = []struct {
	name string
	of   func(s *complexity.Stats) Value
}{
	{"messages", func(s *complexity.Stats) Value { return integer(s.Messages.Sent) }},
	{"delivered", func(s *complexity.Stats) Value { return integer(s.Messages.Delivered) }},
	{"lost", func(s *complexity.Stats) Value { return integer(s.Messages.Lost) }},
	{"to_crashed", func(s *complexity.Stats) Value { return integer(s.Messages.ToCrashed) }},
	{"in_flight", func(s *complexity.Stats) Value { return integer(s.Messages.InFlight) }},
	{"depth", func(s *complexity.Stats) Value { return integer(s.CausalDepth) }},
	{"time", func(s *complexity.Stats) Value { return instant(s.LastDelivery) }},
	{"decided", func(s *complexity.Stats) Value { return instant(s.LastDecision) }},
	{"suspicions", func(s *complexity.Stats) Value { return integer(s.Suspicions) }},
	{"events", func(s *complexity.Stats) Value { return integer(s.Events) }},
}

func integer(n int64) Value { return Value(strconv.FormatInt(n, 10)) }

func instant(t *float64) Value {
	if t == nil {
		return None
	}
	return number(*t)
}

// typePrefix begins the names of measures of one message type.
const typePrefix = "type."

// measure returns the measure of that name.
func measure(name string) (what, bool) {
	if typ, ok := strings.CutPrefix(name, typePrefix); ok {
		return what{name: name, look: func(o *outcome) Value { return integer(o.stats.Messages.ByType[typ]) }}, true
	}
	for _, m := range measures {
		if m.name == name {
			return what{name: name, look: func(o *outcome) Value { return m.of(o.stats) }}, true
		}
	}
	return what{}, false
}

// endings are the values of end. A loop is a run that was stopped because it
// would go on for ever.
var endings = []string{string(tracefmt.Quiescent), string(tracefmt.Stopped), string(tracefmt.Deadline), "loop"}

var theEnd = what{
	name: "end",
	look: func(o *outcome) Value {
		if o.report.Ending.Looping() {
			return "loop"
		}
		return Value(o.report.Run.End)
	},
	detail: func(o *outcome) string { return o.report.Ending.Doubt },
}

var theLeader = what{name: "leader", look: func(o *outcome) Value { return process(o.stats.Leader) }}

// down is what a process has elected that is not live at the end.
const down Value = "down"

// electedBy is what one process has elected at the end.
func electedBy(name string) what {
	return what{name: "elected of " + name, look: func(o *outcome) Value {
		if value, ok := o.stats.Elected[name]; ok {
			return process(value)
		}
		if o.stats.Elected == nil {
			return None // no process has such a variable
		}
		return down
	}}
}

// process is the raw JSON value of elected without quotes.
func process(raw json.RawMessage) Value {
	var name string
	switch {
	case raw == nil || string(raw) == "null":
		return None
	case json.Unmarshal(raw, &name) == nil:
		return Value(name)
	}
	return Value(raw)
}

// verdictOf is the verdict of a property.
func verdictOf(name string) what {
	result := func(o *outcome) *analyze.Result {
		i := slices.IndexFunc(o.report.Results, func(r *analyze.Result) bool { return r.Property.Name == name })
		return o.report.Results[i]
	}
	return what{
		name:   name,
		look:   func(o *outcome) Value { return Value(result(o).Verdict) },
		detail: func(o *outcome) string { return result(o).Explanation },
	}
}
