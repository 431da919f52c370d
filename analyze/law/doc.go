// Package law finds the law of a sequence of measurements: messages over the number of
// processes, say. It knows nothing of runs.
//
// An exact law is a linear combination, with rational coefficients, of atoms such as n^2,
// floor(log2(n)) or H(n), the n-th harmonic number. [Find] tries combinations, the simplest
// first: it solves for the coefficients on as few points as there are unknowns and
// computes the law at every other point, in exact arithmetic. A law is exact if it holds at
// every point, if each point follows from the others, and if at least three points are
// left over; one that holds at all points but some few is reported as that and no more.
//
// Where there is none, shapes such as c*n*log2(n) are fitted by least squares and compared
// by Akaike's criterion. A shape is refused if it misses a point by more than 5 %, is negative, or
// falls where the values rise, also at sizes up to twice the largest. A fit is made of the smaller sizes alone and says what it predicts
// for the larger ones. Shapes whose criteria are close are not distinguishable, and the
// answer says so.
//
// [Compare] puts a formula beside the points, one by one.
package law
