// Package graphviz draws DOT text whose nodes and edges already have their
// positions. It is the only package that imports go-graphviz, which is
// Graphviz compiled to WebAssembly: nothing has to be installed.
//
// Building a graph through go-graphviz's interface is ten times as slow as
// handing it text to parse, so text is what this package takes.
//
// # The process that draws
//
// Another process of the same program draws, started with standin.Drawer as argument 0: only there is Graphviz
// loaded. It runs the inits of packages up to this one and serves drawings, and nothing of main. It ends when the
// process that started it does, or when Graphviz fails, which is then an error of the drawing. On Linux it needs /proc.
package graphviz
