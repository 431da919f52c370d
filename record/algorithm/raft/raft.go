package raft

import (
	"etrace/record/algorithm"
	"etrace/tracefmt"
)

var raftAlgorithm = algorithm.Algorithm{
	Name: "raft",
	Doc: `Raft: a leader for each term, and a log in which nothing that is committed ever changes.

A server is follower, candidate or leader. A server whose election timeout expires begins the next
term, votes for itself, and sends RequestVote(term, last term, last index) to all others: last term
and last index are those of its last entry. Each answers Vote(term, granted). It grants the vote if it
has voted for no other in this term, and its own log is not more up to date: its last entry has no
later term and, in the same term, no greater index. A candidate with the votes of a majority of all
leads.

A leader sends AppendEntries(term, previous index, previous term, entries, commit) to all others at
once when it has won. It does so, too, when it is given a command, which it appends to its log. Each
server gets the entries that it lacks as far as the leader knows, at first none. A server whose log
does not have the previous entry, with that term, refuses. Otherwise it cuts its log off at the first
entry whose term differs, and appends what it lacks. It adopts the commit index of the leader, at most
the index of the last of these entries. It answers Appended(term, success, match): up to match its log
is known to equal the leader's. A leader whose message is refused sends again, with one earlier entry.
An entry of the present term is committed once a majority has it, together with all entries before
it. Entries of earlier terms are committed only in this way. The other servers learn what is
committed with the next AppendEntries.

A message of a later term makes its receiver a follower in that term, without a vote; a message of
an earlier term is refused. Term, vote and log are on stable storage. With timers=off, the default,
a start gives a leader a command, and makes the election timeout of any other server expire; so a
run ends. A follower that comes back waits for the next AppendEntries. With timers=on a leader sends
AppendEntries every 2, a start is a command to a leader and nothing to others, and the run goes on
forever. The election timeout begins anew with an AppendEntries of the present term, a vote that is
granted, a candidacy, and when a candidate or leader steps down.

An election costs 4(n-1) messages: RequestVote, Vote, AppendEntries and Appended, once with each of
the others; a command 2(n-1). The answers of servers that are down are missing in each round. Where
a message takes one unit, a candidate leads after 2, and a command is committed after 2.

The source leaves some cases open; here they are as follows. A leader does not send again to a server
that has accepted, also if its log has grown since: the entry is on its way. A refusal that comes late
takes back nothing that is known to match. A refusal carries match 0. A server that times out, and
believes that another one leads, suspects it; a server that adopts a later term knows no leader until
one sends. In the source timeouts are random (timeout=random). By default each server has a fixed
timeout here, so that a run does not depend on the seed.

Terms are counters: except for the terms, the state of servers that elect forever without success
recurs, as long as their logs are empty.`,
	Source:  "Ongaro, Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014, figure 2",
	Problem: tracefmt.Raft,
	Traits:  []string{tracefmt.Heartbeats, tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		{
			Messages: "4*(n-1)", If: "starts == 1 and live == n", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
			Source: "by the rules: RequestVote, Vote, AppendEntries and Appended, once with each of the others",
		},
		{
			Messages: "2*(n-1) + 2*(live-1)", If: "starts == 1 and 2*live > n", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
			Source: "by the rules: a server that is down is asked twice, and never answers",
		},
		{
			Messages: "(n-1) + (live-1)", If: "starts == 1", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
			Source: "by the rules: no majority is up, so that there are votes only",
		},
		{
			Messages: "2*(n-1)*(starts+1)", Counts: tracefmt.CountsSent,
			Source: "by the rules: all candidates are of one term, which at most one wins",
		},
	},
	Params: []algorithm.Param{
		{
			Name: timersParam, Default: "off", Words: []string{"off", "on"}, Bounded: []string{"off"},
			Waives: map[string][]string{"off": {tracefmt.Heartbeats}, "on": {tracefmt.NoRecovery}},
			Doc:    "on: elections by timeout, and heartbeats every 2; off: a start is the election timeout of a server that does not lead",
		},
		{
			Name: timeoutParam, Default: "10", Words: []string{"random"}, Time: true,
			Doc: "with timers, the election timeout of the first server; random: each timeout is drawn anew, by the seed, from 10 to 20",
		},
		{
			Name: spreadParam, Default: "2", Words: []string{"0"}, Time: true,
			Doc: "by how much the timeout of each server is longer than that of the one before",
		},
	},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Of: "server", Most: algorithm.LessThanHalf, Breaks: "no server is elected and " +
			"nothing is committed until a majority is up",
		Source: "Ongaro, Ousterhout 2014, section 5.1",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "commits-old-terms", Doc: "an entry of an earlier term is committed once a majority has it: a " +
				"leader without it may still be elected, and replace it",
			Breaks: []string{"raft-leader-completeness", "raft-state-machine-safety"}, Shows: figure8,
		},
		{
			Name: "any-log", Doc: "a server votes without comparing the logs, so a leader may lack committed entries, and replace them",
			Breaks: []string{"raft-leader-completeness", "raft-state-machine-safety"},
			Shows:  "nodes: 3, start: [1@0, 1@10, 3@20, 3@30, 1@40], drop: ['AppendEntries:1>3#2']",
		},
		{
			Name: "no-matching", Doc: "the term of the previous entry is not compared, so a wrong entry stays below the entries of the leader",
			Breaks: []string{"raft-log-matching"}, Shows: strayEntry,
		},
		{
			Name: "votes-twice", Doc: "a server votes for each candidate, so two servers lead in one term",
			Breaks: []string{"unique-leader-per-term", "vote-once-per-term"}, Shows: "nodes: 3, start: [1@0, 2@0]",
		},
		{
			Name: "two-votes", Doc: "two votes are enough, for any number of servers",
			Breaks: []string{"leader-has-quorum"}, Shows: "nodes: 5, start: 1, slow: ['RequestVote:1>3=5', " +
				"'RequestVote:1>4=5', 'RequestVote:1>5=5']",
		},
		{
			Name: "any-term", Doc: "a server adopts the term of each message, also an earlier term",
			Breaks: []string{"term-monotone"}, Shows: "nodes: 3, start: [1@0, 2@5], slow: ['AppendEntries:1>3=20']",
		},
		{
			Name: "commits-first", Doc: "a follower adopts the commit index before it compares its log, so it applies a wrong entry",
			Breaks: []string{"raft-state-machine-safety"}, Shows: strayEntry,
		},
		{
			Name: "gives-way", Doc: "a leader that is refused removes its own entry that the follower lacks",
			Breaks: []string{"raft-leader-append-only"}, Shows: strayEntry,
		},
	},
	New: newRaft,
}

const (
	timersParam  = "timers"
	timeoutParam = "timeout"
	spreadParam  = "spread"
)

// figure8 is the plan of figure 8 of the text. 1 has an entry of term 1 on a majority in term 3, and crashes. 5
// leads in term 4 with an entry of term 2 in its place. At last 2 leads, which has the entries that are
// committed then.
const figure8 = "nodes: 5, start: [1@0, 1@10, 5@20, 5@30, 1@42, 1@52, 5@62, 5@72, 5@82, 2@92], " +
	"crash: [1@13, 5@33, 1@60], recover: [1@40, 5@61], " +
	"drop: ['AppendEntries:1>3#2', 'AppendEntries:1>4#2', 'AppendEntries:1>5#2', " +
	"'AppendEntries:5>1#2', 'AppendEntries:5>2#2', 'AppendEntries:5>3#2', 'AppendEntries:5>4#2']"

// strayEntry is a plan in which 1 crashes with an entry that no other server has. It recovers when two other
// entries have taken the place of this entry.
const strayEntry = "nodes: 3, start: [1@0, 1@10, 2@20, 2@30, 2@40, 3@50], crash: 1@12.5, recover: 1@45, " +
	"drop: ['AppendEntries:1>2#2', 'AppendEntries:1>3#2']"
