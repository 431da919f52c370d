// Package closedform finds the closed form of a sequence of measurements, such as messages over the number of
// processes. It knows nothing of runs.
//
// An exact formula is a linear combination, with rational coefficients, of atoms such as n^2, floor(log2(n)) or
// H(n), the n-th harmonic number. [Find] tries combinations, simple ones first. It solves for the coefficients
// with as few points as unknowns, and evaluates the formula at every other point, in exact arithmetic. A formula is
// exact under three conditions: it holds at every point, each point follows from the others, and at least three
// points are left over. A formula with a few exceptions is reported as such.
//
// If there is no exact formula, shapes such as c*n*log2(n) are fitted by least squares and compared by Akaike's
// criterion. A shape is refused if it misses a point by more than 5 %, is negative, or falls where the values
// rise. This includes sizes up to twice the largest. A fit is made from the smaller sizes alone, and predicts
// the larger ones. Shapes with close criteria are not distinguishable, and the answer lists them.
//
// [Compare] compares a given formula with the points, one by one.
package closedform
