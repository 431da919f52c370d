package property_test

import (
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// theme is a sort of small runs: what happens in them, and the properties about that.
type theme struct {
	name, problem string
	n             int // processes
	traits        []string
	roles         []string // of the members, "" for none; without them only those of logs have one
	steps         []happening
	properties    string
	basic, token  []string // types of messages
	rules         string
	// further are assignments that no run draws: of values that a process may have had
	// without that being recorded.
	further string
	// furtherSteps are such steps that assign nothing.
	furtherSteps []happening
	// late is how much later a hidden step may be than the recorded one before it, by the clock: 0 where no
	// property of the theme reads times.
	late tracefmt.Time
	// events is how many the drawn runs have at most, before what is left comes to rest.
	events int

	bound []*analyze.Property
}

// happening is what may happen at a process: events of a kind, with one of the payloads,
// which are separated by blanks; - is for none, and 2@ before one is the event's own term.
type happening struct {
	often    int
	kind     tracefmt.Kind
	typ      string
	contents string
}

var themes = []theme{
	{
		name: "election", problem: "election", n: 2, events: 6, traits: []string{tracefmt.GreatestWins}, further: `{"elected":9}`,
		steps: []happening{
			{6, tracefmt.State, "", `{"elected":1} {"elected":2} {"elected":2} {"elected":null}`},
			{1, tracefmt.Start, "", `- {"elected":null} {"elected":2}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"elected":null}`},
			{1, tracefmt.Send, "COORDINATOR", "-"},
		},
		properties: "agreement election-safety election-safety-always election-safety-at-assignment " +
			"election-liveness eventual-leader leader-is-live recovered-relearns single-leader",
		rules: `
rule rule-best: at end forall p in live(): elected(p) == best(live())
rule rule-candidate: never state(elected = 1) where before(elected) == 2
rule rule-live: never state where has elected and not live(elected)
`,
	},
	{
		name: "roles", problem: "election", n: 2, events: 6,
		steps: []happening{
			{
				6, tracefmt.State, "",
				`{"role":"leader"} {"role":"leader"} {"role":"follower"} {"role":"candidate"} {"elected":1} {"elected":2} {"elected":null}`,
			},
			{1, tracefmt.Start, "", `{"elected":null} {"role":"follower"}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
			{1, tracefmt.Send, "A", "-"},
		},
		properties: "agreement single-leader single-leader-possibly single-leader-definitely eventual-leader election-liveness",
		rules: `
rule rule-leads: eventually exists p in live(): leads(p)
rule rule-one: never count(leads) > 1
rule rule-possibly: never possibly leads(p) and leads(q) for p < q
rule rule-role: never exists p in processes(): role(p) == "leader" and var(p, "elected") == 2
rule rule-words: never state(matches(role, "er$")) where len(role) > 7
rule rule-numbers: never max(count(leads), 1) > min(count(live()), ceil(H(n) / 2))
rule rule-choice: never state where 2 ** floor(log2(len(role))) > 4 ? leads(process) : false
`,
	},
	{
		name: "relearning", problem: "election", n: 2, events: 7,
		steps: []happening{
			{4, tracefmt.State, "", `{"role":"leader"} {"role":"candidate"} {"role":"follower"} {"x":1}`},
			{2, tracefmt.State, "", `{"elected":1} {"elected":null} {"term":1}`},
			{3, tracefmt.Crash, "", "-"},
			{3, tracefmt.Recover, "", `- {"role":"candidate"}`},
			{1, tracefmt.Halt, "", "-"},
		},
		properties: "recovered-relearns single-leader eventual-leader",
	},
	{
		name: "terms", problem: "raft", n: 3, events: 6, further: `{"term":3} {"votedFor":3}`,
		steps: []happening{
			{
				5, tracefmt.State, "",
				`{"role":"leader"} {"role":"leader","term":1} {"role":"leader","term":2} {"role":"follower"} {"term":1} {"term":2}`,
			},
			{3, tracefmt.State, "", `{"votedFor":1,"term":1} {"votedFor":2,"term":1} {"votedFor":1,"term":2} {"votedFor":2} {"votedFor":null}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `{"term":1} {"term":2}`},
		},
		properties: "unique-leader-per-term leader-has-quorum term-monotone vote-once-per-term single-leader",
		rules: `
rule rule-unique: unique process per term over state where role == "leader"
rule rule-monotone: monotone term per process over state|recover where has term
rule rule-vote: each s: state(role = "leader") was preceded by v: state(has "votedFor", process = s.process)
rule rule-ahead: never exists p in processes(): term(p) == 2 and role(p) == "follower"
rule rule-nobody: at most 2 state where not nobody(votedFor) per process
`,
	},
	{
		name: "epochs", problem: "zab", n: 2, events: 6, further: `{"epoch":3} {"term":1}`,
		steps: []happening{
			{5, tracefmt.State, "", `{"epoch":1} {"epoch":2} {"role":"leader","epoch":2} {"role":"leader"} {"term":2}`},
			{3, tracefmt.State, "", `{"votedFor":1,"epoch":1} {"votedFor":2} {"votedFor":null}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"epoch":1}`},
		},
		properties: "term-monotone vote-once-per-term",
		rules: `
rule rule-epoch: never state where has term and term == 2 and role == "leader"
`,
	},
	{
		// one vote is a majority, so that leaders with and without one are in one short run
		name: "votes", problem: "raft", n: 1, events: 6, further: `{"term":3} {"votedFor":2}`,
		steps: []happening{
			{4, tracefmt.State, "", `{"role":"leader","term":1} {"role":"leader","term":2} {"role":"leader"}`},
			{4, tracefmt.State, "", `{"votedFor":1,"term":1} {"votedFor":1,"term":2} {"votedFor":null}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `{"term":1} {"term":2}`},
		},
		properties: "leader-has-quorum",
	},
	{
		// the terms are those of the events, which are no variable
		name: "ballots", problem: "raft", n: 2, events: 5,
		steps: []happening{
			{3, tracefmt.State, "", `{"role":"leader","votedFor":1} 1@{"role":"leader","votedFor":1} 1@{"role":"leader"} 2@{"role":"leader"}`},
			{2, tracefmt.State, "", `1@{"votedFor":1} {"votedFor":1} 1@{"role":"follower"} {"role":"follower"}`},
			{1, tracefmt.Note, "x", "-"},
			{1, tracefmt.Crash, "", "-"},
		},
		properties: "leader-has-quorum unique-leader-per-term single-leader",
	},
	{
		name: "asking", problem: "election", n: 3, events: 7, traits: []string{tracefmt.GreatestWins},
		steps: []happening{
			{4, tracefmt.Send, "ELECTION", "-"},
			{2, tracefmt.Send, "OK", "-"},
			{2, tracefmt.State, "", `{"elected":2}`},
			{1, tracefmt.Suspect, "", "-"},
			{1, tracefmt.SetTimer, "t", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		properties: "bully-election-upward election-answered one-election-at-a-time ring-successor-only messages-at-most(2)",
	},
	{
		// two lists of one failure need a suspicion, an election and a COORDINATOR message of each launcher
		name: "lists", problem: "election", n: 2, events: 7, traits: []string{tracefmt.OnRing},
		steps: []happening{
			{2, tracefmt.Suspect, "", "-"},
			{2, tracefmt.Send, "ELECTION", `{"list":[1]} {"list":[2]} {"list":[2,1]}`},
			{4, tracefmt.Send, "COORDINATOR", `{"launcher":1,"list":[1,2]} {"launcher":2,"list":[2,1]} {"launcher":2,"list":[2]}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		properties: "ring-lists-agree",
	},
	{
		name: "ring", problem: "election", n: 2, events: 8,
		traits:       []string{tracefmt.OnRing, tracefmt.DropsSmaller, tracefmt.FIFO, tracefmt.Reliable},
		furtherSteps: []happening{{1, tracefmt.Send, "election", `{"id":1}`}},
		steps: []happening{
			{3, tracefmt.Send, "election", `{"id":1} {"id":2}`},
			{1, tracefmt.State, "", `{"elected":2} {"elected":null}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		properties: "ring-forward-increasing ring-no-orphan",
	},
	{
		name: "mutex", problem: "mutex", n: 2, events: 7,
		// a kind of events always exists: where two have gaps, a message may have ordered them
		furtherSteps: []happening{{1, tracefmt.Send, "m", "-"}},
		steps: []happening{
			{4, tracefmt.Note, "request", "-"},
			{4, tracefmt.Note, "enter", "-"},
			{4, tracefmt.Note, "exit", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		properties: "mutual-exclusion mutual-exclusion-possibly mutual-exclusion-definitely no-starvation " +
			"bounded-bypass(1) request-order-fairness",
		rules: `
fluent inside(p) from note(type = "enter") to note(type = "exit"), crash
rule rule-inside: never count(inside) > 1
rule rule-enters: each r: note(type = "request") leads to e: note(type = "enter", process = r.process) unless crash(process = r.process)
rule rule-asked: each e: note(type = "enter") was preceded by r: note(type = "request", process = e.process)
`,
	},
	{
		name: "keys", n: 2, events: 6,
		furtherSteps: []happening{{1, tracefmt.Note, "take", `{"key":3}`}, {1, tracefmt.Note, "give", `{"key":2}`}},
		steps: []happening{
			{5, tracefmt.Note, "take", `{"key":1} {"key":1} {"key":2} -`},
			{3, tracefmt.Note, "give", `{"key":1} {"key":2} -`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		rules: `
fluent holds(p, key) from note(type = "take", has key) to note(type = "give"), crash
rule rule-holder: never e: note(type = "take") where exists q in processes(): q != e.process and holds(q, e.key)
rule rule-given: never e: note(type = "give", has key) where not before(holds(process, e.key))
rule rule-free: at end not exists p in processes(): holds(p, 1)
rule rule-apart: never possibly holds(p, 1) and holds(q, 1) for p < q
`,
	},
	{
		name: "values", n: 3, events: 6, further: `{"list":[1,2,3]} {"w":7} {"key":3}`,
		steps: []happening{
			{4, tracefmt.State, "", `{"list":[1]} {"list":[1,2]} {"list":[2]} {"list":null} {"list":1}`},
			{4, tracefmt.State, "", `{"w":1} {"w":2} {"w":"x"} {"w":null}`},
			{2, tracefmt.State, "", `{"key":1} {"key":2} {"key":1,"w":3}`},
			{2, tracefmt.Send, "A", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"list":[1]}`},
		},
		rules: `
fluent has-key(p, key) from state(has key) to crash
rule rule-prefix: never exists p in processes(): not prefix(var(p, "list"), var(1, "list"))
rule rule-grows: never state(has list, not prefix(before(list), list))
rule rule-sum: never sum(processes(), "w") > 3
rule rule-rest: at end sum(live(), "w") <= 2
rule rule-next: never send where peer != next(process, live())
rule rule-previous: never send(previous(process, participants()) != peer) where live(peer)
rule rule-key: at end not exists p in processes(): has-key(p, 1)
`,
	},
	{
		name: "consensus", problem: "consensus", n: 3, events: 6, further: `{"decided":3}`,
		steps: []happening{
			{4, tracefmt.State, "", `{"proposed":1} {"proposed":2}`},
			{4, tracefmt.State, "", `{"decided":1} {"decided":1} {"decided":2} {"decided":null}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"decided":null}`},
		},
		properties: "consensus-agreement consensus-integrity consensus-validity consensus-termination",
	},
	{
		name: "broadcast", problem: "broadcast", n: 2, events: 6,
		furtherSteps: []happening{{1, tracefmt.Note, "broadcast", `{"m":3}`}, {1, tracefmt.Note, "deliver", `{"m":3}`}},
		steps: []happening{
			{3, tracefmt.Note, "broadcast", `{"m":1} {"m":2}`},
			{5, tracefmt.Note, "deliver", `{"m":1} {"m":2}`},
			{1, tracefmt.Note, "read", `{"read":1} {"read":2}`},
			{1, tracefmt.Note, "lost", `{"read":1} {"read":2}`},
			{1, tracefmt.Crash, "", "-"},
		},
		properties: "broadcast-agreement broadcast-causal-order broadcast-fifo-order broadcast-monotonic-reads broadcast-no-creation " +
			"broadcast-no-duplication broadcast-total-order broadcast-uniform-agreement broadcast-validity",
	},
	{
		name: "commit", problem: "commit", n: 2, events: 6, further: `{"decided":"abort"} {"vote":"no"} {"decided":"commit"}`,
		steps: []happening{
			{4, tracefmt.State, "", `{"vote":"yes"} {"vote":"yes"} {"vote":"no"}`},
			{4, tracefmt.State, "", `{"decided":"commit"} {"decided":"commit"} {"decided":"abort"} {"vote":"no","decided":"abort"}`},
			{1, tracefmt.SetTimer, "t", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"vote":"yes"}`},
		},
		furtherSteps: []happening{{1, tracefmt.Suspect, "", "-"}},
		properties:   "commit-abort-cause commit-agreement commit-all-yes commit-termination",
	},
	{
		name: "termination", problem: "termination", n: 2, events: 7, basic: []string{"WORK"},
		furtherSteps: []happening{
			{1, tracefmt.Note, "active", "-"},
			{1, tracefmt.Note, "passive", "-"},
			{1, tracefmt.Note, "announce", "-"},
			{1, tracefmt.Send, "WORK", "-"},
		},
		steps: []happening{
			{3, tracefmt.Note, "active", "-"},
			{4, tracefmt.Note, "passive", "-"},
			{2, tracefmt.Note, "announce", "-"},
			{3, tracefmt.Send, "WORK", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		properties: "announcement-in-the-end announcement-not-early announcement-once",
	},
	{
		name: "wave", problem: "wave", n: 2, events: 7, traits: []string{tracefmt.DecidesOnce},
		furtherSteps: []happening{{1, tracefmt.Note, "decide", "-"}, {1, tracefmt.Send, "WAVE", "-"}},
		steps: []happening{
			{2, tracefmt.Note, "start", "-"},
			{3, tracefmt.Note, "decide", "-"},
			{4, tracefmt.Send, "WAVE", "-"},
			{1, tracefmt.Crash, "", "-"},
		},
		properties: "wave-covers wave-decides-once",
	},
	{
		name: "snapshot", problem: "snapshot", n: 2, events: 7, basic: []string{"MONEY"},
		traits:  []string{tracefmt.NoLoss, tracefmt.NoDuplicates},
		further: `{"amount":3}`,
		furtherSteps: []happening{
			{1, tracefmt.Note, "record", `{"state":3,"received":{}}`},
			{1, tracefmt.Note, "recorded", "-"},
			{1, tracefmt.Send, "MONEY", "-"},
		},
		steps: []happening{
			{3, tracefmt.Note, "record", `{"state":1} {"state":1,"before":1} {"state":1,"received":{"1":0}}`},
			{3, tracefmt.Note, "recorded", `{"channels":{"1":0}}`},
			{2, tracefmt.State, "", `{"amount":1} {"amount":2}`},
			{3, tracefmt.Send, "MONEY", "-"},
			{1, tracefmt.Crash, "", "-"},
		},
		properties: "snapshot-complete snapshot-consistent sum-preserved",
	},
	{
		name: "token", problem: "mutex", n: 2, events: 7, token: []string{"TOKEN"},
		furtherSteps: []happening{{1, tracefmt.Send, "TOKEN", "-"}},
		further:      `{"token":true} {"token":false}`,
		steps: []happening{
			{4, tracefmt.State, "", `{"token":true} {"token":true} {"token":false}`},
			{3, tracefmt.Send, "TOKEN", "-"},
			{1, tracefmt.Send, "REQUEST", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"token":true}`},
		},
		properties: "token-unique",
	},
	{
		name: "channels", n: 2, events: 7,
		steps: []happening{
			{5, tracefmt.Send, "A", "-"}, {2, tracefmt.Send, "B", "-"}, {1, tracefmt.Note, "x", "-"}, {1, tracefmt.Crash, "", "-"},
		},
		properties: "causal-delivery fifo no-loss no-duplication message-integrity messages-at-most(2)",
		rules: `
rule rule-sent: each r: receive was preceded by s: send(message = r.message)
rule rule-arrives: each s: send leads to r: receive(message = s.message)
rule rule-sends: at most 2 send per run
rule rule-types: never send(type = "B") where peer == 1
rule rule-down: never receive where not live(peer)
`,
	},
	{
		name: "timers", n: 2, events: 7, late: 9 * tracefmt.Unit,
		steps: []happening{
			{4, tracefmt.SetTimer, "t", "-"},
			{2, tracefmt.Note, "x", "-"},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
			{1, tracefmt.Send, "A", "-"},
		},
		properties: "timers-well-behaved crash-recovery-alternate no-step-when-crashed process-time-monotone termination-within(4)",
	},
	{
		name: "raft", problem: "raft", n: 2, events: 6,
		further: `{"log[1]":{"term":3}} {"log[2]":{"term":3}} {"term":3} {"commit":3}
{"log[1]":{"term":1,"x":1}} {"log[1]":{"term":2,"x":1}} {"log[2]":{"term":2,"x":1}}
{"commit":1,"log[1]":{"term":1}} {"commit":1,"log[1]":{"term":2}} {"commit":2,"log[2]":{"term":2}} {"commit":2,"log[2]":{"term":1}}
{"commit":1,"log[1]":{"term":1},"term":0} {"role":"leader","log[1]":{"term":1}} {"role":"leader","log[1]":{"term":2}}
{"role":"leader","log[1]":{"term":1},"term":2} {"role":"leader","log[1]":{"term":2},"term":2} {"role":"leader","log[1]":{"term":2},"term":3}`,
		steps: []happening{
			{
				6, tracefmt.State, "",
				`{"log[1]":{"term":1}} {"log[1]":{"term":2}} {"log[2]":{"term":2}} {"log[1]":null} {"commit":1} {"commit":2} ` +
					`{"role":"leader"} {"term":2} {"role":"leader","term":1} {"role":"leader","term":2} {"role":"follower"}`,
			},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `- {"log[1]":{"term":1}}`},
		},
		properties: "raft-leader-append-only raft-leader-completeness raft-log-matching raft-state-machine-safety",
	},
	{
		name: "completeness", problem: "raft", n: 2, events: 6,
		further: `{"term":3} {"log[1]":{"term":3}} {"commit":3} {"role":"leader","term":0} {"role":"leader","term":3}`,
		steps: []happening{
			{
				4, tracefmt.State, "",
				`{"term":1,"log[1]":{"term":1}} {"term":1,"log[1]":{"term":1},"commit":1} {"term":2} {"term":2,"log[1]":{"term":2}}`,
			},
			{
				4, tracefmt.State, "",
				`{"role":"leader","term":0} {"role":"leader","term":2,"log[1]":{"term":2}} {"role":"leader","term":2,"log[1]":null} ` +
					`{"role":"leader"} {"role":"candidate"}`,
			},
			{3, tracefmt.State, "", `{"commit":1} {"elected":1} {"elected":2} {"log[1]":null}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Halt, "", "-"},
			{1, tracefmt.Recover, "", `- {"term":1}`},
		},
		properties: "raft-leader-completeness raft-leader-append-only raft-state-machine-safety",
	},
	{
		// what a learner has of the log counts, and a client has none
		name: "learners", problem: "raft", n: 3, events: 6, roles: []string{tracefmt.Server, "learner", "client"},
		further: `{"log[1]":{"term":3}} {"term":3} {"commit":1,"log[1]":{"term":1}} {"commit":1,"log[1]":{"term":2}}`,
		steps: []happening{
			{
				4, tracefmt.State, "",
				`{"log[1]":{"term":1}} {"log[1]":{"term":1,"x":1}} {"log[1]":{"term":1,"x":2},"commit":1} ` +
					`{"log[1]":{"term":1},"commit":1,"term":1} {"commit":1}`,
			},
			{3, tracefmt.State, "", `{"role":"leader","term":2,"log[1]":{"term":2}} {"role":"leader","term":2,"log[1]":null} {"term":1}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", "-"},
		},
		properties: "raft-leader-append-only raft-leader-completeness raft-log-matching raft-state-machine-safety",
		rules: `
rule rule-part: at most 1 state(has commit, participant(process)) per run
rule rule-all: never forall p in participants(): var(p, "commit") != null
`,
	},
	{
		name: "register", problem: "register", n: 2, events: 8,
		furtherSteps: []happening{
			{1, tracefmt.Invoke, "write", `{"value":null}`},
			{1, tracefmt.Return, "read", `{"outcome":"ok","value":9}`},
			{1, tracefmt.Return, "write", `{"outcome":"fail"}`},
		},
		steps: []happening{
			{4, tracefmt.Invoke, "read", "-"},
			{4, tracefmt.Invoke, "write", `{"value":1} {"value":2}`},
			{6, tracefmt.Return, "read", `{"outcome":"ok","value":1} {"outcome":"ok","value":2} {"outcome":"ok","value":null}`},
			{6, tracefmt.Return, "write", `{"outcome":"ok"} {"outcome":"unknown"}`},
			{1, tracefmt.Crash, "", "-"},
		},
		properties: "linearizability",
	},
	{
		name: "locks", problem: "mutex", n: 2, events: 8,
		furtherSteps: []happening{
			{1, tracefmt.Return, "release", `{"outcome":"ok","value":false} {"outcome":"fail"}`},
			{1, tracefmt.Return, "acquire", `{"outcome":"fail"} {"outcome":"unknown"}`},
		},
		steps: []happening{
			{4, tracefmt.Invoke, "acquire", "-"},
			{4, tracefmt.Invoke, "release", "-"},
			{6, tracefmt.Return, "acquire", `{"outcome":"ok"} {"outcome":"ok","value":false}`},
			{6, tracefmt.Return, "release", `{"outcome":"ok"} {"outcome":"unknown"}`},
		},
		properties: "linearizability mutual-exclusion no-starvation",
	},
	{
		name: "services", n: 2, events: 6,
		furtherSteps: []happening{{1, tracefmt.Invoke, "echo", `{"op":2,"value":9}`}, {1, tracefmt.Return, "generate", `{"op":4,"value":9}`}},
		steps: []happening{
			{4, tracefmt.Invoke, "echo", `{"op":1,"value":1} {"op":1,"value":2} {"op":2,"value":1}`},
			{4, tracefmt.Return, "echo", `{"op":1,"value":1} {"op":2,"value":1} {"op":2,"outcome":"fail"}`},
			{2, tracefmt.Invoke, "generate", `{"op":3} {"op":4}`},
			{4, tracefmt.Return, "generate", `{"op":3,"value":1} {"op":4,"value":"1"} {"op":4,"value":2} {"op":3,"outcome":"fail"}`},
			{1, tracefmt.Crash, "", "-"},
		},
		properties: "echo-reply-equals-request unique-ids-distinct",
	},
	{
		name: "named", problem: "raft", n: 2, events: 5, further: `{"elected":2,"term":1}`,
		steps: []happening{
			{4, tracefmt.State, "", `{"elected":1,"term":1} {"elected":2,"term":1} {"elected":2,"term":2} {"elected":1}`},
			{1, tracefmt.State, "", `{"role":"follower","term":1} {"role":"leader"}`},
			{1, tracefmt.Crash, "", "-"},
			{1, tracefmt.Recover, "", `{"elected":1,"term":1} {"term":2}`},
		},
		properties: "named-leader-per-term",
	},
}

// examined are the properties of the theme.
func (th *theme) examined() []*analyze.Property {
	if th.bound == nil {
		th.bound = bound(strings.Fields(th.properties)...)
		if th.rules != "" {
			rules, err := spec.Parse(th.name, th.rules, spec.Options{})
			if err != nil {
				panic(err)
			}
			th.bound = append(th.bound, rules...)
		}
	}
	return th.bound
}

// happenings are the steps of the theme, and one of a kind that is not among them: a process may do what no property
// of the theme is about.
func (th *theme) happenings() []happening {
	for _, second := range []happening{{2, tracefmt.Note, "x", "-"}, {2, tracefmt.Suspect, "", "-"}} {
		if !slices.ContainsFunc(th.steps, func(h happening) bool { return h.kind == second.kind }) {
			return append(slices.Clone(th.steps), second)
		}
	}
	return slices.Clone(th.steps)
}

// payloads are the contents of the events.
func (h happening) payloads() (list [][]byte) {
	for _, word := range strings.Fields(h.contents) {
		var payload []byte
		if word != "-" {
			payload = []byte(word)
		}
		list = append(list, payload)
	}
	return list
}

// values are the assignments of one variable that occur in a theme.
func (th *theme) values() (list [][]byte) {
	for _, s := range th.steps {
		if s.kind != tracefmt.State {
			continue
		}
		for _, payload := range s.payloads() {
			if strings.Count(string(payload), `":`) == 1 && payload[0] == '{' {
				list = append(list, payload)
			}
		}
	}
	return list
}

// hidden are the steps that may have happened without being recorded: those of the theme,
// and whatever may happen to a process in any run.
func (th *theme) hidden() []happening {
	values := "-"
	for _, payload := range th.values() {
		values += " " + string(payload)
	}
	list := slices.DeleteFunc(th.happenings(), func(h happening) bool {
		return slices.Contains([]tracefmt.Kind{tracefmt.Start, tracefmt.Crash, tracefmt.Recover, tracefmt.Halt}, h.kind)
	})
	return append(list, happening{1, tracefmt.Start, "", values}, happening{1, tracefmt.Crash, "", "-"},
		happening{1, tracefmt.Recover, "", values}, happening{1, tracefmt.Halt, "", "-"})
}
