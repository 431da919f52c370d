package suite

import (
	"regexp"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
)

// Suite is a file of cases; see the package comment for the format.
type Suite struct {
	// File is the name that the suite was loaded by.
	File               string
	Title, Description string
	// Cases in the order of the file, those of one entry in the order of
	// their variables' values.
	Cases []*Case
}

// Case is a scenario with what its run must come to.
type Case struct {
	Name string
	// Entry is the name as the file has it: cases that differ in the values
	// of their variables only have it in common.
	Entry string
	// Place is where the entry is: "file:line:column".
	Place    string
	Scenario *scenario.Scenario
	// Note says why a published value differs from the measured one.
	Note string

	expectations []expectation
	properties   []*analyze.Property
}

// expectation is one thing to look at, and the values that it should have;
// at least one of them is given.
type expectation struct {
	measure             trial.Measure
	expected, published trial.Value
}

// Select returns the suite with only those cases whose name fits.
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
