package analyze

import (
	"encoding/json"
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// Overall has the facts about the whole run that each part needs.
type Overall struct {
	Ending  Ending   `json:"ending"`
	Assumed string   `json:"assumed,omitempty"`
	Remarks []string `json:"remarks,omitempty"`
	// Events is the number of events; LastSeq and LastTime are those of the last.
	Events   int64         `json:"events"`
	LastSeq  tracefmt.Seq  `json:"last_seq"`
	LastTime tracefmt.Time `json:"last_time"`
	// Claim is the claimed final loop, nil for none.
	Claim *Claim `json:"claim,omitempty"`
	// Guessed and GuessedAt are about guessed pairings; see [tracefmt.GuessKey].
	Guessed   int          `json:"guessed,omitempty"`
	GuessedAt tracefmt.Seq `json:"guessed_at,omitempty"`
}

// Survey is a pass over a whole run that determines how its examination can be divided.
type Survey struct {
	checker  *Checker
	Rules    []*Surveyed // by property
	monitors []Splitting // by property; nil if it is not divided
	acted    []bool      // by process: it has taken a step
	count    int64
	before   tracefmt.Time
	back     *backwards
	further  bool
}

// backwards is the first event at which the clock of a run goes back.
type backwards struct {
	seq         tracefmt.Seq
	from, until tracefmt.Time
}

// Surveyed is the result of a survey for a property.
type Surveyed struct {
	Property *Property
	// Settled is set if the property does not apply to the run, so that it needs no examination.
	Settled bool
	// Split describes the division. If Whole is not "", the other fields are meaningless.
	Split Split
	// Keys are the hashes of the keys of the last event; nil for none.
	Keys []uint64
	// Everyone is set if all parts need the last event, whatever its keys; Leans if they do in case the rule leans
	// on the state, see [Split].
	Everyone, Leans bool
	// Leant is set if the rule took a field of some event from the state. Known is the survey's result for the
	// parts. Both are known at the end.
	Leant bool
	Known json.RawMessage

	reads, leans Reading
}

// NewSurvey returns a survey of the run of a recording, and reads only its last event.
func NewSurvey(rec tracefmt.Recording, properties []*Property, o Options) (*Survey, error) {
	c, err := NewChecker(rec, properties, o)
	if err != nil {
		return nil, err
	}
	s := &Survey{checker: c, acted: make([]bool, len(c.run.Members)+1)}
	for i, m := range c.monitors {
		rule := &Surveyed{Property: properties[i], Settled: m == nil}
		splitting, ok := m.(Splitting)
		switch {
		case m == nil:
		case !ok:
			rule.Split.Whole = "it follows the whole run"
		default:
			rule.Split = splitting.Split()
		}
		if rule.Split.Whole != "" || m == nil {
			splitting = nil
		}
		rule.reads, rule.leans = NewReading(c.state, rule.Split.Reads), NewReading(c.state, rule.Split.Leans)
		s.Rules, s.monitors, c.monitors[i] = append(s.Rules, rule), append(s.monitors, splitting), nil
	}
	c.folds.list = nil // these belong to the monitors
	return s, nil
}

// State returns the state after the last event.
func (s *Survey) State() *replay.State { return s.checker.state }

// Write takes the next event. Then the rules report which parts need it.
func (s *Survey) Write(e *tracefmt.Event) error {
	state := s.checker.state
	// The state before the event decides whether the event shows a restart; the checker then changes the state.
	shows := state.ShowsRestart(e)
	if err := s.checker.Write(e); err != nil {
		return err
	}
	now := state.Run.TimeUnit.Units(e.Time)
	if s.count++; now < s.before && s.back == nil {
		s.back = &backwards{e.Seq, s.before, now}
	}
	s.before = now
	first := s.acts(e)
	s.further = shows || first
	// All monitors see the event before any rule reports its needs: a later one may find that it begins something.
	for i, rule := range s.Rules {
		if m := s.monitors[i]; m != nil {
			rule.Keys = m.Survey(state, e)
			s.further = s.further || m.Begins()
		}
	}
	for i, rule := range s.Rules {
		if s.monitors[i] == nil {
			continue
		}
		rule.Everyone = rule.reads.any && s.further || rule.reads.Has(e)
		rule.Leans = rule.leans.any && s.further || rule.leans.Has(e)
	}
	return nil
}

// acts reports whether the event is the first step of its process; a later start then restarts the process.
func (s *Survey) acts(e *tracefmt.Event) bool {
	if s.acted[e.Process] || e.Process == 0 || !replay.IsAct(e) {
		return false
	}
	s.acted[e.Process] = true
	return true
}

// Further reports whether all parts of a rule that reads the state need the last event although it records none
// of the rule's facts: it shows a restart, is the first step of its process, or the first event that some rule
// examines.
func (s *Survey) Further() bool { return s.further }

// End ends the survey. A rule that can be divided only for some runs may be whole for this one.
func (s *Survey) End() Overall {
	c := s.checker
	c.state.Finish()
	o := Overall{
		Ending: c.ending(), Assumed: c.state.Coverage().Assumption(), Events: s.count,
		LastSeq: c.state.Seq, LastTime: c.state.Time, Guessed: c.pairings.guessed, GuessedAt: c.pairings.first,
	}
	o.Remarks = c.remarks()
	if c.loop.claimed {
		o.Claim = &Claim{c.loop.from, c.loop.end, c.loop.shift}
	}
	for i, rule := range s.Rules {
		m := s.monitors[i]
		if m == nil {
			continue
		}
		rule.Known, rule.Leant = m.Surveyed(c.state), m.Leans()
		if reason := s.unsplittable(&rule.Split, o.Ending); reason != "" {
			rule.Split.Whole = reason
		}
	}
	return o
}

// unsplittable returns why a rule that can be divided cannot be in this run, "" if it can.
func (s *Survey) unsplittable(split *Split, end Ending) string {
	coverage := s.checker.state.Coverage()
	switch {
	case end.Looping() || end.MayLoop:
		return "the run ends in a loop, which is judged over the whole run"
	case split.Timed && s.back != nil:
		return fmt.Sprintf("the clock goes back at seq %d, from %v to %v", s.back.seq, s.back.from, s.back.until)
	case len(s.checker.guesses.list) > 0:
		return "crashes or halts of the run are inferred"
	case coverage.Complete():
		return ""
	case split.Complete:
		return "the recording is not declared complete, and the rule reads other events for what is missing; --complete declares it"
	case !coverage.Whole(split.Rests...):
		return "the recording is not declared complete for what the rule reads, and what is missing is " +
			"judged over the whole run; --complete declares it"
	}
	return ""
}
