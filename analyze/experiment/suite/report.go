package suite

import (
	"strings"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Style sets the look of a report for people.
type Style struct {
	Color bool
	// Quiet leaves out the cases that are ok.
	Quiet bool
	// All shows every value; otherwise the values that are ok are summarized.
	All bool
}

// Format is a form of report.
type Format = document.Format[*Report, Style]

var formats = text.NewRegistry("format of suite reports", &jsonFormat, &junitFormat, &markdownFormat, &textFormat)

// Formats returns the registry of the forms of report.
func Formats() text.Registry[*Format] { return formats }

// title is the suite's title, or its file.
func (s *FileReport) title() string {
	if s.Suite.Title == "" {
		return line(s.Suite.File)
	}
	return line(s.Suite.Title)
}

// group is a unit of a report for people: one case, or all cases of an entry that are ok.
type group struct {
	title  string
	cases  []*CaseReport
	values int
}

// groups returns the cases of a suite in groups: the ok cases of an entry are one group, every other case is
// a group of its own. If unfolded is true, each case is a group.
func (s *FileReport) groups(unfolded bool) []*group {
	var groups []*group
	var folded *group // the cases of the entry that are ok
	for _, c := range s.Cases {
		if folded != nil && folded.cases[0].Case.Place != c.Case.Place {
			folded = nil
		}
		if folded != nil && c.Status == OK && !unfolded {
			folded.cases = append(folded.cases, c)
			folded.values += len(c.Cells)
			folded.title = line(c.Case.Entry)
			continue
		}
		g := &group{line(c.Case.Name), []*CaseReport{c}, len(c.Cells)}
		if c.Status == OK {
			folded = g
		}
		groups = append(groups, g)
	}
	return groups
}

// tally counts statuses.
type tally map[Status]int

// count counts the cases and the values of a report. A case without a run counts as one failed value.
func (r *Report) count() (cases, values tally) {
	cases, values = tally{}, tally{}
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			cases[c.Status]++
			if c.Err != nil {
				values[Failed]++
			}
			for _, cell := range c.Cells {
				values[cell.Status]++
			}
		}
	}
	return cases, values
}

func (t tally) total() int { return t[OK] + t[Explained] + t[Failed] }

// line turns text from a file into one printable line.
func line(s string) string { return text.Printable(strings.Join(strings.Fields(s), " ")) }
