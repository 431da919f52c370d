// Package atomicfile writes whole files or none: a file is written beside its
// name and put there when it is complete, so that no half-written one is ever
// seen under the name. Pictures, reports, texts and new databases are written
// through it: what a target may be, and what happens to one that is there, is
// decided here and nowhere else.
//
// It imports the standard library only.
package atomicfile
