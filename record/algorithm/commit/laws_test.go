package commit_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/tracefmt"
)

// sizes are how many processes the laws are compared with.
var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// asynchronous is plans in which messages take any time, and overtake each other, but no
// timer expires.
var asynchronous = []string{"delay: 'uniform(0,3)'", "delay: exponential(1), reorder: on", "delay: 'uniform(0,9)', reorder: on"}

// law is the cost of an algorithm: the messages for each participant, the times of the coordinator's decision
// and of the last delivery.
type law struct {
	algorithm, params  string
	each               int
	decides, delivered int
}

var (
	allYes = []law{
		{"two-phase-commit", "", 3, 2, 3},
		{"two-phase-commit", "ask: on", 3, 2, 3},
		{"two-phase-commit", "ack: on", 4, 2, 4},
		{"three-phase-commit", "", 5, 4, 5},
	}
	withNo = []law{
		{"two-phase-commit", "", 3, 2, 3},
		{"two-phase-commit", "ack: on", 4, 2, 4},
		{"three-phase-commit", "", 3, 2, 3},
	}
)

// expect compares a run of n processes with the law; those listed vote no.
func (l law) expect(t interaction.T, n int, refusing string, delays string, unit bool) {
	t.Helper()
	params := l.params
	if refusing != "" {
		params += fmt.Sprintf(", no: '%s'", refusing)
	}
	if !unit {
		params += ", timeout: 1000"
	}
	plan := fmt.Sprintf("algorithm: %s, nodes: %d, start: 1, %s, params: {%s}", l.algorithm, n, delays, strings.TrimPrefix(params, ", "))
	m := interaction.Record(t, "%s", plan)
	c := interaction.Count(m)
	if c.Sent != l.each*(n-1) || m.Run().End != tracefmt.Quiescent {
		t.Fatalf("%s: %d messages, want %d*%d; ends %s", plan, c.Sent, l.each, n-1, m.Run().End)
	}
	decision := `"commit"`
	if refusing != "" {
		decision = `"abort"`
	}
	list := decisions(m)
	if len(list) != n {
		t.Fatalf("%s: %v, want a decision of each", plan, decided(m))
	}
	for _, d := range list {
		value, _ := d.Field("decided")
		if string(value) != decision || unit && d.Process == 1 && d.Time != tracefmt.Time(l.decides)*tracefmt.Unit {
			t.Fatalf("%s: %v, want %s, 1 at %d", plan, decided(m), decision, l.decides)
		}
	}
	last := l.decides + 1
	if len(strings.Split(refusing, ",")) == n-1 && refusing != "" {
		last-- // no other waits for the decision
	}
	if unit && list[n-1].Time != tracefmt.Time(last)*tracefmt.Unit {
		t.Fatalf("%s: %v, want the last at %d", plan, decided(m), last)
	}
	if unit && (c.At != tracefmt.Time(l.delivered)*tracefmt.Unit || c.Depth != l.delivered) {
		t.Fatalf("%s: last delivery at %s, depth %d, want %d", plan, c.At, c.Depth, l.delivered)
	}
}

func TestMessages(t *testing.T) {
	for _, n := range sizes {
		for i, l := range allYes {
			l.expect(t, n, "", "delay: 1", true)
			l.expect(t, n, "", fmt.Sprintf("%s, seed: %d", asynchronous[(n+i)%3], n), false)
		}
		for i, l := range withNo {
			for p := 2; p <= n; p += 1 + n/6 {
				l.expect(t, n, strconv.Itoa(p), "delay: 1", true)
				l.expect(t, n, strconv.Itoa(p), fmt.Sprintf("%s, seed: %d", asynchronous[(n+i+p)%3], p), false)
			}
		}
	}
}

// For any no votes and delays: an ABORT that overtakes PREPARE costs no vote.
func TestMessagesAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "n")
		var refusing []string
		for p := 2; p <= n; p++ {
			if rapid.IntRange(0, 3).Draw(t, "no") == 0 {
				refusing = append(refusing, strconv.Itoa(p))
			}
		}
		laws := allYes
		if refusing != nil {
			laws = withNo
		}
		delays := fmt.Sprintf("%s, seed: %d", rapid.SampledFrom(asynchronous).Draw(t, "delays"), rapid.IntRange(0, 999).Draw(t, "seed"))
		for _, l := range laws {
			l.expect(t, n, strings.Join(refusing, ","), delays, false)
			l.expect(t, n, strings.Join(refusing, ","), "delay: 1", true)
		}
	})
}

// unsafe describes violations in the decisions of a run, "" for none: two that differ, a commit before all
// have voted yes, an abort without a cause, a process that decides twice.
func unsafe(m *tracefmt.Memory) string {
	votes, outcomes := map[tracefmt.ProcessID]string{}, map[tracefmt.ProcessID]string{}
	cause, first := false, ""
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Timeout || e.Kind == tracefmt.Crash {
			cause = true
		}
		if e.Kind != tracefmt.State {
			continue
		}
		if vote, ok := e.Field("vote"); ok {
			votes[e.Process] = string(vote)
			cause = cause || string(vote) == `"no"`
		}
		decision, ok := e.Field("decided")
		yes := 0
		for _, vote := range votes {
			if vote == `"yes"` {
				yes++
			}
		}
		// The order of the cases matters: a second decision of a process is reported before a difference.
		switch {
		case !ok:
		case outcomes[e.Process] != "":
			return fmt.Sprintf("seq %d: decides again", e.Seq)
		case first != "" && string(decision) != first:
			return fmt.Sprintf("seq %d: %s after %s", e.Seq, decision, first)
		case string(decision) == `"commit"` && yes < len(m.Run().Members):
			return fmt.Sprintf("seq %d: commits after %d yes", e.Seq, yes)
		case string(decision) == `"abort"` && !cause:
			return fmt.Sprintf("seq %d: aborts without a cause", e.Seq)
		default:
			first, outcomes[e.Process] = string(decision), string(decision)
		}
	}
	return ""
}

// Two-phase commit is safe whatever is lost, late or dead: it may block, and no more.
func TestTwoPhaseCommitIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			if plan := drawFaults(t, "two-phase-commit"); unsafe(interaction.Record(t, "%s", plan)) != "" {
				t.Fatalf("%s: %s", plan, unsafe(interaction.Record(t, "%s", plan)))
			}
		}
	})
}

// Three-phase commit is safe and does not block, whichever participants die and when, as
// long as the coordinator lives and each message takes its unit.
func TestThreePhaseCommitSurvivesParticipants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "n")
		var crash []string
		for p := 2; p <= n; p++ {
			if rapid.Bool().Draw(t, "dies") {
				crash = append(crash, fmt.Sprintf("%d@%d.5", p, rapid.IntRange(0, 8).Draw(t, "at")))
			}
		}
		plan := fmt.Sprintf("algorithm: three-phase-commit, nodes: %d, start: 1, crash: [%s]", n, strings.Join(crash, ", "))
		m := interaction.Record(t, "%s", plan)
		if wrong := unsafe(m); wrong != "" {
			t.Fatalf("%s: %s", plan, wrong)
		}
		for _, line := range decided(m) {
			if strings.HasSuffix(line, "none") {
				t.Fatalf("%s: %v, want a decision of all that are up", plan, decided(m))
			}
		}
	})
}

// drawFaults draws a plan with faults of all sorts.
func drawFaults(t *rapid.T, algorithm string) string {
	n := rapid.IntRange(1, 5).Draw(t, "n")
	id := func(label string) int { return rapid.IntRange(1, n).Draw(t, label) }
	at := func() string {
		return fmt.Sprintf("%d.%d", rapid.IntRange(0, 12).Draw(t, "at"), 5*rapid.IntRange(0, 1).Draw(t, "half"))
	}
	plan := []string{"algorithm: " + algorithm, fmt.Sprintf("nodes: %d", n), "start: [1, 1@" + at() + "]", "max-events: 2000"}
	list := func(key string, limit int, item func() string) {
		var items []string
		for range rapid.IntRange(0, limit).Draw(t, key) {
			items = append(items, fmt.Sprintf("%q", item()))
		}
		if items != nil {
			plan = append(plan, key+": ["+strings.Join(items, ", ")+"]")
		}
	}
	process := func() string { return fmt.Sprintf("%d@%s", id("process"), at()) }
	message := func() string {
		types := []string{"PREPARE", "VOTE", "COMMIT", "ABORT", "ASK", "ACK"}
		return fmt.Sprintf("%s:%d>%d", rapid.SampledFrom(types).Draw(t, "type"), id("from"), id("to"))
	}
	list("crash", 3, process)
	list("recover", 3, process)
	list("drop", 2, message)
	list("slow", 2, func() string { return message() + "=" + at() + "1" })
	for _, said := range []string{"loss: 0.2", "duplicate: 0.2", "reorder: on", "delay: 'uniform(0,4)'"} {
		if rapid.IntRange(0, 3).Draw(t, said) == 0 {
			plan = append(plan, said)
		}
	}
	params := []string{
		"ask: " + rapid.SampledFrom([]string{"on", "off"}).Draw(t, "ask"),
		"ack: " + rapid.SampledFrom([]string{"on", "off"}).Draw(t, "ack"),
	}
	if n > 1 && rapid.IntRange(0, 2).Draw(t, "refuses") == 0 {
		params = append(params, fmt.Sprintf("no: %d", rapid.IntRange(2, n).Draw(t, "no")))
	}
	return strings.Join(
		append(plan, "params: {"+strings.Join(params, ", ")+"}", fmt.Sprintf("seed: %d", rapid.IntRange(0, 999).Draw(t, "seed"))),
		", ",
	)
}

// The header of a run has the coordinator's role; the role Byzantine takes precedence.
func TestCoordinatorIsARole(t *testing.T) {
	for _, algorithm := range []string{"two-phase-commit", "three-phase-commit"} {
		run := interaction.Record(t, "algorithm: %s, ids: '7,4,9', start: 4", algorithm).Run()
		if run.Role(1) != "coordinator" || run.Members[0].Name != "4" || run.Role(2) != "" || run.Role(3) != "" {
			t.Errorf("%s: roles of %v", algorithm, run.Members)
		}
		run = interaction.Record(t, "algorithm: %s, nodes: 3, start: 1, silence: 1@0", algorithm).Run()
		if run.Role(1) != tracefmt.Byzantine {
			t.Errorf("%s: roles of %v", algorithm, run.Members)
		}
	}
}
