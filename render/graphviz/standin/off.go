//go:build etrace_whole_graphviz

package standin

// For a program that calls go-graphviz itself, too.
const off = true
