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
package shard
