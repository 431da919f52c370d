// Package tracefile opens and creates traces of every form: a database (package tracedb), JSON Lines, or a
// stream of JSON Lines. All etrace commands use it, and so can Go programs that read or write traces of any
// form.
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
// After Commit the new trace exists completely, otherwise not at all. Output to stdout cannot be taken back, so
// it appears as it is written.
package tracefile
