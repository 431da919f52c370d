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
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// electionOracles decide the properties of families of algorithms, as oracles
// does for the others.
var electionOracles = map[string]func(oracle) judgement{
	"message-complexity":      oracle.complexity,
	"messages-at-most(2*n+1)": oracle.atMost,
	"one-election-at-a-time":  oracle.oneElection,
	"ring-forward-increasing": oracle.increasing,
	"ring-lists-agree":        oracle.lists,
	"ring-no-orphan":          oracle.orphans,
	"ring-successor-only":     oracle.successors,
}

func (o oracle) sends() (found []int) {
	for k, e := range o.events {
		if e.Kind == tracefmt.Send {
			found = append(found, k)
		}
	}
	return found
}

func (o oracle) judgeCount(limit float64) judgement {
	wrong := 0
	if float64(len(o.sends())) > limit {
		wrong = 1
	}
	return o.verdict(wrong, len(o.sends()))
}

func (o oracle) atMost() judgement { return o.judgeCount(float64(2*len(o.run.Members) + 1)) }

// complexity defines the bounds again, for the drawn algorithms.
func (o oracle) complexity() judgement {
	if len(o.sends()) == 0 {
		return judgement{analyze.Vacuous, 0}
	}
	first := o.sends()[0]
	var plan struct{ Start []string }
	if err := json.Unmarshal(o.run.Scenario, &plan); err != nil {
		panic(err)
	}
	n, live, starts, lowest := len(o.run.Members), 0, 0, 99
	for i := range o.run.Members {
		if o.live(tracefmt.ProcessID(i+1), first+1) {
			live++
			for _, start := range plan.Start {
				if start == o.run.Members[i].Name+"@0" {
					starts, lowest = starts+1, min(lowest, o.id(tracefmt.ProcessID(i+1)))
				}
			}
		}
	}
	highest, _ := o.run.Process(strconv.Itoa(n))
	above, top := n-lowest, o.live(highest, first+1)
	switch {
	case starts == 0, o.run.Algorithm == "bully" && top && starts > 1:
		return judgement{analyze.NotApplicable, 0}
	case o.run.Algorithm == "ring":
		return o.judgeCount(float64(2 * live * starts))
	case o.run.Algorithm == "chang-roberts" && starts == 1:
		return o.judgeCount(float64(3*live - 1))
	case o.run.Algorithm == "chang-roberts":
		return o.judgeCount(float64(live*(live+1)/2 + live))
	case top:
		return o.judgeCount(float64(above*(above+1) + max(1, above)*(n-1)))
	}
	return o.judgeCount(float64(above*above + n - 1))
}

// id is the number that is the name of a process.
func (o oracle) id(p tracefmt.ProcessID) int {
	id, err := strconv.Atoi(o.run.ProcessName(p))
	if err != nil {
		panic(err)
	}
	return id
}

func (o oracle) oneElection() judgement {
	wrong, examined := 0, 0
	for k, e := range o.events {
		if e.Kind != tracefmt.Send || strings.ToLower(e.Type) != "election" {
			continue
		}
		examined++
		open := false // an election in which e.Peer was asked
		for j, d := range o.events[:k] {
			if d.Process != e.Process {
				continue
			}
			switch d.Kind {
			case tracefmt.Send:
				open = open || strings.ToLower(d.Type) == "election" && d.Peer == e.Peer
			case tracefmt.Timeout, tracefmt.Crash, tracefmt.Halt:
				open = false
			default:
				open = open && o.assigned(j) == "null" && !o.nextLife(j)
			}
		}
		if open {
			wrong++
		}
	}
	if wrong > 0 && o.run.Source != "simulated" && !o.recorded(0, "elected", len(o.events)) {
		return judgement{analyze.Unknown, 0}
	}
	return o.verdict(wrong, examined)
}

func (o oracle) increasing() judgement {
	wrong, examined, unknown := 0, 0, false
	for k, e := range o.events {
		if e.Kind != tracefmt.Send || e.Type != "election" {
			continue
		}
		id, ok := o.named(e)
		if !ok {
			unknown = true
			continue
		}
		examined++
		last := 0
		for j, d := range o.events[:k] {
			if d.Process != e.Process {
				continue
			}
			if x, ok := o.named(d); ok && d.Kind == tracefmt.Send && d.Type == "election" {
				last = x
			}
			// The election has ended for the process, so its next id is free.
			if d.Kind == tracefmt.Crash || o.nextLife(j) || o.assigned(j) != "null" {
				last = 0
			}
		}
		if id < last {
			wrong++
		}
	}
	if unknown && wrong == 0 {
		return judgement{analyze.Unknown, 0}
	}
	return o.verdict(wrong, examined)
}

// named is the process that the field id of an event names.
func (o oracle) named(e tracefmt.Event) (id int, ok bool) {
	value, _ := e.Field("id")
	p, ok := o.run.ProcessValue(value)
	if !ok {
		return 0, false
	}
	return o.id(p), true
}

func (o oracle) successors() judgement {
	wrong, examined := 0, len(o.sends())
	for _, k := range o.sends() {
		n := len(o.run.Members)
		at := o.run.Members[o.events[k].Process-1].Position
		for i := 1; i <= n; i++ {
			place := (at+i-1)%n + 1
			q := tracefmt.ProcessID(1 + slices.IndexFunc(o.run.Members, func(m tracefmt.Member) bool { return m.Position == place }))
			if i == n || o.onRing(q, k) {
				if o.events[k].Peer != q {
					wrong++
				}
				break
			}
		}
	}
	return o.verdict(wrong, examined)
}

// onRing reports whether q is a part of the ring after k events.
func (o oracle) onRing(q tracefmt.ProcessID, k int) bool {
	if !strings.Contains(string(o.run.Scenario), `"ring-repair":"off"`) {
		return o.live(q, k+1)
	}
	for _, e := range o.events[:k] { // the first that is about q and shows whether it is up
		if e.Process == q && e.Kind != tracefmt.Lose && e.Kind != tracefmt.Note {
			return e.Kind != tracefmt.Crash
		}
	}
	return true
}

func (o oracle) orphans() judgement {
	wrong, examined := 0, 0
	for _, k := range o.sends() {
		e := o.events[k]
		owner, ok := o.run.ProcessValue(origin(e))
		if !ok || o.live(owner, k+1) {
			continue
		}
		examined++
		for _, j := range o.sends() {
			d := o.events[j]
			before := j < k && d.Process == e.Process && o.firstSend(j) == o.firstSend(k)
			if before && !o.live(owner, j+1) && !o.upBetween(owner, j, k) {
				wrong++
				break
			}
		}
	}
	return o.verdict(wrong, examined)
}

// lists compares each list with the first one of the same failure, by trying all rotations.
func (o oracle) lists() judgement {
	wrong, examined := 0, 0
	for _, k := range o.sends() {
		state, list, ok := o.listed(k)
		if !ok {
			continue
		}
		examined++
		for _, j := range o.sends() {
			if before, first, ok := o.listed(j); ok && before == state {
				if j < k && !slices.ContainsFunc(rotations(first), func(r []string) bool { return slices.Equal(r, list) }) {
					wrong++
				}
				break
			}
		}
	}
	return o.verdict(wrong, examined)
}

func rotations(list []string) (found [][]string) {
	for i := range list {
		found = append(found, slices.Concat(list[i:], list[:i]))
	}
	if len(list) == 0 {
		return [][]string{{}}
	}
	return found
}

// listed returns the failure and the list of a COORDINATOR message of a ring.
func (o oracle) listed(k int) (state string, list []string, ok bool) {
	e := o.events[k]
	launcher, named := o.run.ProcessValue(field(e, "launcher"))
	if e.Type != "COORDINATOR" || !named || launcher == 0 || field(e, "list") == nil {
		return "", nil, false
	}
	launch := -1 // the last one of the launcher
	for _, j := range o.sends() {
		d := o.events[j]
		process, named := o.run.ProcessValue(field(d, "launcher"))
		if j <= k && d.Type == "COORDINATOR" && named && process == launcher && d.Process == launcher && field(d, "list") != nil {
			launch = j
		}
	}
	return o.failureBefore(launcher, launch), strings.Fields(o.names(field(e, "list"))), true
}

func (o oracle) names(list []byte) string {
	return strings.NewReplacer("[", "", "]", "", ",", " ").Replace(string(list))
}

// failureBefore is the failure for which p began the last election before k.
func (o oracle) failureBefore(p tracefmt.ProcessID, k int) string {
	for j := k - 1; j >= 0; j-- {
		d := o.events[j]
		if d.Process != p || d.Kind != tracefmt.Send || d.Type != "ELECTION" || o.names(field(d, "list")) != o.run.ProcessName(p) {
			continue
		}
		suspect := 0
		for i := j - 1; i >= 0; i-- {
			switch before := o.events[i]; {
			case before.Process != p:
			case before.Kind == tracefmt.Suspect:
				suspect = int(before.Peer)
				continue
			default:
				i = 0
			}
		}
		if suspect == 0 || o.live(tracefmt.ProcessID(suspect), j+1) {
			return strconv.Itoa(suspect)
		}
		// Two failures of one process differ by when it went down.
		since := 0
		for i, before := range o.events[:j] {
			if before.Process == tracefmt.ProcessID(suspect) && o.live(before.Process, i) != o.live(before.Process, i+1) {
				since = i + 1
			}
		}
		return strconv.Itoa(suspect) + "@" + strconv.Itoa(since)
	}
	return "0"
}

// upBetween reports whether p changes its status in the events from j to k-1,
// be it to down once more.
func (o oracle) upBetween(p tracefmt.ProcessID, j, k int) bool {
	for i := j; i < k; i++ {
		e := o.events[i]
		recorded := slices.Contains([]tracefmt.Kind{tracefmt.Start, tracefmt.Crash, tracefmt.Halt, tracefmt.Recover}, e.Kind)
		if e.Process == p && (recorded || o.comesUp(i)) {
			return true
		}
	}
	return false
}

func field(e tracefmt.Event, name string) []byte {
	value, _ := e.Field(name)
	return value
}

// origin is who would stop a message, as it is written: its launcher, id, or the head of its list.
func origin(e tracefmt.Event) []byte {
	for _, name := range []string{"launcher", "id"} {
		if value := field(e, name); value != nil {
			return value
		}
	}
	for item := range tracefmt.Items(field(e, "list")) {
		return item
	}
	return nil
}

// firstSend follows a message back to the send that brought it into being.
func (o oracle) firstSend(k int) int {
	e := o.events[k]
	owner, _ := o.run.ProcessValue(origin(e))
	for j := k - 1; j >= 0; j-- {
		d := o.events[j]
		if d.Process != e.Process || d.Kind != tracefmt.Receive && d.Kind != tracefmt.Crash && !o.nextLife(j) {
			continue
		}
		i := o.sendOf(j)
		// What names no originator is no message of the ring, and is forwarded by nobody.
		if d.Kind == tracefmt.Receive && !o.namesOriginator(d) && (i < 0 || !o.namesOriginator(o.events[i])) {
			continue
		}
		if d.Kind == tracefmt.Receive && i >= 0 && o.events[i].Type == e.Type && owner != e.Process &&
			string(origin(o.events[i])) == string(origin(e)) {
			return o.firstSend(i)
		}
		break
	}
	return k
}

// namesOriginator reports whether a message of the ring is sent or received.
func (o oracle) namesOriginator(e tracefmt.Event) bool {
	_, ok := o.run.ProcessValue(origin(e))
	return ok
}

// sendOf returns the send of the message that is received first at j, -1 for none.
func (o oracle) sendOf(j int) int {
	for i := j - 1; i >= 0; i-- {
		if o.events[i].Message == o.events[j].Message {
			if o.events[i].Kind == tracefmt.Send {
				return i
			}
			return -1
		}
	}
	return -1
}

func TestElectionOracle(t *testing.T) {
	properties, err := property.Builtin().Named(slices.Sorted(maps.Keys(electionOracles))...)
	if err != nil {
		t.Fatal(err)
	}
	drawn := verdicts{}
	size.Check(t, 60, 2_000, 6_000, func(t *rapid.T) {
		m := drawElection(t)
		report, err := analyze.Check(m, properties, analyze.Options{Named: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			name := r.Property.Name
			if got, want := (judgement{r.Verdict, r.Violations}), electionOracles[name](oracle{m.Run(), events(m)}); got != want {
				t.Fatalf("%s: got %v (%s), the oracle says %v\n%s", name, got, r.Explanation, want, text(t, m))
			}
			drawn.add(r)
		}
	})
	for _, p := range properties {
		drawn.expect(t, p.Name, analyze.Violated, analyze.Satisfied, analyze.Vacuous, analyze.HoldsSoFar)
	}
}

// text is a run in text form, for a failure.
func text(t failer, m *tracefmt.Memory) string {
	t.Helper()
	var b strings.Builder
	if err := tracefmt.NewEncoder(&b).Encode(m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
