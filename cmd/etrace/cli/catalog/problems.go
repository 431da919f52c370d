package catalog

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

// problemEntry returns the entry of a problem, with the properties that apply to its runs.
func problemEntry(p tracefmt.Problem, properties []*analyze.Property) entry {
	var b strings.Builder
	b.WriteString(p.Doc + "\n\n")
	row := func(title string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", title, strings.Join(list, ", "))
		}
	}
	row("Includes", p.Includes)
	row("The best process is ranked by", p.Best)
	specific, general := aboutProblem(p.Name, properties)
	row("Properties", specific)
	for _, included := range p.Includes {
		specific, general = aboutProblem(included, general)
		row("Properties of "+included, specific)
	}
	ofAny, _ := aboutProblem("", general)
	row("Properties of any problem", ofAny)
	row("Other names", p.Also)
	return entryOf(p.Name, strings.TrimSuffix(p.Doc, "."), b.String())
}

// aboutProblem returns the names of the properties that are made for the problem, and all other properties.
func aboutProblem(problem string, properties []*analyze.Property) (names []string, general []*analyze.Property) {
	for _, p := range properties {
		if p.Problem == problem || slices.Contains(p.About, problem) {
			names = append(names, p.Name)
		} else {
			general = append(general, p)
		}
	}
	return names, general
}

// roleEntry returns the entry of a role of members: whether it is a participant, and whether it counts in n.
func roleEntry(r tracefmt.MemberRole) entry {
	does := "It is a participant: properties such as liveness, agreement and termination apply to it.\n"
	if !r.Owes {
		does = "It is no participant: properties require nothing of it, and its events show no violation.\n"
	}
	if !r.Counts {
		does += "It does not count in n, the number of processes in rules, bounds and budgets.\n"
	}
	if r.In != "" {
		does += "This applies to runs of " + r.In + ". In a run of another problem, a " + r.Name + " is a participant.\n"
	}
	return entryOf(r.Name, strings.TrimSuffix(r.Doc, "."), r.Doc+"\n"+does)
}
