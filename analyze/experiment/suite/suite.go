package suite

import (
	"regexp"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
)

// Suite is a file of cases; see the package comment for the format.
type Suite struct {
	// File is the path from which the suite was loaded.
	File               string
	Title, Description string
	// Cases are in the order of the file, and within an entry in the order of the variables' values.
	Cases []*Case
}

// Case is a scenario with the expected results of its run.
type Case struct {
	Name string
	// Entry is the name as written in the file. All cases of an entry share it.
	Entry string
	// Place is the place of the entry: "file:line:column".
	Place    string
	Scenario *scenario.Scenario
	// Note explains why a published value differs from the measured one.
	Note string

	expectations []expectation
	properties   []*analyze.Property
}

// expectation is a measure with its expected value, its published value, or both.
type expectation struct {
	measure             trial.Measure
	expected, published trial.Value
}

// Select returns the suite with only the cases whose name matches.
func (s *Suite) Select(name *regexp.Regexp) *Suite {
	selected := *s
	selected.Cases = nil
	for _, c := range s.Cases {
		if name.MatchString(c.Name) {
			selected.Cases = append(selected.Cases, c)
		}
	}
	return &selected
}
