package diff

import (
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// jsonVersion is the version mark of reports for programs.
const jsonVersion = "etrace.diff/1"

// WriteJSON writes a report for programs. Pairs are of the first and the
// second run; times are in units.
func (r *Report) WriteJSON(w io.Writer) error {
	var runs []document.Object
	for i, run := range r.Runs {
		runs = append(runs, document.Object{
			"name", r.Names[i],
			"run?", run.Number,
			"algorithm?", run.Algorithm,
			"events", run.Events,
			"compared", r.Events[i],
			"end", run.End,
			"missing", append([]string{}, r.Missing[i]...),
		})
	}
	return tracefmt.WriteJSON(w, document.Object{
		"format", jsonVersion,
		"outcome", r.Outcome,
		"same", r.Same,
		"runs", runs,
		"order?", r.Order,
		"times?", r.Times,
		"fields?", r.Fields,
		"loss_times?", r.LossTimes,
		"not_compared", append([]Omission{}, r.Omitted...),
		"divergences", append([]Divergence{}, r.Divergences...),
		"messages", append([]MessageCount{}, r.Messages...),
		"lost?", r.Losses,
		"states", append([]Value{}, r.States...),
	})
}
