// Package interop is the kit for foreign formats: it reads the logs and traces of
// other programs into etrace's runs, and writes runs in forms that other
// programs read.
//
// A foreign format is one value of type [Format]; package formats lists the formats of etrace. A format knows what
// its files look like and nothing else.
// Its reader passes on the contents of a log, in the log's terms: an [Entry] for each event,
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
// each event has passed a [tracefmt.Validator]. Nothing vanishes: the [Report]
// counts what could not be used, with line numbers, and the [Omission]s of a
// writer count what it leaves out. Nothing is made up: a log that shows half of a
// message gives half of a message, never an invented other end.
//
// # A happened-before edge is not a message
//
// Logs with vector clocks show edges. An imported event keeps its direct cause in another process as cause,
// further ones in the payload key causes, and the log's own words under log; it becomes a send or receive only where
// its text has the words.
//
// # Half a message is half a message, and no fault
//
// Logs show receives without sends: they begin late, or a process has no log. Such a receive names no send, and
// the header declares that sends of the sender are missing. It becomes a note in the log's words where the
// sender is not known or denies it, and in logs with vector clocks, where words alone make no message. A send
// without a receive is a message in flight. But a declaration that all sends are recorded, in a mapping or by
// --complete, is believed: then a receive without a send is the fault itself, which the Validator lets pass and
// message-integrity reports.
//
// # An importer declares
//
// Completeness follows from the lines: kinds and variables that occur are recorded completely, others not at all,
// and of a process without an entry nothing. Only what the file shows to be missing is less: other halves
// of messages, news in a clock that no receive explains, values that an own clock leaves out.
//
// # A foreign run is understood before it is handed on
//
// Members come late, a receive may precede its send in the file, and clocks decide orders, so a Builder keeps
// the run until the file was read, and hands nothing on of a file that is refused. What it keeps are records
// without pointers and the log's words, in lists of tracefmt/spill: pages of 64 KiB. The last used pages are in
// memory (64 MiB in all), the others in a temporary file. All passes over them go along the file or along
// the run, and the names of messages are compared by digests, a part of them at a time, so that a log of 1 GB
// needs little more memory than one of 100 MB (270 and 235 MB, with 17 bytes a message for the check of form).
// Vector clocks and named causes are asked for in any order, and stay in memory. Runs that are runs
// already (JSON Lines) are streamed. An import takes at most 64 MB and 20 times its text, whatever is in it
// (TestImportsTakeBoundedMemory, TestLargeImportsTakeBoundedMemory): a reader keeps texts, or records without
// pointers, not what it makes of an entry, and reads them again (interop.Kept). Where it has to read a text as a
// whole, garbage is collected in time (heapBound).
package interop
