// Package spill keeps lists that may be longer than memory: the pages that were used last
// are in memory, the others in a temporary file that nobody else sees.
//
// A [Store] has a budget of memory that all of its lists share. Nothing is written before it
// is spent, so that what is small never meets the disk. Reading and writing never fail: the
// first error of the file is kept ([Store.Err]), and what cannot be read is zero from then on.
package spill
