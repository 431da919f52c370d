// Package atomicfile writes complete files or none, and never replaces a file that does not belong to etrace.
// All pictures, reports, texts and new databases are written through it, so that the rules for targets and
// existing files are in one place.
//
// A new file is written without a name if the system can do that, otherwise under a hidden name in the same
// folder. It gets its name when it is complete and synced, so no partial file is ever visible. The next program
// that writes to the folder removes the remains of a killed program, whose death it detects by a lock. Folders
// are made in the same way.
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
