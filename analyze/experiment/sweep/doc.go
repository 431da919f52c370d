// Package sweep makes all runs of a grid of scenarios and says what they cost: a
// [Grid] has axes (algorithm, nodes, order of the ring, who starts, ...), each
// combination of their values is a cell, and a cell has many runs: every ring
// order, every initiator, every seed. [Grid.Plan] says which runs these are, and
// [Plan.Run] makes them and returns a [Table] with a row for each cell.
//
// A cell is exhausted if its runs are all that there are, since nothing in them is
// drawn by the seed. The mean of a measure is then exact, a fraction; else the
// runs are a sample, and the mean has a confidence interval. A maximum never has
// one: it is the largest that was seen.
package sweep
