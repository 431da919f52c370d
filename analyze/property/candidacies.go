package property

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// candidacies follow elections by what the processes have seen: what each said of
// itself before it chose a leader, and how many have chosen each.
type candidacies struct {
	keys  []string // by which the run says who is best
	whole bool     // the run tells all, so that nothing said is out of date
	term  string   // the variable that counts elections, among the keys or not
	all   []candidate
	told  []bool // by key: some process has it
	// electors are how many take part.
	electors int
}

// candidate is a process in the election that it is in, or was in last.
type candidate struct {
	// choice is whom it has chosen: 0 while it looks for a leader, Nobody if it
	// follows one that it does not name, or that is no process of the run.
	choice tracefmt.ProcessID
	// said is what it has said since its last choice, vote what it had said before it,
	// by key.
	said, vote []merit
	fixed      [][]byte // attributes and id
	// looks is since when it looks for a leader, or looked before its choice; looked is
	// where it said so last.
	looks, looked tracefmt.Seq
	// round counts its candidacies, and electors who chose it in this one.
	round    int
	electors int
	// counted is the candidacy to which it was counted as an elector.
	counted           candidacyOf
	elector, observes bool
	speaks            tracefmt.Seq // where it turned out to be an elector, 0 for the beginning
}

// candidacyOf is one candidacy of a process.
type candidacyOf struct {
	process tracefmt.ProcessID
	round   int
}

// merit is the value of a key, nil if it is not known, and the event that said it.
type merit struct {
	value []byte
	at    tracefmt.Seq
}

func newCandidacies(run *tracefmt.Run) candidacies {
	keys := run.BestKeys()
	c := candidacies{
		keys: keys, whole: run.Source == tracefmt.Simulated, term: tracefmt.TermVariable(run.Problem),
		all: make([]candidate, len(run.Members)+1), told: make([]bool, len(keys)),
	}
	fixed := replay.Merits(run, keys)
	for _, p := range allProcesses(run) {
		a := &c.all[p]
		a.fixed, a.said, a.vote = fixed[p], make([]merit, len(keys)), make([]merit, len(keys))
		a.forget()
		a.elector = run.Part(p) == tracefmt.TakesPart
		if a.elector {
			c.electors++
		}
		for k := range keys {
			c.told[k] = c.told[k] || a.fixed[k] != nil
		}
	}
	return c
}

// forget leaves of what a process has said what is so in the whole run.
func (a *candidate) forget() {
	for k, value := range a.fixed {
		a.said[k] = merit{value: value}
	}
}

// untold is a key that no process says, "" for none.
func (c *candidacies) untold() string {
	if k := slices.Index(c.told, false); k >= 0 {
		return c.keys[k]
	}
	return ""
}

// step takes in an event that may change its process, and returns whom this has
// chosen now; says is false if the event does not say it.
func (c *candidacies) step(s *replay.State, e *tracefmt.Event) (choice tracefmt.ProcessID, says bool) {
	a := &c.all[e.Process]
	if e.Kind != tracefmt.State || s.Restarted() {
		c.look(a, e.Seq)
		a.forget()
		a.looked = e.Seq - 1
	}
	if !e.Kind.AssignsVariables() {
		return 0, false
	}
	c.admit(s, e, a)
	choice, says = chosen(s, e, a)
	if says {
		c.choose(a, e, choice)
	}
	c.say(e, a)
	return a.choice, says
}

// look has a process look for a leader, with no electors of its own.
func (c *candidacies) look(a *candidate, at tracefmt.Seq) {
	a.choice, a.looks, a.electors = 0, at, 0
	a.round++
}

// admit takes in whether a process is one of those that elect.
func (c *candidacies) admit(s *replay.State, e *tracefmt.Event, a *candidate) {
	role, ok := e.Field("role")
	a.observes = a.observes || ok && !isNull(role) && s.Process(e.Process).Role == replay.RoleUntold
	switch elector := s.Elector(e.Process) && !a.observes; {
	case elector && !a.elector:
		a.speaks = e.Seq
		c.electors++
	case !elector && a.elector:
		c.electors--
	}
	a.elector = s.Elector(e.Process) && !a.observes
}

// chosen returns whom the process of an event has chosen after it, if the event says so.
func chosen(s *replay.State, e *tracefmt.Event, a *candidate) (choice tracefmt.ProcessID, says bool) {
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
	case p.Elected != 0 && p.ElectedAt > a.looked:
		return p.Elected, true
	case role && !elected && p.Role == replay.RoleFollows:
		return replay.Nobody, true
	}
	return 0, true
}

// choose takes in whom a process has chosen.
func (c *candidacies) choose(a *candidate, e *tracefmt.Event, choice tracefmt.ProcessID) {
	was := a.choice
	switch {
	case choice == was || was == replay.Nobody && choice > 0:
	case choice == 0 || was == e.Process: // it led, and follows another one now
		c.look(a, e.Seq)
	}
	if was != choice && choice != 0 && was != replay.Nobody {
		copy(a.vote, a.said)
		if !c.whole {
			a.forget()
		}
	}
	a.choice = choice
	if choice == 0 {
		a.looked = e.Seq
	}
}

// say takes in what an event says of its process.
func (c *candidacies) say(e *tracefmt.Event, a *candidate) {
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
		a.said[k] = merit{at: e.Seq}
		if !isNull(value) {
			a.said[k].value = bytes.Clone(value)
			c.told[k] = true
		}
	}
}

// termOf is the term of an event that does not name it by the word of its problem.
func termOf(e *tracefmt.Event) ([]byte, bool) {
	if e.Term != 0 {
		return strconv.AppendInt(nil, e.Term, 10), true
	}
	return e.Field("term")
}

// count counts an elector of q, once in each candidacy of q.
func (c *candidacies) count(p, q tracefmt.ProcessID) {
	a, leader := &c.all[p], &c.all[q]
	if now := (candidacyOf{q, leader.round}); a.elector && a.counted != now {
		a.counted = now
		leader.electors++
	}
}

// isMajority reports whether n is more than half of those that elect.
func (c *candidacies) isMajority(n int) bool { return 2*n > c.electors }

// standing is what p has seen in the election of q, by key: nil if it takes part in
// another one, as far as is known.
func (c *candidacies) standing(p, q tracefmt.ProcessID) []merit {
	switch c.all[p].choice {
	case 0:
		return c.all[p].said
	case q:
		return c.all[p].vote
	}
	return nil
}

// compare compares what p and q have seen in the election of q, the first key that
// differs deciding: below 0 if q has seen more. lacks says why it is not known, "" if it
// is.
func (c *candidacies) compare(run *tracefmt.Run, p, q tracefmt.ProcessID) (order, key int, lacks string) {
	x, y := c.standing(p, q), c.standing(q, q)
	for k := range c.keys {
		switch {
		case x == nil || x[k].value == nil:
			return 0, k, c.lacks(run, p, k)
		case y == nil || y[k].value == nil:
			return 0, k, c.lacks(run, q, k)
		}
		order, ok := replay.CompareMerits(c.keys[k], x[k].value, y[k].value)
		if !ok {
			return 0, k, fmt.Sprintf("the %s of process %s, %s, cannot be compared with that of process %s, %s", text.Printable(c.keys[k]),
				run.ProcessName(p), short(x[k].value), run.ProcessName(q), short(y[k].value))
		}
		if order != 0 {
			return order, k, ""
		}
	}
	return 0, 0, ""
}

func (c *candidacies) lacks(run *tracefmt.Run, p tracefmt.ProcessID, key int) string {
	return fmt.Sprintf("process %s did not say its %s in the election, by which the run says who is best",
		run.ProcessName(p), text.Printable(c.keys[key]))
}
