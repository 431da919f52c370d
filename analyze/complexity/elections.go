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
// It begins with the first sign that a process wants one: it suspects its leader, says that it is a
// candidate, or, without a live leader, sends; of a process that has a leader, or says nothing
// of the last election, a message is a sign if somebody wins then and it sends by itself: at a time, in a run of message
// delays, at which nothing happens to it. It ends with the last event in which a process says
// who has won; with it ends the step, so that what is sent on in it still belongs to the
// election. Where processes tell their roles and terms there is one for each term, which ends when a
// process leads in it; else the next one begins with a sign after all live processes agreed.
type Election struct {
	// Term in which it is, nil where there are none.
	Term json.RawMessage `json:"term,omitempty"`
	// By is the process that began it, From its event and Start its time, in units; "", 0 and
	// nil where only the winner shows that it was.
	By    string       `json:"by"`
	From  tracefmt.Seq `json:"from"`
	Start *float64     `json:"start"`
	// To is the last event in which a process says who has won, and End its time; 0 and nil if
	// none does.
	To  tracefmt.Seq `json:"to"`
	End *float64     `json:"end"`
	// Winner is who has won, nil if no process has. Agreed says that all live processes said so; nil
	// where one says of itself that it leads in a term.
	Winner json.RawMessage `json:"winner"`
	Agreed *bool           `json:"agreed"`
	// AlsoWon are others that led in the same term.
	AlsoWon []string `json:"also_won,omitempty"`
	Tally

	winner string
}

// elections find the elections of a run and count the messages of each.
type elections struct {
	run     *tracefmt.Run
	aside   []bool          // by process: it stands by
	took    []tracefmt.Time // by process: when it last took something in, before all times if it never did
	all     []*campaign
	inTerm  map[replay.Term]*campaign
	latest  *campaign // that of no term, or not of one yet
	warmUp  account   // before the first
	outside account
	// early and late are those of what turned out to be no election.
	early, late []*account
}

// campaign is an election in the making.
type campaign struct {
	Election
	term   replay.Term
	began  tracefmt.Seq       // 0 for one that only its winner shows
	parts  []*account         // up to a decision, from there to the next one, and so on
	before tracefmt.ProcessID // who led when it began, on whom all agreed
	done   bool
	// step is where the step of the last decision may go on: it does until its process takes
	// something in, or time goes on.
	step   tracefmt.ProcessID
	stepAt tracefmt.Time
	chosen tracefmt.ProcessID
	// tentative: a message is the only sign of it, of a process of which it is not known so far
	// that it elects, or wants to. Without a decision it is none.
	tentative bool
	late      bool // and so far, all that is sent may be late for the one before
}

func newElections(run *tracefmt.Run) *elections {
	n := len(run.Members) + 1
	c := &elections{run: run, aside: make([]bool, n), took: slices.Repeat([]tracefmt.Time{math.MinInt64}, n), inTerm: map[replay.Term]*campaign{}}
	for p := range run.Members {
		c.aside[p+1] = run.Part(tracefmt.ProcessID(p+1)) == tracefmt.StandsBy
	}
	return c
}

// step takes in the next event, after the state did.
func (c *elections) step(s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || c.aside[e.Process] {
		return
	}
	if endsStep(e.Kind) {
		c.took[e.Process] = e.Time
		c.endStep(c.latest, e.Process)
		if len(c.inTerm) > 0 {
			c.endStep(c.inTerm[s.Term(e.Process)], e.Process)
		}
	}
	p := s.Process(e.Process)
	saysRole := p.SaidAt == e.Seq && p.Role != replay.RoleUntold
	switch {
	case saysRole && p.Role == replay.RoleSeeks && s.Term(e.Process).Known():
		c.candidate(s, e)
	case saysRole && s.Leads(e.Process) && s.Term(e.Process).Known():
		c.lead(s, e)
	case c.calls(s, e):
		c.call(s, e)
	}
	if e.Kind == tracefmt.State && (saysRole && p.Role != replay.RoleSeeks || p.ElectedAt == e.Seq && p.Elected != 0) {
		c.decide(s, e)
	}
}

// endStep takes in that a process takes something in: its decision was not of this step.
func (c *elections) endStep(g *campaign, p tracefmt.ProcessID) {
	if g != nil && g.step == p {
		g.step = 0
	}
}

// endsStep reports whether a process takes something in by an event of the kind.
func endsStep(k tracefmt.Kind) bool {
	switch k {
	case tracefmt.Receive, tracefmt.Timeout, tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt, tracefmt.Invoke, tracefmt.Suspect:
		return true
	}
	return false
}

// calls reports whether the event is a sign that its process wants an election.
func (c *elections) calls(s *replay.State, e *tracefmt.Event) bool {
	p := s.Process(e.Process)
	leader := p.Elected
	switch e.Kind {
	case tracefmt.Suspect:
		return leader <= 0 || leader == e.Peer || leader == e.Process || e.Peer > 0 && s.Leads(e.Peer)
	case tracefmt.State, tracefmt.Recover:
		return p.SaidAt == e.Seq && p.Role == replay.RoleSeeks
	case tracefmt.Send:
		return len(c.inTerm) == 0 && (c.wants(s, e.Process) || c.byItself(e))
	}
	return false
}

// wants reports whether a process has no live leader, and does not only lack the outcome of the last election.
func (c *elections) wants(s *replay.State, at tracefmt.ProcessID) bool {
	p := s.Process(at)
	return p.Role != replay.RoleLeads && (p.Elected <= 0 || !s.Live(p.Elected)) && !c.isLate(p)
}

// isLate reports whether a process has never said whom it has elected, though an election is over: it
// is late for that one.
func (c *elections) isLate(p *replay.Process) bool {
	return c.latest != nil && (c.latest.done || c.latest.late) && p.ElectedAt == 0
}

// byItself reports whether nothing happens to its process when it brings about the event: the steps of a run in
// message delays take no time.
func (c *elections) byItself(e *tracefmt.Event) bool {
	return c.run.TimeUnit == tracefmt.Delays && c.took[e.Process] != e.Time
}

// call begins an election, unless one is going on.
func (c *elections) call(s *replay.State, e *tracefmt.Event) {
	tentative := e.Kind == tracefmt.Send && !(s.Elector(e.Process) && c.wants(s, e.Process))
	late := tentative && c.latest != nil && c.latest.done
	if c.latest != nil && !c.latest.done && (tentative || !c.latest.tentative) {
		return
	}
	c.dismiss()
	c.latest = c.begin(e, replay.Term{})
	c.latest.tentative, c.latest.late = tentative, late
	if leader := s.Leader(); leader > 0 && s.Live(leader) && c.allDecided(s, leader, 0) {
		c.latest.before = leader
	}
}

// dismiss ends an election of which there were messages only: it was none.
func (c *elections) dismiss() {
	if c.latest == nil || !c.latest.tentative {
		return
	}
	c.all = c.all[:len(c.all)-1] // it is the last that began
	if len(c.all) == 0 {
		c.early = append(c.early, c.latest.parts[0])
	} else {
		c.late = append(c.late, c.latest.parts[0])
	}
	c.latest = nil
}

// before is the account of what belongs to no election.
func (c *elections) before() *account {
	if len(c.all) == 0 {
		return &c.warmUp
	}
	return &c.outside
}

// candidate takes in that a process stands in its term. An election without a term that
// goes on becomes that of the term: it began with a suspicion.
func (c *elections) candidate(s *replay.State, e *tracefmt.Event) {
	term := s.Term(e.Process)
	if c.inTerm[term] != nil {
		return
	}
	c.dismiss()
	if c.latest != nil && !c.latest.done {
		c.latest.term, c.inTerm[term] = term, c.latest
		c.latest = nil
		return
	}
	c.inTerm[term] = c.begin(e, term)
}

func (c *elections) begin(e *tracefmt.Event, term replay.Term) *campaign {
	g := &campaign{term: term, began: e.Seq, parts: []*account{{}}}
	g.By, g.From, g.Start = c.run.ProcessName(e.Process), e.Seq, units(c.run.TimeUnit.Units(e.Time))
	c.all = append(c.all, g)
	return g
}
