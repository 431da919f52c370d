package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
	"etrace/tracefmt/sealed"
)

// SavedVersion is the version mark of saved outcomes.
const SavedVersion = "etrace.cases/1"

// Saved holds the outcomes of some cases as a value for JSON. [Join] makes the [Report] of all cases from the
// outcomes of all shares, and every format writes it like the report of a single process.
type Saved struct {
	Format string `json:"format"`
	// Suites are all suites, including those without a case in this share.
	Suites []savedSuite `json:"suites"`
	Cases  []savedCase  `json:"cases"`
}

// savedSuite is a suite without its cases.
type savedSuite struct {
	File        string `json:"file"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Cases       int    `json:"cases"` // the number of its cases
}

// savedCase is the outcome of a case.
type savedCase struct {
	Suite     int         `json:"suite"`
	Number    int         `json:"number"` // the number of the case in the suite, from 0
	Name      string      `json:"name"`
	Entry     string      `json:"entry"`
	Place     string      `json:"place"`
	Algorithm string      `json:"algorithm"`
	Note      string      `json:"note,omitempty"`
	Status    Status      `json:"status"`
	Error     string      `json:"error,omitempty"`
	Cells     []savedCell `json:"cells,omitempty"`
}

// savedCell is a [Cell] whose values are texts.
type savedCell struct {
	Measure   string `json:"measure"`
	Expected  string `json:"expected,omitempty"`
	Published string `json:"published,omitempty"`
	Measured  string `json:"measured,omitempty"`
	Status    Status `json:"status"`
	Detail    string `json:"detail,omitempty"`
}

// Share returns the suites with the cases of one shard. Neighbouring cases cost about the same, so they go to
// different shards.
func Share(suites []*Suite, shard, shards int) []*Suite {
	var shared []*Suite
	number := 0
	for _, s := range suites {
		copied := *s
		copied.Cases = nil
		for _, c := range s.Cases {
			if number%shards == shard {
				copied.Cases = append(copied.Cases, c)
			}
			number++
		}
		shared = append(shared, &copied)
	}
	return shared
}

// Digest returns a text that identifies the suites: it changes with their cases.
func Digest(suites []*Suite) string {
	hash := sha256.New()
	for _, s := range suites {
		fmt.Fprintf(hash, "suite %q %q %q\n", s.File, s.Title, s.Description)
		for _, c := range s.Cases {
			c.digest(hash)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// digest writes everything that identifies the case.
func (c *Case) digest(w io.Writer) {
	fmt.Fprintf(w, "case %q %q %q %q %q\n", c.Name, c.Entry, c.Place, c.Note, c.Scenario.JSON())
	for _, x := range c.expectations {
		fmt.Fprintf(w, "%q %q %q\n", x.measure.Name, x.expected, x.published)
	}
}

// Save returns the report of a share of the suites as a value.
func Save(suites []*Suite, r *Report) *Saved {
	saved := &Saved{Format: SavedVersion, Suites: []savedSuite{}, Cases: []savedCase{}}
	for i, s := range suites {
		saved.Suites = append(saved.Suites, savedSuite{s.File, s.Title, s.Description, len(s.Cases)})
		numbers := make(map[*Case]int)
		for j, c := range s.Cases {
			numbers[c] = j
		}
		for _, c := range r.Suites[i].Cases {
			saved.Cases = append(saved.Cases, c.saved(i, numbers[c.Case]))
		}
	}
	return saved
}

// saved returns the outcome in its saved form; number is that of the case in the suite.
func (r *CaseReport) saved(suite, number int) savedCase {
	c := savedCase{
		Suite: suite, Number: number, Name: r.Case.Name, Entry: r.Case.Entry, Place: r.Case.Place,
		Algorithm: r.Case.Scenario.Algorithm,
		Note:      r.Case.Note, Status: r.Status,
	}
	if r.Err != nil {
		c.Error = r.Err.Error()
	}
	for _, cell := range r.Cells {
		c.Cells = append(
			c.Cells,
			savedCell{
				Measure: cell.Measure, Expected: string(cell.Expected), Published: string(cell.Published),
				Measured: string(cell.Measured),
				Status:   cell.Status, Detail: cell.Detail,
			},
		)
	}
	return c
}

// Join returns the report of all cases from the JSON of at least one share. It fails if a case is missing or
// occurs twice.
func Join(texts [][]byte) (*Report, error) {
	parts := make([]Saved, len(texts))
	have := 0
	for i, text := range texts {
		switch err := sealed.Unmarshal(text, &parts[i]); {
		case err != nil:
			return nil, fmt.Errorf("not the outcomes of cases, or not whole: %w", err)
		case parts[i].Format != SavedVersion:
			return nil, fmt.Errorf("outcomes of cases in the format %q, expected %s", parts[i].Format, SavedVersion)
		}
		have += len(parts[i].Cases)
	}
	r := &Report{}
	// The files may be hostile: no count and no index is trusted before it is compared with the current cases.
	for _, s := range parts[0].Suites {
		if s.Cases < 0 || s.Cases > have {
			return nil, fmt.Errorf("%s: %d of %d cases", line(s.File), have, s.Cases)
		}
		r.Suites = append(
			r.Suites,
			&FileReport{
				Suite: &Suite{File: s.File, Title: s.Title, Description: s.Description},
				Cases: make([]*CaseReport, s.Cases),
			},
		)
	}
	for _, saved := range parts {
		for _, c := range saved.Cases {
			if c.Suite < 0 || c.Suite >= len(r.Suites) || c.Number < 0 ||
				c.Number >= len(r.Suites[c.Suite].Cases) || r.Suites[c.Suite].Cases[c.Number] != nil {
				return nil, fmt.Errorf("case %s: not expected, or twice", line(c.Name))
			}
			r.Suites[c.Suite].Cases[c.Number] = c.report()
		}
	}
	for _, s := range r.Suites {
		for i, c := range s.Cases {
			if c == nil {
				return nil, fmt.Errorf("%s: case %d of %d is missing", s.Suite.File, i+1, len(s.Cases))
			}
			s.Suite.Cases = append(s.Suite.Cases, c.Case)
		}
	}
	return r, nil
}

// report returns the outcome as a report.
func (c *savedCase) report() *CaseReport {
	r := &CaseReport{
		Case: &Case{
			Name: c.Name, Entry: c.Entry, Place: c.Place, Note: c.Note,
			Scenario: &scenario.Scenario{Algorithm: c.Algorithm},
		},
		Status: c.Status,
	}
	if c.Error != "" {
		r.Err = errors.New(c.Error)
	}
	for _, v := range c.Cells {
		r.Cells = append(r.Cells, Cell{
			Measure: v.Measure, Expected: trial.Value(v.Expected), Published: trial.Value(v.Published),
			Measured: trial.Value(v.Measured), Status: v.Status, Detail: v.Detail,
		})
	}
	return r
}
