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
// The monitor that checks a rule with a key on a whole run also checks it on a part: it knows which keys it owns
// (analyze.Splitting), and skips all others. A plan follows from the header of the run and the rules. Some facts need
// the whole run: its end, fields that no event has, the times. The readers of the run survey them: slice, or a shard
// that is given the whole trace. Several readers share a run if each event shows its shards by itself. Each selects
// the events of its stretch on which the survey depends, whatever happened before: first events of a kind, changes of
// status, messages in flight. The survey is a function of all selected events, so it does not depend on the
// stretches. A monitor needs the survey only at the end of its part, so it comes with the last line of a slice. A
// monitor must know earlier whether a field occurs, so the first event with the field goes to all shards. The survey
// may show that a rule depends on the whole run; then merge examines the trace for it. A finding keeps its place
// among all findings, so the first finding of the joined summaries is the first of the run. A part does not know
// which facts the whole run records, so its findings in a partial record carry the missing facts that would undo
// them, and merge decides. The event after a missed deadline may belong to another shard. Merge looks it up in an
// index of times, for the one violation that is shown. Keys are hashed by etrace and never by an engine, whose notion
// of equality differs. Events that change the state go to all shards; a rule that would need all sends is not split.
//
// There are two alternatives. Shipping the monitors' tables to join them is larger than the events, for
// preceded by. Letting the engine compute keys is wrong for terms and names. The sums in a slice detect loss,
// duplicates, misrouting and rewriting by an engine; they do not protect against forgery.
package shard
