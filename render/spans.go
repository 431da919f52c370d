package render

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"etrace/analyze/property/mutex"
	"etrace/analyze/spec"
	"etrace/render/diagram"
	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// spansOf has the default spans by problem, in the language of rules. applies restricts them to some runs of the
// problem; nil means all.
var spansOf = []struct {
	problem string
	spans   []string
	applies func(context.Context, tracefmt.Recording) (bool, error)
}{
	{tracefmt.Mutex, []string{inside, inside + `
		fluent waiting-to-enter(p) from note(type = "request") where not before(in-the-critical-section(process))
		to note(type = "enter"), crash, halt, start, recover`}, oneLock},
	{
		tracefmt.Termination,
		[]string{`fluent active(p) from note(type = "active") to note(type = "passive"), crash, halt, start, recover`},
		nil,
	},
}

const inside = `fluent in-the-critical-section(p) from note(type = "enter") to note(type = "exit"), crash, halt, start, recover`

// oneLock reports whether all critical sections of a run are of one lock: with several, one process may hold some of
// them, and no single bar shows which.
func oneLock(ctx context.Context, rec tracefmt.Recording) (bool, error) {
	var first []byte
	found := false
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return false, err
		}
		lock, ok := mutex.Lock(e)
		switch {
		case !ok:
		case !found:
			first, found = bytes.Clone(lock), true
		case !bytes.Equal(lock, first):
			return false, nil
		}
	}
	return true, nil
}

// spans returns the spans that the user selected, else those of the run's problem, if the diagram can show spans.
func (o *Options) spans(ctx context.Context, rec tracefmt.Recording, d diagram.Diagram) (list []story.Span, err error) {
	if !d.Spans {
		return nil, nil
	}
	sources := o.Spans
	if sources == nil {
		sources, err = spansOfProblem(ctx, rec)
		if err != nil {
			return nil, err
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

// spansOfProblem returns the default spans of the run's problem.
func spansOfProblem(ctx context.Context, rec tracefmt.Recording) (sources []string, err error) {
	for _, row := range spansOf {
		solves := rec.Run().Solves(row.problem)
		if solves && row.applies != nil {
			solves, err = row.applies(ctx, rec)
			if err != nil {
				return nil, err
			}
		}
		if solves {
			sources = append(sources, row.spans...)
		}
	}
	return sources, nil
}

// spanOf compiles a span. Its name is that of its fluent, with spaces for hyphens.
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

// checkSpans refuses spans for diagrams that cannot show them, and more spans than a reader can distinguish.
func (o *Options) checkSpans(d diagram.Diagram, f Format, diagrams diagram.Registry) error {
	switch {
	case len(o.Spans) > story.MostSpans:
		return fmt.Errorf("%d spans are to be drawn, expected at most %d, which can be told apart", len(o.Spans), story.MostSpans)
	case len(o.Spans) > 0 && !d.Spans:
		return fmt.Errorf("%s diagram: spans cannot be drawn, expected %s", d.Name,
			text.Or(names(diagrams, func(d diagram.Diagram) bool { return d.Spans })))
	case len(o.Spans) > 0 && f.notation:
		return f.undrawn("spans are not drawn")
	}
	return nil
}
