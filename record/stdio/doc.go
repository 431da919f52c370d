// Package stdio runs programs of any language that speak Maelstrom's node protocol over stdin and stdout, is their
// network and their clients, and records what passes.
//
// A node reads messages from stdin and prints messages to stdout, each a line of JSON with src, dest and body
// (https://github.com/jepsen-io/maelstrom, doc/protocol.md). Nodes are called n1, n2, ..., clients c1, c2, ...; the
// client of a number asks the node of that number. [Record] writes a journal of what happens and hands it, as it
// grows, to the reader of package tracefmt/interop/maelstrom. So a recording and an import of its journal are one run.
//
// The network between nodes is that of the simulator (package record/sim/network), a unit of its times is a second.
// Clients always reach their node: faults are those between nodes.
//
// A message counts as received when the node has taken it from its stdin. Unread input of a node that
// crashes is lost. Only Linux reports the amount of unread input; on other systems a message counts as
// received once it is written.
//
// In lockstep time is virtual: a message is delivered when the node before has answered and waits for input again.
// Nodes that act on messages alone, on one thread, then repeat; timers of a node go on in real time and do not.
//
// Each node has a process group, led by a guard that waits for the end of this process and then kills the group. So
// no node outlives etrace, however it ends. On Linux descendants that leave the group (setsid) are found by a variable of
// their environment; only descendants that clear the variable survive. On other systems descendants
// that leave the group survive.
//
// A run ends at rest (quiescent) if no message is under way, no client waits for an answer of a node that runs, and no node
// can act by itself: each of its threads waits in a call of the system without a time limit, which /proc shows on Linux.
// A node with timers of its own always waits with a limit, and what it will do then is not known: its run is stopped.
package stdio
