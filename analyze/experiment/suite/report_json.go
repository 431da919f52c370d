package suite

import (
	"io"

	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// JSONVersion is the version mark of the JSON report.
const JSONVersion = "etrace.suite/1"

var jsonFormat = Format{
	Name:  "json",
	Doc:   "one JSON object for programs, version " + JSONVersion,
	Write: writeJSON,
}

// writeJSON writes the report as one JSON object.
func writeJSON(w io.Writer, r *Report, _ Style) error {
	cases, values := r.count()
	return tracefmt.WriteJSON(w, document.Object{
		"format", JSONVersion,
		"status", r.Status(),
		"cases", cases.json(),
		"values", values.json(),
		"suites", document.List(r.Suites, (*FileReport).json),
	})
}

func (t tally) json() document.Object {
	return document.Object{"ok", t[OK], "explained", t[Explained], "failed", t[Failed]}
}

// json returns the object of a suite.
func (s *FileReport) json() document.Object {
	return document.Object{
		"file", s.Suite.File,
		"title", s.Suite.Title,
		"description?", s.Suite.Description,
		"cases", document.List(s.Cases, (*CaseReport).json),
	}
}

// json returns the object of a case.
func (r *CaseReport) json() document.Object {
	failure := ""
	if r.Err != nil {
		failure = r.Err.Error()
	}
	return document.Object{
		"name", r.Case.Name,
		"place", r.Case.Place,
		"algorithm", r.Case.Scenario.Algorithm,
		"status", r.Status,
		"error?", failure,
		"note?", r.Case.Note,
		"values", append([]Cell{}, r.Cells...),
	}
}
