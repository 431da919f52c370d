package sweep

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"etrace/analyze/closedform"
	"etrace/analyze/spec"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Finding is the formula that was found for a sequence.
type Finding struct {
	Sequence Sequence
	Result   *closedform.Result
}

// Checked is a comparison of a formula with a sequence.
type Checked struct {
	Sequence   Sequence
	Comparison *closedform.Comparison
}

// FindClosedForms searches for formulas of the means of all measures, and of the extremes if the runs of a cell
// differ. They are printed after the table.
func (t *Table) FindClosedForms() {
	t.ClosedForms = nil
	for _, measure := range t.Measures {
		names := []string{Mean, Min, Max}
		if t.sameInCells(measure) {
			names = []string{Mean}
		}
		for _, statistic := range names {
			for _, f := range t.findings(measure, statistic) {
				if len(names) == 1 {
					f.Sequence.Statistic = ""
				}
				t.ClosedForms = append(t.ClosedForms, f)
			}
		}
	}
}

// findings searches for formulas in n and all numeric axes. Where no such formula holds, it searches in n
// alone, for each value of the other axes.
func (t *Table) findings(measure, statistic string) (list []Finding) {
	for _, s := range t.NumericSequences(measure, statistic) {
		l := closedform.Find(s.Points, closedform.Options{Variables: s.Variables})
		if len(s.Variables) > 1 && !l.Holds() {
			if alone := t.findingsOverN(measure, statistic); len(alone) <= maxAlone {
				return alone
			}
		}
		list = append(list, Finding{s, l})
	}
	return list
}

// maxAlone is the greatest number of formulas over n alone that replace one formula in all variables.
const maxAlone = 8

// findingsOverN searches for formulas over the number of processes alone.
func (t *Table) findingsOverN(measure, statistic string) (list []Finding) {
	for _, s := range t.Sequences(measure, statistic) {
		list = append(list, Finding{s, closedform.Find(s.Points, closedform.Options{})})
	}
	return list
}

// sameInCells reports whether the runs of each cell all have the same value of the measure.
func (t *Table) sameInCells(measure string) bool {
	return !slices.ContainsFunc(t.Cells, func(c Cell) bool {
		s := c.Measure(measure)
		return s != nil && s.Min != s.Max
	})
}

// Compare compares a formula with the table. The formula is like "n*H(n)", for the mean of the first measure,
// or "max messages = n^2 - n - 1". The comparison is printed after the table, also if the table has no matching
// values. Compare fails if the formula is invalid.
func (t *Table) Compare(formula string) error {
	statistic, measure, right, err := t.splitFormula(formula)
	if err != nil {
		return err
	}
	variables, _ := t.variables(true)
	f, err := parseFormula(right, variables)
	if err != nil {
		return err
	}
	sequences := t.NumericSequences(measure, statistic)
	for _, s := range sequences {
		c, err := closedform.Compare(right, s.Points, closedform.Options{Variables: variables},
			func(at []int64) (*big.Rat, bool, error) {
				return evaluate(f, variables, at)
			})
		if err != nil {
			c = &closedform.Comparison{Formula: right, Reason: err.Error()}
		}
		t.Formulas = append(t.Formulas, Checked{s, c})
	}
	if len(sequences) == 0 {
		nothing := &closedform.Comparison{
			Formula: right,
			Reason:  "there is no " + statistic + " of all runs of any cell",
		}
		t.Formulas = append(t.Formulas, Checked{Sequence{
			Statistic: statistic, Measure: measure,
			Variables: variables,
		}, nothing})
	}
	return nil
}

// evaluate returns the value of a formula at the given values of the variables, and whether it is rounded.
func evaluate(f *spec.Formula, variables []string, at []int64) (*big.Rat, bool, error) {
	values := map[string]any{}
	for i, v := range variables {
		values[v] = at[i]
	}
	value, err := f.Evaluate(values)
	if err != nil {
		return nil, false, fmt.Errorf("formula %w", err)
	}
	number, ok := value.Number()
	if !ok {
		return nil, false, fmt.Errorf("formula %q: %s is no number", f, value)
	}
	return number.Rat, number.Rounded, nil
}

// CheckFormula returns an error before any run if a formula is invalid: a syntax error, no value in some cell,
// or a statistic that no cell will have.
func (p *Plan) CheckFormula(formula string) error {
	t := p.table()
	statistic, measure, right, err := t.splitFormula(formula)
	if err != nil {
		return err
	}
	variables, isNumber := t.variables(true)
	f, err := parseFormula(right, variables)
	if err != nil {
		return err
	}
	if statistic != Mean && !slices.ContainsFunc(p.Families, func(f *Family) bool { return f.Exhausted }) {
		return fmt.Errorf(
			"formula %q: each cell is a sample, whose %s of %s is what was seen, and no estimate; expected a formula of the mean",
			formula, statistic, measure,
		)
	}
	for i := range t.Cells {
		at := t.Cells[i].coordinates(isNumber)
		if _, _, err := evaluate(f, variables, at); err != nil {
			return fmt.Errorf("%s: %w", closedform.Place(variables, at), err)
		}
	}
	return nil
}

// Measures returns the number of measures.
func (p *Plan) Measures() int { return len(p.measures) }

// splitFormula splits a formula such as "max messages = n^2" into statistic, measure and right side. By default
// these are the mean and the first measure.
func (t *Table) splitFormula(formula string) (statistic, measure, right string, err error) {
	if len(t.Measures) == 0 {
		return "", "", "", fmt.Errorf("formula %q: nothing is measured", formula)
	}
	statistic, measure, right = Mean, t.Measures[0], formula
	signPlace := relation.FindStringIndex(formula)
	if signPlace == nil {
		return statistic, measure, right, nil
	}
	words, sign := strings.Fields(formula[:signPlace[0]]), formula[signPlace[0]:signPlace[1]]
	switch {
	case sign == "=": // the only sign that fits a measure
	case len(words) > 0 && slices.Contains(t.Measures, words[len(words)-1]):
		return "", "", "", fmt.Errorf(
			"formula %q: a formula gives the value of a measure, expected = instead of %s; --check 'messages-at-most(F)' checks a bound",
			formula, sign,
		)
	default:
		return statistic, measure, right, nil // a formula without a sign is a condition
	}
	right = strings.TrimSpace(formula[signPlace[1]:])
	if len(words) > 1 {
		statistic = words[0]
		if names := []string{Mean, Min, Max}; !slices.Contains(names, statistic) {
			return "", "", "", fmt.Errorf("formula %q: %w", formula, text.Unknown("statistic", statistic, names))
		}
		words = words[1:]
	}
	measure = strings.Join(words, " ")
	if !slices.Contains(t.Measures, measure) {
		return "", "", "", fmt.Errorf("formula %q: %w", formula, text.Unknown("measure", measure, t.Measures))
	}
	return statistic, measure, right, nil
}

// relation is a sign of comparison.
var relation = regexp.MustCompile(`[<>=!]=|[<>=≤≥≠]`)

// parseFormula reads a formula over the variables.
func parseFormula(formula string, variables []string) (*spec.Formula, error) {
	f, err := spec.ParseFormula(formula, variables)
	if err != nil {
		return nil, fmt.Errorf("formula %w", err)
	}
	return f, nil
}

// Refuted reports whether some formula does not hold.
func (t *Table) Refuted() bool {
	return slices.ContainsFunc(t.Formulas, func(c Checked) bool { return c.Comparison.Refuted() })
}

// Undecided reports whether it is unknown for some formula whether it holds.
func (t *Table) Undecided() bool {
	return slices.ContainsFunc(t.Formulas, func(c Checked) bool {
		return !c.Comparison.Holds &&
			!c.Comparison.Refuted()
	})
}

// formulaNotes describes the fitted formulas and the comparisons with given ones, line by line.
func (t *Table) formulaNotes() (notes []string) {
	for _, f := range t.ClosedForms {
		notes = append(notes, f.Result.Lines(f.Sequence.String())...)
	}
	for _, c := range t.Formulas {
		notes = append(notes, c.Comparison.Lines(c.Sequence.String())...)
	}
	return notes
}

// json returns the measure, the statistic and the cells of the sequence.
func (s *Sequence) json() document.Object {
	place := map[string]string{}
	for _, a := range s.At {
		place[a.Name] = a.Value
	}
	return document.Object{"measure", s.Measure, "statistic", cmp.Or(s.Statistic, Mean), "of", place}
}

// Text returns the table as people read it: its heading, the table, and notes. Published bounds are separate,
// in [Table.BoundTables].
func (t *Table) Text() (title string, table *document.Table, notes []string) {
	p := t.laidOut(false)
	return p.title, &p.table, p.below()
}

// FormulaNotes returns how many of the last notes belong to formulas.
func (t *Table) FormulaNotes() int { return len(t.formulaNotes()) }
