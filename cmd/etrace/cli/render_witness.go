package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/render"
	"etrace/tracefmt"
)

// anyProperty selects the first violated property.
const anyProperty = "any"

// witnessFlags are the flags of a picture that shows why a property is violated.
type witnessFlags struct {
	ruleFlags
	witness string
}

func (f *witnessFlags) flags(cmd *cobra.Command, known property.Registry) {
	cmd.Flags().StringVar(&f.witness, "witness", "", "show why this `PROPERTY` is violated; "+anyProperty+" is the first")
	complete(cmd, "witness", func() []string { return append(known.Names(), anyProperty) })
	f.ruleFlags.flags(cmd)
}

// wanted reports whether a witness is to be shown.
func (f *witnessFlags) wanted() bool { return f.witness != "" || f.given() }

// lookup returns the properties and rules whose witness may be shown, in the order of preference. --witness may also name a
// rule.
func (f *witnessFlags) lookup(known property.Registry) ([]*analyze.Property, error) {
	rules, err := f.parse(nil)
	i := slices.IndexFunc(rules, func(p *analyze.Property) bool { return p.Name == f.witness })
	switch {
	case err != nil:
		return nil, err
	case i >= 0:
		return rules[i : i+1], nil
	case f.witness != anyProperty && f.witness != "":
		return known.Named(f.witness)
	case f.given():
		return rules, nil
	}
	return known.Default(), nil
}

// show checks the run, and sets o to show the witness of the first violated property, whose name it returns. The error is
// errNothingViolated if no property is violated.
func (f *witnessFlags) show(ctx context.Context, known property.Registry, o *render.Options, rec tracefmt.Recording) (string, error) {
	properties, err := f.lookup(known)
	if err != nil {
		return "", err
	}
	report, err := analyze.Check(rec, properties, analyze.Options{Named: f.given() || f.witness != anyProperty})
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(report.Results, func(r *analyze.Result) bool { return r.Verdict == analyze.Violated })
	if i < 0 {
		return "", nothingViolated(report)
	}
	r := report.Results[i]
	if err := o.ShowViolation(ctx, rec, report, r); err != nil {
		return "", err
	}
	return r.Property.Name, nil
}

// errNothingViolated is the error for a run without a violation to show.
var errNothingViolated = errors.New("expected a violated property to show the witness of")

// verdicts checks the default properties and the given rules, and returns the verdicts that a page shows.
func (f *witnessFlags) verdicts(known property.Registry, rec tracefmt.Recording) (verdicts []render.Verdict, err error) {
	rules, err := f.parse(nil)
	if err != nil {
		return nil, err
	}
	const violations = 200 // of a property
	report, err := analyze.Check(rec, append(known.Default(), rules...), analyze.Options{Keep: violations})
	if err != nil {
		return nil, err
	}
	for _, r := range report.Results {
		if r.Verdict == analyze.NotApplicable {
			continue
		}
		v := render.Verdict{Name: r.Property.Name, Verdict: string(r.Verdict), Text: r.Explanation, Events: r.Witness}
		for _, further := range r.Kept {
			if further.Excuses == nil && len(further.Witness) > 0 {
				v.Further = append(v.Further, slices.Max(further.Witness))
			}
		}
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// nothingViolated returns the error for a run without a violation to show.
func nothingViolated(report *analyze.RunReport) error {
	if len(report.Results) == 1 {
		r := report.Results[0]
		return fmt.Errorf("run %d: %s is %s, %w", report.Run.Number, r.Property.Name, r.Verdict, errNothingViolated)
	}
	return fmt.Errorf("run %d: no property is violated, %w", report.Run.Number, errNothingViolated)
}
