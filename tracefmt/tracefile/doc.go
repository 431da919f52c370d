// Package tracefile opens any trace and creates any: a database (package
// tracedb), JSON Lines, or a stream of JSON Lines. Every etrace command goes
// through it, and so does a Go program that reads or writes traces and does not
// care which form they have.
//
//	trace, err := tracefile.Open("trace.db", tracefile.Options{}) // or run.jsonl, or - for stdin
//	...
//	defer trace.Close()
//	for rec, err := range trace.Recordings(tracefile.Runs{All: true}) { ... }
//
//	to, err := tracefile.Create("trace.db") // or new.jsonl, or - for stdout
//	...
//	defer to.Discard()
//	... to.Begin(run), to.Write(event), to.Finish(end)
//	err = to.Commit()
//
// What is created is there after Commit, all of it, or not at all; on stdout,
// which cannot be taken back, it is there as it is written.
package tracefile
