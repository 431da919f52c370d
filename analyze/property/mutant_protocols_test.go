package property_test

import (
	"testing"

	"etrace/tracefmt"
)

// The good runs that these tests break are of the small protocols in
// fixtures/mutants/protocols.go.

// note, assign and silence add or remove records of a broken run.
func note(p tracefmt.ProcessID, label, payload string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Note, Process: p, Type: label, Payload: []byte(payload)}
}

func assign(p tracefmt.ProcessID, payload string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.State, Process: p, Payload: []byte(payload)}
}

func (m *mutant) silence(seq tracefmt.Seq) {
	e := m.at(seq)
	e.Kind, e.Type, e.Payload = tracefmt.Note, "silence", nil
}

// TestMutexMutants: by Ricart and Agrawala's algorithm 2, 3 and 1 are inside
// from seq 32, 48 and 59 on; 1 requested when it knew of both.
func TestMutexMutants(t *testing.T) {
	testMutations(t, "testdata/mutex.jsonl", []mutation{
		{"a process that does not wait", "mutual-exclusion mutual-exclusion-possibly", func(m *mutant) {
			// Recorded before 2 leaves; but that 2 leaves does not follow from it.
			m.silence(48)
			m.insertAfter(40, note(3, "enter", `{}`))
		}},
		{"a process that enters in another's place", "mutual-exclusion-possibly request-order-fairness", func(m *mutant) {
			for seq, p := range map[tracefmt.Seq]tracefmt.ProcessID{48: 1, 54: 1, 59: 3, 63: 3} {
				m.at(seq).Process = p
			}
			m.stamp()
		}},
		{"a process that is never let in", "no-starvation", func(m *mutant) { m.silence(59) }},
	})
}

// TestConsensusMutants: three processes propose their numbers, and decide 1 at
// seq 59, 61 and 63.
func TestConsensusMutants(t *testing.T) {
	testMutations(t, "testdata/consensus.jsonl", []mutation{
		{"a process that decides its own value", "consensus-agreement", func(m *mutant) {
			m.at(63).Payload = []byte(`{"decided":3}`)
		}},
		{"a value out of nowhere", "consensus-validity", func(m *mutant) {
			for _, seq := range []tracefmt.Seq{59, 61, 63} {
				m.at(seq).Payload = []byte(`{"decided":4}`)
			}
		}},
		{"a process that does not decide", "consensus-termination", func(m *mutant) { m.silence(61) }},
		{"a process that changes its mind", "consensus-integrity", func(m *mutant) {
			m.insertAfter(63, assign(3, `{"decided":null}`))
		}},
	})
}

// TestBroadcastMutants: 2 broadcasts 16 at seq 6, 3, which has delivered it, 24 at seq 27, and 2, which has
// delivered that, 17 at seq 44.
func TestBroadcastMutants(t *testing.T) {
	testMutations(t, "testdata/broadcast.jsonl", []mutation{
		{"a process that does not deliver", "broadcast-agreement broadcast-uniform-agreement", func(m *mutant) { m.silence(60) }},
		{"a process that delivers again", "broadcast-no-duplication", func(m *mutant) {
			m.insertAfter(60, note(1, "deliver", `{"m":16}`))
		}},
		{"a message out of nowhere", "broadcast-no-creation", func(m *mutant) {
			for p := tracefmt.ProcessID(1); p <= 3; p++ {
				m.insertAfter(60, note(p, "deliver", `{"m":99}`))
			}
		}},
		{"a message that no process delivers", "broadcast-validity", func(m *mutant) {
			for _, seq := range []tracefmt.Seq{46, 55, 60} {
				m.silence(seq)
			}
		}},
		{"a process that delivers 16 last of all", "broadcast-causal-order broadcast-fifo-order broadcast-total-order", func(m *mutant) {
			m.silence(18)
			m.insertAfter(60, note(3, "deliver", `{"m":16}`))
		}},
		{"a process that delivers the answer before the question", "broadcast-causal-order broadcast-total-order", func(m *mutant) {
			m.silence(13)
			m.insertAfter(34, note(1, "deliver", `{"m":16}`))
		}},
		{"a process that delivers in an order of its own", "broadcast-total-order", func(m *mutant) {
			// 2 delivers 24 after its own 17, which 24 did not cause then.
			m.silence(39)
			m.insertAfter(60, note(2, "deliver", `{"m":24}`))
		}},
	})
}

// TestRaftMutants: 1 leads in term 1, appends an entry at seq 23, and knows at
// 32 that it is committed, since 2 has it; 1 dies, 2 leads in term 2 from 50 on
// and appends another one at 60, which 3 has from 65 on.
func TestRaftMutants(t *testing.T) {
	testMutations(t, "testdata/raft.jsonl", []mutation{
		{"a leader that deletes", "raft-leader-append-only", func(m *mutant) {
			m.insertAfter(29, assign(1, `{"log[1]":null}`))
		}},
		{"a follower that writes something else", "raft-log-matching", func(m *mutant) {
			m.at(65).Payload = []byte(`{"log[2]":{"term":2,"set":"x"}}`)
			m.silence(73) // and never learns that it is committed
		}},
		{"a server that applies what it has", "raft-state-machine-safety", func(m *mutant) {
			m.at(47).Payload = []byte(`{"term":2,"votedFor":2,"log[1]":3,"commit":1}`)
		}},
		{"a leader that has lost its log", "raft-leader-completeness", func(m *mutant) {
			m.insertAfter(41, assign(2, `{"log[1]":null,"commit":0}`))
		}},
		{"a leader for whom no other process votes", "leader-has-quorum", func(m *mutant) {
			m.at(9).Payload, m.at(12).Payload = []byte(`{"term":1}`), []byte(`{"term":1}`)
		}},
	})
}

// TestRegisterMutants: 1 writes 1 from seq 23 to 44; 3 reads it from 38 to 61,
// and 2 from 64 to 83.
func TestRegisterMutants(t *testing.T) {
	testMutations(t, "testdata/register.jsonl", []mutation{
		{"a read of what was before", "linearizability", func(m *mutant) { m.at(83).Payload = []byte(`{"value":null}`) }},
		{"a read of what was before, while another one saw what is being written", "linearizability", func(m *mutant) {
			m.insertAfter(30, operationEvent(tracefmt.Invoke, 2, "read", `{}`))
			m.insertAfter(31, operationEvent(tracefmt.Return, 2, "read", `{"value":1}`))
			m.insertAfter(32, operationEvent(tracefmt.Invoke, 2, "read", `{}`))
			m.insertAfter(33, operationEvent(tracefmt.Return, 2, "read", `{"value":null}`))
		}},
		{"a read of what no process wrote", "linearizability", func(m *mutant) { m.at(61).Payload = []byte(`{"value":3}`) }},
	})
}
