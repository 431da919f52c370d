// Package drawing is the model of a picture: shapes, lines and texts with
// their positions, in layers, which package format writes in some language of
// pictures. It computes no layout and knows no run.
//
// The look of an element is a [Style]. Each package that makes drawings has its own styles, as variables. Elements
// that point at the same style look alike and are written together. All packages share the palette and the hues of
// [HueOf], which distinguish kinds of lines.
//
// Lengths are points (1/72 inch). The origin is the upper left corner and y
// grows downward, as time does in a sequence diagram.
package drawing
