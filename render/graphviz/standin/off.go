//go:build etrace_whole_graphviz

package standin

// off is set in a program that calls go-graphviz itself, too.
const off = true
