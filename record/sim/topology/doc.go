// Package topology has the graphs of the textbooks, as pure functions from a number of processes to a list of
// edges. Processes are numbers from 1. A [Topology] is also a text, such as "grid(4)", as in scenarios.
//
// All graphs are simple and undirected, without loops and double edges. Random graphs follow from a seed, with
// integers only, so that a seed gives the same graph on every machine.
package topology
