package diff

import (
	"encoding/json"
	"io"

	"etrace/tracefmt"
)

// jsonVersion is the version mark of reports for programs.
const jsonVersion = "etrace.diff/1"

// WriteJSON writes a report for programs. Pairs are of the first and the
// second run; times are in units.
func (r *Report) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, r.document())
}

type jsonReport struct {
	Format      string           `json:"format"`
	Outcome     Outcome          `json:"outcome"`
	Same        bool             `json:"same"`
	Runs        [2]jsonRun       `json:"runs"`
	Order       *jsonOrder       `json:"order,omitempty"`
	Times       *jsonShift       `json:"times,omitempty"`
	Fields      *FieldShift      `json:"fields,omitempty"`
	LossTimes   *jsonLossShift   `json:"loss_times,omitempty"`
	Omitted     []Omission       `json:"not_compared"`
	Divergences []jsonDivergence `json:"divergences"`
	Messages    []jsonMessages   `json:"messages"`
	Lost        *[2]jsonLost     `json:"lost,omitempty"`
	States      []jsonValue      `json:"states"`
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

type jsonOrder struct {
	Event int64           `json:"event"`
	At    [2]tracefmt.Seq `json:"at"`
}

type jsonShift struct {
	Process string         `json:"process"`
	Step    int64          `json:"step"`
	Times   [2]json.Number `json:"times"`
	Steps   int64          `json:"steps"`
}

type jsonLossShift struct {
	At     [2]tracefmt.Seq `json:"at"`
	Times  [2]json.Number  `json:"times"`
	Losses int64           `json:"losses"`
}

type jsonDivergence struct {
	Process string        `json:"process"`
	Step    int64         `json:"step"`
	Of      [2]int64      `json:"of"`
	Follows bool          `json:"follows"`
	At      [2]*jsonPlace `json:"at"`
	Before  [2]*jsonPlace `json:"before"`
}

type jsonPlace struct {
	Seq  tracefmt.Seq `json:"seq"`
	Time json.Number  `json:"time"`
	Text string       `json:"text"`
}

type jsonMessages struct {
	Type  string       `json:"type"`
	From  string       `json:"from"`
	To    string       `json:"to"`
	Fate  string       `json:"fate"`
	Count [2]int64     `json:"count"`
	First tracefmt.Seq `json:"first"`
}

type jsonLost struct {
	Count int64        `json:"count"`
	First tracefmt.Seq `json:"first,omitempty"`
}

type jsonValue struct {
	Process string    `json:"process"`
	Name    string    `json:"name"`
	Values  [2]string `json:"values"`
}

func (r *Report) document() *jsonReport {
	d := &jsonReport{
		Format: jsonVersion, Outcome: r.Outcome, Same: r.Same,
		Order: (*jsonOrder)(r.Order), Times: shift(r.Times), Fields: r.Fields, LossTimes: lossShift(r.LossTimes), Omitted: append([]Omission{}, r.Omitted...),
		Divergences: []jsonDivergence{}, Messages: []jsonMessages{}, States: []jsonValue{},
	}
	for i, run := range r.Runs {
		d.Runs[i] = jsonRun{
			Name: r.Names[i], Run: run.Number, Algorithm: run.Algorithm, Events: run.Events, Compared: r.Events[i],
			End: run.End, Missing: append([]string{}, r.Missing[i]...),
		}
	}
	for _, v := range r.Divergences {
		d.Divergences = append(d.Divergences, jsonDivergence{
			Process: v.Process, Step: v.Step, Of: v.Of, Follows: v.Follows, At: places(v.At), Before: places(v.Before),
		})
	}
	for _, m := range r.Messages {
		d.Messages = append(d.Messages, jsonMessages{m.Type, m.From, m.To, m.Fate, m.Count, m.First})
	}
	for _, v := range r.States {
		d.States = append(d.States, jsonValue(v))
	}
	if r.Losses != [2]Lost{} {
		d.Lost = &[2]jsonLost{jsonLost(r.Losses[0]), jsonLost(r.Losses[1])}
	}
	return d
}

// places leaves out the place of no event.
func places(at [2]Place) (out [2]*jsonPlace) {
	for i, p := range at {
		if p.Seq != 0 {
			out[i] = &jsonPlace{p.Seq, number(p.Time), p.Text}
		}
	}
	return out
}

func shift(s *Shift) *jsonShift {
	if s == nil {
		return nil
	}
	return &jsonShift{s.Process, s.Step, [2]json.Number{number(s.Times[0]), number(s.Times[1])}, s.Steps}
}

func lossShift(s *LossShift) *jsonLossShift {
	if s == nil {
		return nil
	}
	return &jsonLossShift{s.At, [2]json.Number{number(s.Times[0]), number(s.Times[1])}, s.Losses}
}

func number(t tracefmt.Time) json.Number { return json.Number(t.String()) }
