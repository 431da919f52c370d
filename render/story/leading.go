package story

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/replay"
	"etrace/tracefmt"
)

// The variables that belong into the picture of an election, whatever else is left out.
const (
	Elected = "elected" // names the coordinator
	Role    = "role"    // of the process itself
	voted   = "votedFor"
	decided = "decided" // what a process decides, in consensus and commitment
)

// stance is the state of a process in an election before an event.
type stance struct {
	leads bool
	role  string
}

// stanceOf returns the present stance of a process.
func (s *Story) stanceOf(p tracefmt.ProcessID) stance {
	if p == 0 {
		return stance{}
	}
	role, _ := s.state.Variable(p, Role)
	return stance{s.state.Leads(p), string(role)}
}

// Tag returns the change of leadership by the step, or the decision: "elected = 4", "role = leader", "decided =
// commit"; "" for neither.
func (st *Step) Tag() string {
	switch {
	case st.Elected != "":
		return Elected + " = " + st.Elected
	case st.Role != "":
		return Role + " = " + st.Role
	case st.Decided != "":
		return decided + " = " + st.Decided
	}
	return ""
}

// addState separates the changes that concern elections and decisions from all others. The state is already updated.
// A change of role concerns an election if the event assigns no elected, and either the process begins or ceases to
// lead by it, or has never assigned elected.
func (s *Story) addState(e *tracefmt.Event, st *Step, before stance) {
	_, elects := e.Field(Elected)
	roleCounts := !elects && (st.Leads != before.leads || s.state.Process(e.Process).ElectedAt == 0)
	changes := s.otherChanges[:0]
	for key, value := range tracefmt.Fields(e.Payload) {
		switch {
		case !tracefmt.IsVariable(e.Kind, key, value):
			continue
		case string(key) == Elected:
			st.Elected, st.Nobody = s.intern(s.value(value)), string(value) == "null"
			continue
		// The role is drawn as the change of leader only where elected does not show it.
		case string(key) == Role && roleCounts && string(value) != before.role:
			st.Role = s.intern(plainValue(value))
			continue
		case string(key) == decided && e.Kind == tracefmt.State && string(value) != "null":
			st.Decided = s.intern(s.value(value))
			continue
		case string(key) == voted:
			st.Votes = true
		}
		changes = append(changes, change{key, value})
	}
	s.otherChanges = changes
	text := listChanges(changes, s.value)
	if utf8.RuneCountInString(text) > maxLabel {
		text = listChanges(changes, s.shortValue)
	}
	st.Text = s.intern(firstItems(text, maxLabel))
}

// firstItems returns the first items of a list with commas, up to that number of characters.
func firstItems(list string, limit int) string {
	const separator, more = ", ", "…"
	if utf8.RuneCountInString(list) <= limit {
		return Clean(list, limit)
	}
	kept := string([]rune(list)[:limit-utf8.RuneCountInString(more)])
	if end := strings.LastIndex(kept, separator); end > 0 {
		return Clean(kept[:end], limit) + separator + more
	}
	return Clean(list, limit)
}

// change is a variable with its new value.
type change struct{ key, value []byte }

// listChanges describes the first changes: "clock = 3, queue = 1,2".
func listChanges(list []change, plain func([]byte) string) string {
	const enough = 120
	var text []byte
	for i, c := range list {
		if len(text) > enough {
			break
		}
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(text, Clean(string(c.key), maxName)...)
		text = append(text, " = "...)
		text = append(text, plain(c.value)...)
	}
	return string(text)
}

// stateWords describes a change of variables in the terms of an election, "" for a change of other
// variables.
func stateWords(_ *Story, st *Step) string {
	switch tag := st.Tag(); {
	case st.Elected != "" || tag != "" && st.Text == "":
		return tag
	case tag != "":
		return tag + ", " + st.Text
	case st.Votes:
		return st.Text
	}
	return ""
}

// noteLeading notes in the condition of a process, which is not down, whether it leads.
func (c *Condition) noteLeading(s *replay.State, p tracefmt.ProcessID) {
	c.Leads = s.Leads(p)
	if role, ok := s.Variable(p, Role); ok {
		c.Role = plainValue(role)
	}
}

// leadingText describes the leadership in a condition as it is drawn, or "".
func (c *Condition) leadingText() string {
	switch {
	case c.Elected != "" && c.Elected != noValue:
		return Elected + " = " + c.Elected
	case c.Leads && c.Role != "":
		return Role + " = " + c.Role
	}
	return ""
}

// StanceBefore returns whom a process has elected, or that it leads by its role, when
// the window begins, as drawn; "" for neither.
func (s *Story) StanceBefore(p tracefmt.ProcessID) string {
	if !s.Before[p].seen {
		return s.pasts[p].stance
	}
	return s.Before[p].leadingText()
}

// electedText lists the elected processes, and the processes that lead by their role. It marks an answer that depends
// on unrecorded events.
func (s *Story) electedText(condition func(tracefmt.ProcessID) Condition, leader tracefmt.ProcessID) string {
	text := s.electedWords(condition, leader)
	if text != "" && s.doubtful(condition) {
		text += ", as far as is recorded"
	}
	return text
}

// doubtful reports whether a participant may have elected another process, lead, or be down without a record.
func (s *Story) doubtful(condition func(tracefmt.ProcessID) Condition) bool {
	return slices.ContainsFunc(s.ringOrder, func(p tracefmt.ProcessID) bool {
		c := condition(p)
		return c.live() && c.Doubtful
	})
}

// LeaderDoubtful reports whether it is not certain who leads when the window ends.
func (s *Story) LeaderDoubtful() bool {
	return s.doubtful(func(p tracefmt.ProcessID) Condition { return s.After[p] })
}

// leaderRecorded returns the process that all live processes with a recorded choice have elected. It
// returns 0 if two of these choices differ, or if a live process has certainly elected no process.
func (s *Story) leaderRecorded(condition func(tracefmt.ProcessID) Condition) (leader tracefmt.ProcessID) {
	for _, p := range s.ringOrder {
		switch c := condition(p); {
		case !c.live() || c.Leader == 0 && c.Elected == "" && c.Doubtful:
		case c.Leader == 0 || leader != 0 && leader != c.Leader:
			return 0
		default:
			leader = c.Leader
		}
	}
	return leader
}

// votes are the choices of the live processes. A process that has not elected yet contradicts no other. leader is the
// process that one of them has elected.
type votes struct {
	leader     tracefmt.ProcessID
	cast, live int // processes that have elected one, and all live processes
	differ     bool
}

// votes counts the choices of the live processes.
func (s *Story) votes(condition func(tracefmt.ProcessID) Condition) (v votes) {
	choice := ""
	for _, p := range s.ringOrder {
		c := condition(p)
		if !c.live() {
			continue
		}
		v.live++
		if c.Elected == "" || c.Elected == noValue {
			continue
		}
		v.differ = v.differ || v.cast > 0 && c.Elected != choice
		choice, v.leader = c.Elected, c.Leader
		v.cast++
	}
	return v
}

// electedWords describes who is elected and who leads.
func (s *Story) electedWords(condition func(tracefmt.ProcessID) Condition, leader tracefmt.ProcessID) string {
	anyElected, votes := false, s.votes(condition)
	for _, p := range s.ringOrder {
		c := condition(p)
		anyElected = anyElected || c.live() && c.Leader != 0
	}
	leaderDown := anyElected && leader != 0 && condition(leader).Down // all live processes have elected a crashed leader
	elected := leader != 0 && condition(leader).Elected != "" || leaderDown
	if recorded := s.leaderRecorded(condition); !elected && recorded != 0 {
		leader, elected = recorded, true
	}
	var parts []string
	switch {
	case anyElected && !elected && votes.differ:
		return "the live processes do not agree on who is elected"
	case anyElected && !elected:
		leader = votes.leader
		parts = append(parts, fmt.Sprintf("%s is elected by %d of %d live processes", s.Name(leader), votes.cast, votes.live))
	case leaderDown:
		parts = append(parts, s.Name(leader)+" is elected, and down")
	case elected:
		parts = append(parts, s.Name(leader)+" is elected")
	}
	leaders := s.listMatching(6, func(p tracefmt.ProcessID) bool {
		isMentioned := (elected || anyElected) && p == leader
		return condition(p).Leads && !isMentioned
	})
	switch len(leaders) {
	case 0:
	case 1:
		parts = append(parts, leaders[0]+" leads")
	default:
		parts = append(parts, join(leaders)+" lead")
	}
	return strings.Join(parts, ", ")
}
