// Package pgo reads the traces of programs that PGo has compiled: lines of JSON, each an atomic
// step of an archetype, with a vector clock, what it reads and what it writes.
//
//	{"archetypeName":"AClient","self":"2","clock":[[["AServer","1"],3],[["AClient","2"],5]],"isAbort":false,
//	 "csElements":[{"tag":"write","name":{"prefix":"AClient","name":"net","self":"2"},"indices":["1"],"value":"7"}], …}
//
// There is a file for each archetype, all of them are of one execution.
//
// Order. The steps of an archetype are in the order of its own entry in the clocks. A step comes after those steps of
// other archetypes that its clock has.
//
// Process. Archetypes of one index, the parts of a server, are one process; see the option archetypes. Its steps are
// in the order of the clocks and, where these
// leave it open, of time.
//
// Message. A write of the network is a send, a read of it a receive: of the oldest equal value
// that the clock of the reader newly knows. Values are in the syntax of TLA+.
//
// Kinds. A step is a note of its label, with what it receives before it, and after it its
// variables and what it sends. An aborted step has done nothing: it is a note abort.
//
// Completeness. All changes of variables are recorded, since a step has all that it writes. The rest follows from the
// files, as for all formats ([interop.Builder]). A step that a clock has and no file has is a gap.
package pgo
