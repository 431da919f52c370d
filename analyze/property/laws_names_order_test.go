package property_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/fixtures/exceptions"
	"etrace/tracefmt"
)

// namesInPayloads are the fields that name a process, and ids, which compare as the
// names do.
var namesInPayloads = regexp.MustCompile(`"(before|elected|votedFor|sender|id|launcher)":("?)(n?)(\d+)"?`)

// TestRenamedAnew: other names change no verdict, and where the order of ids means
// nothing, in another order, too.
func TestRenamedAnew(t *testing.T) {
	obeys(t, func(t *rapid.T, m *tracefmt.Memory, ordered bool) (*tracefmt.Memory, func(string, finding, finding) bool) {
		if ordered || len(m.Run().Best) > 0 {
			return timesTen(m), func(_ string, was, now finding) bool { return cmp.Equal(was, now) }
		}
		order := make([]int, len(m.Run().Members)) // of old places, by new ones
		for i := range order {
			order[i] = i
		}
		return shuffled(m, rapid.Permutation(order).Draw(t, "order")), func(_ string, was, now finding) bool { return was.Verdict == now.Verdict }
	})
}

// listsInPayloads are the lists of members that go round a ring, which have an order.
var (
	listsInPayloads = regexp.MustCompile(`"list":\[[\d,]*\]`)
	digits          = regexp.MustCompile(`\d+`)
)

var starters = regexp.MustCompile(`"(\d+)@`)

// timesTen has ten times the number in every name.
func timesTen(m *tracefmt.Memory) *tracefmt.Memory {
	run := *m.Run()
	run.Scenario = starters.ReplaceAll(run.Scenario, []byte(`"${1}0@`))
	run.Members = slices.Clone(run.Members)
	for i := range run.Members {
		run.Members[i].Name += "0"
	}
	return rewritten(m, run, func(e *tracefmt.Event) {
		e.Payload = namesInPayloads.ReplaceAll(e.Payload, []byte(`"$1":$2${3}${4}0$2`))
		e.Payload = listsInPayloads.ReplaceAllFunc(e.Payload, func(list []byte) []byte { return digits.ReplaceAll(list, []byte("${0}0")) })
	})
}

// shuffled has words for names, in the order of the places that are given.
func shuffled(m *tracefmt.Memory, order []int) *tracefmt.Memory {
	run := *m.Run()
	names, ids := map[string]string{}, make([]tracefmt.ProcessID, len(order)+1)
	run.Members = nil
	for place, old := range order {
		member := m.Run().Members[old]
		name := fmt.Sprintf("node-%c", 'a'+place)
		names[member.Name], ids[old+1] = name, tracefmt.ProcessID(place+1)
		member.Name = name
		run.Members = append(run.Members, member)
	}
	return rewritten(m, run, func(e *tracefmt.Event) {
		e.Process, e.Peer = ids[e.Process], ids[e.Peer]
		e.Payload = namesInPayloads.ReplaceAllFunc(e.Payload, func(field []byte) []byte {
			parts := namesInPayloads.FindSubmatch(field)
			if name, ok := names[string(parts[3])+string(parts[4])]; ok {
				return fmt.Appendf(nil, `"%s":"%s"`, parts[1], name)
			}
			return field
		})
	})
}

// rewritten is the run with another description and changed events.
func rewritten(m *tracefmt.Memory, run tracefmt.Run, change func(*tracefmt.Event)) *tracefmt.Memory {
	variant := tracefmt.NewMemory(run)
	for _, e := range events(m) {
		change(&e)
		_ = variant.Write(&e) // a Memory takes every event
	}
	variant.Finish(run.End)
	return variant
}

// readOrder are the properties that read the recorded order of concurrent events.
var readOrder = exceptions.New(
	exceptions.Row{What: "announcement-not-early", Why: "who is active, and what is on its way, at the instant of an announcement"},
	exceptions.Row{What: "bounded-bypass(1)", Why: "who enters while another waits, in the recorded order"},
	exceptions.Row{What: "broadcast-causal-order", Why: "a delivery before its broadcast has no causes; broadcast-no-creation is about that"},
	exceptions.Row{What: "broadcast-fifo-order", Why: "a delivery before its broadcast is not compared; broadcast-no-creation is about that"},
	exceptions.Row{What: "broadcast-no-creation", Why: "broadcast before it is delivered elsewhere, whether or not a message says so"},
	exceptions.Row{What: "commit-abort-cause", Why: "a cause before the decision elsewhere, whether or not a message says so"},
	exceptions.Row{What: "commit-all-yes", Why: "voted before it is decided elsewhere, whether or not a message says so"},
	exceptions.Row{What: "consensus-validity", Why: "proposed before it is decided elsewhere, whether or not a message says so"},
	exceptions.Row{What: "elected-has-seen-most", Why: "whom a majority had elected when another one follows"},
	exceptions.Row{What: "election-answered", Why: "whether both are live when an ELECTION arrives"},
	exceptions.Row{What: "election-safety-at-assignment", Why: "who is live at the instant of an assignment"},
	exceptions.Row{What: "leader-is-live", Why: "who is live at the instant of an assignment"},
	exceptions.Row{What: "linearizability", Why: "which operation ended before another began, in real time"},
	exceptions.Row{What: "message-complexity", Why: "who is up at the first send"},
	exceptions.Row{What: "mutual-exclusion", Why: "the observed reading; mutual-exclusion-possibly asks for all orders"},
	exceptions.Row{What: "no-loss", Why: "whether the receiver is up when a message is sent"},
	exceptions.Row{What: "raft-leader-completeness", Why: "a leader is asked for what is known to be committed while it leads"},
	exceptions.Row{What: "recovered-relearns", Why: "whether some process leads while one has recovered that records its role only"},
	exceptions.Row{What: "request-order-fairness", Why: "whether who asked first has crashed when another enters"},
	exceptions.Row{What: "ring-no-orphan", Why: "who is up when a message goes on"},
	exceptions.Row{What: "ring-successor-only", Why: "which successor is up when a message is sent"},
	exceptions.Row{What: "timers-well-behaved", Why: "only what comes after the first set-timer event is examined"},
	exceptions.Row{What: "token-unique", Why: "how many tokens there are in the recorded order"},
	exceptions.Row{What: "single-leader", Why: "the observed reading; single-leader-possibly asks for all orders"},
)

// TestConcurrentSwapped: events of two processes that are next to each other, neither
// of which happened before the other, may as well have been recorded the other way
// round. Runs that are not well-formed are left as they are: what a forged cause means
// depends on its place.
func TestConcurrentSwapped(t *testing.T) {
	obeys(t, func(t *rapid.T, m *tracefmt.Memory, _ bool) (*tracefmt.Memory, func(string, finding, finding) bool) {
		order := events(m)
		if tracefmt.Validate(m) != nil {
			order = nil
		}
		for range rapid.IntRange(1, 10).Draw(t, "swaps") {
			if len(order) < 2 {
				return m, func(string, finding, finding) bool { return true }
			}
			i := rapid.IntRange(0, len(order)-2).Draw(t, "swapped")
			if a, b := order[i], order[i+1]; independent(a, b) {
				order[i], order[i+1] = b, a
			}
		}
		places := make([]tracefmt.Seq, len(order)+1)
		for i, e := range order {
			places[e.Seq] = tracefmt.Seq(i + 1)
		}
		variant := tracefmt.NewMemory(*m.Run())
		for _, e := range order {
			e = movedEvent(e, e, func(s tracefmt.Seq) tracefmt.Seq {
				if s < 0 || int(s) >= len(places) {
					return s
				}
				return places[s]
			})
			_ = variant.Write(&e) // a Memory takes every event
		}
		variant.Finish(m.Run().End)
		return variant, func(name string, was, now finding) bool {
			return alike(was.Verdict, now.Verdict) || readOrder.Excuse(name)
		}
	})
	checkNeeded(t, readOrder)
}

// independent: neither event needs the other.
func independent(a, b tracefmt.Event) bool {
	return a.Process != b.Process && a.Process != 0 && b.Process != 0 && (a.Message == 0 || a.Message != b.Message) &&
		!slices.Contains(slices.Collect(b.Causes()), a.Seq) && !slices.Contains(slices.Collect(a.Causes()), b.Seq)
}
