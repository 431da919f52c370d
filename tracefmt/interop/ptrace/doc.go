// Package ptrace reads the traces that the checker of P writes as JSON: one array of entries,
// each what a state machine does, with a vector clock.
//
//	[{"type":"SendEvent","details":{"log":"…","sender":"Main(1)","target":"Server(2)","event":"eRequest","payload":7,"clock":{"Main(1)":4}}}, …]
//
// Order. The entries of a machine follow its own clock, those of others its entries for them.
// The first machine may begin at 2, since its creation is not in the file.
//
// Process. A state machine. Monitors are specifications: what they do are notes of no process.
//
// Message. A SendEvent is a send, a ReceiveEvent or DequeueEvent a receive: of the oldest equal
// event to the machine that its clock newly knows, since it does not name the sender.
//
// Kinds. A state that is entered is a state event with the variable state; a machine that is
// created starts, and what created it is a cause; Halt is a halt. All others are notes.
//
// Completeness. What the Builder finds, and all changes of states. An AssertionFailure is a verdict of the checker: a
// note of no process, and no verdict.
package ptrace
