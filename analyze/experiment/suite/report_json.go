package suite

import (
	"io"

	"etrace/tracefmt"
)

// JSONVersion is the version mark of the JSON report.
const JSONVersion = "etrace.suite/1"

var jsonFormat = Format{
	Name:  "json",
	Doc:   "one JSON object for programs, version " + JSONVersion,
	Write: writeJSON,
}

type jsonReport struct {
	Format string      `json:"format"`
	Status Status      `json:"status"`
	Cases  jsonTally   `json:"cases"`
	Values jsonTally   `json:"values"`
	Suites []jsonSuite `json:"suites"`
}

type jsonTally struct {
	OK        int `json:"ok"`
	Explained int `json:"explained"`
	Failed    int `json:"failed"`
}

type jsonSuite struct {
	File        string     `json:"file"`
	Title       string     `json:"title"`
	Description string     `json:"description,omitempty"`
	Cases       []jsonCase `json:"cases"`
}

type jsonCase struct {
	Name      string `json:"name"`
	Place     string `json:"place"`
	Algorithm string `json:"algorithm"`
	Status    Status `json:"status"`
	Error     string `json:"error,omitempty"`
	Note      string `json:"note,omitempty"`
	Values    []Cell `json:"values"`
}

func writeJSON(w io.Writer, r *Report, _ Style) error {
	cases, values := r.count()
	out := jsonReport{
		Format: JSONVersion, Status: r.Status(), Cases: cases.json(), Values: values.json(), Suites: []jsonSuite{},
	}
	for _, s := range r.Suites {
		suite := jsonSuite{File: s.Suite.File, Title: s.Suite.Title, Description: s.Suite.Description, Cases: []jsonCase{}}
		for _, c := range s.Cases {
			suite.Cases = append(suite.Cases, c.json())
		}
		out.Suites = append(out.Suites, suite)
	}
	return tracefmt.WriteJSON(w, out)
}

func (t tally) json() jsonTally { return jsonTally{t[OK], t[Explained], t[Failed]} }

func (r *CaseReport) json() jsonCase {
	c := jsonCase{
		Name: r.Case.Name, Place: r.Case.Place, Algorithm: r.Case.Scenario.Algorithm, Status: r.Status, Note: r.Case.Note,
		Values: append([]Cell{}, r.Cells...),
	}
	if r.Err != nil {
		c.Error = r.Err.Error()
	}
	return c
}
