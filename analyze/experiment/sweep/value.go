package sweep

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// value returns the outcome as a JSON list for a store: each measure (null if the run has none), each
// verdict, each comparison with a bound, and the end of the run unless it is quiescent.
func (o *outcome) value() string {
	b := []byte{'['}
	for i, v := range o.values {
		if i > 0 {
			b = append(b, ',')
		}
		if o.has[i] {
			b = strconv.AppendInt(b, v, 10)
		} else {
			b = append(b, "null"...)
		}
	}
	for _, v := range o.verdicts {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = tracefmt.AppendString(b, string(v))
	}
	for i := range o.bounds {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = o.bounds[i].append(b)
	}
	if o.end != tracefmt.Quiescent {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = tracefmt.AppendString(b, string(o.end))
	}
	return string(append(b, ']'))
}

// parse reads the result of [outcome.value].
func (p *Plan) parse(cell int, run int64, value string) (o outcome, err error) {
	bad := fmt.Errorf("%s, expected a list of %d measures and %d verdicts", text.Quote(value), len(p.measures),
		len(p.Grid.Properties))
	// The file may be hostile: each item is checked, since a later one depends on its place in the list.
	o = outcome{
		cell: cell, run: run, end: tracefmt.Quiescent, values: make([]int64, len(p.measures)),
		has: make([]bool, len(p.measures)),
	}
	i := 0
	for item := range tracefmt.Items([]byte(value)) {
		switch verdict := i - len(p.measures); {
		case verdict >= len(p.Grid.Properties) && (string(item) == `"stopped"` || string(item) == `"deadline"`):
			o.end = tracefmt.End(item[1 : len(item)-1])
		case verdict >= len(p.Grid.Properties):
			b, ok := parseBound(item, len(p.Families[cell].bounds))
			if !ok {
				return o, bad
			}
			o.bounds = append(o.bounds, b)
		case verdict >= 0:
			s, err := strconv.Unquote(string(item))
			if err != nil || !isVerdict(analyze.Verdict(s)) {
				return o, bad
			}
			o.verdicts = append(o.verdicts, analyze.Verdict(s))
		case string(item) != "null":
			o.values[i], err = strconv.ParseInt(string(item), 10, 64)
			if err != nil {
				return o, bad
			}
			o.has[i] = true
		}
		i++
	}
	if i < len(p.measures)+len(p.Grid.Properties) {
		return o, bad
	}
	return o, nil
}

// isVerdict reports whether the verdict exists.
func isVerdict(v analyze.Verdict) bool {
	return slices.ContainsFunc(analyze.Verdicts, func(known struct {
		Verdict       analyze.Verdict
		Meaning, Exit string
	},
	) bool {
		return known.Verdict == v
	})
}
