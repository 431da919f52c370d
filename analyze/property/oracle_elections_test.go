package property_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// The oracle of elections: who takes part, who leads, in which term, and who is best,
// each found anew from the whole list of events.

// last is the raw value that p gave the variable last in the first k events, since it
// recovered; "" for none.
func (o oracle) last(p tracefmt.ProcessID, variable string, k int) (value string) {
	for i, e := range o.events[:k] {
		if e.Process != p {
			continue
		}
		if o.nextLife(i) || o.comesUp(i) && (variable == "elected" || variable == "role") {
			value = ""
		}
		if v, ok := o.assignments(i)[variable]; ok {
			value = v
		}
	}
	return value
}

// attribute is the raw value of an attribute of p, "" for none.
func (o oracle) attribute(p tracefmt.ProcessID, name string) string {
	var list map[string]json.RawMessage
	if json.Unmarshal(o.run.Members[p-1].Attributes, &list) != nil {
		return ""
	}
	return string(list[name])
}

// position is whether a role is that of a leader: leads, seeks, follows, or "".
func position(role string) string {
	switch strings.ToLower(role) {
	case "", "null", `"client"`, `"byzantine"`:
		return ""
	case `"leader"`, `"leading"`:
		return "leads"
	case `"candidate"`, `"looking"`:
		return "seeks"
	}
	return "follows"
}

// recorded reports whether p, or any process for 0, has a value of the variable in the first k events that counts.
func (o oracle) recorded(p tracefmt.ProcessID, variable string, k int) bool {
	for i, e := range o.events[:k] {
		value, ok := o.assignments(i)[variable]
		if (p == 0 || e.Process == p) && ok && (variable != "role" || position(value) != "") {
			return true
		}
	}
	return false
}

// elector reports whether p takes part, as far as is known after k events.
func (o oracle) elector(p tracefmt.ProcessID, k int) bool {
	switch o.attribute(p, "role") {
	case `"client"`, `"byzantine"`:
		return false
	case "":
		return o.run.Source == tracefmt.Simulated || o.recorded(p, "elected", k) || o.recorded(p, "role", k)
	}
	return true
}

// electors are the live ones after k events.
func (o oracle) electors(k int) []tracefmt.ProcessID {
	return slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.live(p, k) || !o.elector(p, k) })
}

func (o oracle) isLeader(p tracefmt.ProcessID, k int) bool {
	role := o.attribute(p, "role")
	if !o.live(p, k) || role == `"client"` || role == `"byzantine"` || o.steppedDown(p, k) {
		return false
	}
	if self := position(o.last(p, "role", k)); self != "" {
		return self == "leads"
	}
	return o.elected(p, k) == strconv.Itoa(int(p))
}

// steppedDown reports whether p has been down, or recorded another term, since it last recorded whether it leads.
func (o oracle) steppedDown(p tracefmt.ProcessID, k int) bool {
	arguments := ""
	for i := k - 1; i >= 0; i-- {
		if o.events[i].Process != p {
			continue
		}
		now := o.assignments(i)
		if e := o.events[i].Kind; e == tracefmt.Crash || e == tracefmt.Halt {
			return true
		}
		term := strings.Trim(o.last(p, "term", i+1), `"`)
		if term != "" && term != "null" && arguments != "" && arguments != term {
			return true
		}
		if term != "" && term != "null" {
			arguments = term
		}
		_, role := now["role"]
		if role || o.member(now["elected"]) == p {
			return false
		}
	}
	return false
}

// termAfter is the term of p after k events, 0 for none: the terms drawn are above 0.
func (o oracle) termAfter(p tracefmt.ProcessID, k int) int {
	n, _ := strconv.Atoi(strings.Trim(o.last(p, "term", k), `"`))
	return n
}

func (o oracle) sameTerm(p, q tracefmt.ProcessID, k int) bool {
	t, u := o.termAfter(p, k), o.termAfter(q, k)
	return t == 0 || u == 0 || t == u
}

// choiceTerm is the term in which p chose whom it has elected at the end: that of the event, else the first one
// recorded after it; 0 for none.
func (o oracle) choiceTerm(p tracefmt.ProcessID) (term int) {
	for k, e := range o.events {
		if e.Process != p || e.Kind != tracefmt.State && e.Kind != tracefmt.Start && e.Kind != tracefmt.Recover {
			continue
		}
		if _, chooses := o.assignments(k)["elected"]; chooses || term == 0 || o.nextLife(k) {
			term = o.termAfter(p, k+1)
		}
		if o.last(p, "elected", k+1) == "" {
			term = 0
		}
	}
	return term
}

// behind reports whether p is of a lower term than a live elector.
func (o oracle) behind(p tracefmt.ProcessID, k int) bool {
	return o.termAfter(p, k) != 0 && slices.ContainsFunc(o.electors(k),
		func(q tracefmt.ProcessID) bool { return o.termAfter(q, k) > o.termAfter(p, k) })
}

// believes reports whether p has elected itself against its role.
func (o oracle) believes(p tracefmt.ProcessID, k int) bool {
	return position(o.last(p, "role", k)) != "" && o.elected(p, k) == strconv.Itoa(int(p)) && !o.isLeader(p, k)
}

// knows reports whether p knows of a leader after k events.
func (o oracle) knows(p tracefmt.ProcessID, k int) bool {
	switch {
	case o.isLeader(p, k) || o.elected(p, k) != "null":
		return true
	case o.last(p, "elected", k) != "" || position(o.last(p, "role", k)) == "seeks":
		return false
	case position(o.last(p, "role", k)) == "" && o.recorded(0, "elected", k):
		return false
	}
	return slices.ContainsFunc(o.processes(), func(q tracefmt.ProcessID) bool { return o.isLeader(q, k) })
}

// best are the best live electors after k events, and the live liars that are no worse;
// ok is false if it is not known.
func (o oracle) best(k int) (best []tracefmt.ProcessID, ok bool) {
	merit := func(p tracefmt.ProcessID, key string) (int, bool) {
		if key == "id" {
			return int(p), true
		}
		value := o.attribute(p, key)
		if value == "" {
			value = o.last(p, key, k)
		}
		n, err := strconv.Atoi(strings.Trim(value, `"`))
		return n, err == nil
	}
	best = o.electors(k)
	for _, key := range o.run.BestKeys() {
		greatest := -1
		for _, p := range best {
			n, ok := merit(p, key)
			if !ok {
				return nil, false
			}
			greatest = max(greatest, n)
		}
		best = slices.DeleteFunc(best, func(p tracefmt.ProcessID) bool { n, _ := merit(p, key); return n < greatest })
	}
	if len(best) == 0 {
		return nil, true
	}
	honest := best[0]
	for _, p := range o.processes() {
		if o.attribute(p, "role") != `"byzantine"` || !o.live(p, k) {
			continue
		}
		better, known := 0, true
		for _, key := range o.run.BestKeys() {
			n, ok := merit(p, key)
			m, _ := merit(honest, key)
			known = known && (ok || better != 0)
			if better == 0 {
				better = n - m
			}
		}
		if known && better >= 0 {
			best = append(best, p)
		}
	}
	return best, true
}

// choice is the process that a value of elected names, 0 for none of the run.
func (o oracle) choice(value string) tracefmt.ProcessID {
	n, err := strconv.Atoi(value)
	if err != nil || n > len(o.run.Members) {
		return 0
	}
	return tracefmt.ProcessID(n)
}

// right reports whether a value of elected names a best live elector after k events,
// and whether that is known.
func (o oracle) right(value string, k int) (right, known bool) {
	q := o.choice(value)
	if q == 0 || !o.live(q, k) {
		return false, true
	}
	best, known := o.best(k)
	return slices.Contains(best, q), known
}

func (o oracle) agreement() (wrong, examined int) {
	end := len(o.events)
	type choice struct {
		value string
		term  int
	}
	var before []choice
	for _, p := range o.electors(end) {
		c := choice{o.elected(p, end), o.choiceTerm(p)}
		if c.value == "null" || o.believes(p, end) {
			continue
		}
		examined++
		differs := false
		for i, b := range before {
			first := !slices.ContainsFunc(before[:i], func(a choice) bool { return a.term == b.term })
			comparable := b.term == c.term || b.term == 0 || c.term == 0
			differs = differs || first && comparable && b.value != c.value
		}
		if differs {
			wrong++
		}
		before = append(before, c)
	}
	return wrong, examined
}

func (o oracle) safety() (wrong, examined, open int) {
	end := len(o.events)
	for _, p := range o.electors(end) {
		examined++
		v := o.elected(p, end)
		if v == "null" || o.behind(p, end) || o.believes(p, end) {
			continue
		}
		switch right, known := o.right(v, end); {
		case !known:
			open++
		case !right:
			wrong++
		}
	}
	return wrong, examined, open
}

// assigned returns the value that the event at k gives elected at an elector, "null"
// for none or if it is no such event.
func (o oracle) assigned(k int) string {
	value, ok := o.assignments(k)["elected"]
	if !ok || !o.elector(o.events[k].Process, k+1) || o.believes(o.events[k].Process, k+1) {
		return "null"
	}
	return value
}

func (o oracle) safetyAlways() (wrong, examined, open int) {
	end := len(o.events)
	best, known := o.best(end)
	for k, e := range o.events {
		v := o.assigned(k)
		if v == "null" || !o.live(e.Process, end) {
			continue
		}
		last := 0
		for _, q := range o.electors(end) {
			last = max(last, o.termAfter(q, end))
		}
		if t := o.termAfter(e.Process, k+1); t != 0 && t < last {
			continue
		}
		examined++
		if !known {
			open++
		} else if q := o.choice(v); q == 0 || !slices.Contains(best, q) {
			wrong++
		}
	}
	return wrong, examined, open
}

func (o oracle) safetyAtAssignment() (wrong, examined, open int) {
	for k, e := range o.events {
		v := o.assigned(k)
		if v == "null" || e.Kind != tracefmt.State {
			continue
		}
		examined++
		right, known := o.right(v, k+1)
		switch {
		case o.behind(e.Process, k+1):
		case !known:
			open++
		case !right:
			wrong++
		}
	}
	return wrong, examined, open
}

// called reports whether an elector wants an election.
func (o oracle) called() bool {
	for k, e := range o.events {
		role := position(o.last(e.Process, "role", k+1))
		state := e.Kind == tracefmt.State || e.Kind == tracefmt.Start
		calls := e.Kind == tracefmt.Suspect || e.Kind == tracefmt.Recover || e.Kind == tracefmt.Send && o.elector(e.Peer, len(o.events)) ||
			state && (o.member(o.assignments(k)["votedFor"]) != 0 || role == "seeks" || role == "leads") ||
			e.Kind == tracefmt.State && o.assigned(k) != "null"
		if calls && o.elector(e.Process, len(o.events)) {
			return true
		}
	}
	return false
}

func (o oracle) liveness() (wrong, examined int) {
	live := o.electors(len(o.events))
	if !o.called() || len(live) == 0 {
		return 0, 0
	}
	for _, p := range live {
		if !o.knows(p, len(o.events)) {
			wrong = 1
		}
	}
	return wrong, 1
}

func (o oracle) eventualLeader() (wrong, examined int) {
	end := len(o.events)
	asked := slices.DeleteFunc(o.electors(end), func(p tracefmt.ProcessID) bool {
		return position(o.last(p, "role", end)) != "" && (o.last(p, "elected", end) == "" || o.believes(p, end))
	})
	if !o.called() || len(asked) == 0 {
		return 0, 0
	}
	for _, p := range asked {
		if q := o.choice(o.elected(p, end)); q == 0 || !o.live(q, end) {
			wrong = 1
		}
		for _, q := range asked {
			// A choice without a term may be of any term, so it must agree with all.
			t, u := o.choiceTerm(p), o.choiceTerm(q)
			if (t == u || t == 0 || u == 0) && o.elected(p, end) != o.elected(q, end) {
				wrong = 1
			}
		}
	}
	return wrong, 1
}

func (o oracle) leaderIsLive() (wrong, examined int) {
	for k, e := range o.events {
		v := o.assigned(k)
		if v == "null" || e.Kind != tracefmt.State {
			continue
		}
		examined++
		if q := o.choice(v); q == 0 || !o.live(q, k+1) {
			wrong++
		}
	}
	return wrong, examined
}

// relearns: a process learns where it assigns something, or has learnt at the end.
func (o oracle) relearns() (wrong, examined int) {
	end := len(o.events)
	for k, e := range o.events {
		p := e.Process
		if e.Kind != tracefmt.Recover || !o.elector(p, end) {
			continue
		}
		examined++
		// A process that goes down again need not learn any more.
		over := o.down(p, k, end) || o.knows(p, end)
		for j := k; j < end; j++ {
			if o.events[j].Process == p {
				assigns := slices.Contains([]tracefmt.Kind{tracefmt.Start, tracefmt.State, tracefmt.Recover}, o.events[j].Kind)
				anew := o.events[j].Kind == tracefmt.Recover || o.events[j].Kind == tracefmt.Start
				over = over || anew && j > k || assigns && o.knows(p, j+1)
			}
		}
		if !over {
			wrong++
		}
	}
	return wrong, examined
}

// singleLeader counts the leaders of known terms or, in a run without terms, all leaders.
func (o oracle) singleLeader() (wrong, examined int) { return o.leaders(o.recordsTerm()) }

// maybeTwoLeaders reports whether two lead, one without a recorded term.
func (o oracle) maybeTwoLeaders() bool {
	list, _ := o.leaders(false)
	known, _ := o.leaders(true)
	return o.recordsTerm() && known == 0 && list > 0
}

func (o oracle) recordsTerm() bool {
	return slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		for k := range o.events {
			if !o.bystander(p) && o.termAfter(p, k+1) != 0 {
				return true
			}
		}
		return false
	})
}

func (o oracle) leaders(ofKnownTerms bool) (wrong, examined int) {
	meet := func(p, q tracefmt.ProcessID, k int) bool {
		known := o.termAfter(p, k) != 0 && o.termAfter(q, k) != 0
		return o.isLeader(p, k) && o.isLeader(q, k) && o.sameTerm(p, q, k) && (known || !ofKnownTerms)
	}
	for k := range o.events {
		for _, p := range o.processes() {
			if o.isLeader(p, k+1) {
				examined++
			}
			for _, q := range o.processes() {
				second := p + q - o.events[k].Process
				e := o.events[k]
				anew := (e.Process == p || e.Process == q) && (e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover)
				if p < q && meet(p, q, k+1) && (anew || !meet(p, q, k)) && !o.comesBack(second, k) {
					wrong++
				}
			}
		}
	}
	return wrong, examined
}
