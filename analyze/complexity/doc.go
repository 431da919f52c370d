// Package complexity counts what a run costs: its messages by type, process,
// link and fate, the longest causal chain, and when it decided.
package complexity
