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

func (s *Story) stanceOf(p tracefmt.ProcessID) stance {
	if p == 0 {
		return stance{}
	}
	role, _ := s.state.Variable(p, Role)
	return stance{s.state.Leads(p), string(role)}
}

// Tag is what the step changes of who leads, or that a process decides, as drawn: "elected = 4",
// "role = leader", "decided = commit"; "" for nothing.
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

// addState separates the changes of elections and decisions from all other changes. The state has
// taken all of them in. The role of a process determines the leader if the process does not name whom
// it has elected, and where it starts or stops leading by its role.
func (s *Story) addState(e *tracefmt.Event, st *Step, before stance) {
	_, elects := e.Field(Elected)
	decides := !elects && (st.Leads != before.leads || s.state.Process(e.Process).ElectedAt == 0)
	changes := s.others[:0]
	for key, value := range tracefmt.Fields(e.Payload) {
		switch {
		case !tracefmt.IsVariable(e.Kind, key, value):
			continue
		case string(key) == Elected:
			st.Elected, st.Nobody = s.intern(s.value(value)), string(value) == "null"
			continue
		// The role is drawn as the change of leader only where elected does not show it.
		case string(key) == Role && decides && string(value) != before.role:
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
	s.others = changes
	text := listChanges(changes, s.value)
	if utf8.RuneCountInString(text) > maxLabel {
		text = listChanges(changes, s.shortValue)
	}
	st.Text = s.intern(Clean(text, maxLabel))
}

// change is that of a variable.
type change struct{ key, value []byte }

// listChanges writes the first changes: "clock = 3, queue = 1,2".
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

// lead notes in the condition of a process, which is not down, whether it leads.
func (c *Condition) lead(s *replay.State, p tracefmt.ProcessID) {
	c.Leads = s.Leads(p)
	if role, ok := s.Variable(p, Role); ok {
		c.Role = plainValue(role)
	}
}

// stance returns the part of a condition that concerns leading, as drawn, or "".
func (c *Condition) stance() string {
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
	return s.Before[p].stance()
}

// electedText lists whom the live processes have elected, and who else leads by its role. It marks an
// answer that depends on missing records.
func (s *Story) electedText(condition func(tracefmt.ProcessID) Condition, leader tracefmt.ProcessID) string {
	text := s.electedWords(condition, leader)
	if text != "" && s.doubtful(condition) {
		text += ", as far as is recorded"
	}
	return text
}

// doubtful reports whether a process that takes part may have elected another, or lead, or be
// down, without that being recorded.
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

// votes holds the choices of the live processes. A process that has not elected yet contradicts no other.
type votes struct {
	leader     tracefmt.ProcessID // whom one of them has elected
	cast, live int
	differ     bool
}

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

func (s *Story) electedWords(condition func(tracefmt.ProcessID) Condition, leader tracefmt.ProcessID) string {
	some, votes := false, s.votes(condition)
	for _, p := range s.ringOrder {
		c := condition(p)
		some = some || c.live() && c.Leader != 0
	}
	down := some && leader != 0 && condition(leader).Down // all that are live have elected it
	elected := leader != 0 && condition(leader).Elected != "" || down
	if recorded := s.leaderRecorded(condition); !elected && recorded != 0 {
		leader, elected = recorded, true
	}
	var parts []string
	switch {
	case some && !elected && votes.differ:
		return "the live processes do not agree on who is elected"
	case some && !elected:
		leader = votes.leader
		parts = append(parts, fmt.Sprintf("%s is elected by %d of %d live processes", s.Name(leader), votes.cast, votes.live))
	case down:
		parts = append(parts, s.Name(leader)+" is elected, and down")
	case elected:
		parts = append(parts, s.Name(leader)+" is elected")
	}
	leaders := s.names(6, func(p tracefmt.ProcessID) bool { return condition(p).Leads && !((elected || some) && p == leader) })
	switch len(leaders) {
	case 0:
	case 1:
		parts = append(parts, leaders[0]+" leads")
	default:
		parts = append(parts, join(leaders)+" lead")
	}
	return strings.Join(parts, ", ")
}
