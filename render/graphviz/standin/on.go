//go:build !etrace_whole_graphviz

package standin

const off = false
