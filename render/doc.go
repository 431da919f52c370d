// Package render draws a run: run -> view -> layout -> drawing -> format.
//
// A view ([view.Selection], [view.View]) says which events are shown: a window, a causal past, processes, types. Package story
// reads the run once and makes ready what the view shows. A layout ([diagram.Layout]) is the room that a diagram (package
// diagram) has to place it in, or the whole of which a frame shows a beginning. The result is a drawing (package drawing), which
// knows no run, and which a format (package format) writes. [Render] does all that for one picture, [NewSeries] for pages and
// frames, which share one view and one layout. Positions are computed here, so that time runs the way the reader expects;
// Graphviz does the drawing of SVG. A notation (package notation) writes the story itself as text, and a page (package viewer)
// is one file with the picture and the story.
package render
