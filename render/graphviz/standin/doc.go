// Package standin lets a program that links go-graphviz start without Graphviz.
//
// go-graphviz decodes, validates and instantiates 1.5 MB of WebAssembly in a package init, which takes seven times as
// long as the rest of a short command. The init of this package runs before and puts another module in the place of
// that one: it exports the same functions, and each of them returns zeros. The inits of go-graphviz call some thirty
// of these functions and keep what they return; nothing else may call them. A drawing is made by another process of the
// same program, which keeps the real module: see package graphviz.
//
// # Why it is sound
//
// The variable that holds the module is not exported; the linker connects it with ours by its name (go:linkname).
// If a later go-graphviz has no such variable, ours is a separate variable, and the start is slow but correct. The
// same holds if this init runs too late. A module of another size than that of the version in go.mod is left in
// place, because it is untested whether its inits accept zeros.
//
// This init runs first for the reason that package privatetmp explains: keep its path and its few imports.
//
// # Programs that call go-graphviz themselves
//
// With the other module graphviz.New fails and graphviz.ParseBytes does not return. A program that links etrace and calls
// them is built with -tags etrace_whole_graphviz, which leaves the module in place.
package standin
