// Package interop reads the logs and traces of other programs into etrace's
// runs, and writes runs in forms that other programs read.
//
// A foreign format is one value of type [Format]; package formats lists those
// that etrace knows. Which word of a text means a send, which form a known
// logger writes: such knowledge is a table in the format's file, not code.
//
//	in, err := interop.NewInput("chord.log", file) // unpacks gzip
//	format, err := interop.ToRead(formats.Builtin(), "", nil, in.Head())
//	report, err := interop.Import(ctx, format, in, sink, interop.Settings{})
//
// Three rules hold for every reader. Whatever reaches the sink is
// well-formed: each event has passed a [tracefmt.Validator]. Nothing
// vanishes: what could not be used is counted in the [Report], with line
// numbers. Nothing is made up: a log that shows half of a message gives half
// of a message, never an invented other end.
package interop
