package analyze

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Division describes how a property can be examined in parts of a run. It follows from the header of the run
// alone.
type Division struct {
	Property *Property
	// Settled is set if the property does not apply to the run, so that it needs no examination.
	Settled bool
	// Split describes the division. If Whole is not "", the other fields are meaningless.
	Split Split
	// Open is set if facts may be missing on which the verdict rests: the join of the parts decides by what the whole
	// run shows of its record.
	Open bool
}

// Parted reports whether the property is examined in parts.
func (d Division) Parted() bool { return !d.Settled && d.Split.Whole == "" }

// Alone reports whether each event shows by itself which parts need it, without the events before it.
func (d Division) Alone() bool {
	return !d.Parted() || !d.Open && len(d.Split.Reads)+len(d.Split.Leans) == 0 && !d.Split.Ordered
}

// Divide returns the division for each property. It reads the header of the run, and no events.
func Divide(run *tracefmt.Run, properties []*Property, o Options) []Division {
	divisions, coverage := make([]Division, len(properties)), tracefmt.NewCoverage(run)
	for i, p := range properties {
		d := &divisions[i]
		d.Property = p
		if p.inapplicableReason(run, o) != "" {
			d.Settled = true
			continue
		}
		m, ok := p.New(run).(Splitting)
		if !ok {
			d.Split.Whole = "it follows the whole run"
			continue
		}
		d.Split = m.Split()
		if d.Split.Whole == "" {
			d.Open, d.Split.Whole = d.Split.incomplete(run, coverage)
		}
	}
	return divisions
}

// incomplete reports whether the verdict may depend on missing facts. It returns the reason why a partial record is
// examined as a whole, "" if it can be divided.
func (s *Split) incomplete(run *tracefmt.Run, c *tracefmt.Coverage) (open bool, reason string) {
	const partial, declares = "the recording is not declared complete, and ", "; --complete declares it"
	switch {
	case c.Complete():
		return false, ""
	case s.Complete:
		return false, partial + "the rule reads other events for what is missing" + declares
	case c.Whole(s.Rests...):
		return false, ""
	case s.Open != "":
		return true, partial + s.Open + declares
	case c.Silent() && c.Gapped():
		return true, partial + "has gaps" + declares
	case stepsShowUp(run, c):
		return true, partial + "steps of a process show when it was up" + declares
	}
	return true, ""
}

// stepsShowUp reports whether steps of some process may show that it has not gone down; see
// [tracefmt.Coverage.ShowsUp].
func stepsShowUp(run *tracefmt.Run, c *tracefmt.Coverage) bool {
	recorded := func(p tracefmt.ProcessID, k tracefmt.Kind) bool {
		return c.Declared(p, tracefmt.Fact{Kind: k}) == tracefmt.All
	}
	return slices.ContainsFunc(Need{Process: EveryProcess}.processes(run), func(p tracefmt.ProcessID) bool {
		return recorded(p, tracefmt.Start) && recorded(p, tracefmt.Recover) &&
			!(recorded(p, tracefmt.Crash) && recorded(p, tracefmt.Halt))
	})
}

// Overall holds the facts about a whole run that its parts and the report need.
type Overall struct {
	// Whole is the reason why all properties are examined on the whole run; "" if the parts are enough.
	Whole   string       `json:"whole,omitempty"`
	End     tracefmt.End `json:"end"`
	Ending  Ending       `json:"ending"`
	Assumed string       `json:"assumed,omitempty"`
	Remarks []string     `json:"remarks,omitempty"`
	// Events is the number of events; LastSeq and LastTime are those of the last.
	Events   int64         `json:"events"`
	LastSeq  tracefmt.Seq  `json:"last_seq"`
	LastTime tracefmt.Time `json:"last_time"`
	// Guessed and GuessedAt are about guessed pairings; see [tracefmt.GuessKey].
	Guessed   int          `json:"guessed,omitempty"`
	GuessedAt tracefmt.Seq `json:"guessed_at,omitempty"`
	// Shown is what the events of a partial record show of it, nil if no property needs it.
	Shown *Shown `json:"shown,omitempty"`
}

// Shown has the kinds of events that a run records or states, and the variables that it assigns.
type Shown struct {
	Kinds     []string `json:"kinds,omitempty"`
	Stated    []string `json:"stated,omitempty"`
	Variables []string `json:"variables,omitempty"`
}

// shown returns what the events read so far show of the record.
func shown(c *tracefmt.Coverage) *Shown {
	s := &Shown{Variables: c.Variables()}
	for _, k := range tracefmt.Kinds() {
		if c.Occurs(k) {
			s.Kinds = append(s.Kinds, k.String())
		}
		if c.OnlyStated(k) {
			s.Stated = append(s.Stated, k.String())
		}
	}
	return s
}

// adoptRecord makes the coverage of a part of the run that of the whole run: the kinds and variables that occur, and
// the events that the user stated.
func (o *Overall) adoptRecord(s *replay.State) {
	if o.Shown != nil {
		for _, k := range tracefmt.Kinds() {
			if slices.Contains(o.Shown.Kinds, k.String()) {
				s.Coverage().ShowKind(&tracefmt.Event{Kind: k})
			}
			if slices.Contains(o.Shown.Stated, k.String()) {
				s.Coverage().ShowKind(&tracefmt.Event{Kind: k, Payload: []byte(`{"stated":true}`)})
			}
		}
		for _, name := range o.Shown.Variables {
			s.Coverage().ShowVariable([]byte(name))
		}
		s.Seq = o.LastSeq
	}
	s.Finish()
}

// Surveyed holds the facts about a whole run that one property needs.
type Surveyed struct {
	// Whole is the reason why the parts do not decide the property, so that the whole run is examined for it.
	Whole string `json:"whole,omitempty"`
	// Known has what the monitors of parts need at their ends.
	Known json.RawMessage `json:"known,omitempty"`
	// Relies are the facts on which a positive verdict rests, for a partial record.
	Relies []Need `json:"relies,omitempty"`
}

// Survey reads a whole run before its parts are examined. It finds which parts need each event, and the facts
// that no part knows. Callers pass all events to Write. If each event is alone ([Division.Alone]), other
// surveys may instead Select digests of stretches, which this one takes.
type Survey struct {
	checker   *Checker
	divisions []Division
	monitors  []Splitting // by property; nil if it is not divided
	reads     Reading     // recognizes the events that all parts need
	acted     []bool      // by process: it has taken a step
	count     int64       // number of events
	before    tracefmt.Time
	wentBack  *backwards
	loops     bool // the last event claims a loop
	keys      []uint64
	everyone  bool // all parts need the last event
	news      bool // the last event changes what some rule knows
	selector  *selector
	crowded   bool
	inferred  bool // some event is inferred
}

// backwards is the first place at which the clock of a run goes back: the event, and the times before and at
// it.
type backwards struct {
	seq         tracefmt.Seq
	from, until tracefmt.Time
}

// NewSurvey returns a survey of the run for these divisions.
func NewSurvey(run *tracefmt.Run, divisions []Division, o Options) *Survey {
	s := &Survey{
		divisions: divisions, acted: make([]bool, len(run.Members)+1),
		monitors: make([]Splitting, len(divisions)),
	}
	var properties []*Property
	var facts []tracefmt.Fact
	for _, d := range divisions {
		properties = append(properties, d.Property)
	}
	s.checker = newChecker(run, loop{}, properties, o)
	for i, d := range divisions {
		if d.Parted() {
			s.monitors[i] = s.checker.monitors[i].(Splitting)
			facts = append(append(facts, d.Split.Reads...), d.Split.Leans...)
		}
		s.checker.monitors[i] = nil
	}
	// The survey runs no monitors, so it needs no folds.
	s.checker.folds.list = nil
	s.selector = newSelector(run)
	s.reads = NewReading(s.checker.state, facts)
	return s
}

// Write takes the next event.
func (s *Survey) Write(e *tracefmt.Event) error {
	changes, err := s.observe(e)
	if err != nil {
		return err
	}
	s.route(e)
	s.everyone = s.everyone || s.reads.any && changes
	return nil
}

// observe updates the state and the facts about the run. It reports whether the event shows that its process
// is up.
func (s *Survey) observe(e *tracefmt.Event) (changes bool, err error) {
	state := s.checker.state
	// The state before the event decides whether the event shows a restart; the checker then changes the state.
	shows := state.ShowsRestart(e)
	if err := s.checker.Write(e); err != nil {
		return false, err
	}
	now := state.Run.TimeUnit.Units(e.Time)
	if s.count++; now < s.before && s.wentBack == nil {
		s.wentBack = &backwards{e.Seq, s.before, now}
	}
	s.before, s.loops, s.inferred = now, claimsLoop(e), s.inferred || e.Inferred()
	return s.isFirstStep(e) || shows, nil
}

// route gives the event to the monitors, and finds the parts that need it.
func (s *Survey) route(e *tracefmt.Event) {
	s.keys, s.everyone, s.news = s.keys[:0], s.reads.Has(e), false
	for _, m := range s.monitors {
		if m != nil {
			s.keys = append(s.keys, m.Survey(s.checker.state, e)...)
			s.news = s.news || m.News()
		}
	}
	s.everyone = s.everyone || s.news
}

// isFirstStep reports whether the event is the first step of its process: a later start is a restart.
func (s *Survey) isFirstStep(e *tracefmt.Event) bool {
	if s.acted[e.Process] || e.Process == 0 || !replay.IsAct(e) {
		return false
	}
	s.acted[e.Process] = true
	return true
}

// Keys returns the hashes of the keys of the last event, until the next one.
func (s *Survey) Keys() []uint64 { return s.keys }

// Everyone reports whether all parts need the last event, whatever its keys: it changes the state that some rule
// reads, or it is the first of its kind for some rule.
func (s *Survey) Everyone() bool { return s.everyone }

// End ends the survey; end is the end that the run declares. It returns the facts about the run, and those
// for each property.
func (s *Survey) End(end tracefmt.End) (Overall, []Surveyed) {
	// The state must have the end before anything asks for it: facts after the last event count from then on.
	c := s.checker
	c.run.End, c.run.Events = end, s.count
	c.state.Finish()
	o := Overall{
		End: end, Ending: c.ending(), Assumed: c.state.Coverage().Assumption(), Events: s.count,
		LastSeq: c.state.Seq, LastTime: c.state.Time, Guessed: c.pairings.count, GuessedAt: c.pairings.first,
	}
	o.Remarks = c.remarks()
	switch {
	case s.crowded && end == tracefmt.Quiescent:
		o.Whole = fmt.Sprintf("a part of the run leaves more than %d messages and timers open, and the run claims to be quiescent", maxListed)
	case s.loops && end == tracefmt.Stopped:
		o.Whole = "the run ends in a loop, which is judged over the whole run"
	case s.inferred: // the gap of an inferred event is known only once the run is read
		o.Whole = "events of the run are inferred"
	}
	surveyed := make([]Surveyed, len(s.divisions))
	for i, m := range s.monitors {
		split, declaredOpen := &s.divisions[i].Split, s.divisions[i].Open
		_, reason := split.incomplete(c.run, c.state.Coverage())
		switch {
		case m == nil || o.Whole != "":
		case split.Timed && s.wentBack != nil:
			surveyed[i].Whole = fmt.Sprintf("the clock goes back at seq %d, from %v to %v", s.wentBack.seq,
				s.wentBack.from, s.wentBack.until)
		case reason != "":
			surveyed[i].Whole = reason
		// The join of the parts decides by what the whole run shows of its record.
		case declaredOpen:
			o.Shown = shown(c.state.Coverage())
			if needs := relies(m, s.divisions[i].Property, c.state, o.Ending); needs != nil {
				surveyed[i].Relies = slices.Collect(needs)
			}
			fallthrough
		default:
			surveyed[i].Known = m.Surveyed(c.state)
		}
	}
	return o, surveyed
}
