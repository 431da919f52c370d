package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/operation"
	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/render/viewer"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Options are what to draw and how. The zero value draws a sequence diagram
// of the whole run as SVG.
type Options struct {
	// Diagram is the name of one of Diagrams; "" is sequence.
	Diagram string
	// Diagrams are the known diagrams; the zero registry is
	// [diagram.Builtin].
	Diagrams diagram.Registry
	// Format is the name of one of Formats; "" is svg.
	Format string
	// Formats are the known formats; the zero registry is [Formats].
	Formats Registry
	// Select is the part of the run that is drawn, by default at most [story.DefaultMaxEvents] events.
	// Messages that cross its borders end in stubs. The drawing counts the hidden events.
	Select view.Selection
	// Axis is the name of one of Axes; "" is the axis that suits the run.
	Axis string
	// Title replaces the title made from the run's description.
	Title string
	// Caption, Faint, Highlight and Witness make the picture one about some of
	// the events: see [story.Options]. Only sequence diagrams can be.
	Caption, Faint     string
	Highlight, Witness []tracefmt.Seq
	// Led lists the highlighted events that led to the others. A picture with a size has as many of the latest of them as
	// fit on the page of the others.
	Led []tracefmt.Seq
	// Cut lists the last event of each process in a cut to be drawn; of a process without one, nothing is in
	// it. CutAt, if not "", is the cut in words: such events with commas between; or an event of the language of rules,
	// whose first occurrence at each process ends the cut there; or [NoCut]. Without Cut and CutAt the problem of the
	// run decides. Only sequence diagrams have cuts.
	Cut   []tracefmt.Seq
	CutAt string
	// Spans are what goes on at a process for a while, each a fluent of the language of rules, to be
	// drawn as bars; nil are those of the problem of the run. Only sequence diagrams have any.
	Spans []string
	// Verdicts are listed on pages; each violation leads to the events that show it.
	Verdicts []Verdict
	// Fit is the size of the picture, in which no text has less than [LeastText] pixels as far as that is possible, see
	// [NewSeries]; zero is the size that the run takes.
	Fit Size
	// NoLegend leaves out the legend.
	NoLegend bool
	// Theme is on what ground the picture is shown.
	Theme drawing.Theme
	// Tile puts all frames into one picture.
	Tile bool
	// Frames divides a picture into frames, see [NewSeries]: [FramesSteps], [FramesPhases] or a number; "" draws no
	// frames.
	Frames string
	// Remark, if not nil, gets in a sentence each what is odd about the picture: that Axis changes
	// nothing or, large, that it is larger than what makes bitmaps of pictures takes.
	Remark func(sentence string, large bool)
}

// Verdict is what a page shows of a property.
type Verdict = viewer.Verdict

// Axes returns the names of the axes of sequence diagrams.
func Axes() []string { return story.Axes().Names() }

// The defaults of Options.
const (
	defaultDiagram = "sequence"
	defaultFormat  = "svg"
)

// mostEvents bounds MaxEvents: more cannot be drawn within Graphviz's limits.
const mostEvents = 50_000

// resolve checks the options and returns the diagram and the format that they
// name.
func (o *Options) resolve() (d diagram.Diagram, f Format, err error) {
	err = o.validate()
	if err != nil {
		return d, f, err
	}
	diagrams, formats := o.Diagrams, o.Formats
	if diagrams.IsZero() {
		diagrams = diagram.Builtin()
	}
	if formats.IsZero() {
		formats = Formats()
	}
	d, err = diagrams.Lookup(cmp.Or(o.Diagram, defaultDiagram))
	if err != nil {
		return d, f, err
	}
	if o.Axis != "" {
		_, err = story.Axes().Lookup(o.Axis)
		if err != nil {
			return d, f, err
		}
		if !d.Axis {
			can := names(diagrams, func(d diagram.Diagram) bool { return d.Axis })
			return d, f, fmt.Errorf("%s diagram: there is no axis to choose, expected %s", d.Name, text.Or(can))
		}
	}
	// A diagram without marks would hide what the picture is about.
	if !d.Marks && len(o.Highlight)+len(o.Witness) > 0 {
		able := names(diagrams, func(d diagram.Diagram) bool { return d.Marks })
		return d, f, fmt.Errorf("%s diagram: events cannot be marked, expected %s", d.Name, text.Or(able))
	}
	if o.Select.Group != "" && !d.Groups {
		able := names(diagrams, func(d diagram.Diagram) bool { return d.Groups })
		return d, f, fmt.Errorf("%s diagram: processes are not grouped, expected %s", d.Name, text.Or(able))
	}
	if !d.Cuts && (len(o.Cut) > 0 || o.CutAt != "" && o.CutAt != NoCut) {
		able := names(diagrams, func(d diagram.Diagram) bool { return d.Cuts })
		return d, f, fmt.Errorf("%s diagram: cuts cannot be drawn, expected %s", d.Name, text.Or(able))
	}
	f, err = formats.Lookup(cmp.Or(o.Format, defaultFormat))
	if err != nil {
		return d, f, err
	}
	err = o.checkForm(f)
	if err != nil {
		return d, f, err
	}
	return d, f, o.checkSpans(d, f, diagrams)
}

// names returns the names of the diagrams or formats with an ability.
func names[T text.Named](known text.Registry[T], can func(T) bool) (names []string) {
	for _, thing := range known.All() {
		if can(thing) {
			names = append(names, thing.Key())
		}
	}
	return names
}

// validate checks the numbers among the options.
func (o *Options) validate() error {
	if limit := o.Select.MaxEvents; limit < 0 || limit > mostEvents {
		return fmt.Errorf("at most %d events are to be drawn, expected 1 to %d, or 0 for the default", limit, mostEvents)
	}
	return nil
}

// Render writes the run to w. Nothing is written unless all went well. Its
// errors name what could not be done; those of the recording pass through.
func Render(ctx context.Context, w io.Writer, rec tracefmt.Recording, o Options) error {
	d, f, err := o.resolve()
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	rec, _, err = tracefmt.Assume(rec)
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	if o.Fit != (Size{}) || o.Frames != "" {
		return errors.New("render: one picture is drawn, expected a series for pages and frames")
	}
	s, err := o.read(ctx, rec, d, f)
	if err != nil {
		return fmt.Errorf("render: %s diagram: %w", d.Name, err)
	}
	var out bytes.Buffer
	if err := f.write(ctx, &out, subject{rec, s, d, &o}); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	if o.Remark != nil {
		o.remarks(s, f, out.Bytes())
	}
	_, err = w.Write(out.Bytes())
	return err
}

// read makes the story of a run.
func (o *Options) read(ctx context.Context, rec tracefmt.Recording, d diagram.Diagram, f Format) (*story.Story, error) {
	shown, err := o.prepare(ctx, rec, d, f)
	if err != nil {
		return nil, err
	}
	return story.Read(ctx, rec, shown)
}

// violations maps the last event of each witness to the violated properties.
func (o *Options) violations() map[tracefmt.Seq][]string {
	shown := make(map[tracefmt.Seq][]string)
	for _, v := range o.Verdicts {
		if len(v.Events) > 0 && v.Verdict == string(analyze.Violated) {
			last := slices.Max(v.Events)
			for _, seq := range append([]tracefmt.Seq{last}, v.Further...) {
				if !slices.Contains(shown[seq], v.Name) {
					shown[seq] = append(shown[seq], v.Name)
				}
			}
		}
	}
	return shown
}

// prepare resolves the options for a run: window, cut, spans and highlighted events.
func (o *Options) prepare(ctx context.Context, rec tracefmt.Recording, d diagram.Diagram, f Format) (shown story.Options, err error) {
	spans, err := o.spans(ctx, rec, d)
	if err != nil {
		return shown, err
	}
	cut, err := o.cut(ctx, rec, d.Cuts && !f.notation)
	if err != nil {
		return shown, err
	}
	part, err := o.Select.Resolve(ctx, rec)
	if err != nil {
		return shown, err
	}
	part.KeepIdle, part.Kinds = !d.Columns, d.Kinds
	operations := slices.Contains(d.Kinds, tracefmt.Invoke)
	highlight := o.Highlight
	var order map[tracefmt.Seq]int
	violations := o.violations()
	part.Fold = operations && len(highlight) > 0
	switch {
	case part.Fold && len(o.Witness) > 0:
		highlight = o.Witness // only the witness
		violations = map[tracefmt.Seq][]string{slices.Max(o.Witness): {""}}
	case operations && !part.Fold:
		var wrong []tracefmt.Seq
		order, wrong, err = operation.Linearize(rec)
		if err != nil {
			return shown, err
		}
		violations = make(map[tracefmt.Seq][]string)
		for _, seq := range wrong {
			violations[seq] = []string{"no order explains all results"}
		}
	}
	axis, _ := story.Axes().Lookup(o.Axis) // cannot fail: resolve has looked the axis up
	return story.Options{
		View: part, Axis: axis, Title: o.Title,
		Caption: o.Caption, Faint: o.Faint, Highlight: highlight, Witness: o.Witness, Cut: cut, Spans: spans, Variables: d.Variables,
		Operations: operations, Order: order, Overview: d.Whole(), Violations: violations,
	}, nil
}
