// Package spill stores lists that may exceed memory: the most recently used pages are in memory, the others in
// a private temporary file.
//
// The lists of a [Store] share a budget of memory. The file is written only when the budget is spent, so small
// lists never use the disk. Reading and writing never fail: the first error of the file is kept ([Store.Err]),
// and unreadable values are zero from then on.
package spill
