// Package render draws a run: [Render] reads a recording into a story (package
// story), computes a drawing of it (package diagram) and writes that in a
// picture format (package format). Positions are computed here, so that time
// runs the way the reader expects; Graphviz does the drawing. A notation
// (package notation) writes the story itself as text, and a page (package
// viewer) is one file with the picture and the story.
package render
