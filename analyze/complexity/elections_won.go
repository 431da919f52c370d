package complexity

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// noteLeader notes that a process leads in its term, which ends the election of the term.
func (c *elections) noteLeader(s *replay.State, e *tracefmt.Event) {
	term := s.Term(e.Process)
	g := c.inTerm[term]
	switch {
	case g == nil:
		g = &campaign{term: term, parts: []*account{{}}}
		c.found = append(c.found, g)
		c.inTerm[term] = g
	case g.chosen == e.Process:
		return
	case g.chosen != 0:
		g.AlsoWon = append(g.AlsoWon, c.run.ProcessName(e.Process))
		return
	}
	g.noteDecision(c.run, e, e.Process)
}

// noteWinner notes that a process reports the winner of an election without a term. If it names another process
// than the last winner, the next election has begun.
func (c *elections) noteWinner(s *replay.State, e *tracefmt.Event) {
	if !s.Elector(e.Process) || len(c.inTerm) > 0 {
		return
	}
	g, choice := c.latest, s.Choice(e.Process)
	if s.Leads(e.Process) {
		choice = e.Process
	}
	switch {
	// The report belongs to the latest election: that is not finished, or the report repeats its winner or names
	// none.
	case g != nil && (!g.finished || choice <= 0 || choice == g.chosen):
	case choice > 0:
		g = c.begin(e, replay.Term{})
		c.latest = g
	default:
		return
	}
	leader, agreed := g.winning(s)
	if leader == 0 {
		return
	}
	g.tentative, g.possiblyLate = false, false
	g.noteDecision(c.run, e, leader)
	g.Agreed = &agreed
	if leader == g.oldLeader {
		g.finished = agreed && c.allDecided(s, leader, g.began)
	} else {
		// Without elected variables, no process has anything left to report.
		g.finished = agreed || !s.HasElected()
	}
}

// winning returns the process on which all live electors agree, or the only process that declared itself leader
// since the beginning.
func (g *campaign) winning(s *replay.State) (leader tracefmt.ProcessID, agreed bool) {
	if leader := s.Leader(); leader > 0 && s.Live(leader) {
		return leader, true
	}
	for _, p := range s.Electors() {
		switch {
		case !s.Leads(p) || s.Process(p).LeadingAt < g.began: // no leader, or one of an earlier election
		case leader != 0:
			return 0, false
		default:
			leader = p
		}
	}
	return leader, false
}

// allDecided reports whether every live participant other than the leader has reported its elected leader since
// an event.
func (c *elections) allDecided(s *replay.State, leader tracefmt.ProcessID, since tracefmt.Seq) bool {
	for i := range c.run.Members {
		p := tracefmt.ProcessID(i + 1)
		if p == leader || !s.Live(p) || c.aside[p] {
			continue
		}
		// A process that records its role has reported an outcome by that, without a choice.
		if at := s.Process(p).ElectedAt; at < since || at == 0 && s.Process(p).Role == replay.RoleOther {
			return false
		}
	}
	return true
}

// noteDecision notes a decision. Later messages belong to the election only if they are of the same step, or if
// another decision follows.
func (g *campaign) noteDecision(run *tracefmt.Run, e *tracefmt.Event, leader tracefmt.ProcessID) {
	g.chosen = leader
	g.Winner, g.winner = run.AppendProcess(nil, leader), run.ProcessName(leader)
	g.To, g.End = e.Seq, units(run.TimeUnit.Units(e.Time))
	g.step, g.stepAt = e.Process, e.Time
	g.parts = append(g.parts, &account{})
}

// account implements [book]: it returns the account of the election that a message belongs to, by its term or
// its time.
func (c *elections) account(s *replay.State, e *tracefmt.Event, on link) *account {
	if len(c.inTerm) > 0 { // the lookup of a term is slow, and useless without terms
		if g := c.inTerm[termOfMessage(s, e, on.sender)]; g != nil {
			return g.account(e, on.sender)
		}
	}
	if c.latest != nil {
		return c.latest.account(e, on.sender)
	}
	return c.outsideAccount()
}

// account returns the account of a message sent now. Messages of the step of the last decision count before
// that decision.
func (g *campaign) account(e *tracefmt.Event, from tracefmt.ProcessID) *account {
	last := len(g.parts) - 1
	if g.step != 0 && g.step == from && g.stepAt == e.Time {
		last--
	}
	return g.parts[last]
}

// electionWord is the name of elections as an operation.
const electionWord = "election"

// list returns the elections with their counts, nil if the run records no election. Messages after the last
// decision belong to no election.
func (c *elections) list(s *replay.State, measured bool) (list []Election) {
	if !s.HasElected() && !(s.HasRole() && s.Run.Solves(tracefmt.Election)) {
		return nil
	}
	// The warm-up and the rest must have all dismissed messages before they are reported.
	c.removeTentative()
	for _, a := range c.dismissedEarly {
		c.warmUp.join(a)
	}
	for _, a := range c.dismissedLate {
		c.outside.join(a)
	}
	list = []Election{}
	for _, g := range c.found {
		var total account
		for i, part := range g.parts {
			// The messages after the last decision belong to no election, unless some process has still to report.
			allReported := g.Agreed == nil || *g.Agreed || g.finished
			if isLast := i > 0 && i == len(g.parts)-1; isLast && allReported {
				c.outside.join(part)
			} else {
				total.join(part)
			}
		}
		g.Tally = total.tally(measured)
		if g.term.Known() {
			g.Term = g.term.JSON()
		}
		list = append(list, g.Election)
	}
	return list
}

// facts returns the facts that determine the elections and their messages.
func (c *elections) facts(s *replay.State) []tracefmt.Fact {
	return append(slices.Clone(causes), tracefmt.StateOf("elected"), tracefmt.StateOf("role"), s.TermFact())
}

// report returns the cost of the given elections.
func (c *elections) report(list []Election, measured, uncertain bool) PerOperation {
	r := PerOperation{Operation: electionWord, Uncertain: uncertain, Each: []OneOfThese{}, found: len(list) > 0}
	for _, e := range list {
		r.Each = append(r.Each, OneOfThese{
			Process: e.By, From: e.From, To: e.To, Start: e.Start, End: e.End,
			Tally: e.Tally,
		})
	}
	r.sum()
	r.WarmUp, r.Rest = c.warmUp.tally(measured), c.outside.tally(measured)
	return r
}
