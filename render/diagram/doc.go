// Package diagram turns a story into a drawing: shapes, lines and texts with
// computed positions. It computes geometry and knows neither Graphviz nor SVG.
//
// A [Diagram] is a value with a name and a function. Those of etrace are
// [Builtin]; a program adds its own to them. A [Page] writes what all diagrams
// have in common: the title with what the picture leaves out, and the legend
// with the rows that the diagram explains. Styles and rows of the legend are
// the diagram's own.
//
// # Graphs are laid out here
//
// Graphviz draws what has its place already, in all diagrams, so that a drawing is a function of the run without
// WebAssembly, and PNG and SVG are alike. For the graph diagram that is stress majorization in some fifty lines
// (render/diagram/graph_layout.go), from a circle in the order of a depth-first walk: trees get no crossings,
// rings stay round, and a graph in which two of three are neighbours stays a circle. Which variables are arrows
// is a table of names, since of a recorded number nobody knows whether it means a process.
package diagram
