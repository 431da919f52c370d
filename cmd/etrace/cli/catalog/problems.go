package catalog

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
)

// problemEntry explains a problem, and which of these properties are about it.
func problemEntry(p tracefmt.Problem, properties []*analyze.Property) entry {
	var b strings.Builder
	b.WriteString(p.Doc + "\n\n")
	for _, row := range [...]struct {
		what string
		list []string
	}{
		{"Includes", p.Includes},
		{"Properties", aboutProblem(p, properties)},
		{"Properties of any problem", aboutProblem(tracefmt.Problem{}, properties)},
		{"Also called", p.Also},
	} {
		if len(row.list) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", row.what, strings.Join(row.list, ", "))
		}
	}
	return entry{p.Name, strings.TrimSuffix(p.Doc, "."), b.String()}
}

// aboutProblem are the names of the properties that belong to the problem, or to one
// that it includes.
func aboutProblem(of tracefmt.Problem, properties []*analyze.Property) []string {
	var names []string
	for _, p := range properties {
		if p.Problem == of.Name || slices.Contains(of.Includes, p.Problem) {
			names = append(names, p.Name)
		}
	}
	return names
}

func roleEntry(r tracefmt.MemberRole) entry {
	does := "It takes part: liveness, agreement and termination are about it.\n"
	if !r.Owes {
		does = "It only stands by: it owes nothing, and never convicts.\n"
	}
	if !r.Counts {
		does += "It is none of the n processes of rules, bounds and budgets.\n"
	}
	return entry{r.Name, strings.TrimSuffix(r.Doc, "."), r.Doc + "\n" + does}
}
