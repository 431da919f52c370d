// Package render draws a run: run -> view -> layout -> drawing -> format.
//
// A view ([view.Selection], [view.View]) selects events: a window, a causal past, processes, types. Package story reads the run
// once and prepares the selected events. A layout ([diagram.Layout]) is the room for a diagram (package diagram), or the whole
// picture whose beginning a frame shows. The result is a drawing (package drawing), which knows no run, and which a format
// (package format) writes. [Render] makes one picture. [NewSeries] makes pages and frames, which share one view and one layout.
// Positions are computed here, so that time runs the way the reader expects. Graphviz draws the SVG. A notation (package
// notation) writes the story itself as text. A page (package viewer) is one file with the picture and the events.
package render
