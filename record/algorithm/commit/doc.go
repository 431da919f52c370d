// Package commit has algorithms by which processes that vote commit a transaction, all of
// them, or abort it.
package commit
