// Package format writes drawings in languages of pictures: DOT, the text that Graphviz reads, SVG, which Graphviz
// draws from it, and PNG, which package image draws.
package format
