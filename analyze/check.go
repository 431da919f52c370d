package analyze

import (
	"cmp"
	"fmt"
	"iter"
	"regexp"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Options of a check.
type Options struct {
	// Named is set if the user named the properties: none is left out because the environment does not promise its
	// assumption.
	Named bool
	// MaxSteps bounds the search of each property that searches, in each run, in
	// steps; 0 is DefaultMaxSteps.
	MaxSteps int64
	// Repaired is set to examine a repaired run also for what was repaired. Without it, such properties do not
	// apply: a repair that recomputes clocks proves nothing about them.
	Repaired bool
	// Record is set to examine the record itself, with the inferred crashes and halts in their places. Without it,
	// no verdict rests on these places.
	Record bool
	// AsOrdered is set to trust the record even if its order rests on clocks that differ, or its ends are doubtful.
	AsOrdered bool
	// Skew is the assumed difference of clocks, nil for the run's own declaration.
	Skew *tracefmt.Time
	// Keep is the number of violations of each property that are stored separately, see [Result].Kept.
	Keep int
	// Broken, unless nil, is called at each event that adds violations of a property. The result has no verdict
	// yet, since unrecorded facts may explain the violation in the end. Properties that are decided at the end of
	// the run, such as linearizability, never cause a call.
	Broken func(*Result)
}

// DefaultMaxSteps is the default of Options.MaxSteps, a second or two of work.
const DefaultMaxSteps = 2_000_000

// Check examines one run for the properties, in one pass. A second one follows if the end of a stream reveals a loop, or
// an inferred event shows that earlier ones are missing.
// It fails if reading fails, or if an event names an unknown process. A violated property is a result, not an
// error.
func Check(rec tracefmt.Recording, properties []*Property, o Options) (*RunReport, error) {
	report, err := examine(rec, properties, o)
	if err != nil {
		return nil, err
	}
	return report, report.weighRecord(rec, o, true)
}

// examine examines one run, and trusts the record.
func examine(rec tracefmt.Recording, properties []*Property, o Options) (*RunReport, error) {
	c, err := NewChecker(rec, properties, o)
	if err != nil {
		return nil, err
	}
	loops := false // whether the run ends in a loop
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if c.run.InferredGaps == nil && c.state.Coverage().ShowsGap(e) {
			// The events since the last step of this process were judged as if nothing was missing.
			known, err := tracefmt.WithInferredGaps(rec)
			if err != nil {
				return nil, err
			}
			o.Broken = nil
			return examine(known, properties, o)
		}
		if err := c.Write(e); err != nil {
			return nil, err
		}
		loops = claimsLoop(e)
	}
	c.run = rec.Run() // the description of a stream is complete only now
	if loops && !c.loop.claimed && c.run.End == tracefmt.Stopped {
		// The claimed loop is verified from an earlier event on, which takes a second pass.
		o.Broken = nil
		return examine(rec, properties, o)
	}
	return c.Report(), nil
}

// Checker examines a run for callers that read its events themselves. They pass all events to Write, in
// order, and then call Report once.
type Checker struct {
	run      *tracefmt.Run
	state    *replay.State
	results  []*Result
	monitors []Monitor // nil for a property that does not apply
	folds    Folds
	// The next fields collect what is unusual about the run, for remarks and verdicts.
	restarts      restarts
	stated        statements
	guesses       guesses
	participation participation
	orphans       orphans
	pairings      pairings
	declared      declared

	properties []*Property
	options    Options

	loop loop
}

// NewChecker returns a checker for the run of a recording. It reads the last event, which may claim a loop;
// it fails if that fails.
func NewChecker(rec tracefmt.Recording, properties []*Property, o Options) (*Checker, error) {
	claim, err := claimedLoop(rec)
	if err != nil {
		return nil, err
	}
	return newChecker(rec.Run(), claim, properties, o), nil
}

func newChecker(run *tracefmt.Run, claim loop, properties []*Property, o Options) *Checker {
	return newCheckerOf(replay.NewState(run), claim, properties, o)
}

// newCheckerOf returns a checker with the given state, which must be that before the first event.
func newCheckerOf(s *replay.State, claim loop, properties []*Property, o Options) *Checker {
	run := s.Run
	c := &Checker{
		run: run, state: s, folds: Folds{run: run}, participation: make(participation, len(run.Members)+1),
		orphans: make(orphans), properties: properties, options: o, loop: claim,
	}
	for _, p := range properties {
		r := &Result{
			Property: p, Named: o.Named || p.Asked, MaxSteps: cmp.Or(o.MaxSteps, DefaultMaxSteps),
			state: c.state, orphans: c.orphans, guesses: &c.guesses, keep: o.Keep,
		}
		c.results = append(c.results, r)
		c.monitors = append(c.monitors, nil)
		if reason := p.inapplicableReason(c.run, o); reason != "" {
			r.NotApplicable(reason)
			continue
		}
		m := p.New(c.run)
		if m, ok := m.(Follower); ok {
			m.Follow(&c.folds)
		}
		c.monitors[len(c.monitors)-1] = m
	}
	return c
}

// NewFollower returns a checker for a run whose claimed loop the caller knows; nil without a claimed loop. It
// reads nothing.
func NewFollower(run *tracefmt.Run, claim *Claim, properties []*Property, o Options) *Checker {
	return newChecker(run, claim.loop(), properties, o)
}

// Restart starts a check of another run for the same properties, as [NewFollower] does, and reuses the memory.
// Report and state of the former run are invalid then. The claim is that of the last event, nil for none.
func (c *Checker) Restart(run *tracefmt.Run, claim *Claim) {
	c.state.Begin(run)
	*c = *newCheckerOf(c.state, claim.loop(), c.properties, c.options)
}

// State returns the state after the last event.
func (c *Checker) State() *replay.State { return c.state }

// inapplicableReason returns the reason why the header of a run alone excludes an examination for the property; ""
// if it does not.
func (p *Property) inapplicableReason(run *tracefmt.Run, o Options) string {
	named := o.Named || p.Asked
	if p.OfRecord && !named && run.Source != tracefmt.Simulated {
		return "the property is about the record, which etrace lint judges; name it to examine it here"
	}
	return cmp.Or(p.misfitReason(run, named), p.repairedReason(run, o))
}

// misfitReason returns the reason why the property does not fit the run: another problem, no argument, missing
// traits, or an assumption that the run does not keep. It returns "" if the property fits. If the user named
// the property, traits that are merely promised do not matter.
func (p *Property) misfitReason(run *tracefmt.Run, named bool) string {
	if p.otherProblem(run) {
		reason := fmt.Sprintf("the run solves %s, not %s", run.Problem, p.Problem)
		if solved, _ := tracefmt.Problems().Get(p.Problem); solved.Besides != "" && run.Source != tracefmt.Simulated {
			reason += fmt.Sprintf("; if it does that, too, state the trait %s (docs/mappings.md)", solved.Besides)
		}
		return reason
	}
	if p.New == nil {
		return "the property was not given its argument, " + p.Argument
	}
	if reason := p.lackingDeclaration(run); reason != "" || named {
		return reason
	}
	if p.Assumes != nil {
		if reason := p.Assumes(run); reason != "" {
			return reason
		}
	}
	return p.unstatedReason(run)
}

// The lint rules by which times and Lamport clocks are repaired, and the words with which a rule reads them.
const timesRule, lamportRule, vectorRule = "process-time-monotone", "lamport-clocks", "vector-clocks"

var timesInRule, lamportInRule = regexp.MustCompile(`\b(within|time)\b`), regexp.MustCompile(`\blamport\b`)

// repairedReason returns why a repair of the run makes the property meaningless, for example because the repair
// recomputed the clocks that it is about; "" if none does.
func (p *Property) repairedReason(run *tracefmt.Run, o Options) string {
	switch {
	case o.Repaired:
	case run.Repaired[p.Name] > 0 || p.Name == vectorRule &&
		(run.Repaired["own-sequence"] > 0 || run.Repaired["known-events"] > 0):
		return "the run was repaired where it broke this, so that it says nothing of it"
	case run.Repaired[timesRule] > 0 && (p.Times || timesInRule.MatchString(p.Rule)):
		return "times of the run were repaired, and show nothing"
	case run.Repaired[lamportRule] > 0 && lamportInRule.MatchString(p.Rule):
		return "Lamport clocks of the run were repaired, and show nothing"
	}
	return ""
}

// otherProblem reports whether the property belongs to another problem than the run. If the run declares no problem,
// or an unknown one, its events decide.
func (p *Property) otherProblem(run *tracefmt.Run) bool {
	return p.Problem != "" && tracefmt.Problems().Has(run.Problem) && !run.Solves(p.Problem)
}

// Write takes the next event. It fails for an event of an unknown process.
func (c *Checker) Write(e *tracefmt.Event) error {
	if err := checkProcess(c.run, e); err != nil {
		return err
	}
	if !c.options.Record && c.guesses.add(c.state, e) {
		return nil
	}
	c.observe(e)
	c.state.Apply(e)
	c.folds.step(c.state, e)
	for i, m := range c.monitors {
		if m == nil {
			continue
		}
		r := c.results[i]
		before := r.Violations
		m.Step(r, c.state, e)
		// A violation that is counted later, at the end of the run, is a verdict and no news.
		if r.Violations > before && c.options.Broken != nil {
			c.options.Broken(r)
		}
	}
	if c.loop.claimed && c.loop.from <= e.Seq && e.Seq <= c.loop.end {
		c.loop.step(c.state, e)
		c.recheckLoop(e)
	}
	return nil
}

// observe records what is unusual about an event, before the state is updated.
func (c *Checker) observe(e *tracefmt.Event) {
	if c.state.ShowsRestart(e) {
		c.restarts.add(c.state, e)
	}
	switch e.Kind {
	case tracefmt.Send: // a send is never unusual
	case tracefmt.Receive, tracefmt.Lose:
		c.orphans.step(e)
		c.pairings.step(e)
	default:
		c.participation.step(e)
		c.stated.add(c.run, e, c.state.Seq)
	}
	c.declared.step(c.state, e)
}

// recheckLoop passes an event of the claimed loop to the monitors that examine every state of it.
func (c *Checker) recheckLoop(e *tracefmt.Event) {
	for _, m := range c.monitors {
		if m, ok := m.(Recurrence); ok {
			m.Recur(c.state, e)
		}
	}
}

// Report calls End on every monitor and returns the results. It must be called once.
func (c *Checker) Report() *RunReport {
	c.state.Finish()
	end := c.ending()
	report := &RunReport{Run: c.run, Results: c.results, Ending: end, Assumed: c.state.Coverage().Assumption()}
	var list []Verdict
	for i, m := range c.monitors {
		if m != nil {
			m.End(c.results[i], c.state, c.endingTo(i, end))
			c.results[i].restsOn(relies(m, c.results[i].Property, c.state, c.endingTo(i, end)))
		}
		c.results[i].decide(c.endingTo(i, end))
		c.results[i].weigh(c.run)
		c.results[i].LogNext = c.results[i].logNext()
		c.monitors[i] = nil // its tables can be freed
		c.results[i].doubtPairing(c.run, &c.pairings)
		list = append(list, c.results[i].Verdict)
	}
	report.Verdict = Worst(list...)
	report.Remarks = slices.Concat(report.remarks(), c.remarks())
	return report
}

// NameReader is implemented by monitors that know the names they read beyond the facts of their property: names
// of variables, and of fields in payloads.
type NameReader interface {
	// ReadsName reports whether a name among them matches.
	ReadsName(match func(name string) bool) bool
}

// endingTo returns the end of the run for a property. A loop that shifts counters is no loop for a property that
// reads counters, unless it only compares them: further rounds have other values. Such a property sees a stopped
// run.
func (c *Checker) endingTo(i int, end Ending) Ending {
	p := c.results[i].Property
	if end.LoopShift == 0 || p.Shiftable {
		return end
	}
	counters := replay.NewCounters(c.run.Counters)
	reads := slices.ContainsFunc(slices.Concat(p.ViolatedBy, p.ExcusedBy),
		func(f tracefmt.Fact) bool { return f.Variable != "" && counters.Count(f.Variable) })
	if m, ok := c.monitors[i].(NameReader); ok {
		reads = reads || m.ReadsName(counters.Count)
	}
	if !reads {
		return end
	}
	return Ending{}
}

// remarks returns what is unusual about the events of the run.
func (c *Checker) remarks() []string {
	return slices.Concat(c.participation.remarks(c.state), c.restarts.remarks(), c.stated.remarks(),
		c.guesses.remarks(c.run),
		oddRole(c.state), c.declared.remarks(c.state, c.results))
}

// relies returns the facts whose complete record a positive verdict needs; nil for a complete recording.
func relies(m Monitor, p *Property, s *replay.State, end Ending) iter.Seq[Need] {
	if s.Coverage().Complete() {
		return nil
	}
	if m, ok := m.(Relying); ok {
		return m.Relies(s, end)
	}
	return slices.Values(Needs(AnyProcess, 0, 0, p.ViolatedBy...))
}

// ending returns the end of the run. It believes a declared quiescence or loop only if the state confirms it;
// otherwise the Doubt gives the reason.
func (c *Checker) ending() Ending {
	switch {
	case c.loop.claimed:
		if doubt := c.loop.doubt(c.run); doubt != "" {
			return Ending{Doubt: fmt.Sprintf("the run claims a loop from seq %d to %d, but %s", c.loop.from,
				c.loop.end, doubt), MayLoop: !c.run.RecordsAll()}
		}
		return Ending{LoopFrom: c.loop.from, LoopTo: c.loop.end, LoopShift: c.loop.shift}
	case c.run.End != tracefmt.Quiescent:
		return Ending{}
	case c.state.Unfinished():
		return Ending{Doubt: fmt.Sprintf("the run claims to be quiescent, but %s", Unfinished(c.state))}
	}
	return Ending{Quiescent: true}
}

// Unfinished describes what can still happen: messages in flight and armed timers.
func Unfinished(s *replay.State) string {
	var left []string
	messages, timers := s.Pending()
	if messages > 0 {
		left = append(left, text.Counted(messages, "message is in flight", "messages are in flight"))
	}
	if timers > 0 {
		left = append(left, text.Counted(timers, "timer is armed", "timers are armed"))
	}
	return text.And(left)
}
