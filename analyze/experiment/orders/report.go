package orders

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// summary returns a line with the number of orders, and whether the exploration is complete.
func (r *Report) summary() string {
	prefix, coverage := "", "all explored"
	if !r.Complete {
		prefix, coverage = "at least ", "incomplete: the limit of runs was reached"
	}
	s := fmt.Sprintf(
		"%s%s, %s, %s (%s made and checked)", prefix, r.count(),
		text.Counted(r.Distinct, "distinct run", "distinct runs"), coverage,
		text.Counted(r.Runs, "run", "runs"),
	)
	if r.Cut > 0 {
		s += fmt.Sprintf("; %d of them cut at the limit of events", r.Cut)
	}
	return s
}

// count returns the number of orders.
func (r *Report) count() string {
	if r.Orders.IsInt64() {
		return text.Counted(r.Orders.Int64(), "order", "orders")
	}
	return r.Orders.String() + " orders"
}

// WriteText writes a report for people: for each property that applies, a line with the worst verdict and its
// explanation.
func (r *Report) WriteText(w io.Writer) error {
	d, t := &document.Document{}, &document.Table{}
	d.Paragraph(r.summary())
	d.Table(t)
	for _, v := range r.Verdicts {
		if v.Result.Verdict == analyze.NotApplicable {
			continue
		}
		cells := []string{v.Result.Property.Name, string(v.Result.Verdict), r.share(&v)}
		if v.Result.Explanation != "" {
			cells = append(cells, v.Result.Explanation)
		}
		t.Add(cells...)
	}
	return d.WriteText(w)
}

// share returns the number of runs with a verdict, with a witness if the verdict differs between runs.
func (r *Report) share(v *Verdict) string {
	if v.Runs == r.Runs {
		return "in every run"
	}
	s := fmt.Sprintf("in %d of %d runs", v.Runs, r.Runs)
	if number := r.Witnesses[v.Witness].Run().Number; number > 0 {
		s += fmt.Sprintf(", such as run %d", number)
	}
	return s
}

// jsonVersion is the version mark of reports for programs.
const jsonVersion = "etrace.orders/1"

// WriteJSON writes a report for programs. A run is the number of the witness in the trace that stores it, 0 if
// no trace does.
func (r *Report) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{
		"format", jsonVersion,
		"complete", r.Complete,
		"orders", r.Orders,
		"distinct", r.Distinct,
		"runs", r.Runs,
		"cut", r.Cut,
		"verdict", r.Verdict(),
		"properties", document.List(r.Verdicts, func(v Verdict) document.Object {
			return document.Object{
				"name", v.Result.Property.Name,
				"verdict", v.Result.Verdict,
				"runs", v.Runs,
				"witness", json.RawMessage(v.Result.WitnessJSON()),
				"run", r.Witnesses[v.Witness].Run().Number,
				"explanation?", strings.ToValidUTF8(v.Result.Explanation, "\uFFFD"),
			}
		}),
	})
}
