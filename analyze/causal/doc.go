// Package causal decides which local predicates held at the same time in a run whose processes share no clock.
//
// The events of a run have a recorded order, but this order is one of many. A run determines happened-before
// (Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978): the steps of a process in
// their order, a send before its receive, and the transitive closure. Two events are concurrent if neither
// happened before the other; with other message delays, they might have been recorded in the other order.
//
// A cut is a set of events that has a first part of each process's steps. It is consistent if it has, with an
// event, all that happened before it, so that no message arrives in it before its send. The consistent cuts are
// the global states that the run may have passed through. Each order that agrees with happened-before is a path
// from the empty cut to the cut of all events, one event at a time (Mattern, Virtual Time and Global States of
// Distributed Systems, 1989). So there are two questions about a predicate of global states (Cooper and Marzullo,
// Consistent Detection of Global Predicates, 1991):
//
//   - possibly: does it hold in some consistent cut? Then the run may have
//     been in such a state, even if the recorded order does not show it.
//   - definitely: does every path lead through a consistent cut in which it
//     holds? Then the run was in such a state, whatever order was recorded.
//
// If a predicate holds definitely, it holds in the recorded order at some place; and then it holds possibly.
//
// A run of n processes with m steps each has up to (m+1)^n cuts. For general predicates no better way is known
// than to try them: possibly is NP-complete (Chase and Garg, Detection of Global Predicates: Techniques and their
// Limitations, 1998). Conjunctions of local predicates, such as "p leads and q leads", are cheap, since one
// process alone makes each conjunct true and false: the intervals of steps in which each holds are enough. Two
// intervals share a consistent cut unless the end of one happened before or is the beginning of the other. Each
// path leads through both at once if each begins before the other ends, in the sense of happened-before. For k
// processes it is enough that each two of their intervals do so. [Possibly] is the algorithm of Garg and
// Waldecker, Detection of Weak Unstable Predicates in Distributed Programs, 1994, and [Definitely] that of
// Detection of Strong Unstable Predicates in Distributed Programs, 1996; both advance past intervals that are in
// no answer, and never go back. [Pairs] decides both for any two of the processes, while the run goes on.
//
// Before its first event a process is in its initial state, which is a local state like any other. Cuts do not
// contain the steps of no process, partition and heal, and losses of messages, which their receivers do not
// observe; see [replay.Clocks]. A stopped run shows only a part of its order. Its consistent cuts stay consistent
// in every continuation, so possibly is final. But if a local predicate still holds at the end, the next step of
// the process may end it, and definitely holds only if that makes no difference.
package causal
