// Package sweep makes all runs of a grid of scenarios and measures them. A [Grid] has axes (algorithm, nodes,
// order of the ring, starting processes, ...). Each combination of their values is a cell, and a cell has many
// runs: every ring order, every initiator, every seed. [Grid.Plan] determines the runs, and [Plan.Run] makes
// them and returns a [Table] with a row for each cell.
//
// A cell is exhausted if it has all possible runs, since the seed draws nothing in them. The mean of a measure
// is then exact, a fraction. Otherwise the runs are a sample, and the mean has a confidence interval. The
// maximum of a sample has no interval: it is the largest value seen.
package sweep
