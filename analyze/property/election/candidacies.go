package election

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"etrace/analyze/property/members"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// candidacies follows elections as the processes see them: the values that each recorded about itself before it chose
// a leader, and how many processes chose each.
type candidacies struct {
	keys     []string // the keys by which the run ranks processes
	complete bool     // the record is complete, so that no recorded value is out of date
	term     string   // the variable that counts elections
	list     []candidate
	recorded []bool // by key: some process has recorded it
	// electors is the number of participants.
	electors int
}

// candidate is a process in its current or last election.
type candidate struct {
	// choice is the process it has chosen. It is 0 while it looks for a leader, and Nobody if its leader is unnamed or
	// not in the run.
	choice tracefmt.ProcessID
	// recorded has, by key, the values recorded since the last choice. vote has the values before that choice.
	recorded, vote []merit
	fixed          [][]byte // attributes and id, which never change
	// searchingSince is the event since which the process has been looking for a leader, or had been before its choice.
	// searchShownAt is the last event that records this.
	searchingSince, searchShownAt tracefmt.Seq
	// round counts its candidacies; electors counts the processes that chose it in this round.
	round    int
	electors int
	// counted is the candidacy for which it was counted as an elector.
	counted           candidacyOf
	elector, observes bool
	// electorShownAt is the event that showed it to be an elector, 0 if the header shows it.
	electorShownAt tracefmt.Seq
}

// candidacyOf is one candidacy of a process.
type candidacyOf struct {
	process tracefmt.ProcessID
	round   int
}

// merit is the value of a key with the event that recorded it; nil if it is unknown.
type merit struct {
	value []byte
	at    tracefmt.Seq
}

// newCandidacies returns the state before the first event: only attributes and ids are known.
func newCandidacies(run *tracefmt.Run) candidacies {
	keys := run.BestKeys()
	c := candidacies{
		keys: keys, complete: run.Source == tracefmt.Simulated, term: tracefmt.TermVariable(run.Problem),
		list: make([]candidate, len(run.Members)+1), recorded: make([]bool, len(keys)),
	}
	fixed := replay.Merits(run, keys)
	for _, p := range members.All(run) {
		a := &c.list[p]
		a.fixed, a.recorded, a.vote = fixed[p], make([]merit, len(keys)), make([]merit, len(keys))
		a.keepFixed()
		a.elector = run.Part(p) == tracefmt.TakesPart
		if a.elector {
			c.electors++
		}
		for k := range keys {
			c.recorded[k] = c.recorded[k] || a.fixed[k] != nil
		}
	}
	return c
}

// keepFixed removes the values of a candidate, except those of the whole run.
func (a *candidate) keepFixed() {
	for k, value := range a.fixed {
		a.recorded[k] = merit{value: value}
	}
}

// missing returns a key that no process records, "" for none.
func (c *candidacies) missing() string {
	if k := slices.Index(c.recorded, false); k >= 0 {
		return c.keys[k]
	}
	return ""
}

// step takes an event that may change its process, and returns the new choice; ok is false if the event has no choice.
func (c *candidacies) step(s *replay.State, e *tracefmt.Event) (choice tracefmt.ProcessID, chooses bool) {
	a := &c.list[e.Process]
	if e.Kind != tracefmt.State || s.Restarted() {
		c.startSearch(a, e.Seq)
		a.keepFixed()
		a.searchShownAt = e.Seq - 1
	}
	if !e.Kind.AssignsVariables() {
		return 0, false
	}
	c.updateElector(s, e, a)
	choice, chooses = chosen(s, e, a)
	if chooses {
		c.choose(a, e, choice)
	}
	c.recordValues(e, a)
	return a.choice, chooses
}

// startSearch starts a process's search for a leader, without electors.
func (c *candidacies) startSearch(a *candidate, at tracefmt.Seq) {
	a.choice, a.searchingSince, a.electors = 0, at, 0
	a.round++
}

// updateElector records whether a process is an elector.
func (c *candidacies) updateElector(s *replay.State, e *tracefmt.Event, a *candidate) {
	role, ok := e.Field("role")
	// A recorded role that is neither leader, candidate nor follower, such as observer, excludes a process from the
	// count for good.
	a.observes = a.observes || ok && !members.IsNull(role) && s.Process(e.Process).Role == replay.RoleOther
	switch elector := s.Elector(e.Process) && !a.observes; {
	case elector && !a.elector:
		a.electorShownAt = e.Seq
		c.electors++
	case !elector && a.elector:
		c.electors--
	}
	a.elector = s.Elector(e.Process) && !a.observes
}

// chosen returns the choice of an event's process after the event, if the event has one.
func chosen(s *replay.State, e *tracefmt.Event, a *candidate) (choice tracefmt.ProcessID, chooses bool) {
	_, role := e.Field("role")
	_, elected := e.Field("elected")
	p := s.Process(e.Process)
	switch {
	case !role && !elected:
		return 0, false
	case a.observes || role && p.Role == replay.RoleSeeks:
		return 0, true
	case s.Leads(e.Process):
		return e.Process, true
	// A choice that is older than the last search for a leader is out of date.
	case p.Elected != 0 && p.ElectedAt > a.searchShownAt:
		return p.Elected, true
	case role && !elected && p.Role == replay.RoleFollows:
		return replay.Nobody, true
	}
	return 0, true
}

// choose records a process's choice.
func (c *candidacies) choose(a *candidate, e *tracefmt.Event, choice tracefmt.ProcessID) {
	oldChoice := a.choice
	switch {
	case choice == oldChoice || oldChoice == replay.Nobody && choice > 0: // the first choice is no change
	case choice == 0 || oldChoice == e.Process: // it was the leader, and now follows another process
		c.startSearch(a, e.Seq)
	}
	if oldChoice != choice && choice != 0 && oldChoice != replay.Nobody {
		copy(a.vote, a.recorded)
		if !c.complete {
			a.keepFixed()
		}
	}
	a.choice = choice
	if choice == 0 {
		a.searchShownAt = e.Seq
	}
}

// recordValues stores the values of an event's process.
func (c *candidacies) recordValues(e *tracefmt.Event, a *candidate) {
	for k, key := range c.keys {
		if a.fixed[k] != nil {
			continue
		}
		key, _ := tracefmt.BestKey(key)
		value, ok := e.Field(key)
		if !ok && key == c.term {
			value, ok = termOf(e)
		}
		if !ok {
			continue
		}
		a.recorded[k] = merit{at: e.Seq}
		if !members.IsNull(value) {
			a.recorded[k].value = bytes.Clone(value)
			c.recorded[k] = true
		}
	}
}

// termOf returns the term of an event that does not use the term variable of its problem.
func termOf(e *tracefmt.Event) ([]byte, bool) {
	if e.Term != 0 {
		return strconv.AppendInt(nil, e.Term, 10), true
	}
	return e.Field("term")
}

// count counts an elector of q, once in each candidacy of q.
func (c *candidacies) count(p, q tracefmt.ProcessID) {
	a, leader := &c.list[p], &c.list[q]
	if now := (candidacyOf{q, leader.round}); a.elector && a.counted != now {
		a.counted = now
		leader.electors++
	}
}

// isMajority reports whether n is more than half of the electors.
func (c *candidacies) isMajority(n int) bool { return 2*n > c.electors }

// valuesFor returns, by key, the values with which p takes part in the election of q. It returns nil if p certainly
// takes part in another election.
func (c *candidacies) valuesFor(p, q tracefmt.ProcessID) []merit {
	switch c.list[p].choice {
	case 0:
		return c.list[p].recorded
	case q:
		return c.list[p].vote
	}
	return nil
}

// compare compares the values of p and q in the election of q, by the first key that differs: below 0 if q has
// seen more. lacks is the reason why the order is unknown, "" if it is known.
func (c *candidacies) compare(run *tracefmt.Run, p, q tracefmt.ProcessID) (order, key int, lacks string) {
	// A key decides only if all keys before it are equal, so a missing value makes the order unknown.
	x, y := c.valuesFor(p, q), c.valuesFor(q, q)
	for k := range c.keys {
		switch {
		case x == nil || x[k].value == nil:
			return 0, k, c.lacks(run, p, k)
		case y == nil || y[k].value == nil:
			return 0, k, c.lacks(run, q, k)
		}
		order, ok := replay.CompareMerits(c.keys[k], x[k].value, y[k].value)
		if !ok {
			return 0, k, fmt.Sprintf("the %s of process %s, %s, cannot be compared with that of process %s, %s",
				text.Printable(c.keys[k]),
				run.ProcessName(p), members.Short(x[k].value), run.ProcessName(q), members.Short(y[k].value))
		}
		if order != 0 {
			return order, k, ""
		}
	}
	return 0, 0, ""
}

// lacks explains that a process has not recorded the value of a key.
func (c *candidacies) lacks(run *tracefmt.Run, p tracefmt.ProcessID, key int) string {
	return fmt.Sprintf("process %s did not record its %s in the election, a key by which the run ranks processes",
		run.ProcessName(p), text.Printable(c.keys[key]))
}
