// Package whatif compares the results of two runs ([Contrast]): a changed run, and its parent. [Report]
// presents the comparison.
package whatif
