// Package causal decides what happened at one time in a run whose processes
// share no clock.
//
// The events of a run stand in the order in which they were recorded, but this
// order is one of many. What a run fixes is happened-before (Lamport, Time,
// Clocks, and the Ordering of Events in a Distributed System, 1978): the steps
// of a process in their order, a send before its receive, and what follows
// from these. Events of which neither happened before the other are
// concurrent; had the network been a little faster or slower, they might have
// been recorded the other way round.
//
// A cut is a set of events that takes from each process a first part of its
// steps. It is consistent if with an event it holds all that happened before
// it, so that no message arrives in it that was not sent. The consistent cuts
// are the global states that the run may have passed through. Each order that
// agrees with happened-before is a way from the empty cut to that of all
// events, one event at a time (Mattern, Virtual Time and Global States of
// Distributed Systems, 1989). So there are two questions about a predicate of
// global states (Cooper and Marzullo, Consistent Detection of Global
// Predicates, 1991):
//
//   - possibly: does it hold in some consistent cut? Then the run may have
//     been in such a state, even if the recorded order does not show it.
//   - definitely: does every way lead through a consistent cut in which it
//     holds? Then the run was in such a state, whoever recorded it.
//
// What definitely holds, holds at some place of the recorded order; and what
// does so, possibly holds.
//
// A run of n processes with m steps each has up to (m+1)^n cuts, and for
// predicates at large no way is known around trying them: possibly is
// NP-complete (Chase and Garg, Detection of Global Predicates: Techniques and
// their Limitations, 1998). For conjunctions of local predicates, "p leads and q
// leads", each of which one process alone makes true and false, they are cheap:
// it is enough to look at the intervals of steps between which each holds. Two
// intervals share a consistent cut unless the end of one happened before or is
// the beginning of the other, and each way leads through both at once if each
// begins before the other ends, in the sense of happened-before. For k processes
// it is enough that each two of their intervals do so. [Possibly] is the
// algorithm of Garg and Waldecker, Detection of Weak Unstable Predicates in
// Distributed Programs, 1994, and [Definitely] that of Detection of Strong
// Unstable Predicates in Distributed Programs, 1996; both advance past the
// intervals that can have no part in an answer, and never go back. [Pairs] asks
// for any two of the processes, as the run goes on.
//
// At the ends: before its first event a process is in its initial state, which
// is a local state like any other. Steps of no process, partition and heal, and
// the loss of a message, of which its receiver learns nothing, are no part of
// cuts; see [replay.Clocks]. A run that was stopped shows only a part of its
// order. Its consistent cuts stay consistent whatever follows, so what is
// possible stays possible; but where a local predicate still holds in the end,
// the next step of the process may be the one that ends it, and definitely is
// said only if that would not matter.
package causal
