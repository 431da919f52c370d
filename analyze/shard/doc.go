// Package shard splits a check into shards that can run anywhere, and joins what they find
// to the report that an unsplit check writes.
//
// A [Plan] says what is examined, of which traces, and what each of its shards, numbered from
// 0, has to look at. A shard is checked with the plan and nothing else of the others; what it
// finds is a [Summary]. Summaries are joined in any order, one shard twice if need be, some
// of them first; when none is missing, a report is made of them.
//
// Where the traces hold several runs each run belongs to one shard, whole (mode runs). The
// rules of one long run are split by their keys (mode events).
//
// # A shard finds what a pass finds
//
// A rule with a key is examined on a part of a run by the monitor that examines the whole: it is told which keys
// it owns (analyze.Splitting), and passes over all others. What only the whole run says (its end, the fields
// that no event has, where the clock is) a survey finds out once, and the plan has it; so a monitor of a part
// asks nothing of events that it does not see, and a slice may have too many of them without harm. What is found
// has its place among all findings, so that the first of the joined ones is the first of the run. The event with
// which a deadline was over may be one of another shard: only merge looks it up, by an index of times, for the
// one violation that is shown. Keys are hashed by etrace and never by an engine, whose equality is another one.
// Facts of the state come with the events that tell them, to all shards; a rule that would need all sends is not
// split. Alternatives: to ship the monitors' tables and join those (larger than the events, for preceded by),
// and to have the engine compute keys (wrong for terms and names). The sums in a plan are for loss, doubles,
// misrouting and rewriting by an engine, not against forgery.
package shard
