package analyze

import (
	"cmp"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Digest has the events of a stretch of consecutive events without which a survey of the run would find something
// else. Stretches are read apart, in any order; a survey takes their digests in the order of the run.
type Digest struct {
	// Full are events with all fields, which rules may read. Bare events lack the payload, and all but those in
	// flight lack their message.
	Full []*tracefmt.Event
	Bare []*tracefmt.Event
	// Guessed counts the receives with a guessed send, GuessedAt is the first of them.
	Guessed   int
	GuessedAt tracefmt.Seq
	// Crowded is set if the messages in flight and the timers are too many to list.
	Crowded bool
}

// maxListed is the number of messages in flight and timers that a digest lists, and of roles that it distinguishes.
const maxListed = 4096

// selector selects the events of a stretch for its digest. It has not seen the events before the stretch, so
// it selects every event that might matter after some of them.
type selector struct {
	run       *tracefmt.Run
	coverage  *tracefmt.Coverage // the completeness that the run declares
	digest    Digest
	first     tracefmt.Seq
	last      tracefmt.Event
	clockBack bool     // the clock has gone back
	kinds     []uint32 // the kinds that have occurred, by process, and at the end those of all processes
	up        []bool   // by process: it has taken a step since its status last changed
	steps     []tracefmt.Event
	names     map[string]bool // variables and values of role that have occurred
	// assigned has the last assignments of the variables that are declared unrecorded, timers the last event of each.
	assigned map[item]*tracefmt.Event
	timers   map[item]tracefmt.Event
	// sends are the sends in flight, and some that have arrived. flying has a bit for each event of the stretch, set
	// for a send in flight; inFlight counts these. arrivals are receipts and losses of sends before the stretch.
	sends    []tracefmt.Event
	flying   []uint64
	inFlight int
	arrivals []tracefmt.Event
	shown    map[tracefmt.Seq]bool // the sends among the full events
}

// item is a timer or a variable of a process.
type item struct {
	process tracefmt.ProcessID
	name    string
}

// newSelector returns the selector of a stretch of the run.
func newSelector(run *tracefmt.Run) *selector {
	n := len(run.Members) + 1
	return &selector{
		run: run, coverage: tracefmt.NewCoverage(run), kinds: make([]uint32, n+1), up: make([]bool, n),
		steps: make([]tracefmt.Event, n), names: make(map[string]bool),
		assigned: make(map[item]*tracefmt.Event), timers: make(map[item]tracefmt.Event),
		shown: make(map[tracefmt.Seq]bool),
	}
}

// withoutPayload returns the event without its payload.
func withoutPayload(e *tracefmt.Event) tracefmt.Event {
	b := *e
	b.Payload = nil
	return b
}

// add takes the next event of the stretch, and selects it if a survey may need it. news is set if the event
// changes the knowledge of a rule.
func (s *selector) add(e *tracefmt.Event, news bool) {
	units := s.run.TimeUnit.Units
	backwards := !s.clockBack && s.first != 0 && units(e.Time) < units(s.last.Time)
	_, status := replay.StatusAfter(e.Kind)
	// A survey finds a clock that goes back by both events. An inferred crash is no event of the state, and the survey
	// names the step before it.
	if (backwards || status) && s.first != 0 {
		s.addBare(s.last)
	}
	if step := s.steps[e.Process]; status && step.Seq != 0 {
		s.addBare(step)
	}
	if backwards || s.first == 0 {
		s.addBare(*e)
	}
	s.clockBack = s.clockBack || backwards
	s.first, s.last = cmp.Or(s.first, e.Seq), *e
	// restarts is true if the event restarts its process, or does so if the process was down.
	restarts := false
	if e.Process != 0 && (status || replay.IsAct(e)) {
		restarts = !status && !s.up[e.Process]
		s.up[e.Process] = !status
		s.steps[e.Process] = *e
	}
	if e.GuessedSend() {
		s.digest.Guessed++
		s.digest.GuessedAt = cmp.Or(s.digest.GuessedAt, e.Seq)
	}
	// Both calls have effects, so neither may be skipped.
	occurs, assigns := s.occurs(e), e.Kind.AssignsVariables() && s.assigns(e)
	if news || status || restarts || occurs || assigns {
		s.digest.Full = append(s.digest.Full, e.Clone())
		if e.Kind == tracefmt.Send {
			s.shown[e.Seq] = true
		}
	}
	s.trackPending(e)
}

// addBare selects an event without its payload and message.
func (s *selector) addBare(e tracefmt.Event) {
	e.Peer, e.Message, e.Cause = 0, 0, 0
	s.addMessage(e)
}

// addMessage selects an event without its payload.
func (s *selector) addMessage(e tracefmt.Event) {
	e.Payload = nil
	s.digest.Bare = append(s.digest.Bare, &e)
}

// messages are the kinds of events that do not show whether a process takes part.
const messages = 1<<tracefmt.Send | 1<<tracefmt.Receive | 1<<tracefmt.Lose

// occurs reports whether the event is the first of its kind in some respect: at all, at a process that declares
// none, or as a sign that the process takes part.
func (s *selector) occurs(e *tracefmt.Event) bool {
	ofRun, ofProcess, bit := &s.kinds[len(s.kinds)-1], &s.kinds[e.Process], uint32(1)<<e.Kind
	kindsBefore := *ofProcess
	*ofProcess |= bit
	if *ofRun&bit == 0 && e.Mark() == "" {
		*ofRun |= bit
		return true
	}
	if kindsBefore&bit != 0 {
		return false
	}
	// The first event other than of messages shows that the process takes part. An event of a kind that its process
	// declares as none contradicts the declaration.
	return bit&messages == 0 && kindsBefore&^messages == 0 ||
		s.run.Completeness != nil && s.coverage.Declared(e.Process, tracefmt.Fact{Kind: e.Kind}) == tracefmt.None
}

// assigns reports whether the event is the first of the stretch that assigns some variable, or some role. It
// keeps the last assignment of variables that are declared unrecorded.
func (s *selector) assigns(e *tracefmt.Event) (first bool) {
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		if list := len(tracefmt.ListName(name)); list < len(name) {
			// All items of a list count as one variable.
			name = name[:list+1]
		}
		if !s.names[string(name)] {
			s.names[string(name)], first = true, true
		}
		if string(name) == "role" && !s.names["role="+string(value)] && len(s.names) < maxListed {
			s.names["role="+string(value)], first = true, true
		}
		declaredNone := s.run.Completeness != nil &&
			s.coverage.Declared(e.Process, tracefmt.StateOf(string(name))) == tracefmt.None
		if declaredNone {
			s.assigned[item{e.Process, string(name)}] = e.Clone()
		}
	}
	return first
}

// trackPending updates the messages in flight and the timers.
func (s *selector) trackPending(e *tracefmt.Event) {
	index := uint64(e.Seq - s.first)
	for uint64(len(s.flying)) <= index/64 {
		s.flying = append(s.flying, 0)
	}
	switch e.Kind {
	case tracefmt.Send:
		if len(s.sends) > 2*s.inFlight+maxListed {
			s.sends = slices.DeleteFunc(s.sends, s.arrived)
		}
		s.sends = append(s.sends, withoutPayload(e))
		s.flying[index/64] |= 1 << (index % 64)
		s.inFlight++
	case tracefmt.Receive, tracefmt.Lose:
		switch sent := uint64(e.Cause - s.first); {
		case e.Cause == 0: // the send is not recorded
		case e.Cause < s.first:
			if len(s.arrivals) <= maxListed { // one over the limit is enough: the digest then counts as Crowded
				s.arrivals = append(s.arrivals, withoutPayload(e))
			}
		case s.flying[sent/64]>>(sent%64)&1 != 0:
			s.flying[sent/64] &^= 1 << (sent % 64)
			s.inFlight--
			if s.shown[e.Cause] {
				s.addMessage(*e)
			}
		}
	case tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout:
		if len(s.timers) <= maxListed {
			s.timers[item{e.Process, e.Type}] = withoutPayload(e)
		}
	}
}

// arrived reports whether a send of the stretch is no longer in flight.
func (s *selector) arrived(e tracefmt.Event) bool {
	at := uint64(e.Seq - s.first)
	return s.flying[at/64]>>(at%64)&1 == 0
}

// end returns the digest: besides the selected events the last event, the last step of each process, and the
// messages in flight and timers at the end.
func (s *selector) end() Digest {
	d := &s.digest
	if s.first != 0 {
		s.addBare(s.last)
	}
	for _, e := range s.steps {
		if e.Seq != 0 {
			s.addBare(e)
		}
	}
	s.sends = slices.DeleteFunc(s.sends, s.arrived)
	d.Crowded = len(s.sends)+len(s.arrivals)+len(s.timers) > maxListed
	if !d.Crowded {
		for _, e := range slices.Concat(s.sends, s.arrivals) {
			s.addMessage(e)
		}
		for _, e := range s.timers {
			s.addBare(e)
		}
	}
	for _, e := range s.assigned {
		d.Full = append(d.Full, e)
	}
	d.Full, d.Bare = bySeq(d.Full), bySeq(d.Bare)
	return *d
}

// bySeq sorts events and removes duplicates; of two, the one with more fields stays.
func bySeq(events []*tracefmt.Event) []*tracefmt.Event {
	slices.SortFunc(events, func(a, b *tracefmt.Event) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), -cmp.Compare(a.Cause, b.Cause), -cmp.Compare(a.Peer, b.Peer))
	})
	return slices.CompactFunc(events, func(a, b *tracefmt.Event) bool { return a.Seq == b.Seq })
}

// Select takes the next event of a stretch.
func (s *Survey) Select(e *tracefmt.Event) error {
	if err := checkProcess(s.selector.run, e); err != nil {
		return err
	}
	s.route(e)
	s.selector.add(e, s.news)
	return nil
}

// Digest holds the events of a stretch of consecutive events that a [Survey] of the run needs. Stretches can
// be read in any order, and in parallel; a survey then takes their digests in the order of the run.
func (s *Survey) Digest() Digest { return s.selector.end() }

// Take takes the digest of the next stretch of the run, which has that number of events.
func (s *Survey) Take(digest Digest, events int64) error {
	count, guessed := s.count+events, s.checker.pairings
	for full, bare := digest.Full, digest.Bare; len(full)+len(bare) > 0; {
		var err error
		if len(bare) == 0 || len(full) > 0 && full[0].Seq <= bare[0].Seq {
			if len(bare) > 0 && full[0].Seq == bare[0].Seq {
				bare = bare[1:]
			}
			err = s.Write(full[0])
			full = full[1:]
		} else {
			_, err = s.observe(bare[0])
			bare = bare[1:]
		}
		if err != nil {
			return err
		}
	}
	s.count = count // of all events, not only of the selected ones
	s.checker.pairings = pairings{guessed.count + digest.Guessed, cmp.Or(guessed.first, digest.GuessedAt)}
	s.crowded = s.crowded || digest.Crowded
	return nil
}
