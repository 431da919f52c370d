package trial

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// Measure is a value that can be measured in a trial.
type Measure struct {
	Name string
	Of   func(t *Trial) Value
	// Detail explains the value; it is nil if there is no explanation.
	Detail func(t *Trial) string
}

// counts are the counts of a run, in the order of reports.
var counts = []Measure{
	count("messages", func(s *complexity.Stats) Value { return Integer(s.Messages.Sent) }),
	count("delivered", func(s *complexity.Stats) Value { return Integer(s.Messages.Delivered) }),
	count("lost", func(s *complexity.Stats) Value { return Integer(s.Messages.Lost) }),
	count("to_crashed", func(s *complexity.Stats) Value { return Integer(s.Messages.ToCrashed) }),
	count("in_flight", func(s *complexity.Stats) Value { return Integer(s.Messages.InFlight) }),
	count("depth", func(s *complexity.Stats) Value { return Integer(s.CausalDepth) }),
	count("time", func(s *complexity.Stats) Value { return instant(s.LastDelivery) }),
	count("decided", func(s *complexity.Stats) Value { return instant(s.LastDecision) }),
	count("suspicions", func(s *complexity.Stats) Value { return Integer(s.Suspicions) }),
	count("events", func(s *complexity.Stats) Value { return Integer(s.Events) }),
}

func count(name string, value func(s *complexity.Stats) Value) Measure {
	return Measure{Name: name, Of: func(t *Trial) Value { return value(t.Stats) }}
}

// Counts returns the counts of a run, in the order of reports. It omits the [Weights], which are measured only
// on request.
func Counts() []Measure { return slices.Clone(counts) }

// TypePrefix is the prefix of the counts of a message type.
const TypePrefix = "type."

// Count returns the count or weight with the given name, or the count of a message type.
func Count(name string) (m Measure, ok bool) {
	if typ, ok := strings.CutPrefix(name, TypePrefix); ok {
		return count(name, func(s *complexity.Stats) Value { return Integer(s.Messages.ByType[typ]) }), true
	}
	measures := slices.Concat(counts, weights)
	i := slices.IndexFunc(measures, func(m Measure) bool { return m.Name == name })
	if i < 0 {
		return Measure{}, false
	}
	return measures[i], true
}

// Endings are the values of [End]. A loop is a run that was stopped because it would never end.
func Endings() []string {
	return []string{string(tracefmt.Quiescent), string(tracefmt.Stopped), string(tracefmt.Deadline), "loop"}
}

// End measures how a run ended.
func End() Measure {
	return Measure{
		Name: "end",
		Of: func(t *Trial) Value {
			if t.Report.Ending.Looping() {
				return "loop"
			}
			return Value(t.Report.Run.End)
		},
		Detail: func(t *Trial) string { return t.Report.Ending.Doubt },
	}
}

// Leader measures the process that all live processes have elected at the end.
func Leader() Measure {
	return Measure{Name: "leader", Of: func(t *Trial) Value { return process(t.Stats.Leader) }}
}

// Elected measures the process that one process has elected at the end.
func Elected(name string) Measure {
	return Measure{Name: "elected of " + name, Of: func(t *Trial) Value {
		if value, ok := t.Stats.Elected[name]; ok {
			return process(value)
		}
		if t.Stats.Elected == nil {
			// No process has such a variable.
			return None
		}
		return Down
	}}
}

// Verdict measures the verdict of a property, which must be a property of the trial.
func Verdict(property string) Measure {
	result := func(t *Trial) *analyze.Result {
		i := slices.IndexFunc(t.Report.Results, func(r *analyze.Result) bool { return r.Property.Name == property })
		return t.Report.Results[i]
	}
	return Measure{
		Name:   property,
		Of:     func(t *Trial) Value { return Value(result(t).Verdict) },
		Detail: func(t *Trial) string { return result(t).Explanation },
	}
}
