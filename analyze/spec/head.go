package spec

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// addTo applies a line of the head to the property or its plan.
func (line *headLine) addTo(p *analyze.Property, plan *plan, c *compiler, l *lowering) (err error) {
	if line.Request || line.Record {
		p.OnRequest, p.OfRecord = p.OnRequest || line.Request, p.OfRecord || line.Record
		return nil
	}
	if line.With != nil {
		inner, reads := *c.scope, c.scope.program.facts
		inner.demanded = nil
		m, err := inner.matcher(line.With)
		plan.demands = append(plan.demands, demand{m, l.word(nil, line.Else)})
		c.scope.program.facts = reads // the rule itself does not read the pattern's facts
		return err
	}
	var values []string
	// Traits and problems are checked, since a misspelt one would exclude every run.
	for _, v := range line.Values {
		values = append(values, l.word(nil, v))
	}
	noun, known := "trait", tracefmt.Traits().Names()
	switch line.Word {
	case "problem", "about":
		noun, known = "problem", tracefmt.Problems().Names()
	case "source", "needs":
		known = values
	}
	for _, v := range values {
		if !slices.Contains(known, v) {
			return errorf(line.Pos, "%v", text.Unknown(noun, v, known))
		}
	}
	switch line.Word {
	case "problem":
		p.Problem = values[0]
	case "about":
		p.About = values
	case "source":
		p.Source = strings.Join(values, "; ")
	case "needs":
		p.Needs = strings.Join(values, "; ")
	case "presumes":
		p.Presumed = values
	case "requires":
		p.Required = values
	case "excludes":
		p.Excluded = values
	}
	return nil
}
