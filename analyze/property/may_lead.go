package property

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// leading is the fold that says, of a run that is not recorded whole, who may lead when, in
// whatever may have happened between its events. It keeps what each process told of that,
// and follows it at the end, when it is known what of it may be missing.
type leading struct {
	told  []telling
	terms []replay.Term         // those that were told
	at    map[replay.Term]int32 // their places
	// partly: not all was kept.
	partly bool
	answer *whoMayLead
}

// telling is an event that may change whether its process leads.
type telling struct {
	seq     tracefmt.Seq
	process int32
	term    int32 // the place of the term that it has then, as is recorded
	kind    tracefmt.Kind
	role    replay.RoleTold
	// self: it has elected itself; leads: it is recorded to lead.
	hasRole, hasElected, hasTerm, self, leads bool
	restarts, inferred                        bool
}

// mostTold is how many of these are kept.
const mostTold = 1 << 20

func newLeading(*tracefmt.Run) *leading {
	return &leading{terms: []replay.Term{{}}, at: map[replay.Term]int32{{}: 0}}
}

// Step takes in an event.
func (l *leading) Step(s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if s.Coverage().Complete() {
		l.partly = true // unless all stays to be told
		return
	}
	if p == 0 || l.partly || !s.Changed(e) {
		return
	}
	t := telling{seq: e.Seq, process: int32(p), kind: e.Kind, restarts: s.Restarted(), leads: s.Leads(p), inferred: e.Inferred()}
	if e.Kind.AssignsVariables() {
		t.hasRole, t.hasElected = s.AssignedAt(p, "role") == e.Seq, s.AssignedAt(p, "elected") == e.Seq
		t.role, t.self, t.hasTerm = s.Process(p).Role, s.Process(p).Elected == p, s.TermIn(e).Known()
		if e.Kind == tracefmt.State && !t.hasRole && !t.hasElected && !t.hasTerm && !t.restarts {
			return
		}
	}
	var known bool
	t.term, known = l.at[s.Term(p)]
	if !known {
		t.term = int32(len(l.terms))
		l.at[s.Term(p)] = t.term
		l.terms = append(l.terms, s.Term(p))
	}
	l.partly = len(l.told) >= mostTold
	l.told = append(l.told, t)
}

// whoMayLead is what may have been, by what is recorded.
type whoMayLead struct {
	ever, fell []bool // by process: it may have led, and has been down
	meetings          // in one term
	// share: two may have led in one term, at whatever times, one of them where it is not
	// recorded to.
	share bool
}

// ask returns what may have been; it is for the end.
func (l *leading) ask(s *replay.State) *whoMayLead {
	if l.answer == nil {
		l.answer = newWhoLed(s, l).follow()
	}
	return l.answer
}

// whoLed follows what processes may have been, event by event.
type whoLed struct {
	*leading
	whoMayLead
	state *replay.State
	of    []contender
	may   []tracefmt.ProcessID // those that may lead, and some others
	// inTerm are the first two that may lead in a known term, by its place; vague those of
	// terms that are not known, and some those of whatever term.
	inTerm      map[int32]*contenders
	vague, some contenders
	hides       bool // some process may lead in a known term where it is not recorded to
}

// contenders are the first two processes that may lead.
type contenders struct {
	first, second tracefmt.ProcessID
	hidden        bool // one may where it is not recorded to
}

func (c *contenders) add(p tracefmt.ProcessID, hidden bool) {
	c.hidden = c.hidden || hidden
	switch {
	case c.first == 0 || c.first == p:
		c.first = p
	default:
		c.second = p
	}
}

// contender is a process.
type contender struct {
	guess   guess
	missing unsaid       // anywhere
	inGap   unsaid       // and in a gap
	last    tracefmt.Seq // its last event that was followed
	term    int32
	leads   bool // as is recorded
	early   bool // it may have led before it was recorded to
	listed  bool
	gaps    bool
}

// hidden reports whether the process may lead, or have led since earlier, otherwise than is
// recorded.
func (c *contender) hidden() bool { return !c.leads || c.early }

func newWhoLed(s *replay.State, l *leading) *whoLed {
	w := &whoLed{leading: l, state: s, of: make([]contender, len(s.Run.Members)+1), inTerm: make(map[int32]*contenders)}
	w.ever, w.fell = make([]bool, len(w.of)), make([]bool, len(w.of))
	c := s.Coverage()
	for _, p := range mayElect(s) {
		of := &w.of[p]
		may := func(f tracefmt.Fact) bool { return c.Exists(f) && c.Level(p, f) != tracefmt.All }
		of.missing = unsaid{role: may(roleFact), elected: may(electedFact), term: may(s.TermFact()),
			rise: may(recoverFact) || c.Said(p, startFact) > tracefmt.All}
		of.missing.restart = of.missing.rise && may(crashFact)
		of.inGap = unsaid{role: c.Exists(roleFact), elected: c.Exists(electedFact), term: true, rise: true, restart: true}
		of.gaps = len(c.Gaps(p)) > 0
		of.guess = blank(false).after(of.missing)
		w.list(p)
	}
	return w
}

func (w *whoLed) follow() *whoMayLead {
	for i := range w.told {
		if t := &w.told[i]; w.state.Run.Part(tracefmt.ProcessID(t.process)) != tracefmt.StandsBy {
			w.step(t)
		}
	}
	for i, p := range w.may {
		w.note(p, 0)
		for _, q := range w.may[:i] {
			w.compare(p, q, 0)
		}
	}
	w.share = w.partly || w.some.second != 0 && (w.vague.hidden || w.vague.first != 0 && w.hides)
	for _, c := range w.inTerm {
		w.share = w.share || c.hidden && c.second != 0
	}
	if w.partly {
		w.many, w.hidden = true, true
		for _, p := range mayElect(w.state) {
			w.ever[p], w.fell[p] = true, true
		}
	}
	return &w.whoMayLead
}

// list keeps p among those that may lead, from the event on that was followed last.
func (w *whoLed) list(p tracefmt.ProcessID) {
	if of := &w.of[p]; !of.listed && (of.gaps || of.guess&leadGuess != 0) {
		of.listed = true
		w.may = append(w.may, p)
	}
}

// before is what p may be right before an event, 0 for the end.
func (w *whoLed) before(p tracefmt.ProcessID, seq tracefmt.Seq) guess {
	of := &w.of[p]
	if of.gaps && w.state.Coverage().InGap(p, of.last, seq) {
		return of.guess.after(of.inGap)
	}
	return of.guess
}

func (w *whoLed) step(t *telling) {
	p := tracefmt.ProcessID(t.process)
	of := &w.of[p]
	before := w.before(p, t.seq)
	now := before.step(t, w.terms[of.term], w.terms[t.term]).after(of.missing)
	led := before & leadGuess
	if led != 0 && (led&^now != 0 || of.term != t.term || of.leads != t.leads) {
		w.note(p, t.seq)
		for _, q := range w.may {
			if q != p {
				w.compare(p, q, t.seq)
			}
		}
	}
	of.early = t.leads && (of.early || led&otherGuess != 0 || led != 0 && !of.leads)
	of.guess, of.last, of.term, of.leads = now, t.seq, t.term, t.leads
	w.fell[p] = w.fell[p] || t.kind == tracefmt.Crash || t.kind == tracefmt.Halt
	if w.list(p); of.listed && !of.gaps && now&leadGuess == 0 {
		of.listed = false
		w.may = slices.DeleteFunc(w.may, func(q tracefmt.ProcessID) bool { return q == p })
	}
}

// note takes in that p may lead, or may have since its last event, before another.
func (w *whoLed) note(p tracefmt.ProcessID, seq tracefmt.Seq) {
	of, led := &w.of[p], w.before(p, seq)&leadGuess
	if led == 0 {
		return
	}
	w.ever[p] = true
	w.some.add(p, false)
	if led&otherGuess != 0 {
		w.vague.add(p, true)
	}
	switch known := w.terms[of.term].Known(); {
	case led&^otherGuess == 0:
	case !known:
		w.vague.add(p, !of.leads)
	default:
		w.hides = w.hides || !of.leads
		if w.inTerm[of.term] == nil {
			w.inTerm[of.term] = new(contenders)
		}
		w.inTerm[of.term].add(p, !of.leads)
	}
}

// compare takes in that p and q may lead together before an event.
func (w *whoLed) compare(p, q tracefmt.ProcessID, seq tracefmt.Seq) {
	if w.full() {
		return
	}
	x, y := w.before(p, seq)&leadGuess, w.before(q, seq)&leadGuess
	same := w.terms[w.of[p].term].MaySame(w.terms[w.of[q].term])
	if x == 0 || y == 0 || !same && (x|y)&otherGuess == 0 {
		return
	}
	w.add(p, q, seq, !same || w.of[p].hidden() || w.of[q].hidden())
}

// needs are the facts by which processes may have led that are not recorded to.
func (w *whoMayLead) needs(s *replay.State) (needs []analyze.Need) {
	for _, p := range mayElect(s) {
		if !w.ever[p] {
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, 0, electedFact, roleFact, s.TermFact())...)
		needs = append(needs, analyze.MayRestart(p, 0, 0))
		if w.fell[p] {
			needs = append(needs, analyze.Needs(p, 0, 0, recoverFact)...)
		}
	}
	return needs
}
