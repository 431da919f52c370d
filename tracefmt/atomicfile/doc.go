// Package atomicfile writes whole files or none, and never over something that
// is not etrace's to replace. Pictures, reports, texts and new databases are
// written through it: what a target may be, and what happens to one that is
// there, is decided here and nowhere else.
//
// A new file is written without a name where the system can do that, else
// under a hidden name beside its own, and gets its name when it is complete: no
// half-written file is ever seen under it. It is on the disk before. What a killed program
// leaves behind is removed by the next one that writes to the folder, which knows by a lock
// that its owner is dead. Folders are made in the same way.
//
//	what is there            what happens
//	nothing                  the file is linked there, which never overwrites
//	a symbolic link          all of this for what it leads to; the link stays
//	device, pipe, descriptor written through
//	empty file               replaced
//	picture, report          replaced, if it has a mark of etrace and its sum fits
//	trace                    error
//	results of a sweep       error
//	plan, summary of shards  error, unless Options.Force
//	file that is read        error
//	read-only file           error
//	folder                   error
//	any other file           error, unless Options.Force
//
// It imports the standard library only.
package atomicfile
