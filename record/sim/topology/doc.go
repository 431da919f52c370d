// Package topology says who is joined to whom: the graphs of the textbooks, as
// pure functions from a number of processes to a list of edges. It knows
// nothing of processes but that they are numbered from 1; a [Topology] is also a
// text, such as "grid(4)", as scenarios have it.
//
// All graphs are simple and undirected: no process is joined to itself, no
// two are joined twice. Random ones follow from a seed, with integers only, so
// that a seed gives the same graph on every machine.
package topology
