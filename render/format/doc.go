// Package format writes drawings in languages of pictures: DOT, the text
// that Graphviz reads, and SVG, which Graphviz draws from it.
package format
