package election

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var ringNoOrphan = analyze.Property{
	Name:  "ring-no-orphan",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `No message circles the ring after the process that would stop it has gone down.

That process, the originator, is named in the message: by the field initiator, launcher or id, in this order, else by the head
of the list. A process forwards a message if it sends the type and originator of the message that it received last, and is not
the originator itself. Only messages with an originator count. A message is a circling orphan if one process forwards it twice
while its originator is down. It is also one if it is in transit in the final loop of the run, with its originator down. One lap
without the originator is no violation, since a process may notice the failure. A forwarded duplicate is a separate message,
since it has not circled yet. The property is vacuous if no process forwards the message of a process that is down.`,
	Needs:        "send and receive events whose payload names the originator; crash, halt and recover events",
	Source:       paper.Slides + ", Algorithm 1: election: 4 is forwarded forever?",
	WitnessOmits: "the way of the message around the ring",
	Problem:      "election",
	Presumed:     []string{tracefmt.OnRing},
	ViolatedBy:   analyze.Facts("send", "receive", "crash", "halt"),
	ExcusedBy:    analyze.Facts("receive", "crash", "recover"),
	Triggers:     analyze.Facts("send", "receive"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &orphanMonitor{
			received: make([]token, len(run.Members)+1),
			onRing:   map[tracefmt.MessageID]token{},
			passed:   map[forwarding]tracefmt.Seq{},
		}
	},
}

// token identifies a message while it is forwarded: its originator, its type, and its first send.
type token struct {
	origin tracefmt.ProcessID
	typ    string
	first  tracefmt.Seq
}

// forwarding is the forwarding of an orphan by a process.
type forwarding struct {
	actor tracefmt.ProcessID
	first tracefmt.Seq
}

// orphanMonitor stores the tokens in transit, and the processes that have forwarded an orphan.
type orphanMonitor struct {
	received []token // by process: the last token that it received
	onRing   map[tracefmt.MessageID]token
	passed   map[forwarding]tracefmt.Seq
}

// Step follows messages round the ring, and checks each send of a message with an originator.
func (m *orphanMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind == tracefmt.Crash || s.NextLife() {
		m.received[e.Process] = token{}
	}
	switch e.Kind {
	case tracefmt.Receive:
		// Messages that name no originator, such as a client's, are no messages of the ring.
		if t, ok := m.onRing[e.Message]; ok || originator(s, e) > 0 {
			m.received[e.Process] = t
		}
		delete(m.onRing, e.Message)
	case tracefmt.Lose:
		delete(m.onRing, e.Message)
	case tracefmt.Send:
		if origin := originator(s, e); origin > 0 {
			m.send(r, s, e, origin)
		}
	}
}

// send checks that no process forwards an orphan twice: the message has then gone round the ring.
func (m *orphanMonitor) send(r *analyze.Result, s *replay.State, e *tracefmt.Event, origin tracefmt.ProcessID) {
	t := token{origin, e.Type, e.Seq}
	if got := m.received[e.Process]; got.origin == origin && got.typ == e.Type && origin != e.Process {
		t = got
	}
	m.onRing[e.Message] = t
	if s.Live(origin) {
		return
	}
	r.Examined++
	p, since := forwarding{e.Process, t.first}, s.Process(origin).Since
	if before := m.passed[p]; before > since {
		r.ViolateUnless(m.possibleRival(s, origin, t.first), func() string {
			return fmt.Sprintf("process %s passes on the message %s of process %s at seq %d and again at seq %d, though %s is down since seq %d",
				s.Run.ProcessName(e.Process), e.Type, s.Run.ProcessName(origin), before, e.Seq,
				s.Run.ProcessName(origin), since)
		}, since, before, e.Seq)
	}
	m.passed[p] = e.Seq
}

// possibleRival returns the needs by which the message may be another one, since some process forwarded another
// message than the recorded last one, or by which the originator restarted.
func (m *orphanMonitor) possibleRival(s *replay.State, origin tracefmt.ProcessID, first tracefmt.Seq) []analyze.Need {
	needs := append(unrecorded.Recovery(s, origin),
		analyze.Needs(analyze.AnyProcess, first, s.Now(), tracefmt.Fact{Kind: tracefmt.Receive})...)
	for _, p := range unrecorded.ElectorsNow(s) {
		needs = append(needs, unrecorded.Restart(s, p, first)...)
	}
	return needs
}

// Relies implements [analyze.Relying].
func (m *orphanMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	facts := analyze.Facts("send", "receive", "crash", "halt")
	return slices.Values(append(analyze.Needs(analyze.AnyProcess, 0, 0, facts...), unrecorded.Loop(s, end)...))
}

// End reports orphans in transit in a loop: they stay in transit forever.
func (m *orphanMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !end.Looping() || r.Violations > 0 {
		return
	}
	for _, f := range s.Flights() {
		origin := m.onRing[f.Message].origin
		if origin == 0 || s.Live(origin) {
			continue
		}
		since := s.Process(origin).Since
		r.Violate(func() string {
			return fmt.Sprintf("the message %s of process %s, which is down since seq %d, goes round forever: "+
				"the global state after seq %d is that after seq %d",
				f.Type, s.Run.ProcessName(origin), since, end.LoopTo, end.LoopFrom)
		}, since, end.LoopFrom, end.LoopTo)
	}
}

// originator returns the process that would stop a message. It is 0 or replay.Nobody if the message does not name it.
func originator(s *replay.State, e *tracefmt.Event) tracefmt.ProcessID {
	for _, name := range [...]string{"initiator", "launcher", "id"} {
		if value, ok := e.Field(name); ok {
			return s.Named(value)
		}
	}
	value, _ := e.Field("list")
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil || len(list) == 0 {
		return 0
	}
	return s.Named(list[0])
}
