package render

import (
	"context"
	"slices"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
)

// ShowViolation makes the picture one of a violation in a report about rec: its witness, and the events that explain it.
func (o *Options) ShowViolation(ctx context.Context, rec tracefmt.Recording, report *analyze.RunReport, violated *analyze.Result) error {
	e, err := explain.Violation(ctx, rec, violated, report.Ending, explain.Options{})
	if err != nil {
		return err
	}
	o.Caption = violated.Property.Name + " is violated: " + violated.Explanation
	o.Witness, o.Cut = violated.Witness, violated.Cut
	for _, step := range e.Led {
		o.Led = append(o.Led, step.Seq)
	}
	for _, step := range slices.Concat(e.Steps, e.Led) {
		o.Highlight = append(o.Highlight, step.Seq)
	}
	return nil
}

// WitnessDiagram returns the name of the diagram that shows a witness best in a format: a history if all of its events are of operations.
func WitnessDiagram(rec tracefmt.Recording, witness []tracefmt.Seq, format string, formats Registry) (string, error) {
	if f, err := formats.Lookup(format); err != nil || f.notation {
		return defaultDiagram, err
	}
	for _, seq := range witness {
		for e, err := range rec.Events(seq) {
			if err != nil {
				return "", err
			}
			if e.Kind != tracefmt.Invoke && e.Kind != tracefmt.Return {
				return defaultDiagram, nil
			}
			break
		}
	}
	if len(witness) == 0 {
		return defaultDiagram, nil
	}
	return "history", nil
}
