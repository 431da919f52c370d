package diff

import (
	"io"

	"etrace/tracefmt"
)

// jsonVersion is the version mark of reports for programs.
const jsonVersion = "etrace.diff/1"

type jsonReport struct {
	Format      string         `json:"format"`
	Outcome     Outcome        `json:"outcome"`
	Same        bool           `json:"same"`
	Runs        [2]jsonRun     `json:"runs"`
	Order       *Reordering    `json:"order,omitempty"`
	Times       *Shift         `json:"times,omitempty"`
	Fields      *FieldShift    `json:"fields,omitempty"`
	LossTimes   *LossShift     `json:"loss_times,omitempty"`
	Omitted     []Omission     `json:"not_compared"`
	Divergences []Divergence   `json:"divergences"`
	Messages    []MessageCount `json:"messages"`
	Lost        *[2]Lost       `json:"lost,omitempty"`
	States      []Value        `json:"states"`
}

type jsonRun struct {
	Name      string       `json:"name"`
	Run       int          `json:"run,omitempty"`
	Algorithm string       `json:"algorithm,omitempty"`
	Events    int64        `json:"events"`
	Compared  int64        `json:"compared"`
	End       tracefmt.End `json:"end"`
	Missing   []string     `json:"missing"`
}

// WriteJSON writes a report for programs. Pairs are of the first and the
// second run; times are in units.
func (r *Report) WriteJSON(w io.Writer) error {
	d := jsonReport{
		Format: jsonVersion, Outcome: r.Outcome, Same: r.Same, Order: r.Order, Times: r.Times, Fields: r.Fields, LossTimes: r.LossTimes,
		Omitted: append([]Omission{}, r.Omitted...), Divergences: append([]Divergence{}, r.Divergences...),
		Messages: append([]MessageCount{}, r.Messages...), States: append([]Value{}, r.States...),
	}
	for i, run := range r.Runs {
		d.Runs[i] = jsonRun{
			Name: r.Names[i], Run: run.Number, Algorithm: run.Algorithm, Events: run.Events, Compared: r.Events[i],
			End: run.End, Missing: append([]string{}, r.Missing[i]...),
		}
	}
	if r.Losses != [2]Lost{} {
		d.Lost = &r.Losses
	}
	return tracefmt.WriteJSON(w, d)
}
