package render

import (
	"context"
	"errors"
	"fmt"
	"io"

	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/format"
	"etrace/render/notation"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/render/viewer"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Format is a way to write a run: as a picture of any diagram, in a notation
// that leaves the drawing to others, or as a page.
type Format struct {
	// Name is also the extension of file names, without its dot.
	Name string
	// Doc describes in a line what the format is for.
	Doc string

	write func(ctx context.Context, w io.Writer, s subject) error
	// draw writes a drawing, whatever of; nil for what is made of a story.
	draw     func(ctx context.Context, w io.Writer, d *drawing.Drawing) error
	notation bool
	// check is that of what the format was made from; nil for the page.
	check func() error
}

// subject is the input of a format: the story of a recording, and the diagram that draws it.
type subject struct {
	recording tracefmt.Recording
	story     *story.Story
	diagram   diagram.Diagram
	options   *Options
}

// Key returns the name of the format.
func (f Format) Key() string { return f.Name }

// undrawn returns the error for an option that only drawings have.
func (f Format) undrawn(lack string) error {
	drawn := names(Formats(), func(f Format) bool { return f.draw != nil })
	return fmt.Errorf("%s: %s, expected %s for that", f.Name, lack, text.Or(drawn))
}

// Check returns the error for which a registry refuses the format.
func (f Format) Check() error {
	if f.write == nil {
		return errors.New("cannot write: expected one that Drawn or Written returned")
	}
	if f.check == nil {
		return nil
	}
	return f.check()
}

// Registry is a list of formats, see [text.Registry].
type Registry = text.Registry[Format]

// Formats returns the ways to write a run: the pictures of [format.Builtin], the notations of [notation.Builtin], and
// the page of package viewer. A longer list comes from With.
func Formats() Registry {
	var formats []Format
	for _, f := range format.Builtin().All() {
		formats = append(formats, Drawn(f))
	}
	for _, n := range notation.Builtin().All() {
		formats = append(formats, Written(n))
	}
	html := Format{Name: "html", Doc: viewer.Doc, write: writePage}
	return text.NewRegistry("format", append(formats, html)...)
}

// writePage writes a page with the picture of the diagram.
func writePage(ctx context.Context, w io.Writer, s subject) error {
	made, err := build(ctx, s.story, s.diagram, s.options.layout())
	if err != nil {
		return err
	}
	picture, err := format.Element(ctx, made, "")
	if err != nil {
		return withFormatName("html", err)
	}
	page := viewer.Page{
		Story: s.story, Picture: picture,
		Recording: s.recording, View: s.view(), Verdicts: s.options.Verdicts,
	}
	return withFormatName("html", page.Write(ctx, w))
}

// view returns the part of the run that a page contains. A highlighted witness narrows the picture to its events; the
// page keeps the whole run, unless the user chose a part.
func (s *subject) view() *view.View {
	v := s.story.Options.View
	o := &s.options.Select
	if len(s.options.Highlight) > 0 && o.From+o.To+o.Around+o.Past == "" {
		v.From, v.To = 0, 0
	}
	return &v
}

// Drawn returns the format that draws any diagram and writes the drawing.
func Drawn(f format.Format) Format {
	write := func(ctx context.Context, w io.Writer, s subject) error {
		made, err := build(ctx, s.story, s.diagram, s.options.layout())
		if err != nil {
			return err
		}
		return withFormatName(f.Name, f.Write(ctx, w, made))
	}
	return Format{Name: f.Name, Doc: f.Doc, write: write, draw: f.Write, check: f.Check}
}

// Written returns the format that writes the story in a notation.
func Written(n notation.Notation) Format {
	write := func(_ context.Context, w io.Writer, s subject) error {
		if s.diagram.Name != n.Diagram {
			return fmt.Errorf("%s: a notation of %s diagrams, expected one of these and not %s", n.Name, n.Diagram, s.diagram.Name)
		}
		if s.story.Options.Axis != (story.Axis{}) {
			return Format{Name: n.Name}.undrawn("there is no axis to choose")
		}
		return withFormatName(n.Name, n.Write(w, s.story))
	}
	return Format{Name: n.Name, Doc: n.Doc, write: write, notation: true, check: n.Check}
}

// withFormatName puts the name of the format before an error.
func withFormatName(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
