package render

import (
	"cmp"
	"fmt"
	"strings"

	"etrace/analyze/spec"
	"etrace/render/diagram"
	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// oneLock are the notes about the only lock of a run: with several, one process may hold some of them,
// and no single bar says which.
const oneLock = `not (has lock or has key or has resource)`

// spansOf are the spans of runs of a problem, in the language of rules.
var spansOf = []struct{ problem, span string }{
	{tracefmt.Mutex, inside},
	{tracefmt.Mutex, inside + `
		fluent waiting-to-enter(p) from note(type = "request") where ` + oneLock + ` and not before(in-the-critical-section(process))
		to note(type = "enter"), crash, halt, start, recover`},
	{tracefmt.Termination, `fluent active(p) from note(type = "active") to note(type = "passive"), crash, halt, start, recover`},
}

const inside = `fluent in-the-critical-section(p) from note(type = "enter") where ` + oneLock + `
	to note(type = "exit"), crash, halt, start, recover`

// spans are those that were asked for, else those of the problem of the run, where the diagram has any.
func (o *Options) spans(run *tracefmt.Run, d diagram.Diagram) (list []story.Span, err error) {
	if !d.Spans {
		return nil, nil
	}
	sources := o.Spans
	if sources == nil {
		for _, row := range spansOf {
			if run.Solves(row.problem) {
				sources = append(sources, row.span)
			}
		}
	}
	for _, source := range sources {
		s, err := spanOf(source)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// spanOf compiles a span, whose name is that of its fluent with spaces for hyphens.
func spanOf(source string) (story.Span, error) {
	o, err := spec.Span(source)
	if err != nil {
		return story.Span{}, err
	}
	name := strings.NewReplacer("-", " ", "_", " ").Replace(o.Name)
	return story.Span{
		Name: cmp.Or(strings.TrimSpace(name), o.Name), Facts: o.Facts,
		Follow: func(run *tracefmt.Run) story.Following { return o.Spans(run) },
	}, nil
}

// checkSpans refuses spans for what cannot show them, and more than a diagram can tell apart.
func (o *Options) checkSpans(d diagram.Diagram, f Format, diagrams diagram.Registry) error {
	switch {
	case len(o.Spans) > story.MostSpans:
		return fmt.Errorf("%d spans are to be drawn, expected at most %d, which can be told apart", len(o.Spans), story.MostSpans)
	case len(o.Spans) > 0 && !d.Spans:
		return fmt.Errorf("%s diagram: spans cannot be drawn, expected %s", d.Name, text.Or(names(diagrams, func(d diagram.Diagram) bool { return d.Spans })))
	case len(o.Spans) > 0 && f.notation:
		return fmt.Errorf("%s: spans are not drawn, expected a picture for that", f.Name)
	}
	return nil
}
