package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"etrace/record/algorithm"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// anyAlgorithm is the value of --as that asks for all algorithms.
const anyAlgorithm = "any"

type asFlags struct {
	algorithm string
	params    []string
}

func (f *asFlags) flags(cmd *cobra.Command, known algorithm.Registry) {
	cmd.Flags().StringVar(&f.algorithm, "as", "", "hold the run against an `ALGORITHM`, or rank all of them: any")
	cmd.Flags().StringArrayVar(&f.params, "param", nil, "with --as: a parameter `K=V` of the algorithm; repeatable")
	complete(cmd, "as", func() []string { return append(known.Names(), anyAlgorithm) })
}

// given are the parameters by name.
func (f *asFlags) given() (map[string]string, error) {
	given := map[string]string{}
	for _, text := range f.params {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--param %q: expected name=value", text)
		}
		given[name] = value
	}
	return given, nil
}

// conformances are the reports of a run: one, or those of all algorithms.
type conformances struct {
	run     *tracefmt.Run
	reports []*rerun.Report
}

// replayAs holds runs against an algorithm.
func (a *app) replayAs(ctx context.Context, f *replayFlags, args []string) error {
	given, err := f.as.given()
	if err != nil {
		return err
	}
	ranked := f.as.algorithm == anyAlgorithm
	var all []conformances
	err = f.each(ctx, a, "following the processes", args, func(rec tracefmt.Recording) error {
		c := conformances{run: rec.Run()}
		if ranked {
			c.reports, err = rerun.Rank(ctx, a.algorithms, rec, given)
		} else {
			var r *rerun.Report
			r, err = rerun.Conform(ctx, a.algorithms, rec, f.as.algorithm, given)
			c.reports = append(c.reports, r)
		}
		all = append(all, c)
		return err
	})
	if err != nil {
		return err
	}
	err = a.writeFile("-", func(w io.Writer) error {
		switch {
		case f.json:
			return tracefmt.WriteJSON(w, newConformReport(all, ranked))
		case ranked:
			return printRanked(w, all)
		}
		return printConformances(w, tracePath(args), all)
	})
	if err != nil {
		return err
	}
	return conformStatus(all, ranked)
}

// conformStatus is the exit status: a run that shows nothing stays open. A
// ranking is no verdict on a run.
func conformStatus(all []conformances, ranked bool) error {
	status := exitOK
	for _, c := range all {
		switch best := c.reports[0]; {
		case best.Events == 0:
			status = exitOpen
		case !ranked && !best.Conforms():
			return outcome(exitBad)
		}
	}
	if status != exitOK {
		return outcome(status)
	}
	return nil
}

func printConformances(w io.Writer, file string, all []conformances) error {
	var b bytes.Buffer
	for _, c := range all {
		if why := c.reports[0].Mismatch; why != "" {
			fmt.Fprintf(&b, "%s run %d: %s\n", file, c.run.Number, why)
		}
		fmt.Fprintf(&b, "%s run %d: %s\n%s", file, c.run.Number, c.reports[0].Summary(), c.reports[0].Text())
	}
	_, err := w.Write(b.Bytes())
	return err
}

func printRanked(w io.Writer, all []conformances) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "run\tplace\talgorithm\tevents explained\tprocesses that conform\tvariables shared")
	for _, c := range all {
		for i, r := range c.reports {
			fmt.Fprintf(t, "%d\t%d\t%s\t%d of %d\t%d of %d\t%d of %d\n", c.run.Number, rerun.Place(c.reports, i), r.Algorithm,
				r.Explained, r.Events, r.Conforming(), len(r.Processes), r.Shared, r.Variables)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, c := range all {
		if c.reports[0].Explained == 0 {
			why := "no algorithm explains any of it"
			if c.reports[0].Events == 0 {
				why = "no event is a step that an algorithm takes"
			}
			if _, err := fmt.Fprintf(w, "run %d: %s\n", c.run.Number, why); err != nil {
				return err
			}
		}
	}
	return nil
}

// conformReport is what replay --as --json prints, etrace.conform/1.
type conformReport struct {
	Format string       `json:"format"`
	Runs   []conformRun `json:"runs"`
}

type conformRun struct {
	Run     int             `json:"run"`
	Reports []conformResult `json:"reports"`
}

type conformResult struct {
	Algorithm string            `json:"algorithm"`
	Place     int               `json:"place,omitempty"`
	Params    map[string]string `json:"params"`
	Mismatch  string            `json:"mismatch,omitempty"`
	Conforms  bool              `json:"conforms"`
	Events    int64             `json:"events"`
	Explained int64             `json:"explained"`
	// Share of the events that the algorithm explains.
	Share     float64          `json:"share"`
	Variables int              `json:"variables"`
	Shared    int              `json:"shared"`
	Processes []conformProcess `json:"processes"`
}

type conformProcess struct {
	Process   string `json:"process"`
	Events    int64  `json:"events"`
	Explained int64  `json:"explained"`
	// Deviation is the first event that the algorithm would not have made.
	Deviation *deviationJSON `json:"deviation,omitempty"`
}

type deviationJSON struct {
	Step     *jsonStep `json:"step"`
	Recorded *jsonStep `json:"recorded"`
	Expected *jsonStep `json:"expected"`
	Reason   string    `json:"reason,omitempty"`
}

func newConformReport(all []conformances, ranked bool) *conformReport {
	report := &conformReport{Format: "etrace.conform/1"}
	for _, c := range all {
		run := conformRun{Run: c.run.Number}
		for i, r := range c.reports {
			result := newConformResult(r)
			if ranked {
				result.Place = rerun.Place(c.reports, i)
			}
			run.Reports = append(run.Reports, result)
		}
		report.Runs = append(report.Runs, run)
	}
	return report
}

func newConformResult(r *rerun.Report) conformResult {
	result := conformResult{
		Algorithm: r.Algorithm, Params: r.Params, Mismatch: r.Mismatch, Conforms: r.Conforms(), Events: r.Events, Explained: r.Explained, Share: r.Explanation(),
		Variables: r.Variables, Shared: r.Shared,
	}
	for _, p := range r.Processes {
		process := conformProcess{Process: r.Run.ProcessName(p.Process), Events: p.Events, Explained: p.Explained}
		if d := p.Deviation; d != nil {
			process.Deviation = &deviationJSON{stepOrNil(r.Run, d.Step), stepOrNil(r.Run, d.Recorded), stepOrNil(r.Run, d.Expected), d.Reason}
		}
		result.Processes = append(result.Processes, process)
	}
	return result
}

// stepOrNil is an event for programs, null for none.
func stepOrNil(run *tracefmt.Run, e *tracefmt.Event) *jsonStep {
	if e == nil {
		return nil
	}
	return newStep(run, e, nil)
}

func stepsJSON(run *tracefmt.Run, events []tracefmt.Event) []jsonStep {
	steps := []jsonStep{}
	for i := range events {
		steps = append(steps, *stepOrNil(run, &events[i]))
	}
	return steps
}
