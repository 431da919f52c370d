package sweep

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// quantity is a measure: its value is an integer number of units.
type quantity struct {
	name, doc string
	// unit is the divisor that turns the stored integer into the shown number: a time is stored in billionths of a mean
	// delay, and shown in mean delays.
	unit int64
	// timeUnit is the word for the unit of times, "" for counts, whose names imply it.
	timeUnit string
	// weighs is true for sizes of payloads, which are measured only on request.
	weighs bool
	// value returns the value of a run, and whether the run has one.
	value func(m *finishedRun) (n int64, has bool)
}

// finishedRun holds the values of a finished run from which measures are taken.
type finishedRun struct {
	complexity.Totals
	compare func(t *complexity.Theory) ([]complexity.Compared, error)
	payload *complexity.Payload
	end     tracefmt.End
}

// DefaultMeasures are the default measures of a sweep.
var DefaultMeasures = []string{"messages", "depth"}

var quantities = []*quantity{
	count("messages", "messages sent", func(m *finishedRun) int64 { return m.Sent }),
	count("delivered", "messages received", func(m *finishedRun) int64 { return m.Delivered }),
	count("lost", "lost messages", func(m *finishedRun) int64 { return m.Lost }),
	count("to_crashed", "messages to processes that were down", func(m *finishedRun) int64 { return m.ToCrashed }),
	count("in_flight", "messages under way at the end", func(m *finishedRun) int64 { return m.InFlight }),
	count("to_itself", "messages that a process sent to itself", func(m *finishedRun) int64 { return m.ToItself }),
	count("depth", "messages in the longest causal chain", func(m *finishedRun) int64 { return m.CausalDepth }),
	instant("time", "the last delivery, in mean delays",
		func(m *finishedRun) (tracefmt.Time, bool) { return m.LastDelivery, m.Delivers }),
	instant("decided", "the last decision, in mean delays",
		func(m *finishedRun) (tracefmt.Time, bool) { return m.LastDecision, m.Decides }),
	count("suspicions", "suspicions", func(m *finishedRun) int64 { return m.Suspicions }),
	count("events", "events of the run", func(m *finishedRun) int64 { return m.Events }),
	weight("bytes", "bytes of the payloads, as a trace has them",
		func(p *complexity.Payload) (int64, bool) { return p.Bytes(), true }),
	weight("bits", "bits of the payloads, by the declarations of the algorithm", (*complexity.Payload).Bits),
}

// count returns a measure that every run has.
func count(name, doc string, value func(m *finishedRun) int64) *quantity {
	return &quantity{name: name, doc: doc, unit: 1, value: func(m *finishedRun) (int64, bool) { return value(m), true }}
}

// instant returns a measure of a time of the run, in mean delays.
func instant(name, doc string, value func(m *finishedRun) (at tracefmt.Time, has bool)) *quantity {
	return &quantity{
		name: name, doc: doc, unit: int64(tracefmt.Unit), timeUnit: "delays",
		value: func(m *finishedRun) (int64, bool) {
			at, has := value(m)
			return int64(at), has
		},
	}
}

// weight returns a measure of the size of payloads.
func weight(name, doc string, value func(p *complexity.Payload) (int64, bool)) *quantity {
	return &quantity{
		name: name, doc: doc, unit: 1, weighs: true,
		value: func(m *finishedRun) (int64, bool) { return value(m.payload) },
	}
}

// Measures returns the names of all measures with their explanations.
func Measures() (names, docs []string) {
	for _, q := range quantities {
		names, docs = append(names, q.name), append(docs, q.doc)
	}
	return append(names, trial.TypePrefix+"NAME"), append(docs, "messages of this type that were sent")
}

// Heading returns the name of a measure, with its unit if the name does not imply it: "time (delays)".
func Heading(measure string) string {
	q, err := quantityOf(measure)
	if err != nil || q.timeUnit == "" {
		return measure
	}
	return measure + " (" + q.timeUnit + ")"
}

// quantityOf returns the measure with the given name.
func quantityOf(name string) (*quantity, error) {
	if typ, ok := strings.CutPrefix(name, trial.TypePrefix); ok && typ != "" {
		return count(name, "", func(m *finishedRun) int64 { return m.OfType(typ) }), nil
	}
	i := slices.IndexFunc(quantities, func(q *quantity) bool { return q.name == name })
	if i < 0 {
		names, _ := Measures()
		return nil, text.Unknown("measure", name, names)
	}
	return quantities[i], nil
}

// checkTypes rejects the count of a message type that no algorithm of the plan has.
func (p *Plan) checkTypes() error {
	var types []string
	for _, f := range p.Families {
		for _, typ := range f.types {
			if !slices.Contains(types, typ) {
				types = append(types, typ)
			}
		}
	}
	for _, q := range p.measures {
		if typ, ok := strings.CutPrefix(q.name, trial.TypePrefix); ok && !slices.Contains(types, typ) {
			return fmt.Errorf("the measure %s: %w", text.Printable(q.name), text.Unknown("message type", typ, types))
		}
	}
	return nil
}

// setMeasures looks up the measures.
func (p *Plan) setMeasures() error {
	names := p.Grid.Measures
	if names == nil {
		names = DefaultMeasures
	}
	for _, name := range names {
		q, err := quantityOf(name)
		if err != nil {
			return err
		}
		p.measures = append(p.measures, q)
	}
	return nil
}
