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

// summary says in a line how many orders there are, and whether that is all.
func (r *Report) summary() string {
	least, all := "", "all explored"
	if !r.Complete {
		least, all = "at least ", "incomplete: the limit of runs was reached"
	}
	s := fmt.Sprintf("%s%s, %s, %s (%s made and checked)", least, r.count(), text.Counted(r.Distinct, "distinct run", "distinct runs"), all, text.Counted(r.Runs, "run", "runs"))
	if r.Cut > 0 {
		s += fmt.Sprintf("; %d of them cut at the limit of events", r.Cut)
	}
	return s
}

// count says how many orders there are.
func (r *Report) count() string {
	if r.Orders.IsInt64() {
		return text.Counted(r.Orders.Int64(), "order", "orders")
	}
	return r.Orders.String() + " orders"
}

// WriteText writes a report for people: a line per property that was
// applicable, and why the worst verdict is what it is.
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

// share says in how many runs a verdict was given, and names a witness of one
// that is not given in all.
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

// WriteJSON writes a report for programs. A run is the number of the witness
// in the trace where it was saved, 0 if it was not.
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
