package property_test

import (
	"os"
	"slices"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestMutantsOfRules breaks the good run of the bully algorithm for the
// properties that are rules, one fault each.
func TestMutantsOfRules(t *testing.T) {
	text, err := os.ReadFile("testdata/bully.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	good := decode(t, text)[0]
	for _, c := range []struct {
		name, property string
		mutate         func(*mutant)
	}{
		{"a process that asks a lower one", "bully-election-upward", func(m *mutant) { m.send(28, "4", "3", "ELECTION", nil) }},
		{"a process that asks itself", "bully-election-upward", func(m *mutant) { m.send(28, "4", "4", "ELECTION", nil) }},
		{"a process that does not answer", "election-answered", func(m *mutant) {
			m.at(31).Kind = tracefmt.Note
			m.at(35).Kind = tracefmt.Note
		}},
		{"a process that answers somebody else", "election-answered", func(m *mutant) { m.at(31).Peer = m.process("3") }},
		{"a process that answers before it is asked", "election-answered", func(m *mutant) { *m.at(31), *m.at(30) = *m.at(30), *m.at(31) }},
		{"an election that takes longer", "termination-within(5)", func(m *mutant) { m.at(57).Time++ }},
		{"a second leader in the first one's term", "unique-leader-per-term", func(m *mutant) {
			m.at(39).Term = 1
			m.insertAfter(57, tracefmt.Event{
				Kind: tracefmt.State, Process: m.process("5"), Term: 1,
				Payload: []byte(`{"elected":5,"role":"leader"}`),
			})
		}},
		{"a process that votes twice", "vote-once-per-term", func(m *mutant) {
			m.at(47).Payload = []byte(`{"term":1,"votedFor":6}`)
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.State, Process: m.process("0"), Payload: []byte(`{"votedFor":5}`)})
		}},
		{"a term that falls", "term-monotone", func(m *mutant) {
			m.at(47).Term = 2
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.State, Process: m.process("0"), Term: 1, Payload: []byte(`{"elected":6}`)})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := check(t, good, true, c.property).Results[0]; r.Verdict == analyze.Violated {
				t.Fatalf("the good run violates %s: %s", c.property, r.Explanation)
			}
			m := &mutant{run: *good.Run(), events: slices.Clone(events(good))}
			c.mutate(m)
			r := check(t, m.recording(t), true, c.property).Results[0]
			if r.Verdict != analyze.Violated || len(r.Witness) == 0 || r.Explanation == "" {
				t.Errorf("%s is %s, with the witness %v (%s)", c.property, r.Verdict, r.Witness, r.Explanation)
			}
		})
	}
}
