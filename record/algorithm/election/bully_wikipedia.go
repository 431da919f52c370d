package election

import (
	"etrace/record/algorithm"
	"etrace/tracefmt"
)

var bullyWikipediaAlgorithm = algorithm.Algorithm{
	Name: "bully-wikipedia",
	Doc: `The bully algorithm in the version of the encyclopedia: all other processes receive Victory.

A process that recovers or suspects the coordinator sends Election to all higher
processes and waits for an Answer. The highest of all ids does not ask: it sends
Victory at once. Without an Answer before the timeout a process sends Victory to
all others. After an Answer it waits for a Victory, and if none comes in time it
sends Election again. A process that gets an Election answers and holds an election of its own.
A Victory is accepted from any sender, also from a lower process.

Two sentences are ambiguous. Here "the highest process id" is the highest of all ids, not only of live processes,
so the second highest asks and waits like any other. The text leaves the wait for a Victory open; by default
it is one message delay longer than that for an Answer. Rule 4 starts an
election for every Election received, without the exception that all other texts make for a running
election. The default is to make it, too (guard=on).

guard=off follows rule 4 literally. Each Election received opens an instance with its own
timers, answer#1, answer#2 and so on; Election and Answer carry the number. An instance
without an Answer sends Victory, whatever the other instances do. Only a received Victory
closes all instances. The messages grow exponentially with the number of processes. An
instance that repeats its Election keeps its number. After a recovery the numbers begin
again. So an Answer to an instance before the crash may be taken for an Answer to a new
one.`,
	Source:  "Wikipedia, Bully algorithm, revision of 18 May 2017, section Algorithm, rules 1 to 5",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins, tracefmt.Guarded},
	Needs:   algorithm.CompleteGraph,
	Bounds:  holdingBounds,
	Params: []algorithm.Param{
		announceParam("all"),
		timeoutParam,
		waitParam("on"),
		guardParam,
	},
	New: bullyDialect{election: "Election", ok: "Answer", coordinator: "Victory"}.New,
}
