package spec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// orders decides "never possibly" and "never definitely" by trying all orders
// of the events that agree with happened-before, step by step.
type orders struct {
	steps  [][]tracefmt.Event // of each process
	chosen []int              // the processes that the condition refers to
	// holds has by part, process and number of steps whether the part holds.
	holds [][][]bool
	// possible: some order leads through a cut in which the condition holds;
	// avoidable: some order does not.
	possible, avoidable bool
}

// meets reports whether the condition holds in a cut, the number of steps of
// each process.
func (o *orders) meets(cut []int) bool {
	for part, p := range o.chosen {
		if !o.holds[part][p][cut[p]] {
			return false
		}
	}
	return true
}

// walk goes all ways on from a cut, as far as the condition does not hold.
func (o *orders) walk(cut []int) {
	if o.meets(cut) {
		o.possible = true
		return
	}
	last := true
	for p, steps := range o.steps {
		if cut[p] == len(steps) {
			continue
		}
		last = false
		if o.includes(cut, steps[cut[p]].Cause) {
			cut[p]++
			o.walk(cut)
			cut[p]--
		}
	}
	o.avoidable = o.avoidable || last
}

// includes reports whether an event is in a cut; 0 is in each.
func (o *orders) includes(cut []int, seq tracefmt.Seq) bool {
	for p, n := range cut {
		if slices.ContainsFunc(o.steps[p][:n], func(e tracefmt.Event) bool { return e.Seq == seq }) {
			return true
		}
	}
	return seq == 0
}

// localCondition is a condition on one process: its text in a rule, what counts before the first step,
// and whether it holds after a step. A process without a
// step is not looked at.
type localCondition struct {
	text      string
	initially bool
	after     func(kind tracefmt.Kind, before bool) bool
}

var localConditions = []localCondition{
	{"f(%s)", false, func(kind tracefmt.Kind, before bool) bool {
		return kind == tracefmt.Suspect || before && kind != tracefmt.Trust
	}},
	{"not f(%s)", true, func(kind tracefmt.Kind, before bool) bool {
		return kind == tracefmt.Trust || before && kind != tracefmt.Suspect
	}},
	{"live(%s)", true, func(kind tracefmt.Kind, before bool) bool {
		return kind != tracefmt.Crash // any other step shows that it is up
	}},
	{"not live(%s)", false, func(kind tracefmt.Kind, before bool) bool {
		return kind == tracefmt.Crash
	}},
}

// table is whether the condition holds, by process and number of steps.
func (c localCondition) table(steps [][]tracefmt.Event) (table [][]bool) {
	for _, list := range steps {
		now, holds := c.initially, []bool{false}
		for _, e := range list {
			now = e.Kind != worst && c.after(e.Kind, now)
			holds = append(holds, now)
		}
		table = append(table, holds)
	}
	return table
}

// worst is the kind of a step by which every condition ends. Each process of a
// run that was stopped takes one more: the worst that may follow.
const worst = tracefmt.Note

// drawMessages draws a small run with messages, and the steps of each process.
func drawMessages(t *rapid.T) (m *tracefmt.Memory, steps [][]tracefmt.Event) {
	return drawSteps(t, 8, []tracefmt.Kind{
		tracefmt.Suspect, tracefmt.Suspect, tracefmt.Trust, tracefmt.Crash, tracefmt.Recover,
		tracefmt.Send, tracefmt.Send, tracefmt.Receive, tracefmt.Receive, tracefmt.Receive,
	})
}

// drawSteps draws a run of at most limit events of these kinds.
func drawSteps(t *rapid.T, limit int, drawn []tracefmt.Kind) (m *tracefmt.Memory, steps [][]tracefmt.Event) {
	run := drawProcesses(t)
	n := len(run.Members)
	m, steps = tracefmt.NewMemory(run), make([][]tracefmt.Event, n)
	process := rapid.Map(rapid.IntRange(1, n), func(p int) tracefmt.ProcessID { return tracefmt.ProcessID(p) })
	kinds := rapid.SampledFrom(drawn)
	write := func(e tracefmt.Event) {
		e.Seq = tracefmt.Seq(m.Len() + 1)
		_ = m.Write(&e) // a Memory takes every event
		if e.Kind != tracefmt.Lose {
			steps[e.Process-1] = append(steps[e.Process-1], e)
		}
	}
	var flight []tracefmt.Event
	fate := func(kind tracefmt.Kind, i int) {
		s := flight[i]
		flight = slices.Delete(flight, i, i+1)
		write(tracefmt.Event{Kind: kind, Process: s.Peer, Peer: s.Process, Type: s.Type, Message: s.Message, Cause: s.Seq})
	}
	for i := range rapid.IntRange(0, limit).Draw(t, "events") {
		e := tracefmt.Event{Kind: kinds.Draw(t, "kind"), Process: process.Draw(t, "process"), Peer: process.Draw(t, "peer")}
		switch {
		case e.Kind == tracefmt.Receive && len(flight) > 0:
			fate(e.Kind, rapid.IntRange(0, len(flight)-1).Draw(t, "message"))
		case e.Kind == tracefmt.Receive:
		case e.Kind == tracefmt.Send:
			e.Type, e.Message = "A", tracefmt.MessageID(i+1)
			write(e)
			e.Seq = tracefmt.Seq(m.Len())
			flight = append(flight, e)
		case e.Kind == tracefmt.State:
			e.Payload = drawAssignment(t)
			write(e)
		default:
			write(e)
		}
	}
	end := rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end")
	for end == tracefmt.Quiescent && len(flight) > 0 {
		fate(tracefmt.Lose, 0)
	}
	m.Finish(end)
	return m, steps
}

// TestOracleOfCuts: the package and the orders agree on random conjunctions.
func TestOracleOfCuts(t *testing.T) {
	seen := map[string]int{}
	size.Check(t, 100, 800, 6_000, func(t *rapid.T) {
		m, steps := drawMessages(t)
		conjunction := rapid.SliceOfN(rapid.SampledFrom(localConditions), 1, 3).Draw(t, "condition")
		modality := rapid.SampledFrom([]string{"possibly", "definitely"}).Draw(t, "modality")
		var parts []string
		for i, c := range conjunction {
			parts = append(parts, fmt.Sprintf(c.text, string("pqr"[i])))
		}
		rule := fmt.Sprintf("fluent f(p) from suspect to trust\nnever %s %s", modality, strings.Join(parts, " and "))
		want := decideCuts(steps, conjunction, modality, m.Run().End == tracefmt.Quiescent)
		r := check(t, m, rule).Results[0]
		if r.Verdict != want {
			t.Fatalf("%s over %v: got %s (%s), the orders say %s", rule, steps, r.Verdict, r.Explanation, want)
		}
		if r.Verdict == analyze.Violated && r.Explanation == "" {
			t.Fatalf("%s is violated without an explanation", rule)
		}
		seen[fmt.Sprintf("%s %d %s", modality, len(conjunction), r.Verdict)]++
	})
	expectDrawn(t, seen, []string{"possibly 2", "possibly 3", "definitely 2"}, analyze.Violated, analyze.Satisfied, analyze.HoldsSoFar)
}

// decideCuts asks the orders of each choice of different processes.
func decideCuts(steps [][]tracefmt.Event, conjunction []localCondition, modality string, final bool) analyze.Verdict {
	o := orders{steps: slices.Clone(steps)}
	// A stopped process may take one more step, after which no part holds.
	for p := range steps {
		if !final {
			o.steps[p] = append(slices.Clip(steps[p]), tracefmt.Event{Kind: worst})
		}
	}
	verdict := analyze.Vacuous
	for _, c := range conjunction {
		o.holds = append(o.holds, c.table(o.steps))
		for _, holds := range o.holds[len(o.holds)-1] {
			if slices.Contains(holds, true) {
				verdict = analyze.HoldsSoFar
				if final {
					verdict = analyze.Satisfied
				}
			}
		}
	}
	violated := false
	var choose func(chosen []int)
	choose = func(chosen []int) {
		if len(chosen) < len(conjunction) {
			for p := range steps {
				if !slices.Contains(chosen, p) {
					choose(append(slices.Clip(chosen), p))
				}
			}
			return
		}
		o.chosen, o.possible, o.avoidable = chosen, false, false
		o.walk(make([]int, len(steps)))
		violated = violated || modality == "possibly" && o.possible || modality == "definitely" && !o.avoidable
	}
	choose(nil)
	if violated {
		return analyze.Violated
	}
	return verdict
}
