// Package interop is the kit for foreign formats: it reads the logs and traces of
// other programs into etrace's runs, and writes runs in forms that other
// programs read.
//
// A foreign format is one value of type [Format]; package formats lists those
// that etrace knows. A format knows what its files look like and nothing else.
// Its reader says what a log says, in the log's terms: an [Entry] for each event,
// with processes by name, messages by whatever identifies them, causes by key,
// times as they are. A [Builder] makes a run of the entries. The rest is the same
// for all formats, and [Import] sees to it: options, strictness, limits,
// interrupts, the report, and that only well-formed runs pass.
//
//	in, err := interop.NewInput("chord.log", file) // unpacks gzip
//	format, err := interop.ToRead(formats.Builtin(), "", nil, in.Head())
//	report, err := interop.Import(ctx, format, in, sink, interop.Settings{})
//
// Which word of a text means a send, which form a known logger writes: such
// knowledge is a table in the format's file, not code.
//
// Three rules hold for every format. Whatever reaches the sink is well-formed:
// each event has passed a [tracefmt.Validator]. Nothing vanishes: what could not
// be used is counted in the [Report], with line numbers, and what a writer
// leaves out in its [Omission]s. Nothing is made up: a log that shows half of a
// message gives half of a message, never an invented other end.
package interop
