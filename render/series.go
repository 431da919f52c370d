package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"etrace/render/diagram"
	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/tracefmt"
)

// Series are the pictures of a run: a single one, its pages, or its frames. All have one size.
type Series struct {
	// Done lists the changes that were made to fit; "" for none.
	Done     string
	drawings []*drawing.Drawing
	format   Format
}

// NewSeries draws the pictures of a run that the options ask for.
func NewSeries(ctx context.Context, rec tracefmt.Recording, o Options) (*Series, error) {
	d, f, err := o.resolve()
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	if f.draw == nil {
		return nil, fmt.Errorf("render: %w", f.undrawn("has no series"))
	}
	rec, _, err = tracefmt.Assume(rec)
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	s := &Series{format: f}
	s.drawings, s.Done, err = o.series(ctx, rec, d, f)
	if err != nil {
		return nil, fmt.Errorf("render: %s diagram: %w", d.Name, err)
	}
	return s, nil
}

// Len returns the number of pictures.
func (s *Series) Len() int { return len(s.drawings) }

// Drawing returns the picture with an index.
func (s *Series) Drawing(i int) *drawing.Drawing { return s.drawings[i] }

// Write writes the picture with that index. Nothing is written unless all went well.
func (s *Series) Write(ctx context.Context, w io.Writer, i int) error {
	var out bytes.Buffer
	if err := s.format.draw(ctx, &out, s.drawings[i]); err != nil {
		return fmt.Errorf("render: %s: %w", s.format.Name, err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// series draws the frames, the fitted pages, or the single picture that the options ask for.
func (o *Options) series(ctx context.Context, rec tracefmt.Recording, d diagram.Diagram, f Format) ([]*drawing.Drawing, string, error) {
	switch {
	case o.Frames != "":
		return o.frames(ctx, rec, d, f)
	case o.Fit != (Size{}):
		return o.fitToSize(ctx, rec, d, f)
	}
	shown, err := o.prepare(ctx, rec, d, f)
	if err != nil {
		return nil, "", err
	}
	s, err := story.Read(ctx, rec, shown)
	if err != nil {
		return nil, "", err
	}
	made, err := build(ctx, s, d, o.layout())
	return []*drawing.Drawing{made}, "", err
}

// The divisions of a run into frames.
const (
	FramesSteps  = "steps"
	FramesPhases = "phases"
)

// mostFrames bounds the frames of a run.
const mostFrames = 1000

// frames draws the run up to one moment after the other, all in the layout of the whole.
func (o *Options) frames(ctx context.Context, rec tracefmt.Recording, d diagram.Diagram, f Format) ([]*drawing.Drawing, string, error) {
	shown, err := o.prepare(ctx, rec, d, f)
	if err != nil {
		return nil, "", err
	}
	if shown.Marked() && len(shown.Highlight) > 0 {
		return nil, "", errors.New("a witness has no frames, expected a run or a part of one")
	}
	shown.Caption, shown.Frame = reserved, true
	room, did, pages := o.layout(), "", []story.Options{shown}
	if o.Fit != (Size{}) {
		t := &fitting{ctx: ctx, options: o, rec: rec, diagram: d, selection: shown, room: o.Fit.room(), maxPages: mostFrames}
		t.room.NoLegend, t.room.Theme = o.NoLegend, o.Theme
		pages, err = t.pagesForFrames()
		if err != nil {
			return nil, "", err
		}
		d, shown, room, did = t.diagram, t.selection, t.room, t.changeText()
	}
	full, err := story.Read(ctx, rec, shown)
	if err != nil {
		return nil, "", err
	}
	ends, err := o.moments(full)
	if err != nil {
		return nil, "", err
	}
	var list []*drawing.Drawing
	// Legends differ, but all frames are to have one height.
	height := 0.0
	for n, end := range ends {
		last := full.Steps[end].Seq
		for len(pages) > 1 && pages[0].To > 0 && last > pages[0].To {
			pages, room.Like = pages[1:], nil
		}
		if !pages[0].Inside(last) {
			break // the moment is after the last page
		}
		if room.Like == nil {
			room.Like, err = story.Read(ctx, rec, pages[0])
			if err != nil {
				return nil, "", err
			}
		}
		at := pages[0]
		at.To, at.Keep = last, room.Like.Shows()
		at.Caption = fmt.Sprintf("%d of %d: %s", n+1, len(ends), full.StepTip(end, full.StepText(end)))
		s, err := story.Read(ctx, rec, at)
		if err != nil {
			return nil, "", err
		}
		made, err := build(ctx, s, d, room)
		if err != nil {
			return nil, "", err
		}
		list, height = append(list, made), max(height, made.Height)
	}
	for _, made := range list {
		made.Height = height
		if o.Fit != (Size{}) {
			made.Pixels = drawing.Pixels{Width: o.Fit.Width, Height: o.Fit.Height}
		}
	}
	if o.Tile {
		columns := int(math.Ceil(math.Sqrt(float64(len(list)) * height / list[0].Width)))
		list = []*drawing.Drawing{drawing.Tile(list, min(max(columns, 1), len(list)), full.Title())}
	}
	return list, did, nil
}

// reserved keeps room for the line above a frame.
const reserved = "what happens"

// moments returns the indices of the last steps of the frames.
func (o *Options) moments(s *story.Story) (ends []int, err error) {
	if len(s.Steps) == 0 {
		return nil, errors.New("nothing happens in what is shown, expected events to show in frames")
	}
	// The last step ends the last frame, whatever comes before it.
	last := len(s.Steps) - 1
	switch o.Frames {
	case FramesSteps:
		for i := range s.Steps {
			if i == last || s.NewMoment(i+1) {
				ends = append(ends, i)
			}
		}
	case FramesPhases:
		for i := range s.Steps {
			if i == last || s.NewPhase(i+1) {
				ends = append(ends, i)
			}
		}
	default:
		n, err := strconv.Atoi(o.Frames)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("frames %q: expected %s, %s or a number", o.Frames, FramesSteps, FramesPhases)
		}
		n = min(n, len(s.Steps))
		for k := 1; k <= n; k++ {
			ends = append(ends, k*len(s.Steps)/n-1)
		}
	}
	if len(ends) > mostFrames {
		return nil, fmt.Errorf("%d frames are to be drawn, expected at most %d", len(ends), mostFrames)
	}
	return ends, nil
}

// layout returns the layout of a picture that takes as much room as it needs.
func (o *Options) layout() diagram.Layout {
	return diagram.Layout{NoLegend: o.NoLegend, Theme: o.Theme}
}
