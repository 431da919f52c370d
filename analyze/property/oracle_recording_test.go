package property_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// The oracle of recordings: members with roles, leaders by the variable role, terms,
// numbers that arrive as texts. It reads docs/vocabulary.md, and nothing of the
// monitors.

type recorded struct{ oracle }

// bystander: the member's role is that of a non-participant.
func (o recorded) bystander(p tracefmt.ProcessID) bool {
	var attributes struct{ Role string }
	_ = json.Unmarshal(o.run.Members[p-1].Attributes, &attributes) // none is no object
	return slices.Contains([]string{"byzantine", "client", "controller", "observer"}, attributes.Role)
}

// elector: p participates, by its role or, without one, by a recorded choice or role in the first k events.
func (o recorded) elector(p tracefmt.ProcessID, k int) bool {
	if o.bystander(p) || len(o.run.Members[p-1].Attributes) > 0 {
		return !o.bystander(p)
	}
	for i := range k {
		a := o.assignments(i)
		if _, ok := a["elected"]; o.events[i].Process == p && (ok || a["role"] != "") {
			return true
		}
	}
	return false
}

// electors are the live electors at the end.
func (o recorded) electors() []tracefmt.ProcessID {
	return slices.DeleteFunc(o.liveAtEnd(), func(p tracefmt.ProcessID) bool { return !o.elector(p, len(o.events)) })
}

// names reports whether a JSON value is the name of p: a text, or a number where the
// name is one.
func (o recorded) names(value string, p tracefmt.ProcessID) bool {
	return strings.Trim(value, `"`) == o.run.Members[p-1].Name
}

// leader: p leads after the first k events.
func (o recorded) leader(p tracefmt.ProcessID, k int) bool {
	v := o.variablesOf(p, k)
	role := strings.ToLower(strings.Trim(v["role"], `"`))
	switch {
	case !o.live(p, k), o.bystander(p), o.deposed(p, k):
		return false
	case role != "":
		return slices.Contains([]string{"leader", "leading", "primary", "master"}, role)
	}
	return v["elected"] != "" && o.names(v["elected"], p)
}

// deposed reports whether p has been down, or changed its term, since it last recorded whether it leads.
func (o recorded) deposed(p tracefmt.ProcessID, k int) bool {
	var terms []int
	for i := k; i > 0; i-- {
		e := o.events[i-1]
		if e.Process != p {
			continue
		}
		if e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt {
			return true
		}
		if term := o.term(p, i); term >= 0 {
			terms = append(terms, term)
		}
		a := o.assignments(i - 1)
		if a["role"] != "" || a["elected"] != "" && o.names(a["elected"], p) {
			break
		}
	}
	return len(terms) > 0 && slices.Min(terms) != slices.Max(terms)
}

// term of p after the first k events, -1 if none is known.
func (o recorded) term(p tracefmt.ProcessID, k int) int {
	v := o.variablesOf(p, k)
	variant, ok := v["term"]
	if o.run.Problem == tracefmt.Zab {
		variant, ok = v["epoch"]
	}
	term, err := strconv.Atoi(strings.Trim(variant, `"`))
	if !ok || err != nil {
		return -1
	}
	return term
}

// sameTerm: as far as is known.
func sameTerm(x, y int) bool { return x == y || x < 0 || y < 0 }

// recordsAny reports whether any event assigns one of the variables.
func (o recorded) recordsAny(names ...string) bool {
	return slices.ContainsFunc(o.indices(), func(k int) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(o.assignments(k))), func(v string) bool { return slices.Contains(names, v) })
	})
}

// recordedLaw is how the oracle decides a property of recordings.
type recordedLaw struct {
	violated func(recorded) bool
	// needs are variables; the run records at least one.
	needs []string
	// atEnd: while the run can go on, what is wrong may be mended.
	atEnd bool
}

// judge is Satisfied where nothing is found.
func (l recordedLaw) judge(o recorded) analyze.Verdict {
	switch {
	case l.needs != nil && !o.recordsAny(l.needs...) || !l.violated(o):
		return analyze.Satisfied
	case l.atEnd && !o.quiescent():
		return analyze.Pending
	}
	return analyze.Violated
}

func recordedNames() []string { return slices.Sorted(maps.Keys(recordedLaws)) }

var recordedLaws = map[string]recordedLaw{
	"agreement":              {recorded.disagreement, []string{"elected"}, true},
	"leader-is-live":         {recorded.electsTheDead, []string{"elected"}, false},
	"single-leader":          {recorded.twoLeaders, []string{"elected", "role"}, false},
	"single-leader-possibly": {recorded.twoLeadersPossibly, []string{"elected", "role"}, false},
	"term-monotone":          {recorded.termFalls, nil, false},
	"named-leader-per-term":  {recorded.twoNamedLeaders, []string{"elected"}, false},
	"unique-leader-per-term": {recorded.twoLeadersOfATerm, nil, false},
	"vote-once-per-term":     {recorded.twoVotes, nil, false},
}

func (o recorded) disagreement() bool {
	return o.anyPair(func(p, q tracefmt.ProcessID) bool {
		end := len(o.events)
		v, w := o.variablesOf(p, end)["elected"], o.variablesOf(q, end)["elected"]
		return slices.Contains(o.electors(), p) && slices.Contains(o.electors(), q) && v != "" && w != "" && v != w &&
			!o.staleBelief(p) && !o.staleBelief(q) && o.possibleSharedChoice(p, q)
	})
}

// staleBelief reports whether p ends with itself elected, and a role that is not that of
// a leader.
func (o recorded) staleBelief(p tracefmt.ProcessID) bool {
	end := len(o.events)
	v := o.variablesOf(p, end)
	return v["role"] != "" && o.names(v["elected"], p) && !o.leader(p, end)
}

// possibleSharedChoice reports whether p and q may have elected in the same term.
func (o recorded) possibleSharedChoice(p, q tracefmt.ProcessID) bool {
	return sameTerm(o.choiceTerm(p), o.choiceTerm(q))
}

// choiceTerm is the term of p's choice, else the first recorded term after it; -1 for none.
func (o recorded) choiceTerm(p tracefmt.ProcessID) int {
	term := -1
	for k, e := range o.events {
		_, chooses := o.assignments(k)["elected"]
		switch {
		case e.Process != p:
		case o.variablesOf(p, k+1)["elected"] == "":
			term = -1
		case chooses || term < 0:
			term = o.term(p, k+1)
		}
	}
	return term
}

// anyPair reports whether two different processes are related.
func (o recorded) anyPair(related func(p, q tracefmt.ProcessID) bool) bool {
	return slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		return slices.ContainsFunc(o.processes(), func(q tracefmt.ProcessID) bool { return p != q && related(p, q) })
	})
}

func (o recorded) electsTheDead() bool {
	return slices.ContainsFunc(o.indices(), func(k int) bool {
		e, value := o.events[k], o.assignments(k)["elected"]
		return e.Kind == tracefmt.State && value != "" && value != "null" && o.elector(e.Process, k+1) &&
			!slices.ContainsFunc(o.processes(), func(q tracefmt.ProcessID) bool { return o.names(value, q) && o.live(q, k+1) })
	})
}

// sameKnownTerm: if any term is recorded, only of known ones; in the problems that have
// terms never of unknown ones.
func (o recorded) sameKnownTerm(x, y int) bool {
	tells := slices.ContainsFunc(o.processes(), func(p tracefmt.ProcessID) bool {
		return slices.ContainsFunc(o.indices(), func(k int) bool { return o.term(p, k+1) >= 0 })
	})
	if tells || o.run.Problem == tracefmt.Raft || o.run.Problem == tracefmt.Zab {
		return x == y && x >= 0
	}
	return true
}

func (o recorded) twoLeaders() bool {
	return o.anyPair(func(p, q tracefmt.ProcessID) bool {
		return slices.ContainsFunc(o.indices(), func(k int) bool {
			return o.leader(p, k+1) && o.leader(q, k+1) && o.sameKnownTerm(o.term(p, k+1), o.term(q, k+1)) && o.isUp(p, k) && o.isUp(q, k)
		})
	})
}

// isUp: p takes the step at k, or does not come back next. A note may be what somebody
// writes about p.
func (o recorded) isUp(p tracefmt.ProcessID, k int) bool {
	e := o.events[k]
	return e.Process == p && (e.Kind != tracefmt.Note || acts(e)) || !o.comesBack(p, k)
}

// twoLeadersPossibly looks at where each leads in one term.
func (o recorded) twoLeadersPossibly() bool {
	hb := o.happenedBefore()
	return o.anyPair(func(p, q tracefmt.ProcessID) bool {
		for _, x := range o.termsOf(p) {
			for _, y := range o.termsOf(q) {
				if sameTerm(x, y) && slices.ContainsFunc(o.stays(p, o.leaderOf(x)), func(i stay) bool {
					return slices.ContainsFunc(o.stays(q, o.leaderOf(y)), func(j stay) bool { return o.possibly(hb, i, j, p, q) })
				}) {
					return true
				}
			}
		}
		return false
	})
}

func (o recorded) leaderOf(term int) func(tracefmt.ProcessID, int) bool {
	return func(p tracefmt.ProcessID, k int) bool { return o.leader(p, k) && o.term(p, k) == term }
}

// termsOf are those in which p leads.
func (o recorded) termsOf(p tracefmt.ProcessID) (list []int) {
	for k := range len(o.events) + 1 {
		if o.leader(p, k) {
			list = append(list, o.term(p, k))
		}
	}
	return list
}

// twoNamedLeaders: two events name different leaders of their term.
func (o recorded) twoNamedLeaders() bool {
	first := make(map[int]string)
	return slices.ContainsFunc(o.indices(), func(k int) bool {
		leader, term := strings.Trim(o.assignments(k)["elected"], `"`), o.recordedTerm(k)
		named := slices.ContainsFunc(o.run.Members, func(m tracefmt.Member) bool { return m.Name == leader })
		if p := o.events[k].Process; !named || term < 0 || o.names(leader, p) && !o.leader(p, k+1) {
			return false
		}
		if first[term] == "" {
			first[term] = leader
		}
		return first[term] != leader
	})
}

// twoLeadersOfATerm: of these.
func (o recorded) twoLeadersOfATerm() bool {
	return o.anyPair(func(p, q tracefmt.ProcessID) bool {
		return slices.ContainsFunc(o.claims(p), func(term int) bool { return term >= 0 && slices.Contains(o.claims(q), term) })
	})
}

// claims are the terms in which p records that it leads.
func (o recorded) claims(p tracefmt.ProcessID) (list []int) {
	for k, e := range o.events {
		a := o.assignments(k)
		if says := a["role"] != "" || o.names(a["elected"], p); e.Process == p && says && o.leader(p, k+1) {
			list = append(list, o.term(p, k+1))
		}
	}
	return list
}

// termFalls: a process records a lower term later.
func (o recorded) termFalls() bool {
	return slices.ContainsFunc(o.indices(), func(k int) bool {
		return slices.ContainsFunc(o.indices()[:k], func(j int) bool {
			x, y := o.recordedTerm(j), o.recordedTerm(k)
			return o.events[j].Process == o.events[k].Process && x >= 0 && y >= 0 && y < x
		})
	})
}

// recordedTerm is the term that the event at k assigns, -1 if it assigns none.
func (o recorded) recordedTerm(k int) int {
	for _, name := range []string{"epoch", "term"} {
		if term, err := strconv.Atoi(strings.Trim(o.assignments(k)[name], `"`)); err == nil {
			return term
		}
	}
	return -1
}

func (o recorded) twoVotes() bool {
	vote := func(k int) (value string, term int) {
		return strings.Trim(o.assignments(k)["votedFor"], `"`), o.term(o.events[k].Process, k+1)
	}
	named := func(value string) bool {
		return value != "0" || slices.ContainsFunc(o.run.Members, func(m tracefmt.Member) bool { return m.Name == "0" })
	}
	votes := func(value string) bool { return value != "" && value != "null" && named(value) }
	return slices.ContainsFunc(o.indices(), func(k int) bool {
		value, term := vote(k)
		return votes(value) && term >= 0 && slices.ContainsFunc(o.indices()[:k], func(j int) bool {
			before, later := vote(j)
			return o.events[j].Process == o.events[k].Process && votes(before) && before != value && later == term
		})
	})
}

// TestRecordingOracle: the monitors' verdicts on recordings equal those of quantifying over all completions.
// Whether a run has what a property needs, and how much of it was examined, may be seen otherwise, as long as
// nothing is found.
func TestRecordingOracle(t *testing.T) {
	names := recordedNames()
	seen, shortest, shown := map[string]map[bool]int{}, map[string]int{}, map[string]string{}
	for _, name := range names {
		seen[name] = map[bool]int{}
	}
	size.Check(t, 60, 500, 30_000, func(t *rapid.T) {
		m := drawRecording(t)
		o := recorded{oracle{m.Run(), events(m)}}
		for _, r := range check(t, m, true, names...).Results {
			name, law := r.Property.Name, recordedLaws[r.Property.Name]
			want := law.judge(o)
			seen[name][isWrong(want)]++
			n, known := shortest[name]
			if (isWrong(r.Verdict) || isWrong(want)) && r.Verdict != want && (!known || m.Len() < n) {
				shortest[name], shown[name] = m.Len(),
					name+": got "+string(r.Verdict)+" ("+r.Explanation+"), the oracle says "+string(want)+"\n"+inText(m)
			}
		}
	})
	for _, name := range names {
		if shown[name] != "" {
			t.Error(shown[name])
		}
		if size.Now() == size.Long && (seen[name][true] == 0 || seen[name][false] == 0) {
			t.Errorf("%s: %v, expected runs in which it is violated and others", name, seen[name])
		}
	}
}
