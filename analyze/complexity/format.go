package complexity

import (
	"io"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Style sets the look of a report for people.
type Style struct {
	// Quiet omits assumptions, and budgets that hold.
	Quiet bool
}

// Format is a form of the report.
type Format = document.Format[*Report, Style]

var formats = text.NewRegistry("format of message counts", &textFormat, &jsonFormat, &csvFormat, &markdownFormat,
	&latexFormat)

// Formats returns the registry of the forms of the report.
func Formats() text.Registry[*Format] { return formats }

var textFormat = Format{
	Name:  "text",
	Doc:   "a few lines for people",
	Write: func(w io.Writer, r *Report, s Style) error { return r.WriteText(w, s) },
}

var jsonFormat = Format{
	Name:  "json",
	Doc:   "JSON for programs, " + jsonVersion + " (etrace explain " + jsonVersion + ")",
	Write: func(w io.Writer, r *Report, _ Style) error { return r.WriteJSON(w) },
}
