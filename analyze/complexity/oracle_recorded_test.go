package complexity_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/analyze/spec"
	"etrace/fixtures/mask"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// The oracle for the counts of partial recordings. It draws a run, and makes a recording of it: it removes the
// events that a mask hides, or reorders the events consistently with happened-before, as an import may. It
// counts both. The run is a completion of the recording. So each exact count of the recording must equal that
// of the run, and the run must keep each bound.

// drawRecorded draws a run of three processes that elect, crash and recover. Some messages are lost, duplicated
// or in transit.
func drawRecorded(t *rapid.T) *tracefmt.Memory {
	m := newRun(3)
	run := m.Run()
	run.Source, run.Problem, run.Completeness = "", "election", &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
	copies := rapid.Bool().Draw(t, "copies")
	if !copies {
		run.Traits = []string{tracefmt.NoDuplicates}
	}
	process := rapid.Map(rapid.IntRange(1, 3), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	down, arrived := make([]bool, 4), map[tracefmt.MessageID]bool{}
	var sends []tracefmt.Event
	write := func(e tracefmt.Event) {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		e.Time = tracefmt.Time(m.Len()) * tracefmt.Unit
		if e.Kind == tracefmt.Send {
			e.Message = tracefmt.MessageID(len(sends) + 1)
			sends = append(sends, e)
		}
		_ = m.Write(&e)
	}
	for range rapid.IntRange(1, 25).Draw(t, "events") {
		p := process.Draw(t, "process")
		// A step of a crashed process is its recovery first, so that every drawn run is well-formed.
		if down[p] {
			down[p] = false
			write(tracefmt.Event{Kind: tracefmt.Recover, Process: p})
			continue
		}
		switch choice := rapid.IntRange(0, 11).Draw(t, "what"); {
		case choice < 4:
			e := send(p, process.Draw(t, "to"), 0, rapid.SampledFrom([]string{"A", "B"}).Draw(t, "type"))
			if rapid.Bool().Draw(t, "told") {
				e.Payload = []byte(rapid.SampledFrom([]string{`{"phase":1}`, `{"phase":2}`, `{"note":"long"}`}).Draw(t, "payload"))
			}
			write(e)
		case choice < 7 && len(sends) > 0:
			s := rapid.SampledFrom(sends).Draw(t, "of")
			if arrived[s.Message] && !copies {
				continue
			}
			arrived[s.Message] = true
			e := tracefmt.Event{
				Kind: tracefmt.Receive, Process: s.Peer, Peer: s.Process, Message: s.Message, Type: s.Type,
				Cause: s.Seq, Payload: s.Payload,
			}
			if down[s.Peer] || rapid.IntRange(0, 3).Draw(t, "lost") == 0 {
				reason := "dropped"
				if down[s.Peer] {
					reason = "receiver crashed"
				}
				e.Kind, e.Payload = tracefmt.Lose, fmt.Appendf(nil, `{"reason":%q}`, reason)
			}
			write(e)
		case choice == 7:
			down[p] = true
			write(tracefmt.Event{Kind: tracefmt.Crash, Process: p})
		case choice == 8:
			write(suspect(p, process.Draw(t, "suspect")))
		case choice == 9:
			write(tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: rapid.SampledFrom([]string{"in", "out", "tick"}).Draw(t, "note")})
		default:
			write(
				state(
					p,
					rapid.SampledFrom([]string{`{"elected":1}`, `{"elected":2}`, `{"elected":null}`, `{"phase":3}`, `{"phase":null}`}).Draw(t, "state"),
				),
			)
		}
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// imported is the run in another order that agrees with happened-before, as if it was read from logs.
func imported(m *tracefmt.Memory, random *rand.Rand) *tracefmt.Memory {
	var events []tracefmt.Event
	for i := range m.Len() {
		events = append(events, *m.At(tracefmt.Seq(i + 1)))
	}
	last, before := map[tracefmt.ProcessID]int{}, make([][]int, len(events))
	for i, e := range events {
		at := e.Process
		if j, ok := last[at]; ok {
			before[i] = append(before[i], j)
		}
		last[at] = i
		if e.Cause > 0 {
			before[i] = append(before[i], int(e.Cause)-1)
		}
	}
	run := *m.Run()
	run.Source, run.Tool = "map", "etrace test"
	out := tracefmt.NewMemory(run)
	place := make([]tracefmt.Seq, len(events))
	for out.Len() < len(events) {
		var ready []int
		for i := range events {
			if place[i] == 0 && !slices.ContainsFunc(before[i], func(j int) bool { return place[j] == 0 }) {
				ready = append(ready, i)
			}
		}
		i := ready[random.IntN(len(ready))]
		e := events[i]
		e.Seq = tracefmt.Seq(out.Len() + 1)
		place[i] = e.Seq
		if e.Cause > 0 {
			e.Cause = place[e.Cause-1]
		}
		_ = out.Write(&e)
	}
	out.Finish(tracefmt.Stopped)
	return out
}

// figures are the counts of a run by JSON key, with their bounds. Counts of a part of the run have its name as
// prefix.
type figures map[string]figure

type figure struct {
	count float64
	bound string // at_least, at_most, not_known, or exact
}

// tally adds the counts of a part, whose bounds are at most as precise as those of the run.
func (f figures) tally(name string, t complexity.Tally, s *complexity.Stats, uncertain bool) {
	for key, count := range map[string]int64{
		"sent": t.Sent, "delivered": t.Delivered, "lost": t.Lost, "to_crashed": t.ToCrashed, "in_flight": t.InFlight, "bytes": t.Bytes,
	} {
		bound := said(s, "messages."+key)
		if uncertain {
			bound = "not_known"
		}
		f[name+" "+key] = figure{float64(count), bound}
	}
}

func said(s *complexity.Stats, key string) string {
	for word, list := range map[string][]string{"at_least": s.AtLeast, "at_most": s.AtMost, "not_known": s.NotKnown} {
		if slices.Contains(list, key) {
			return word
		}
	}
	return "exact"
}

func figuresOf(t *rapid.T, m *tracefmt.Memory) figures {
	d := complexity.Detail{Path: true, Per: []*spec.Operation{complexity.Elections(), &recordedTicks, &recordedInside}}
	for _, name := range []string{"type", "process", "link", "phase"} {
		g, err := complexity.ParseGrouping(name)
		if err != nil {
			t.Fatal(err)
		}
		d.By = append(d.By, g)
	}
	s, err := complexity.CountDetailed(m, d)
	if err != nil {
		t.Fatal(err)
	}
	f := figures{}
	add := func(key string, count float64) { f[key] = figure{count, said(s, key)} }
	add("events", float64(s.Events))
	add("messages.sent", float64(s.Messages.Sent))
	add("messages.delivered", float64(s.Messages.Delivered))
	add("messages.lost", float64(s.Messages.Lost))
	add("messages.to_crashed", float64(s.Messages.ToCrashed))
	add("messages.in_flight", float64(s.Messages.InFlight))
	add("messages.to_itself", float64(s.Messages.ToItself))
	add("messages.bytes", float64(s.Messages.Bytes))
	add("causal_depth", float64(s.CausalDepth))
	add("suspicions", float64(s.Suspicions))
	if s.LastDelivery != nil {
		add("last_delivery", *s.LastDelivery)
	}
	if s.LastDecision != nil {
		add("last_decision", *s.LastDecision)
	}
	for typ, n := range s.Messages.ByType {
		f["messages.by_type "+typ] = figure{float64(n), said(s, "messages.by_type")}
	}
	for l := range s.ByLink.All() {
		f["by_link "+l.From+" "+l.To] = figure{float64(l.Sent), said(s, "by_link")}
	}
	for _, p := range s.ByProcess {
		// A process and a breakdown have their own bounds; the bounds of the run do not apply.
		for key, n := range map[string]int64{"sent": p.Sent, "received": p.Received} {
			bound := "exact"
			if slices.Contains(p.AtLeast, key) {
				bound = "at_least"
			}
			f["by_process "+p.Process+" "+key] = figure{float64(n), bound}
		}
	}
	for _, b := range s.Breakdowns {
		if b.Uncertain {
			f["by "+b.Grouping+"[] sent"] = figure{0, "not_known"}
		}
		for _, g := range b.Groups {
			f.tally(fmt.Sprint("by ", b.Grouping, g.Name), g.Tally, s, b.Uncertain)
		}
	}
	for _, p := range s.Per {
		f.tally("per "+p.Operation+" warm-up", p.WarmUp, s, p.Uncertain)
		f.tally("per "+p.Operation+" rest", p.Rest, s, p.Uncertain)
		bound := "exact"
		if p.Uncertain {
			bound = "not_known"
		}
		f["per "+p.Operation+" count"] = figure{float64(p.Count), bound}
		for i, operation := range p.Each {
			f.tally(fmt.Sprint("per ", p.Operation, " ", i), operation.Tally, s, p.Uncertain)
		}
	}
	return f
}

var (
	recordedTicks  = withFacts(ticks)
	recordedInside = withFacts(inside)
)

func withFacts(o spec.Operation) spec.Operation {
	o.Facts = []tracefmt.Fact{{Kind: tracefmt.Note}}
	return o
}

// contradictions are the figures of a recording that the run refutes.
func contradictions(recorded, run figures) (list []string) {
	for key, claim := range recorded {
		was := run[key].count
		if claim.bound == "at_least" && was < claim.count || claim.bound == "at_most" && was > claim.count ||
			claim.bound == "exact" && was != claim.count {
			list = append(list, fmt.Sprintf("%s is %s %v, and was %v", key, claim.bound, claim.count, was))
		}
	}
	for key, was := range run {
		// A count that the recording lacks is 0, and a missing time has no value.
		if _, ok := recorded[key]; !ok && was.count > 0 && missingIs(recorded, key) == "exact" {
			list = append(list, fmt.Sprintf("%s is none, and was %v", key, was.count))
		}
	}
	slices.Sort(list)
	return list
}

// missingIs returns the bound of a part that does not occur: that of similar parts, otherwise that of all
// messages.
func missingIs(f figures, key string) string {
	like, _, _ := strings.Cut(key, "[")
	if words := strings.Fields(key); like == key {
		like = strings.Join(words[:min(2, len(words)-1)], " ")
	}
	for otherKey, claim := range f {
		if like != "" && strings.HasPrefix(otherKey, like) && claim.bound != "exact" {
			return claim.bound
		}
	}
	if strings.HasPrefix(key, "last_") {
		return "not_known" // null
	}
	return f["messages.sent"].bound
}

// TestRecorded: for every mask and every order of events, the counts of the recording are true of the run.
func TestRecorded(t *testing.T) {
	exact := 0
	size.Check(t, 8, 30, 1_000, func(t *rapid.T) {
		m := drawRecorded(t)
		full := figuresOf(t, m)
		masks, err := mask.All(m)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "order")))
		recordings := map[string]*tracefmt.Memory{"in another order": imported(m, random)}
		for _, hides := range masks {
			if hides.Stops { // it is of another run, which ends earlier
				continue
			}
			recordings[hides.String()], err = hides.Of(m)
			if err != nil {
				t.Fatal(err)
			}
		}
		for name, rec := range recordings {
			f := figuresOf(t, rec)
			for _, claim := range f {
				if claim.bound == "exact" {
					exact++
				}
			}
			if list := contradictions(f, full); list != nil {
				tells, _ := json.Marshal(rec.Run().Completeness)
				t.Fatalf("%s, %s:\n%s", name, tells, strings.Join(list, "\n"))
			}
		}
	})
	if exact == 0 {
		t.Error("nothing is exact")
	}
}
