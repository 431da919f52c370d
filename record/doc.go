// Package record writes runs down as they happen. Its [Recorder] numbers the
// events, keeps the Lamport clocks and joins every receive to its send, so
// that a simulator, or a program that records itself, states only what a
// process does. It imports the standard library and tracefmt only.
//
// A program that records itself opens a sink ([tracefmt.Sink]: memory, JSON
// Lines, a trace database), begins a run, and lets its recorder write there. What
// a receive must know of its send, a [Sent], travels with the message.
package record
