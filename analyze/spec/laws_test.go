package spec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// Laws of rules: another order of what is concurrent, other names and an idle client
// change no verdict. A table gives the reason for each exception.

// ofOneProcess reports whether a rule joins and counts events of one process only, and
// sets no time within which another event must have been recorded.
func ofOneProcess(form, rule string) bool {
	switch {
	case strings.Contains(rule, " within "), form == "never state": // a count over processes after each recorded event
		return false
	case form == "at end", form == "never":
		return true
	}
	rule, _, _ = strings.Cut(rule, " unless ") // the key is that of the answer
	return strings.Contains(rule, "process = x.process,") || strings.Contains(rule, "process = x.process)") ||
		strings.Contains(rule, "per process")
}

// TestConcurrentSwapped: events of two processes that are next to each other, neither
// of which happened before the other, may as well have been recorded the other way
// round, for what is asked of all orders and for rules of one process.
func TestConcurrentSwapped(t *testing.T) {
	compared := 0
	size.Check(t, 30, 250, 10_000, func(t *rapid.T) {
		m, _ := drawMessages(t)
		rule := "fluent f(p) from suspect to trust\n" + rapid.SampledFrom([]string{
			"never possibly f(p) and f(q)", "never definitely f(p) and f(q)", "never possibly f(p) and not f(q)",
			"never possibly f(p) and not live(q)",
		}).Draw(t, "rule")
		if rapid.Bool().Draw(t, "any rule") {
			var form string
			m = drawRun(t)
			form, rule, _ = drawRule(t)
			if !ofOneProcess(form, rule) {
				return
			}
		}
		changed := swapped(t, m)
		was, now := check(t, m, rule).Results[0], check(t, changed, rule).Results[0]
		compared++
		if was.Verdict != now.Verdict || was.Violations != now.Violations {
			t.Fatalf("%s was %s (%s), is %s (%s)\n%v\n%v", rule, was.Verdict, was.Explanation, now.Verdict, now.Explanation, list(m), list(changed))
		}
	})
	t.Logf("%d verdicts compared", compared)
}

// swapped is the run after some swaps.
func swapped(t *rapid.T, m *tracefmt.Memory) *tracefmt.Memory {
	order := list(m)
	for range rapid.IntRange(1, 6).Draw(t, "swaps") {
		if len(order) < 2 {
			break
		}
		i := rapid.IntRange(0, len(order)-2).Draw(t, "swapped")
		if a, b := order[i], order[i+1]; a.Process != b.Process && b.Cause != a.Seq {
			order[i], order[i+1] = b, a
		}
	}
	places := make([]tracefmt.Seq, len(order)+1)
	for i, e := range order {
		places[e.Seq] = tracefmt.Seq(i + 1)
	}
	changed := tracefmt.NewMemory(*m.Run())
	for _, e := range order {
		e.Seq, e.Cause = places[e.Seq], places[e.Cause]
		_ = changed.Write(&e) // a Memory takes every event
	}
	changed.Finish(m.Run().End)
	return changed
}

func list(m *tracefmt.Memory) (events []tracefmt.Event) {
	for e := range m.Events(1) {
		events = append(events, *e.Clone())
	}
	return events
}

// TestIdleClient: a client that does nothing changes no verdict, but where a rule asks
// for all processes that are live, which it is.
func TestIdleClient(t *testing.T) {
	withIdle(t, []byte(`{"role":"client"}`), "at end")
}

// TestIdleMember: nor does a member without a role, but where a rule asks for so many
// events of each process.
func TestIdleMember(t *testing.T) {
	withIdle(t, nil, "at end", "at least", "exactly")
}

// withIdle compares runs with and without an idle member, except in these forms.
func withIdle(t *testing.T, attributes []byte, but ...string) {
	withMembers(t, func(t *rapid.T, members []tracefmt.Member) ([]tracefmt.Member, []int) {
		client := tracefmt.Member{Name: "99", Position: 9, Attributes: attributes}
		place := rapid.IntRange(0, len(members)).Draw(t, "place")
		order := make([]int, len(members))
		for i := range order {
			order[i] = i
			if i >= place {
				order[i]++
			}
		}
		return slices.Insert(members, place, client), order
	}, func(form string) bool { return !slices.Contains(but, form) })
}

// TestReordered: other names in another order change no verdict.
func TestReordered(t *testing.T) {
	withMembers(t, func(t *rapid.T, members []tracefmt.Member) ([]tracefmt.Member, []int) {
		order := make([]int, len(members))
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		renamed := make([]tracefmt.Member, len(members))
		for i, place := range order {
			renamed[place] = members[i]
			renamed[place].Name = fmt.Sprintf("node-%c", 'a'+place)
		}
		return renamed, order
	}, func(string) bool { return true })
}

// withMembers compares runs with those of other members; order has the new place of
// each old one.
func withMembers(t *testing.T, change func(t *rapid.T, members []tracefmt.Member) (changed []tracefmt.Member,
	order []int), concerns func(form string) bool,
) {
	compared := 0
	size.Check(t, 30, 250, 10_000, func(t *rapid.T) {
		m := drawRun(t)
		form, rule, _ := drawRule(t)
		if !concerns(form) {
			return
		}
		run := *m.Run()
		members, order := change(t, slices.Clone(run.Members))
		run.Members = members
		swapped := tracefmt.NewMemory(run)
		for _, e := range list(m) {
			for _, p := range []*tracefmt.ProcessID{&e.Process, &e.Peer} {
				if *p > 0 {
					*p = tracefmt.ProcessID(order[*p-1] + 1)
				}
			}
			_ = swapped.Write(&e) // a Memory takes every event
		}
		swapped.Finish(run.End)
		was, now := check(t, m, rule).Results[0], check(t, swapped, rule).Results[0]
		compared++
		if was.Verdict != now.Verdict || was.Violations != now.Violations {
			t.Fatalf("%s was %s (%s), is %s (%s)\n%v", rule, was.Verdict, was.Explanation, now.Verdict, now.Explanation, list(m))
		}
	})
	t.Logf("%d verdicts compared", compared)
}
