package analyze

import (
	"cmp"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Telling has the events of a stretch of consecutive events without which a survey of the run would find something
// else. Stretches are read apart, in any order; a survey takes what each tells in the order of the run.
type Telling struct {
	// Full are events with all fields, which rules take in, too. Bare events lack the payload, and their message unless
	// that is in flight.
	Full []*tracefmt.Event
	Bare []*tracefmt.Event
	// Guessed and GuessedAt are those of [Overall].
	Guessed   int
	GuessedAt tracefmt.Seq
	// Crowded is set if the messages in flight and the timers are too many to list.
	Crowded bool
}

// mostListed bounds the messages in flight and timers of a stretch, and the roles.
const mostListed = 4096

// listener selects the telling events of a stretch. It knows nothing of the events before the stretch, so it selects
// each event that tells something after some of them.
type listener struct {
	run      *tracefmt.Run
	coverage *tracefmt.Coverage // as declared
	told     Telling
	first    tracefmt.Seq
	last     tracefmt.Event
	back     bool     // the clock has gone back
	kinds    []uint32 // the kinds that have occurred, by process, and at the end those of all processes
	up       []bool   // by process: it has taken a step since its status last changed
	steps    []tracefmt.Event
	names    map[string]bool // of variables, and the values of role
	// assigned has the last assignments of the variables that are declared unrecorded, timers the last event of each.
	assigned map[item]*tracefmt.Event
	timers   map[item]tracefmt.Event
	// sends are those in flight, and some that have arrived. flying has a bit for each event from the first on: a send
	// in flight. arrivals are of sends before the stretch.
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

func newListener(run *tracefmt.Run) *listener {
	n := len(run.Members) + 1
	return &listener{
		run: run, coverage: tracefmt.NewCoverage(run), kinds: make([]uint32, n+1), up: make([]bool, n),
		steps: make([]tracefmt.Event, n), names: make(map[string]bool),
		assigned: make(map[item]*tracefmt.Event), timers: make(map[item]tracefmt.Event),
		shown: make(map[tracefmt.Seq]bool),
	}
}

// bare returns the event without its payload.
func bare(e *tracefmt.Event) tracefmt.Event {
	b := *e
	b.Payload = nil
	return b
}

// add takes the next event of the stretch; news is set if the rules know more by it.
func (l *listener) add(e *tracefmt.Event, news bool) {
	units := l.run.TimeUnit.Units
	backwards := !l.back && l.first != 0 && units(e.Time) < units(l.last.Time)
	if backwards { // by both events a survey sees it
		l.tell(l.last)
	}
	if backwards || l.first == 0 {
		l.tell(*e)
	}
	l.back = l.back || backwards
	l.first, l.last = cmp.Or(l.first, e.Seq), *e
	_, status := replay.StatusAfter(e.Kind)
	restarts := false // or does so if the process was down
	if e.Process != 0 && (status || replay.IsAct(e)) {
		restarts = !status && !l.up[e.Process]
		l.up[e.Process] = !status
		l.steps[e.Process] = *e
	}
	if e.GuessedSend() {
		l.told.Guessed++
		l.told.GuessedAt = cmp.Or(l.told.GuessedAt, e.Seq)
	}
	// Each of these has to look at the event.
	occurs, assigns := l.occurs(e), e.Kind.AssignsVariables() && l.assigns(e)
	if news || status || restarts || occurs || assigns {
		l.told.Full = append(l.told.Full, e.Clone())
		if e.Kind == tracefmt.Send {
			l.shown[e.Seq] = true
		}
	}
	l.travel(e)
}

// tell selects an event without its payload and message.
func (l *listener) tell(e tracefmt.Event) {
	e.Peer, e.Message, e.Cause = 0, 0, 0
	l.tellMessage(e)
}

// tellMessage selects an event without its payload.
func (l *listener) tellMessage(e tracefmt.Event) {
	e.Payload = nil
	l.told.Bare = append(l.told.Bare, &e)
}

// messages are the kinds of events that say nothing about the part that a process takes.
const messages = 1<<tracefmt.Send | 1<<tracefmt.Receive | 1<<tracefmt.Lose

// occurs reports whether the event is the first of its kind in some respect: at all, at a process that declares
// none, or as a sign that the process takes part.
func (l *listener) occurs(e *tracefmt.Event) bool {
	all, own, bit := &l.kinds[len(l.kinds)-1], &l.kinds[e.Process], uint32(1)<<e.Kind
	before := *own
	*own |= bit
	if *all&bit == 0 && e.Mark() == "" {
		*all |= bit
		return true
	}
	if before&bit != 0 {
		return false
	}
	return bit&messages == 0 && before&^messages == 0 ||
		l.run.Completeness != nil && l.coverage.Declared(e.Process, tracefmt.Fact{Kind: e.Kind}) == tracefmt.None
}

// assigns reports whether the event is the first that assigns some variable, or some role.
func (l *listener) assigns(e *tracefmt.Event) (first bool) {
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		if list := len(tracefmt.ListName(name)); list < len(name) {
			name = name[:list+1] // items of a list are alike
		}
		if !l.names[string(name)] {
			l.names[string(name)], first = true, true
		}
		if string(name) == "role" && !l.names["role="+string(value)] && len(l.names) < mostListed {
			l.names["role="+string(value)], first = true, true
		}
		if l.run.Completeness != nil && l.coverage.Declared(e.Process, tracefmt.StateOf(string(name))) == tracefmt.None {
			l.assigned[item{e.Process, string(name)}] = e.Clone()
		}
	}
	return first
}

// travel follows messages and timers.
func (l *listener) travel(e *tracefmt.Event) {
	at := uint64(e.Seq - l.first)
	for uint64(len(l.flying)) <= at/64 {
		l.flying = append(l.flying, 0)
	}
	switch e.Kind {
	case tracefmt.Send:
		if len(l.sends) > 2*l.inFlight+mostListed {
			l.sends = slices.DeleteFunc(l.sends, l.arrived)
		}
		l.sends = append(l.sends, bare(e))
		l.flying[at/64] |= 1 << (at % 64)
		l.inFlight++
	case tracefmt.Receive, tracefmt.Lose:
		switch sent := uint64(e.Cause - l.first); {
		case e.Cause == 0:
		case e.Cause < l.first:
			if len(l.arrivals) <= mostListed { // more are crowded
				l.arrivals = append(l.arrivals, bare(e))
			}
		case l.flying[sent/64]>>(sent%64)&1 != 0:
			l.flying[sent/64] &^= 1 << (sent % 64)
			l.inFlight--
			if l.shown[e.Cause] {
				l.tellMessage(*e)
			}
		}
	case tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout:
		if len(l.timers) <= mostListed {
			l.timers[item{e.Process, e.Type}] = bare(e)
		}
	}
}

// arrived reports whether a send of the stretch is no longer in flight.
func (l *listener) arrived(e tracefmt.Event) bool {
	at := uint64(e.Seq - l.first)
	return l.flying[at/64]>>(at%64)&1 == 0
}

// end returns what the stretch tells.
func (l *listener) end() Telling {
	told := &l.told
	if l.first != 0 {
		l.tell(l.last)
	}
	for _, e := range l.steps {
		if e.Seq != 0 {
			l.tell(e)
		}
	}
	l.sends = slices.DeleteFunc(l.sends, l.arrived)
	told.Crowded = len(l.sends)+len(l.arrivals)+len(l.timers) > mostListed
	if !told.Crowded {
		for _, e := range slices.Concat(l.sends, l.arrivals) {
			l.tellMessage(e)
		}
		for _, e := range l.timers {
			l.tell(e)
		}
	}
	for _, e := range l.assigned {
		told.Full = append(told.Full, e)
	}
	told.Full, told.Bare = bySeq(told.Full), bySeq(told.Bare)
	return *told
}

// bySeq sorts events, and removes repetitions; one with its message remains.
func bySeq(events []*tracefmt.Event) []*tracefmt.Event {
	slices.SortFunc(events, func(a, b *tracefmt.Event) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), -cmp.Compare(a.Cause, b.Cause), -cmp.Compare(a.Peer, b.Peer))
	})
	return slices.CompactFunc(events, func(a, b *tracefmt.Event) bool { return a.Seq == b.Seq })
}

// Listen takes the next event of a stretch.
func (s *Survey) Listen(e *tracefmt.Event) error {
	if err := fits(s.listener.run, e); err != nil {
		return err
	}
	s.route(e)
	s.listener.add(e, s.news)
	return nil
}

// Told returns what the events tell that the survey listened to.
func (s *Survey) Told() Telling { return s.listener.end() }

// Take takes the next stretch of the run, of so many events.
func (s *Survey) Take(told Telling, events int64) error {
	count, guessed := s.count+events, s.checker.pairings
	for full, bare := told.Full, told.Bare; len(full)+len(bare) > 0; {
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
	s.count = count // also of the events that tell nothing
	s.checker.pairings = pairings{guessed.guessed + told.Guessed, cmp.Or(guessed.first, told.GuessedAt)}
	s.crowded = s.crowded || told.Crowded
	return nil
}
