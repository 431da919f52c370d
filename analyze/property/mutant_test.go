package property_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/tracefmt"
)

// TestMutants breaks a good run of the bully algorithm (testdata/bully.jsonl:
// processes 0 to 7, 7 is down, 4 notices it, 6 wins) the way that a faulty
// process or network would, one fault each, and says which properties must
// catch it. All others must not be disturbed.
func TestMutants(t *testing.T) {
	text, err := os.ReadFile("testdata/bully.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	good := decode(t, text)[0]
	if got := violated(check(t, good, false)); len(got) > 0 {
		t.Fatalf("the good run violates %v", got)
	}
	for _, m := range []struct {
		name     string
		violates string
		mutate   func(*mutant)
	}{
		{"a follower that elects itself too", "agreement election-safety election-safety-always election-safety-at-assignment single-leader", func(m *mutant) {
			m.at(51).Payload = []byte(`{"elected":2}`)
		}},
		{"a follower that elects itself for a moment", "election-safety-always election-safety-at-assignment single-leader", func(m *mutant) {
			m.insertAfter(50, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":2}`)})
		}},
		{"a winner that announces the next lower process", "election-safety election-safety-always election-safety-at-assignment", func(m *mutant) {
			for _, seq := range []tracefmt.Seq{39, 47, 49, 51, 53, 55, 57} {
				m.at(seq).Payload = []byte(`{"elected":5}`)
			}
		}},
		{"followers that elect the dead", "election-safety election-safety-always election-safety-at-assignment", func(m *mutant) {
			for _, seq := range []tracefmt.Seq{39, 47, 49, 51, 53, 55, 57} {
				m.at(seq).Payload = []byte(`{"elected":7}`)
			}
		}},
		{"a follower that elects a process which does not exist", "agreement election-safety election-safety-always election-safety-at-assignment", func(m *mutant) {
			m.at(47).Payload = []byte(`{"elected":8}`)
		}},
		{"a follower that elects the dead for a moment", "election-safety-always election-safety-at-assignment", func(m *mutant) {
			m.insertAfter(50, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":7}`)})
		}},
		{"a follower that elects the dead and dies", "election-safety-at-assignment", func(m *mutant) {
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":7}`)})
			m.insertAfter(58, tracefmt.Event{Kind: tracefmt.Crash, Process: m.process("2")})
		}},
		{"a follower that begins with a dead coordinator", "election-safety-always", func(m *mutant) {
			for i := range m.events {
				if e := &m.events[i]; e.Kind == tracefmt.Start && e.Process == m.process("2") {
					e.Payload = []byte(`{"elected":7}`)
				}
			}
		}},
		{"a winner that does not tell one process", "election-liveness", func(m *mutant) {
			m.lose(46)
			m.at(47).Kind, m.at(47).Payload = tracefmt.Note, nil
		}},
		{"a winner that clears its own choice", "election-liveness", func(m *mutant) {
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.State, Process: m.process("6"), Payload: []byte(`{"elected":null}`)})
		}},
		{"a channel that reorders", "fifo", func(m *mutant) {
			// OK and COORDINATOR from 6 to 4 change places.
			ok, coordinator := *m.at(33), *m.at(54)
			*m.at(33), *m.at(54) = tracefmt.Event{Seq: 33, Kind: tracefmt.Note}, coordinator
			m.insertAfter(54, ok)
		}},
		{"a network that changes a type", "message-integrity", func(m *mutant) {
			m.at(27).Type = "COORDINATOR"
		}},
		{"a network that adds a field", "message-integrity", func(m *mutant) {
			m.at(27).Payload = []byte(`{"id":5}`)
		}},
		{"a network that makes a message up", "message-integrity", func(m *mutant) {
			forged := *m.at(27)
			forged.Message = 99
			m.insertAfter(27, forged)
		}},
		{"a network that delivers to another process", "message-integrity", func(m *mutant) {
			m.at(46).Process = m.process("1")
		}},
		{"a sender that uses an id twice", "message-integrity", func(m *mutant) {
			m.at(41).Message = 10
			m.at(48).Message = 10
		}},
		{"a dead process that answers", "no-step-when-crashed", func(m *mutant) {
			m.insertAfter(26, tracefmt.Event{Kind: tracefmt.Send, Process: m.process("7"), Peer: m.process("4"), Type: "OK", Message: 99})
			m.insertAfter(27, tracefmt.Event{Kind: tracefmt.Lose, Process: m.process("4"), Peer: m.process("7"), Type: "OK", Message: 99, Cause: 27})
		}},
		{"a dead process that receives what was lost to it", "no-step-when-crashed", func(m *mutant) {
			m.at(26).Kind, m.at(26).Payload = tracefmt.Receive, nil
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			mutant := &mutant{run: *good.Run(), events: events(good)}
			m.mutate(mutant)
			report := check(t, mutant.recording(t), false)
			if got := strings.Join(violated(report), " "); got != m.violates {
				t.Errorf("violates %q, want %q", got, m.violates)
			}
			for _, r := range report.Results {
				if r.Verdict == analyze.Violated && (len(r.Witness) == 0 || r.Explanation == "") {
					t.Errorf("%s is violated without a witness or an explanation", r.Property.Name)
				}
			}
		})
	}
}

func violated(report *analyze.RunReport) (names []string) {
	for _, r := range report.Results {
		if r.Verdict == analyze.Violated {
			names = append(names, r.Property.Name)
		}
	}
	return names
}

// mutant is a run that is being broken.
type mutant struct {
	run    tracefmt.Run
	events []tracefmt.Event
}

func (m *mutant) at(seq tracefmt.Seq) *tracefmt.Event { return &m.events[seq-1] }

func (m *mutant) process(name string) tracefmt.ProcessID {
	p, ok := m.run.Process(name)
	if !ok {
		panic(fmt.Sprintf("the good run has no process %s", name))
	}
	return p
}

// lose turns the receive at seq into the loss of the message.
func (m *mutant) lose(seq tracefmt.Seq) {
	m.at(seq).Kind, m.at(seq).Payload = tracefmt.Lose, []byte(`{"reason":"dropped"}`)
}

// insertAfter inserts an event behind seq and renumbers what follows.
func (m *mutant) insertAfter(seq tracefmt.Seq, e tracefmt.Event) {
	e.Seq = seq
	m.events = slices.Insert(m.events, int(seq), e)
	for i := range m.events[seq:] {
		e := &m.events[int(seq)+i]
		e.Seq++
		if e.Cause > seq {
			e.Cause++
		}
	}
}

func (m *mutant) recording(t *testing.T) *tracefmt.Memory {
	rec := tracefmt.NewMemory(m.run)
	for i := range m.events {
		if err := rec.Write(&m.events[i]); err != nil {
			t.Fatal(err)
		}
	}
	rec.Finish(m.run.End)
	return rec
}
