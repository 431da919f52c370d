package conform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// Rank compares a run with all algorithms that solve its problem, in one pass, and returns the reports with
// the best first. The order is by explained events, then by conforming processes, then by shared variables,
// then by name. Each algorithm takes the params that it declares. An algorithm that does not run on such
// processes is left out.
func Rank(
	ctx context.Context,
	known algorithm.Registry,
	rec tracefmt.Recording,
	params map[string]string,
	maxSteps int64,
) ([]*Conformance, error) {
	about, err := contentsOf(ctx, rec)
	if err != nil {
		return nil, err
	}
	var conformers []*conformer
	var reports []*Conformance
	var unsuited *algorithm.Unsuited
	for _, a := range builtin.Or(known).All() {
		if problem := rec.Run().Problem; problem != "" && problem != a.Problem {
			continue
		}
		c, report, err := prepare(ctx, rec, about, Model{known, a.Name, declaredParams(a, params), maxSteps})
		if errors.As(err, &unsuited) {
			continue
		}
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
		// Searches read the recording by themselves. The other conformers share one pass.
		if c != nil {
			conformers = append(conformers, c)
		}
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("%s solves %s: there is no algorithm of that problem to compare it with",
			rerun.Title(rec.Run()), rec.Run().Problem)
	}
	if err := conform(ctx, rec, conformers); err != nil {
		return nil, err
	}
	slices.SortStableFunc(reports, func(a, b *Conformance) int {
		return cmp.Or(compareExplanations(a, b), cmp.Compare(a.Algorithm, b.Algorithm))
	})
	return reports, nil
}

// declaredParams returns the params that an algorithm declares.
func declaredParams(a *algorithm.Algorithm, params map[string]string) map[string]string {
	declared := maps.Clone(params)
	maps.DeleteFunc(declared, func(name, _ string) bool {
		return !slices.ContainsFunc(a.Parameters(), func(p algorithm.Param) bool { return p.Name == name })
	})
	return declared
}

// compareExplanations is negative if a explains more than b.
func compareExplanations(a, b *Conformance) int {
	return cmp.Or(cmp.Compare(b.Explained, a.Explained), cmp.Compare(b.conforming(), a.conforming()),
		cmp.Compare(b.Shared, a.Shared))
}

// conforming counts the processes that follow the algorithm to the end.
func (r *Conformance) conforming() int {
	n := 0
	for i := range r.Processes {
		if p := &r.Processes[i]; p.Deviation == nil && !p.Byzantine {
			n++
		}
	}
	return n
}

// compared counts the processes that are compared with the algorithm.
func (r *Conformance) compared() int { return len(r.Processes) - len(r.byzantine()) }

// byzantine returns the names of the processes that are not compared.
func (r *Conformance) byzantine() (names []string) {
	for i := range r.Processes {
		if p := &r.Processes[i]; p.Byzantine {
			names = append(names, rerun.Short(r.Run.ProcessName(p.Process)))
		}
	}
	return names
}

// Place returns the rank of the i-th report, from 1. Reports that explain the run equally well share a rank.
func Place(reports []*Conformance, i int) int {
	for i > 0 && compareExplanations(reports[i-1], reports[i]) == 0 {
		i--
	}
	return i + 1
}
