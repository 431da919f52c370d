package trial

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// Measure is a thing to look at in a trial.
type Measure struct {
	Name string
	Of   func(t *Trial) Value
	// Detail says more about the value that was found; nil if there is nothing
	// to say.
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

func count(name string, of func(s *complexity.Stats) Value) Measure {
	return Measure{Name: name, Of: func(t *Trial) Value { return of(t.Stats) }}
}

// Counts returns the counts of a run, in the order of reports. [Weights] are not among
// them, which are made only where they are asked for.
func Counts() []Measure { return slices.Clone(counts) }

// TypePrefix begins the names of the counts of one message type.
const TypePrefix = "type."

// Count returns the count or weight of that name, also the count of a message type.
func Count(name string) (m Measure, ok bool) {
	if typ, ok := strings.CutPrefix(name, TypePrefix); ok {
		return count(name, func(s *complexity.Stats) Value { return Integer(s.Messages.ByType[typ]) }), true
	}
	all := slices.Concat(counts, weights)
	i := slices.IndexFunc(all, func(m Measure) bool { return m.Name == name })
	if i < 0 {
		return Measure{}, false
	}
	return all[i], true
}

// Endings are the values of [End]. A loop is a run that was stopped because it
// would go on forever.
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

// Leader measures whom all live processes have elected at the end.
func Leader() Measure {
	return Measure{Name: "leader", Of: func(t *Trial) Value { return process(t.Stats.Leader) }}
}

// Elected measures whom one process has elected at the end.
func Elected(name string) Measure {
	return Measure{Name: "elected of " + name, Of: func(t *Trial) Value {
		if value, ok := t.Stats.Elected[name]; ok {
			return process(value)
		}
		if t.Stats.Elected == nil {
			return None // no process has such a variable
		}
		return Down
	}}
}

// Verdict measures the verdict of a property, which must be among those that
// the trial was checked for.
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
