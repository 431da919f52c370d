// Package record writes runs down as they happen. It imports the standard library and tracefmt only.
//
// [Live] is for programs that record themselves while they run: processes by name, events by any number of goroutines,
// a stamp that travels with each message, fields as package log/slog has them. It keeps events in memory, all or the
// last of them, and dumps them to a sink at any time: [tracefmt.Memory], JSON Lines, or a file by package tracefile.
//
// [Recorder] is the inner form of the simulator, and of programs that number processes and keep
// the time themselves: it numbers the events, keeps the Lamport clocks and joins every receive to its send.
package record
