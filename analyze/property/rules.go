package property

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// The properties of this file are written in the language of rules; see
// package spec and docs/language.md.

// ofStates makes a property of a rule on the states of processes. It does not apply
// to a run that tells none.
func ofStates(reason string, p analyze.Property, rule string) *analyze.Property {
	made := spec.Must(p, rule)
	monitor := made.New
	made.New = func(run *tracefmt.Run) analyze.Monitor {
		return &statesMonitor{Relying: monitor(run).(analyze.Relying), reason: reason}
	}
	return made
}

type statesMonitor struct {
	analyze.Relying
	reason string
	told   bool
}

func (m *statesMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.told = m.told || e.Kind.AssignsVariables()
	m.Relying.Step(r, s, e)
}

func (m *statesMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.Relying.End(r, s, end); !m.told {
		r.NotApplicable(m.reason)
	}
}

var voteOncePerTerm = ofVotes(ofStates(noVotes, analyze.Property{
	Name:  "vote-once-per-term",
	About: []string{tracefmt.Raft},
	Kind:  analyze.Safety,
	Doc: `A process votes for at most one candidate in a term.

A vote is an assignment of the variable votedFor, that of a recovery included, for a process
of the run or one of which there is no record; null, "", words such as "none" and "nil", negative
numbers, and 0 where no process has that name, are no votes. A process that forgets its vote in
a crash, and votes for another, violates the property with its second vote.`,
	Needs:    "state events that assign votedFor and name a term",
	Source:   raftPaper + ", section 5.2",
	Convicts: analyze.Facts("start", "recover", "state.votedFor", "state.term"),
	Acquits:  analyze.Facts("state.votedFor", "state.term", "recover"),
}, `unique votedFor per process, term over state|start|recover where not (votedFor in (null, "", "none", -1))`))

// ofVotes keeps from a property of votes the values that name no candidate.
func ofVotes(p *analyze.Property) *analyze.Property {
	monitor := p.New
	p.New = func(run *tracefmt.Run) analyze.Monitor { return votesMonitor{monitor(run).(analyze.Relying)} }
	return p
}

type votesMonitor struct{ analyze.Relying }

func (m votesMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if value, votes := e.Field(votedVariable); !votes || namesCandidate(s, value) {
		m.Relying.Step(r, s, e)
	}
}

const noVotes = "no process has a variable votedFor"

var termMonotone = ofStates(noTerm, analyze.Property{
	Name:  "term-monotone",
	About: []string{tracefmt.Raft, tracefmt.Zab},
	Kind:  analyze.Safety,
	Doc: `The term of a process never falls, not even over a recovery.

Looked at are the events that change its state and name a term. A process that
loses its term in a crash, and begins anew with a lower one, violates the
property where it first tells the lower one.`,
	Needs:    "state events that name a term",
	Source:   raftPaper + ", section 5.1: current terms increase monotonically",
	Convicts: analyze.Facts("state", "start", "recover", "state.term"),
	Acquits:  analyze.Facts("state.term", "recover"),
}, `monotone term per process over state|start|recover where has term`)

var bullyElectionUpward = spec.Must(analyze.Property{
	Name: "bully-election-upward",
	Kind: analyze.Safety,
	Doc: `An ELECTION goes to a process of a higher id only.

Ids are compared as the election compares them: by number if all names are
numbers, else by the order of the members. ELECTION is the message type
` + either(asks) + `.`,
	Needs:    "send events of the type ELECTION",
	Source:   garciaMolina,
	Problem:  "election",
	Presumed: []string{tracefmt.AsksUpward},
	Convicts: analyze.Facts("send"),
	Triggers: analyze.Facts("send"),
}, `never send(type in `+listed(asks)+`) where peer <= process`)

var electionAnswered = inRecordings(spec.Must(analyze.Property{
	Name:  "election-answered",
	Pairs: true,
	Kind:  analyze.Liveness,
	Doc: `A live process that receives an ELECTION from a lower live one answers it, unless it crashes or halts.

The answer is a message ` + either(answers) + `
to the sender, sent after the receive. No time is set: on a run that was stopped the
answer is an open obligation, and on one that is quiescent it is missing. In a
recording, an answer may be sent before the receive is logged, but after the ELECTION
was sent; one that has no answer at all leaves it unknown.`,
	Needs:    "receive events of the type ELECTION",
	Source:   garciaMolina,
	Problem:  "election",
	Presumed: []string{tracefmt.Answers},
	Convicts: analyze.Facts("receive", "crash", "halt", "recover"),
	Acquits:  analyze.Facts("send", "crash", "halt", "recover"),
	Triggers: analyze.Facts("receive"),
}, `each r: receive(type in `+listed(asks)+`) where peer < process and live(peer) and live(process)
	leads to send(type in `+listed(answers)+`, process = r.process, peer = r.peer)
	unless crash|halt(process = r.process)`))

var announcementOnce = ofParticipants(spec.Must(analyze.Property{
	Name: "announcement-once",
	Kind: analyze.Safety,
	Doc: `The end of the base computation is announced at most once in a run.

That two processes announce it, each once, violates the property, too. What a Byzantine
process notes does not count.`,
	Needs:    "note events announce",
	Source:   dijkstraScholten,
	Problem:  tracefmt.Termination,
	Convicts: analyze.Facts("note"),
	Triggers: analyze.Facts("note"),
}, `at most 1 note(type = "`+announceNote+`") per run`), noComputation, activeNote, passiveNote, announceNote)

var waveDecidesOnce = ofParticipants(spec.Must(analyze.Property{
	Name: "wave-decides-once",
	Kind: analyze.Safety,
	Doc: `At most one process decides, and at most once.

A wave has one decision at least, and where one process begins it, mostly one at most: runs
that do not state the trait decides-once promise nothing of that, as a wave on a tree that everybody
begins, in which two decide. They are examined if the property is asked for by name. What a
Byzantine process notes does not count.`,
	Needs:    "note events decide",
	Source:   tel + ", 6.1 and 6.2",
	Problem:  tracefmt.Wave,
	Presumed: []string{tracefmt.DecidesOnce},
	Convicts: analyze.Facts("note"),
	Triggers: analyze.Facts("note"),
}, `at most 1 note(type = "`+decideNote+`") per run`), noWave, startNote, decideNote)

// ofParticipants keeps from a property of a problem, whose words are these notes, what those do who take no part.
// The reason is that a run has none of them.
func ofParticipants(p *analyze.Property, reason string, words ...string) *analyze.Property {
	monitor := p.New
	p.New = func(run *tracefmt.Run) analyze.Monitor {
		return &participantsMonitor{relyingRecurrence: monitor(run).(relyingRecurrence), aside: standingBy(run), reason: reason, words: words}
	}
	return p
}

// relyingRecurrence is what the monitor of each rule is.
type relyingRecurrence interface {
	analyze.Relying
	analyze.Recurrence
}

type participantsMonitor struct {
	relyingRecurrence
	aside  []bool // by process
	reason string
	words  []string
	told   bool // some process notes one of the words
}

func (m *participantsMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.told = m.told || e.Kind == tracefmt.Note && e.Process != 0 && slices.Contains(m.words, e.Type)
	if !m.aside[e.Process] {
		m.relyingRecurrence.Step(r, s, e)
	}
}

func (m *participantsMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.relyingRecurrence.End(r, s, end); !m.told {
		r.NothingTold(m.reason, noteFact)
	}
}

// Recur implements [analyze.Recurrence].
func (m *participantsMonitor) Recur(s *replay.State, e *tracefmt.Event) {
	if !m.aside[e.Process] {
		m.relyingRecurrence.Recur(s, e)
	}
}
