package diagram

import (
	"etrace/render/drawing"
	"etrace/render/story"
)

// Layout is the room for a drawing, and its form. In the zero value a drawing takes as much room as it needs.
type Layout struct {
	// Width and Height are the size of the drawing, in points; 0 is as much as it takes. The drawing
	// is larger if its parts do not fit.
	Width, Height float64
	// Around is the room that heading and legend take of a height that is bounded, as far as it is known.
	Around float64
	// Spacing is how close together the rows of a sequence are.
	Spacing Spacing
	// Theme is on what ground the drawing is shown.
	Theme drawing.Theme
	// NoLegend leaves out the legend.
	NoLegend bool
	// Like, if not nil, is the story of a whole run. The drawing shows the beginning of that run, with everything in the same
	// place.
	Like *story.Story
}

// Spacing is how much room time takes in a sequence.
type Spacing uint8

// The spacings, from the loosest to the closest. Only the last leaves values of variables out.
const (
	Roomy Spacing = iota
	Snug
	Close
	Tight
)

// SmallestText is the size of the smallest text in the drawings of etrace, in points.
const SmallestText = 10.5
