// Package atomicfile writes whole files or none: a file is written beside its
// name and put there when it is complete, so that no half-written one is ever
// seen under the name. Pictures, reports, texts and new databases are written
// through it, and nothing else in etrace creates a file that users asked for.
//
// It imports the standard library only.
package atomicfile
