// Package render draws a run: [Render] reads a recording, computes a drawing
// of it (package diagram) and writes that in a picture format (package
// format). Positions are computed here, so that time runs the way the reader
// expects; Graphviz does the drawing.
package render

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Options say what to draw and how. The zero value draws a sequence diagram
// of the whole run as SVG.
type Options struct {
	// Diagram is a name of diagram.All; "" is sequence.
	Diagram string
	// Format is a name of format.All; "" is svg.
	Format string
	// From and To bound the window of events that is drawn; 0 is the first,
	// or last, event. Messages that cross its borders end in stubs.
	From, To tracefmt.Seq
	// MaxEvents is the greatest number of events drawn; 0 is
	// diagram.DefaultMaxEvents. The drawing says how many are missing.
	MaxEvents int
	// Title replaces the title made from the run's description.
	Title string
	// Caption, Faint, Highlight, Witness and Cut make the picture one about some of
	// the events: see diagram.Options. Only sequence diagrams can be.
	Caption, Faint          string
	Highlight, Witness, Cut []tracefmt.Seq
}

// The defaults of Options.
const (
	DefaultDiagram = "sequence"
	DefaultFormat  = "svg"
)

// mostEvents bounds MaxEvents: more cannot be drawn within Graphviz's limits.
const mostEvents = 50_000

// Resolve fills in the defaults, checks the options and returns the diagram
// and the format that they name.
func (o *Options) Resolve() (diagram.Diagram, format.Format, error) {
	if o.Diagram == "" {
		o.Diagram = DefaultDiagram
	}
	if o.Format == "" {
		o.Format = DefaultFormat
	}
	if o.MaxEvents == 0 {
		o.MaxEvents = diagram.DefaultMaxEvents
	}
	var d diagram.Diagram
	var f format.Format
	err := o.validate()
	if err == nil {
		d, err = find("diagram", o.Diagram, diagram.All(), func(d diagram.Diagram) string { return d.Name })
	}
	if err == nil {
		f, err = find("format", o.Format, format.All(), func(f format.Format) string { return f.Name })
	}
	return d, f, err
}

func (o *Options) validate() error {
	switch {
	case o.From < 0 || o.To < 0:
		return fmt.Errorf("the window is %d to %d, expected seqs from 1 on, or 0 for no bound", o.From, o.To)
	case o.To > 0 && o.From > o.To:
		return fmt.Errorf("the window begins at %d, after its end at %d", o.From, o.To)
	case o.MaxEvents < 0 || o.MaxEvents > mostEvents:
		return fmt.Errorf("at most %d events are to be drawn, expected 1 to %d, or 0 for the default", o.MaxEvents, mostEvents)
	}
	return nil
}

func find[T any](what, name string, all []T, nameOf func(T) string) (T, error) {
	known := make([]string, len(all))
	for i, v := range all {
		if known[i] = nameOf(v); known[i] == name {
			return v, nil
		}
	}
	var none T
	return none, text.Unknown(what, name, known)
}

// Render draws the run to w. Nothing is written unless all went well. Its
// errors name what could not be done; those of the recording pass through.
func Render(ctx context.Context, w io.Writer, rec tracefmt.Recording, o Options) error {
	_, f, err := o.Resolve()
	if err != nil {
		return fmt.Errorf("render: %w", err)
	}
	drawing, err := build(ctx, rec, o)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := f.Write(ctx, &out, drawing); err != nil {
		return fmt.Errorf("render: %s: %w", f.Name, err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// build makes the drawing of a run.
func build(ctx context.Context, rec tracefmt.Recording, o Options) (*diagram.Drawing, error) {
	d, _, err := o.Resolve()
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	drawing, err := d.Build(ctx, rec, diagram.Options{
		From: o.From, To: o.To, MaxEvents: o.MaxEvents, Title: o.Title,
		Caption: o.Caption, Faint: o.Faint, Highlight: o.Highlight, Witness: o.Witness, Cut: o.Cut,
	})
	if err != nil {
		return nil, fmt.Errorf("render: %s diagram: %w", d.Name, err)
	}
	return drawing, nil
}
