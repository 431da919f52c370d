package property_test

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/tracefmt"
)

// The oracle decides each property by quantifying over the whole list of
// events, again and again, as its definition reads. It shares nothing with
// the monitors but the trace.
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
	"election-safety":               oracle.safety,
	"election-safety-always":        oracle.safetyAlways,
	"election-safety-at-assignment": oracle.safetyAtAssignment,
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

// decidedAtEnd are the properties that a run which can go on leaves open, and
// ofElections those that speak of the variable elected.
var (
	decidedAtEnd = []string{
		"agreement", "election-liveness", "election-safety", "election-safety-always", "eventual-leader", "no-loss", "recovered-relearns",
	}
	ofElections = []string{
		"agreement", "election-liveness", "election-safety", "election-safety-always", "election-safety-at-assignment", "eventual-leader",
		"leader-is-live", "recovered-relearns", "single-leader",
	}
)

func (o oracle) judge(name string) judgement {
	quantify := oracles[name]
	wrong, examined := quantify(o)
	atEnd, election := slices.Contains(decidedAtEnd, name), slices.Contains(ofElections, name)
	final := o.quiescent()
	switch {
	case election && !o.anyElected():
		return judgement{analyze.NotApplicable, 0}
	case (name == "election-liveness" || name == "eventual-leader") && examined > 0 && !final:
		return judgement{analyze.Pending, 0}
	case wrong > 0 && atEnd && !final:
		return judgement{analyze.Pending, 0}
	case wrong > 0:
		return judgement{analyze.Violated, wrong}
	case name == "fifo" && slices.ContainsFunc(o.events, causeless):
		return judgement{analyze.Unknown, 0}
	case examined == 0:
		return judgement{analyze.Vacuous, 0}
	case final:
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
			}
		}
	}
	return live
}

// elected is the raw value of p after the first k events, "null" for none.
func (o oracle) elected(p tracefmt.ProcessID, k int) string {
	elected := "null"
	for _, e := range o.events[:k] {
		if e.Process != p {
			continue
		}
		if e.Kind == tracefmt.Recover {
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

func (o oracle) anyElected() bool {
	return slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
		_, ok := e.Field("elected")
		return ok && (e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start || e.Kind == tracefmt.State)
	})
}

func (o oracle) processes() (all []tracefmt.ProcessID) {
	for i := range o.run.Members {
		all = append(all, tracefmt.ProcessID(i+1))
	}
	return all
}

func (o oracle) liveAtEnd() (all []tracefmt.ProcessID) {
	return slices.DeleteFunc(o.processes(), func(p tracefmt.ProcessID) bool { return !o.live(p, len(o.events)) })
}

// quiescent: the run says so, no message is in flight to a live process, and
// no timer is armed.
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
				case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover:
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

func (o oracle) agreement() (wrong, examined int) {
	var values []string
	for _, p := range o.liveAtEnd() {
		if v := o.elected(p, len(o.events)); v != "null" {
			values = append(values, v)
		}
	}
	for _, v := range values {
		if v != values[0] {
			wrong++
		}
	}
	return wrong, len(values)
}

func (o oracle) safety() (wrong, examined int) {
	live := o.liveAtEnd()
	for _, p := range live {
		v := o.elected(p, len(o.events))
		if v != "null" && v != strconv.Itoa(int(slices.Max(live))) {
			wrong++
		}
	}
	return wrong, len(live)
}

// best is the process of the greatest id that is live after k events, in JSON.
func (o oracle) best(k int) string {
	best := 0
	for _, p := range o.processes() {
		if o.live(p, k) {
			best = int(p)
		}
	}
	return strconv.Itoa(best)
}

// assigned returns the value that the event at k gives elected, "null" for
// none or if it is no such event.
func (o oracle) assigned(k int) string {
	e := o.events[k]
	value, ok := e.Field("elected")
	if !ok || e.Kind != tracefmt.Recover && e.Kind != tracefmt.Start && e.Kind != tracefmt.State {
		return "null"
	}
	return string(value)
}

func (o oracle) safetyAlways() (wrong, examined int) {
	for k, e := range o.events {
		if v := o.assigned(k); v != "null" && o.live(e.Process, len(o.events)) {
			examined++
			if v != o.best(len(o.events)) {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) safetyAtAssignment() (wrong, examined int) {
	for k, e := range o.events {
		if v := o.assigned(k); v != "null" && e.Kind == tracefmt.State {
			examined++
			if v != o.best(k+1) {
				wrong++
			}
		}
	}
	return wrong, examined
}

func (o oracle) liveness() (wrong, examined int) {
	called := slices.ContainsFunc(o.events, func(e tracefmt.Event) bool {
		return e.Kind == tracefmt.Suspect || e.Kind == tracefmt.Recover || e.Kind == tracefmt.Send
	})
	live := o.liveAtEnd()
	if !called || len(live) == 0 {
		return 0, 0
	}
	for _, p := range live {
		if o.elected(p, len(o.events)) == "null" {
			wrong = 1
		}
	}
	return wrong, 1
}

func (o oracle) singleLeader() (wrong, examined int) {
	leads := func(p tracefmt.ProcessID, k int) bool {
		return o.live(p, k) && o.elected(p, k) == strconv.Itoa(int(p))
	}
	for k := range o.events {
		for _, p := range o.processes() {
			if !leads(p, k+1) || leads(p, k) {
				continue
			}
			examined++
			for _, q := range o.processes() {
				if q != p && leads(q, k) {
					wrong++
				}
			}
		}
	}
	return wrong, examined
}

func (o oracle) fifo() (wrong, examined int) {
	for j, e := range o.events {
		if e.Kind != tracefmt.Receive || causeless(e) {
			continue
		}
		examined++
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
				down = d.Kind == tracefmt.Crash || down && d.Kind != tracefmt.Recover
			}
		}
		step := e.Kind != tracefmt.Crash && e.Kind != tracefmt.Recover && e.Kind != tracefmt.Lose && e.Kind != tracefmt.Note
		if down && step {
			wrong++
		}
	}
	return wrong, examined
}

// drawRun draws a small run: mostly like a run of an election, but any rule
// may be broken.
func drawRun(t *rapid.T) *tracefmt.Memory {
	n := rapid.IntRange(1, 4).Draw(t, "processes")
	run := tracefmt.Run{Problem: "election", TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	var sends []tracefmt.Event
	for i := range rapid.IntRange(0, 30).Draw(t, "events") {
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit,
			Kind: rapid.SampledFrom(drawnKinds).Draw(t, "kind"), Process: process.Draw(t, "process"),
		}
		switch e.Kind {
		case tracefmt.State, tracefmt.Recover, tracefmt.Start:
			value := rapid.SampledFrom([]string{`{"elected":null}`, `{"x":1}`, `{"elected":%d}`, `{"elected":%d}`, `{"elected":77}`}).Draw(t, "value")
			if value[len(value)-2] == 'd' {
				value = fmt.Sprintf(value, process.Draw(t, "elected"))
			}
			e.Payload = []byte(value)
		case tracefmt.Send:
			e.Peer, e.Type, e.Message = process.Draw(t, "peer"), "A", tracefmt.MessageID(len(sends)+1)
			e.Payload = []byte(fmt.Sprintf(`{"id":%d}`, i%2))
			if rapid.IntRange(0, 9).Draw(t, "again") == 0 {
				e.Message = 1
			}
			sends = append(sends, e)
		case tracefmt.Receive, tracefmt.Lose:
			if len(sends) == 0 {
				e.Kind = tracefmt.Note
				break
			}
			s := rapid.SampledFrom(sends).Draw(t, "of")
			e.Process, e.Peer, e.Type, e.Message, e.Cause, e.Payload = s.Peer, s.Process, s.Type, s.Message, s.Seq, s.Payload
			switch rapid.IntRange(0, 20).Draw(t, "forged") {
			case 0:
				e.Peer = process.Draw(t, "forged peer")
			case 1:
				e.Type = "B"
			case 2:
				e.Message = tracefmt.MessageID(rapid.IntRange(1, 9).Draw(t, "forged id"))
			case 3:
				e.Cause = tracefmt.Seq(rapid.IntRange(0, 31).Draw(t, "forged cause"))
			case 4:
				e.Payload = []byte(`{"id":2}`)
			}
		case tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout:
			e.Type = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "timer")
			if e.Kind == tracefmt.SetTimer && rapid.Bool().Draw(t, "due") {
				e.Payload = fmt.Appendf(nil, `{"due":%d}`, e.Time+tracefmt.Time(rapid.IntRange(0, 9).Draw(t, "in"))*tracefmt.Unit)
			}
		}
		if err := m.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	// Let most runs come to rest, or they would seldom be judged for good.
	if rapid.IntRange(0, 3).Draw(t, "settle") > 0 {
		settle(m)
	}
	m.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end"))
	return m
}

var drawnKinds = []tracefmt.Kind{
	tracefmt.Start, tracefmt.Halt, tracefmt.Crash, tracefmt.Recover, tracefmt.Recover,
	tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.State, tracefmt.Send, tracefmt.Send, tracefmt.Send, tracefmt.Receive,
	tracefmt.Receive, tracefmt.Receive, tracefmt.Lose, tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout, tracefmt.Suspect, tracefmt.Note,
}

// settle appends the loss of all messages and the cancelling of all timers.
func settle(m *tracefmt.Memory) {
	for i := range m.Len() {
		s := *m.At(tracefmt.Seq(i + 1))
		e := tracefmt.Event{Seq: tracefmt.Seq(m.Len() + 1), Time: s.Time, Process: s.Process, Type: s.Type}
		switch s.Kind {
		case tracefmt.Send:
			e.Kind, e.Process, e.Peer, e.Message, e.Cause = tracefmt.Lose, s.Peer, s.Process, s.Message, s.Seq
		case tracefmt.SetTimer:
			e.Kind = tracefmt.CancelTimer
		default:
			continue
		}
		_ = m.Write(&e) // a Memory takes every event
	}
}

func events(m *tracefmt.Memory) []tracefmt.Event {
	var all []tracefmt.Event
	for e := range m.Events(1) {
		all = append(all, *e.Clone())
	}
	return all
}

// TestEveryPropertyHasAnOracle: one of those here; the language of rules has its
// own in package spec.
func TestEveryPropertyHasAnOracle(t *testing.T) {
	judged := []string{"termination-within", "vector-clocks"} // TestTerminationOracle, TestVectorClocksOracle
	for _, names := range []iter.Seq[string]{maps.Keys(oracles), maps.Keys(causalOracles), maps.Keys(electionOracles), maps.Keys(laws)} {
		for name := range names {
			name, _, _ = strings.Cut(name, "(")
			judged = append(judged, name)
		}
	}
	for _, p := range property.All() {
		if p.Rule == "" && !slices.Contains(judged, p.Name) {
			t.Errorf("no oracle decides %s", p.Name)
		}
	}
}

func TestOracle(t *testing.T) {
	seen := map[string]map[analyze.Verdict]int{}
	for range 30 { // of a hundred runs each
		rapid.Check(t, func(t *rapid.T) { againstOracle(t, seen) })
	}
	for _, p := range judged() {
		for _, v := range []analyze.Verdict{analyze.Violated, analyze.Satisfied, analyze.Vacuous} {
			if seen[p.Name][v] == 0 && !t.Failed() {
				t.Errorf("no run drawn for which %s is %s: %v", p.Name, v, seen[p.Name])
			}
		}
	}
}

// judged returns the properties of which this oracle knows; others have
// oracles of their own, with runs that fit them.
func judged() []*analyze.Property {
	return slices.DeleteFunc(property.All(), func(p *analyze.Property) bool { return oracles[p.Name] == nil })
}

func againstOracle(t *rapid.T, seen map[string]map[analyze.Verdict]int) {
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
		if seen[name] == nil {
			seen[name] = map[analyze.Verdict]int{}
		}
		seen[name][r.Verdict]++
	}
}
