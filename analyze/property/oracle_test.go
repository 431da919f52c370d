package property_test

import (
	"iter"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the drawn runs are small and soon garbage
	m.Run()
}

// The oracle decides each property by quantifying over the whole list of events, again and again, as its definition
// reads. It shares nothing with the monitors but the trace.
type oracle struct {
	run    *tracefmt.Run
	events []tracefmt.Event
}

type judgement struct {
	verdict    analyze.Verdict
	violations int
}

var oracles = map[string]func(oracle) (violations, examined int){
	"agreement":                     oracle.agreement,
	"crash-recovery-alternate":      oracle.alternate,
	"election-liveness":             oracle.liveness,
	"election-safety":               closed(oracle.safety),
	"election-safety-always":        closed(oracle.safetyAlways),
	"election-safety-at-assignment": closed(oracle.safetyAtAssignment),
	"eventual-leader":               oracle.eventualLeader,
	"fifo":                          oracle.fifo,
	"leader-is-live":                oracle.leaderIsLive,
	"message-integrity":             oracle.integrity,
	"no-duplication":                oracle.duplication,
	"no-loss":                       oracle.loss,
	"no-step-when-crashed":          oracle.crashed,
	"recovered-relearns":            oracle.relearns,
	"single-leader":                 oracle.singleLeader,
	"timers-well-behaved":           oracle.timers,
}

// ofTheBest are the properties that may leave open who is best: how often.
var ofTheBest = map[string]func(oracle) (violations, examined, open int){
	"election-safety":               oracle.safety,
	"election-safety-always":        oracle.safetyAlways,
	"election-safety-at-assignment": oracle.safetyAtAssignment,
}

func closed(quantify func(oracle) (violations, examined, open int)) func(oracle) (int, int) {
	return func(o oracle) (int, int) {
		violations, examined, _ := quantify(o)
		return violations, examined
	}
}

// decidedAtEnd are the properties that a run which can go on leaves open, and ofElections the properties that refer
// to the variable elected.
var (
	decidedAtEnd = []string{
		"agreement", "election-liveness", "election-safety", "election-safety-always", "eventual-leader", "no-loss", "recovered-relearns",
	}
	ofElections = []string{
		"agreement", "election-liveness", "election-safety", "election-safety-always", "election-safety-at-assignment", "eventual-leader",
		"leader-is-live", "recovered-relearns", "single-leader",
	}
)

// alsoByRole are the properties of elections for which roles are enough.
var alsoByRole = []string{"election-liveness", "recovered-relearns", "single-leader"}

func opens(_, _, open int) bool { return open > 0 }

func (o oracle) judge(name string) judgement {
	quantify := oracles[name]
	wrong, examined := quantify(o)
	atEnd, election := slices.Contains(decidedAtEnd, name), slices.Contains(ofElections, name)
	final := o.quiescent()
	elected, role := o.recorded(0, "elected", len(o.events)), o.recorded(0, "role", len(o.events))
	switch {
	case election && !elected && !(role && slices.Contains(alsoByRole, name)):
		return judgement{analyze.NotApplicable, 0}
	case ofTheBest[name] != nil && !(wrong > 0 && (final || !atEnd)) && opens(ofTheBest[name](o)):
		return judgement{analyze.Unknown, 0}
	case (name == "election-liveness" || name == "eventual-leader") && examined > 0 && !final && o.run.Source == tracefmt.Simulated:
		return judgement{analyze.Pending, 0}
	case wrong > 0 && atEnd && !final:
		return judgement{analyze.Pending, 0}
	// Leaders without a recorded term may be of different terms.
	case name == "single-leader" && o.maybeTwoLeaders():
		return judgement{analyze.Unknown, 0}
	case wrong == 0 && name == "fifo" && slices.ContainsFunc(o.events, causeless):
		return judgement{analyze.Unknown, 0}
	}
	return o.verdict(wrong, examined)
}

// verdict is the judgement of a safety property without unknowns.
func (o oracle) verdict(wrong, examined int) judgement {
	switch {
	case wrong > 0:
		return judgement{analyze.Violated, wrong}
	case examined == 0:
		return judgement{analyze.Vacuous, 0}
	case o.quiescent():
		return judgement{analyze.Satisfied, 0}
	}
	return judgement{analyze.HoldsSoFar, 0}
}

func causeless(e tracefmt.Event) bool {
	return e.Kind == tracefmt.Receive && (e.Cause < 1 || e.Cause >= e.Seq)
}

// live reports whether p is live after the first k events.
func (o oracle) live(p tracefmt.ProcessID, k int) bool {
	live := true
	for _, e := range o.events[:k] {
		if e.Process == p {
			switch e.Kind {
			case tracefmt.Crash, tracefmt.Halt:
				live = false
			case tracefmt.Start, tracefmt.Recover:
				live = true
			default:
				live = live || acts(e)
			}
		}
	}
	return live
}

// acts: only a process that is up does this.
func acts(e tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Start, tracefmt.Recover, tracefmt.Lose, tracefmt.Partition, tracefmt.Heal:
		return false
	case tracefmt.Note:
		return strings.Contains(" request enter exit broadcast deliver round ", " "+e.Type+" ")
	}
	return true
}

// comesUp: the event at k shows that its process, which was down, is up again.
func (o oracle) comesUp(k int) bool {
	e := o.events[k]
	return acts(e) && !o.live(e.Process, k) || o.startsAnew(k)
}

// startsAnew: the event at k is a start of a process that has taken steps.
func (o oracle) startsAnew(k int) bool {
	e := o.events[k]
	return e.Kind == tracefmt.Start && slices.ContainsFunc(o.events[:k], func(d tracefmt.Event) bool {
		return d.Process == e.Process && (acts(d) || d.Kind == tracefmt.Start || d.Kind == tracefmt.Recover)
	})
}

// nextLife: the event at k begins the next life of its process, which has what the event names.
func (o oracle) nextLife(k int) bool {
	return o.events[k].Kind == tracefmt.Recover || o.startsAnew(k)
}

// elected is the raw value of p after the first k events, "null" for none.
func (o oracle) elected(p tracefmt.ProcessID, k int) string {
	elected := "null"
	for i, e := range o.events[:k] {
		if e.Process != p {
			continue
		}
		if e.Kind == tracefmt.Recover || o.comesUp(i) {
			elected = "null"
		}
		if e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start || e.Kind == tracefmt.State {
			if value, ok := e.Field("elected"); ok {
				elected = string(value)
			}
		}
	}
	return elected
}

func (o oracle) processes() (list []tracefmt.ProcessID) {
	for i := range o.run.Members {
		list = append(list, tracefmt.ProcessID(i+1))
	}
	return list
}

func (o oracle) liveAtEnd() (list []tracefmt.ProcessID) {
	return slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.live(p, len(o.events)) })
}

// quiescent: the run declares it, no message is in flight to a live process, and no timer is armed.
func (o oracle) quiescent() bool {
	if o.run.End != tracefmt.Quiescent {
		return false
	}
	for i, e := range o.events {
		later := o.events[i+1:]
		switch e.Kind {
		case tracefmt.Send:
			over := slices.ContainsFunc(later, func(l tracefmt.Event) bool {
				return l.Message == e.Message && (l.Kind == tracefmt.Receive || l.Kind == tracefmt.Lose || l.Kind == tracefmt.Send)
			})
			if !over && o.live(e.Peer, len(o.events)) {
				return false
			}
		case tracefmt.SetTimer:
			over := slices.ContainsFunc(later, func(l tracefmt.Event) bool {
				if l.Process != e.Process {
					return false
				}
				switch l.Kind {
				case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start:
					return true
				case tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout:
					return l.Type == e.Type
				}
				return false
			})
			if !over {
				return false
			}
		}
	}
	return true
}

func (o oracle) fifo() (wrong, examined int) {
	for j, e := range o.events {
		if e.Kind != tracefmt.Receive || causeless(e) {
			continue
		}
		examined++
		// Only the first receive of a duplicated message is compared.
		first, overtaken := true, false
		for _, d := range o.events[:j] {
			if d.Kind != tracefmt.Receive || causeless(d) {
				continue
			}
			first = first && d.Cause != e.Cause
			overtaken = overtaken || d.Process == e.Process && d.Peer == e.Peer && d.Cause > e.Cause
		}
		if first && overtaken {
			wrong++
		}
	}
	return wrong, examined
}

func (o oracle) integrity() (wrong, examined int) {
	for j, e := range o.events {
		sends := slices.DeleteFunc(slices.Clone(o.events[:j]), func(s tracefmt.Event) bool {
			return s.Kind != tracefmt.Send || s.Message != e.Message
		})
		switch e.Kind {
		case tracefmt.Send:
			if len(sends) > 0 {
				wrong++
			}
		case tracefmt.Receive:
			examined++
			if len(sends) == 0 {
				wrong++
				continue
			}
			s := sends[0]
			if s.Seq != e.Cause || s.Process != e.Peer || s.Peer != e.Process || s.Type != e.Type || string(s.Payload) != string(e.Payload) {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) crashed() (wrong, examined int) {
	for j, e := range o.events {
		if e.Kind == tracefmt.Crash {
			examined++
		}
		down := false
		for _, d := range o.events[:j] {
			if d.Process == e.Process {
				down = d.Kind == tracefmt.Crash || down && d.Kind != tracefmt.Recover && d.Kind != tracefmt.Start
			}
		}
		step := acts(e) || e.Kind == tracefmt.Halt
		if down && step {
			wrong++
		}
	}
	return wrong, examined
}

func events(m *tracefmt.Memory) []tracefmt.Event {
	var list []tracefmt.Event
	for e := range m.Events(1) {
		list = append(list, *e.Clone())
	}
	return list
}

// TestEveryPropertyHasAnOracle: one of those here; the language of rules has its
// own in package spec.
func TestEveryPropertyHasAnOracle(t *testing.T) {
	judged := []string{"termination-within", "vector-clocks"} // TestTerminationOracle, TestVectorClocksOracle
	for _, names := range []iter.Seq[string]{maps.Keys(oracles), maps.Keys(causalOracles), maps.Keys(electionOracles), maps.Keys(laws)} {
		for name := range names {
			judged = append(judged, withoutArgument(name))
		}
	}
	for _, p := range property.Builtin().All() {
		if p.Rule == "" && !slices.Contains(judged, p.Name) {
			t.Errorf("no oracle decides %s", p.Name)
		}
	}
}

func TestOracle(t *testing.T) {
	drawn := verdicts{}
	size.Check(t, 60, 400, 6_000, func(t *rapid.T) { againstOracle(t, drawn) })
	for _, p := range judged() {
		drawn.expect(t, p.Name, analyze.Violated, analyze.Satisfied, analyze.Vacuous)
	}
}

// verdicts count, by property, the drawn runs with each verdict.
type verdicts map[string]map[analyze.Verdict]int

func (v verdicts) add(r *analyze.Result) {
	name := withoutArgument(r.Property.Name)
	if v[name] == nil {
		v[name] = map[analyze.Verdict]int{}
	}
	v[name][r.Verdict]++
}

// expect fails the test if no drawn run has one of the verdicts. A sample need not have all of them.
func (v verdicts) expect(t *testing.T, property string, expected ...analyze.Verdict) {
	t.Helper()
	if size.Now() != size.Long {
		return
	}
	drawn := v[withoutArgument(property)]
	for _, verdict := range expected {
		if drawn[verdict] == 0 && !t.Failed() {
			t.Errorf("no run drawn for which %s is %s: %v", property, verdict, drawn)
		}
	}
}

func withoutArgument(property string) string {
	name, _, _ := strings.Cut(property, "(")
	return name
}

// judged returns the properties that this oracle knows; others have oracles of their own, with runs that fit
// them.
func judged() []*analyze.Property {
	return slices.DeleteFunc(property.Builtin().All(), func(p *analyze.Property) bool { return oracles[p.Name] == nil })
}

func againstOracle(t *rapid.T, drawn verdicts) {
	m := drawRun(t)
	o := oracle{m.Run(), events(m)}
	report, err := analyze.Check(m, judged(), analyze.Options{Named: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		name := r.Property.Name
		if got, want := (judgement{r.Verdict, r.Violations}), o.judge(name); got != want {
			t.Fatalf("%s: got %v (%s), the oracle says %v", name, got, r.Explanation, want)
		}
		drawn.add(r)
	}
}
