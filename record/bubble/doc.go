// Package bubble runs real Go programs over a network of etrace's, and records what they do. In a bubble of
// testing/synctest time is virtual: minutes take milliseconds, and a run repeats.
//
// A run repeats byte by byte where no two things happen at one instant. So each delivery, each timer of a [Node],
// each fault and each start gets an instant of its own. Timers that a program sets itself begin at such instants and
// are apart for that reason, unless the program sets two of one length at once. A program that draws from crypto/rand
// needs testing/cryptotest.SetGlobalRandom besides.
//
// net/http does not repeat so: a connection has a reading and a writing goroutine, which the runtime
// wakes at the same instant in any order. Its messages repeat, but their order at one instant does
// not. Give HTTP a transport that sends a request as one message ([Node.Send]) where a run is to
// repeat.
//
// Nodes speak by messages ([Node.Send], [Node.Inbox]), packets ([Node.PacketConn]) or streams ([Node.Dial],
// [Node.Listen]). Delays, losses and duplicates are those of the simulator's network (package record/sim/network),
// faults are in the plan of the [Config] or come from the test ([Network.Crash]).
package bubble
