package complexity

import (
	"encoding/json"
	"math"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Election is one election of a run.
//
// It begins with the first sign that a process wants an election: it suspects its leader, becomes a candidate,
// or sends a message without a live leader. If the process has a leader, or has not reported the outcome of the
// last election, a message is a weaker sign. It counts only if some process then wins, and only if the message
// is spontaneous: in a run in message delays, nothing else happens to the process at that time. The election
// ends with the last event in which a process reports the winner. The rest of this step still belongs to the
// election, including its messages. If processes record roles and terms, each term has one election, which ends
// when a process leads in the term. Otherwise the next election begins with a sign after all live processes
// agreed.
type Election struct {
	// Term is the term of the election, nil without terms.
	Term json.RawMessage `json:"term,omitempty"`
	// By is the process that began the election, From its event and Start its time, in units. They are "", 0
	// and nil if only the winner is recorded.
	By    string       `json:"by"`
	From  tracefmt.Seq `json:"from"`
	Start *float64     `json:"start"`
	// To is the last event in which a process reports the winner, and End its time; they are 0 and nil without
	// a winner.
	To  tracefmt.Seq `json:"to"`
	End *float64     `json:"end"`
	// Winner is the winner, nil without one. Agreed: all live processes reported the winner. It is nil if a
	// process declared itself leader of a term.
	Winner json.RawMessage `json:"winner"`
	Agreed *bool           `json:"agreed"`
	// AlsoWon are other processes that led in the same term.
	AlsoWon []string `json:"also_won,omitempty"`
	Tally

	winner string
}

// elections finds the elections of a run and counts the messages of each.
type elections struct {
	run   *tracefmt.Run
	aside []bool // by process: it is a non-participant
	// lastInput is, by process, the time of its last input, minimal before the first.
	lastInput []tracefmt.Time
	found     []*campaign
	inTerm    map[replay.Term]*campaign
	latest    *campaign // the last election without a term, or whose term is not known yet
	warmUp    account   // messages before the first election
	outside   account   // messages of no election, after the first
	// dismissedEarly and dismissedLate count the messages of dismissed elections, before the first election and after
	// it.
	dismissedEarly, dismissedLate []*account
}

// campaign is an election in progress.
type campaign struct {
	Election
	term      replay.Term
	began     tracefmt.Seq       // 0 if only the winner is recorded
	parts     []*account         // the messages up to a decision, from there to the next one, and so on
	oldLeader tracefmt.ProcessID // the agreed leader at the beginning
	finished  bool
	// step is the process that decided last, while its step may go on: messages of the step still belong to the
	// election. The step ends at the next input of the process, or when time advances.
	step   tracefmt.ProcessID
	stepAt tracefmt.Time
	chosen tracefmt.ProcessID
	// tentative: the only sign is a message, of a process that need not want an election. Without a decision the
	// election is dismissed.
	tentative    bool
	possiblyLate bool // all its messages may be late messages of the election before
}

// newElections returns a counter for the elections of a run.
func newElections(run *tracefmt.Run) *elections {
	n := len(run.Members) + 1
	c := &elections{
		run: run, aside: make([]bool, n), lastInput: slices.Repeat([]tracefmt.Time{math.MinInt64}, n),
		inTerm: map[replay.Term]*campaign{},
	}
	for p := range run.Members {
		c.aside[p+1] = run.Part(tracefmt.ProcessID(p+1)) == tracefmt.Bystander
	}
	return c
}

// step takes the next event, which the state has applied: it may be a sign that a process wants an election,
// or a decision.
func (c *elections) step(s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || c.aside[e.Process] {
		return
	}
	// Inputs end the step of a decision first: they begin a new step, in which the process may decide again.
	if endsStep(e.Kind) {
		c.lastInput[e.Process] = e.Time
		c.endStep(c.latest, e.Process)
		if len(c.inTerm) > 0 {
			c.endStep(c.inTerm[s.Term(e.Process)], e.Process)
		}
	}
	p := s.Process(e.Process)
	saysRole := p.LeadingAt == e.Seq && p.Role != replay.RoleOther
	switch {
	case saysRole && p.Role == replay.RoleSeeks && s.Term(e.Process).Known():
		c.beginTerm(s, e)
	case saysRole && s.Leads(e.Process) && s.Term(e.Process).Known():
		c.noteLeader(s, e)
	case c.isCall(s, e):
		c.beginIfIdle(s, e)
	}
	// A role other than that of a candidate, or a choice, is the outcome of an election.
	isOutcome := saysRole && p.Role != replay.RoleSeeks
	choosesLeader := p.ElectedAt == e.Seq && p.Elected != 0
	if e.Kind == tracefmt.State && (isOutcome || choosesLeader) {
		c.noteWinner(s, e)
	}
}

// endStep notes an input of a process, which ends the step of its decision.
func (c *elections) endStep(g *campaign, p tracefmt.ProcessID) {
	if g != nil && g.step == p {
		g.step = 0
	}
}

// endsStep reports whether events of the kind are inputs, which end a step.
func endsStep(k tracefmt.Kind) bool {
	switch k {
	case tracefmt.Receive, tracefmt.Timeout, tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt,
		tracefmt.Invoke, tracefmt.Suspect:
		return true
	}
	return false
}

// isCall reports whether the event is a sign that its process wants an election: a suspicion of its leader, a
// candidacy, or a message without a live leader.
func (c *elections) isCall(s *replay.State, e *tracefmt.Event) bool {
	p := s.Process(e.Process)
	leader := p.Elected
	switch e.Kind {
	case tracefmt.Suspect:
		// A suspicion of any other process than the leader is no reason for an election.
		return leader <= 0 || leader == e.Peer || leader == e.Process || e.Peer > 0 && s.Leads(e.Peer)
	case tracefmt.State, tracefmt.Recover:
		return p.LeadingAt == e.Seq && p.Role == replay.RoleSeeks
	case tracefmt.Send:
		// If processes record terms, candidates begin the elections, not messages.
		return len(c.inTerm) == 0 && (c.lacksLeader(s, e.Process) || c.isSpontaneous(e))
	}
	return false
}

// lacksLeader reports whether a process has no live leader, for another reason than that it has still to learn the
// outcome of the last election.
func (c *elections) lacksLeader(s *replay.State, at tracefmt.ProcessID) bool {
	p := s.Process(at)
	return p.Role != replay.RoleLeads && (p.Elected <= 0 || !s.Live(p.Elected)) && !c.isLate(p)
}

// isLate reports whether an election has ended and the process has still to learn its outcome.
func (c *elections) isLate(p *replay.Process) bool {
	return c.latest != nil && (c.latest.finished || c.latest.possiblyLate) && p.ElectedAt == 0
}

// isSpontaneous reports whether the event is spontaneous: in a run in message delays, steps take no time, so an
// event without an input at the same time has no other cause.
func (c *elections) isSpontaneous(e *tracefmt.Event) bool {
	return c.run.TimeUnit == tracefmt.Delays && c.lastInput[e.Process] != e.Time
}

// beginIfIdle begins an election, unless one is in progress.
func (c *elections) beginIfIdle(s *replay.State, e *tracefmt.Event) {
	tentative := e.Kind == tracefmt.Send && !(s.Elector(e.Process) && c.lacksLeader(s, e.Process))
	possiblyLate := tentative && c.latest != nil && c.latest.finished
	// A message is too weak a sign to replace an election in progress; a stronger sign replaces a tentative
	// one.
	if c.latest != nil && !c.latest.finished && (tentative || !c.latest.tentative) {
		return
	}
	c.removeTentative()
	c.latest = c.begin(e, replay.Term{})
	c.latest.tentative, c.latest.possiblyLate = tentative, possiblyLate
	if leader := s.Leader(); leader > 0 && s.Live(leader) && c.allDecided(s, leader, 0) {
		c.latest.oldLeader = leader
	}
}

// removeTentative removes the election in progress if it is tentative.
func (c *elections) removeTentative() {
	if c.latest == nil || !c.latest.tentative {
		return
	}
	// A tentative election is always the latest one.
	c.found = c.found[:len(c.found)-1]
	if len(c.found) == 0 {
		c.dismissedEarly = append(c.dismissedEarly, c.latest.parts[0])
	} else {
		c.dismissedLate = append(c.dismissedLate, c.latest.parts[0])
	}
	c.latest = nil
}

// outsideAccount returns the account of messages outside elections: the warm-up before the first election, else the
// rest.
func (c *elections) outsideAccount() *account {
	if len(c.found) == 0 {
		return &c.warmUp
	}
	return &c.outside
}

// beginTerm begins the election of a term, when a candidate appears in it. An election in progress without a
// term becomes the election of this term.
func (c *elections) beginTerm(s *replay.State, e *tracefmt.Event) {
	term := s.Term(e.Process)
	if c.inTerm[term] != nil {
		return
	}
	c.removeTentative()
	if c.latest != nil && !c.latest.finished {
		c.latest.term, c.inTerm[term] = term, c.latest
		c.latest = nil
		return
	}
	c.inTerm[term] = c.begin(e, term)
}

// begin begins an election with an event of the process that wants it.
func (c *elections) begin(e *tracefmt.Event, term replay.Term) *campaign {
	g := &campaign{term: term, began: e.Seq, parts: []*account{{}}}
	g.By, g.From, g.Start = c.run.ProcessName(e.Process), e.Seq, units(c.run.TimeUnit.Units(e.Time))
	c.found = append(c.found, g)
	return g
}
