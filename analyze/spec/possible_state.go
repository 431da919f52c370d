package spec

import (
	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The facts by which a process goes down and comes up.
var (
	startFact   = tracefmt.Fact{Kind: tracefmt.Start}
	crashFact   = tracefmt.Fact{Kind: tracefmt.Crash}
	haltFact    = tracefmt.Fact{Kind: tracefmt.Halt}
	recoverFact = tracefmt.Fact{Kind: tracefmt.Recover}
)

// mayRise reports whether p, which is down, may have come up.
func (f *frame) mayRise(p tracefmt.ProcessID) bool {
	return f.mayHappen(p, f.state.Process(p).Since, f.until(), recoverFact)
}

// staysDown reports whether p is down for sure, so that it has done nothing since.
func (f *frame) staysDown(p tracefmt.ProcessID) bool {
	st := f.state.Process(p)
	return !st.Live() && !f.state.Coverage().MayRise(p, st.Since, f.until())
}

// acted is the event before which p has done whatever it has done so far.
func (f *frame) acted(p tracefmt.ProcessID) tracefmt.Seq {
	if f.staysDown(p) {
		return f.state.Process(p).Since
	}
	return f.until()
}

// mayRestart reports whether p may have come up anew after an event, without what it had.
func (f *frame) mayRestart(p tracefmt.ProcessID, at tracefmt.Seq) (may bool) {
	st, to := f.state.Process(p), f.until()
	switch {
	case !st.Live():
		may = f.mayRise(p)
		to = st.Since
	case st.Down != 0 && at < st.Since:
		may = f.mayHappen(p, st.Down, to, recoverFact)
	}
	return f.mayAnew(p, at, to) || may
}

// mayAnew reports whether p may have gone down and come up between two events.
func (f *frame) mayAnew(p tracefmt.ProcessID, from, to tracefmt.Seq) bool {
	return (to == 0 || from < to) && f.may(analyze.MayRestart(p, from, to))
}

// saidAt is the event that gave a variable its value. A start or recovery that is recorded
// without the variable may have assigned it, too.
func (f *frame) saidAt(p tracefmt.ProcessID, name string) tracefmt.Seq {
	at := f.state.AssignedAt(p, name)
	if _, set := f.state.Variable(p, name); !set && at > 0 {
		return at - 1
	}
	return at
}

// mayLive is whether a process may be up.
func (f *frame) mayLive(p tracefmt.ProcessID) truths {
	st := f.state.Process(p)
	switch {
	case st.Live() && f.mayHappen(p, f.state.StepAt(p), f.until(), crashFact, haltFact), !st.Live() && f.mayRise(p):
		return undecided
	}
	return only(truthOf(st.Live()))
}

// variableMay is what a variable of a process may be, which is recorded as that.
func (f *frame) variableMay(p tracefmt.ProcessID, name string, told value) choices {
	at := f.saidAt(p, name)
	if f.mayHappen(p, at, f.acted(p), tracefmt.StateOf(name)) {
		return choices{any: true}
	}
	all := one(told)
	if told.sort != null && f.mayRestart(p, at) {
		all.add(value{sort: null})
	}
	return all
}

// termMay is what the term of a process may be.
func (f *frame) termMay(p tracefmt.ProcessID) choices {
	term, at := f.termAt(p)
	if f.mayHappen(p, at, f.acted(p), term) {
		return choices{any: true}
	}
	all := one(f.parse(f.state.Term(p).JSON()))
	if f.state.Term(p).Known() && f.mayRestart(p, at) {
		all.add(value{sort: null})
	}
	return all
}

// termAt is the fact that tells terms, and the event that told that of p.
func (f *frame) termAt(p tracefmt.ProcessID) (term tracefmt.Fact, at tracefmt.Seq) {
	term = f.state.TermFact()
	if term.Variable != "" {
		at = f.saidAt(p, term.Variable)
	}
	return term, at
}

// mayLead is whether a process may lead; see [replay.State.Leads].
func (f *frame) mayLead(p tracefmt.ProcessID) truths {
	st := f.state.Process(p)
	switch {
	case f.run.Part(p) == tracefmt.StandsBy || f.staysDown(p):
		return mayBeNo
	case f.state.Leads(p) && f.mayCease(p), !f.state.Leads(p) && f.mayBegin(p):
		if !st.Live() {
			f.mayRise(p)
		}
		return undecided
	}
	return only(truthOf(f.state.Leads(p)))
}

// mayCease reports whether p, which leads, may have ceased to.
func (f *frame) mayCease(p tracefmt.ProcessID) (may bool) {
	to, said := f.until(), roleVariable
	may = f.mayHappen(p, f.state.StepAt(p), to, crashFact, haltFact)
	may = f.mayHappen(p, f.saidAt(p, roleVariable), to, tracefmt.StateOf(roleVariable)) || may
	if f.state.Process(p).Role == replay.RoleUntold {
		said = electedVariable
		may = f.mayHappen(p, f.saidAt(p, said), to, tracefmt.StateOf(said)) || may
	}
	may = f.mayRestart(p, f.saidAt(p, said)) || may
	term, at := f.termAt(p)
	if at > f.state.Process(p).SaidAt { // it may have been another one when it said so
		at = 0
	}
	return f.mayHappen(p, at, to, term) || may
}

// mayBegin reports whether p, which does not lead, may: since it has said so, or since it
// had not said the contrary when it came up, or was not in another term.
func (f *frame) mayBegin(p tracefmt.ProcessID) (may bool) {
	st, to := f.state.Process(p), f.until()
	roleAt, electedAt := f.saidAt(p, roleVariable), f.saidAt(p, electedVariable)
	may = f.mayHappen(p, roleAt, to, tracefmt.StateOf(roleVariable))
	from := f.reading.mark()
	switch elects := f.mayHappen(p, electedAt, to, tracefmt.StateOf(electedVariable)); {
	case !elects:
	case st.Role == replay.RoleUntold || !st.Live() || f.mayRestart(p, roleAt):
		may = true
	default:
		f.unread(from)
	}
	if !st.Live() {
		return may
	}
	if st.Elected == p && roleAt < electedAt {
		may = f.mayAnew(p, roleAt, electedAt) || may
	}
	if st.Role == replay.RoleLeads || st.Role == replay.RoleUntold && st.Elected == p {
		term, _ := f.termAt(p)
		may = f.mayHappen(p, 0, to, term) || may
		may = f.mayAnew(p, 0, to) || may
	}
	return may
}

// mayHold is whether a fluent may hold at a process.
func (s *fluentState) mayHold(f *frame, p tracefmt.ProcessID) truths {
	if s.def.while != nil {
		was := f.variables[0]
		f.variables[0] = p
		t := s.def.condition.possible(f)
		f.variables[0] = was
		if t&mayBeUnknown != 0 { // it does not hold then
			t = t&^mayBeUnknown | mayBeNo
		}
		return t
	}
	facts, at := s.def.ends.events, s.since[p]
	if at == 0 {
		facts, at = s.def.begins.events, s.ended[p]
	}
	may := f.mayHappen(p, at, f.until(), facts...)
	for _, fact := range distinct(s.def.begins.reads, s.def.ends.reads) {
		may = f.may(analyze.Need{Process: analyze.EveryProcess, Fact: fact, To: f.until()}) || may
	}
	if may {
		return undecided
	}
	return only(truthOf(s.since[p] != 0))
}

// bestMay is which process of a set may be the one of the greatest id.
func (f *frame) bestMay(set func(tracefmt.ProcessID) truths) choices {
	sure := tracefmt.ProcessID(0)
	begin := f.reading.mark()
	for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
		if set(p) == mayBeYes && (sure == 0 || f.ranks[p] > f.ranks[sure]) {
			sure = p
		}
	}
	f.unread(begin)
	all := one(value{sort: null})
	if sure != 0 {
		all = one(processValue(sure))
	}
	for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
		if sure != 0 && f.ranks[p] <= f.ranks[sure] {
			continue
		}
		from := f.reading.mark()
		if set(p)&mayBeYes != 0 {
			all.add(processValue(p))
		} else {
			f.unread(from)
		}
	}
	return all
}

// mayElect is whether a process may be an elector; see [replay.State.Elector].
func (f *frame) mayElect(p tracefmt.ProcessID) truths {
	if f.state.Elector(p) {
		return mayBeYes
	}
	if f.run.Part(p) == tracefmt.PartUnknown &&
		f.mayHappen(p, 0, f.acted(p), tracefmt.StateOf(electedVariable), tracefmt.StateOf(roleVariable)) {
		return undecided
	}
	return mayBeNo
}
