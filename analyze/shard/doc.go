// Package shard splits a check into shards that can run anywhere, and joins their results to the report of an
// unsplit check.
//
// A [Plan] defines the check, the traces, and the work of each shard. Shards are numbered from 0. A shard needs
// the plan and nothing from other shards; its result is a [Summary]. Summaries can be joined in any order, in
// several steps, and with repetitions. When all shards are present, they make a report.
//
// If the traces hold several runs, each run belongs to one shard (mode runs). The rules of one long run are
// split by their keys (mode events).
//
// # A shard finds the same as a complete pass
//
// The monitor that checks a rule with a key on a whole run also checks it on a part: it knows which keys it
// owns (analyze.Splitting), and skips all others. Some facts need the whole run: its end, fields that no event
// has, the times. A survey determines them once for the plan. So the monitor of a part depends on no event
// outside its slice, and additional events in a slice do no harm. A finding keeps its place among all findings,
// so the first finding of the joined summaries is the first of the run. The event after a missed deadline may
// belong to another shard. Merge looks it up in an index of times, for the one violation that is shown. Keys
// are hashed by etrace and never by an engine, whose notion of equality differs. Events that change the state
// go to all shards; a rule that would need all sends is not split.
//
// There are two alternatives. Shipping the monitors' tables to join them is larger than the events, for
// preceded by. Letting the engine compute keys is wrong for terms and names. The sums in a plan detect loss,
// duplicates, misrouting and rewriting by an engine; they do not protect against forgery.
package shard
