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
// process or network would, one fault each, with the properties that must catch it. All others must not be disturbed.
func TestMutants(t *testing.T) {
	testMutations(t, "testdata/bully.jsonl", []mutation{
		{
			"a follower that elects itself too",
			"agreement election-safety election-safety-always election-safety-at-assignment eventual-leader " +
				"single-leader single-leader-definitely single-leader-possibly", func(m *mutant) {
				m.at(51).Payload = []byte(`{"elected":2,"role":"leader"}`)
			},
		},
		{"a follower that only believes that it leads", "", func(m *mutant) {
			m.at(51).Payload = []byte(`{"elected":2}`)
		}},
		{
			"a follower that leads, though it has elected another",
			"single-leader single-leader-definitely single-leader-possibly", func(m *mutant) {
				m.at(51).Payload = []byte(`{"elected":6,"role":"leader"}`)
			},
		},
		{"two leaders of one term", "single-leader single-leader-definitely single-leader-possibly unique-leader-per-term", func(m *mutant) {
			m.at(51).Payload, m.at(39).Payload = []byte(`{"elected":6,"role":"leader","term":7}`), []byte(`{"elected":6,"role":"leader","term":7}`)
		}},
		{"a leader that takes the term of another one, and does not say that it leads", "", func(m *mutant) {
			m.at(51).Payload, m.at(39).Payload = []byte(`{"elected":6,"role":"leader","term":7}`), []byte(`{"elected":6,"role":"leader","term":8}`)
			m.insertAfter(52, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"term":8}`)})
		}},
		{
			"a leader that takes the term of another one",
			"single-leader single-leader-definitely single-leader-possibly unique-leader-per-term", func(m *mutant) {
				m.at(51).Payload, m.at(39).Payload = []byte(`{"elected":6,"role":"leader","term":7}`), []byte(`{"elected":6,"role":"leader","term":8}`)
				m.insertAfter(52, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"term":8,"role":"leader"}`)})
			},
		},
		{"leaders of different terms", "", func(m *mutant) {
			m.at(51).Payload, m.at(39).Payload = []byte(`{"elected":6,"role":"leader","term":7}`), []byte(`{"elected":6,"role":"leader","term":8}`)
		}},
		{
			"a follower that elects itself for a moment",
			"election-safety-always election-safety-at-assignment single-leader single-leader-definitely " +
				"single-leader-possibly", func(m *mutant) {
				m.insertAfter(50, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":2,"role":"leader"}`)})
			},
		},
		{
			"a winner that announces the next lower process",
			"election-safety election-safety-always election-safety-at-assignment", func(m *mutant) {
				for _, seq := range []tracefmt.Seq{39, 47, 49, 51, 53, 55, 57} {
					m.at(seq).Payload = []byte(`{"elected":5}`)
				}
			},
		},
		{
			"followers that elect the dead",
			"election-safety election-safety-always election-safety-at-assignment eventual-leader leader-is-live",
			func(m *mutant) {
				for _, seq := range []tracefmt.Seq{39, 47, 49, 51, 53, 55, 57} {
					m.at(seq).Payload = []byte(`{"elected":7}`)
				}
			},
		},
		{
			"a follower that elects a process which does not exist",
			"agreement election-safety election-safety-always election-safety-at-assignment eventual-leader leader-is-live", func(m *mutant) {
				m.at(47).Payload = []byte(`{"elected":8}`)
			},
		},
		{"a follower that elects the dead for a moment", "election-safety-always election-safety-at-assignment leader-is-live", func(m *mutant) {
			m.insertAfter(50, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":7}`)})
		}},
		{"a follower that elects the dead and dies", "election-safety-at-assignment leader-is-live", func(m *mutant) {
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
		{"a winner that does not tell one process", "election-liveness eventual-leader no-loss", func(m *mutant) {
			m.lose(46)
			m.at(47).Kind, m.at(47).Payload = tracefmt.Note, nil
		}},
		{"a winner that clears its own choice", "election-liveness eventual-leader", func(m *mutant) {
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.State, Process: m.process("6"), Payload: []byte(`{"elected":null,"role":"follower"}`)})
		}},
		{"a channel that reorders", "causal-delivery fifo", func(m *mutant) {
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
			m.stamp()
		}},
		{"a sender that uses an id twice", "message-integrity no-duplication", func(m *mutant) {
			m.at(41).Message = 10
			m.at(48).Message = 10
		}},
		{
			"a dead process that answers",
			"election-liveness election-safety election-safety-always election-safety-at-assignment " +
				"eventual-leader no-loss no-step-when-crashed", func(m *mutant) {
				m.insertAfter(26, tracefmt.Event{Kind: tracefmt.Send, Process: m.process("7"), Peer: m.process("4"), Type: "OK", Message: 99})
				m.insertAfter(27, tracefmt.Event{
					Kind: tracefmt.Lose, Process: m.process("4"), Peer: m.process("7"),
					Type: "OK", Message: 99, Cause: 27,
				})
			},
		},
		{"a network that delivers twice", "no-duplication", func(m *mutant) {
			m.insertAfter(27, *m.at(27))
		}},
		{"a process that recovers and has not crashed", "crash-recovery-alternate", func(m *mutant) {
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.Recover, Process: m.process("2"), Payload: []byte(`{"elected":6}`)})
		}},
		{"a process that comes back and asks no process", "election-liveness eventual-leader recovered-relearns", func(m *mutant) {
			m.insertAfter(57, tracefmt.Event{Kind: tracefmt.Crash, Process: m.process("2")})
			m.insertAfter(58, tracefmt.Event{Kind: tracefmt.Recover, Process: m.process("2"), Payload: []byte(`{"elected":null}`)})
		}},
		{"a process that asks twice in one election", "one-election-at-a-time", func(m *mutant) {
			m.send(14, "4", "7", "ELECTION", nil)
		}},
		{"an announcement that goes round twice", "message-complexity", func(m *mutant) {
			m.send(57, "6", "7", "COORDINATOR", nil) // the 16th message, which "all" allows
			m.send(59, "6", "7", "COORDINATOR", nil)
		}},
		{"a timer that expires too early", "timers-well-behaved", func(m *mutant) {
			m.at(25).Payload = []byte(`{"due":5000000000}`)
		}},
		{"a timer that expires though it was stopped", "timers-well-behaved", func(m *mutant) {
			m.insertAfter(38, tracefmt.Event{Kind: tracefmt.Timeout, Process: m.process("4"), Type: "answer"})
		}},
		{
			"a dead process that receives what was lost to it",
			"election-liveness election-safety election-safety-always election-safety-at-assignment " +
				"eventual-leader no-step-when-crashed", func(m *mutant) {
				m.at(26).Kind, m.at(26).Payload = tracefmt.Receive, nil
			},
		},
		{
			"a follower that leads before it hears of the winner",
			"election-safety-always election-safety-at-assignment single-leader-possibly", func(m *mutant) {
				m.insertAfter(37, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":2,"role":"leader"}`)})
				m.insertAfter(38, tracefmt.Event{Kind: tracefmt.State, Process: m.process("2"), Payload: []byte(`{"elected":null,"role":"follower"}`)})
			},
		},
		{"a message that is overtaken by way of another process", "causal-delivery", func(m *mutant) {
			// 4 sends to 6 before it sends to 5, whose message to 6 arrives first.
			first, second := m.at(11), m.at(12)
			first.Peer, second.Peer = second.Peer, first.Peer
			first.Message, second.Message = second.Message, first.Message
			m.at(15).Cause, m.at(21).Cause = 12, 11
			fast := *m.at(30)
			*m.at(30) = tracefmt.Event{Seq: 30, Kind: tracefmt.Note}
			m.insertAfter(20, fast)
		}},
		{"a clock that does not tick", "lamport-clocks", func(m *mutant) {
			m.at(17).Lamport = m.at(16).Lamport
		}},
		{"a clock that does not heed what arrives", "lamport-clocks", func(m *mutant) {
			m.at(46).Lamport = m.at(1).Lamport + 1
		}},
		{"a process whose time falls", "process-time-monotone", func(m *mutant) {
			m.at(28).Time = m.at(14).Time
		}},
	})
}

// mutation breaks a good run.
type mutation struct {
	name     string
	violates string // the names of the properties, sorted
	mutate   func(*mutant)
}

// testMutations breaks the good run of a file, and looks at what each mutant
// violates.
func testMutations(t *testing.T, file string, mutations []mutation) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	good := decode(t, text)[0]
	if got := violated(check(t, good, false)); len(got) > 0 {
		t.Fatalf("the good run violates %v", got)
	}
	for _, m := range mutations {
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
	m.stamp()
}

// send inserts after seq a message with an id of its own, and after that its
// loss if the receiver is 7, which is down, else its receipt.
func (m *mutant) send(seq tracefmt.Seq, from, end, typ string, payload []byte) {
	e := tracefmt.Event{
		Kind: tracefmt.Send, Process: m.process(from), Peer: m.process(end), Type: typ,
		Message: tracefmt.MessageID(1000 + seq), Payload: payload,
	}
	m.insertAfter(seq, e)
	e.Kind, e.Process, e.Peer, e.Cause = tracefmt.Receive, e.Peer, e.Process, seq+1
	if end == "7" {
		e.Kind, e.Payload = tracefmt.Lose, []byte(`{"reason":"receiver crashed"}`)
	}
	m.insertAfter(seq+1, e)
}

// insertAfter inserts an event after seq, at its time, and renumbers what
// follows.
func (m *mutant) insertAfter(seq tracefmt.Seq, e tracefmt.Event) {
	e.Seq, e.Time = seq, m.at(seq).Time
	m.events = slices.Insert(m.events, int(seq), e)
	for i := range m.events[seq:] {
		e := &m.events[int(seq)+i]
		e.Seq++
		if e.Cause > seq {
			e.Cause++
		}
	}
	m.stamp()
}

// stamp gives the events the Lamport clocks that a recorder would.
func (m *mutant) stamp() {
	clocks := map[tracefmt.ProcessID]int64{}
	for i := range m.events {
		e := &m.events[i]
		sent := int64(0)
		if e.Cause > 0 && e.Cause < e.Seq {
			sent = m.at(e.Cause).Lamport
		}
		switch {
		case e.Process == 0:
			e.Lamport = 0
		case e.Kind == tracefmt.Lose: // no step of the receiver
			e.Lamport = sent + 1
		default:
			e.Lamport = max(clocks[e.Process], sent) + 1
			clocks[e.Process] = e.Lamport
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
