package complexity

import (
	"cmp"
	"io"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// WriteBounds writes bounds as a table: their kind, formula, counted messages, condition and source.
func WriteBounds(w io.Writer, bounds []tracefmt.Bound) error {
	t := document.Table{Head: []string{"kind", "messages", "counted", "if", "source"}}
	for i := range bounds {
		b := &bounds[i]
		var when []string
		if b.If != "" {
			when = append(when, b.If)
		}
		if b.Delays != "" {
			when = append(when, "each delay is 1")
		}
		t.Add(b.KindOf(), b.Messages, b.Convention(), cmp.Or(strings.Join(when, "; "), "-"), cmp.Or(b.Source, "-"))
	}
	return t.WriteText(w)
}
