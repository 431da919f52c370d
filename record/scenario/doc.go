// Package scenario says in words what a simulation shall do: which algorithm,
// which processes, which of them fail when, how the network behaves. The same
// words are command-line flags, keys of a YAML file, and the JSON that a
// recorded run carries to be run again; one table, [Keys], serves all three.
package scenario
