// Package diagram turns a story into a drawing: shapes, lines and texts with
// computed positions. It computes geometry and knows neither Graphviz nor SVG.
//
// A [Diagram] is a value with a name and a function. Those of etrace are
// [Builtin]; a program adds its own to them. A [Page] writes what all diagrams
// have in common: the title with what the picture leaves out, and the legend
// with the rows that the diagram explains. Styles and rows of the legend are
// the diagram's own.
package diagram
