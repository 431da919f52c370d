// Package whatif compares what two runs come to ([Contrast]): one that was
// changed, and the one that it was made from. [Report] is all that there is to
// say about the two.
package whatif
