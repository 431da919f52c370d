package election

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

var ringListsAgree = analyze.Property{
	Name: "ring-lists-agree",
	Kind: analyze.Safety,
	Doc: `All COORDINATOR messages of one failure have the same members in the same order round the ring.

A COORDINATOR message names its launcher and has the list of members. The message belongs to the failure that the
launcher suspected when it began the election: its first suspicion right before it sent ELECTION with a list of
itself alone. Elections that begin without a suspicion belong to one unnamed failure. A failure after a recovery is
another failure. Two lists agree if one is a rotation of the other, so the launchers may differ. Each list is
compared with the first one of its failure, and each message that disagrees counts. The sources state this for two
initiators, and assume that no further process crashes. If a process crashes after it added itself to one list, and
before the other list reaches it, the lists differ: a violation. The first list of each failure is stored.`,
	Needs: "send and receive events of the messages ELECTION and COORDINATOR with the fields list and " +
		"launcher; suspect, crash, halt and recover events",
	Source: "Lecture notes, Distributed Systems - Theory 12, Ring algorithm - example: both 2 and 5 will " +
		"convert them into COORDINATOR messages, with exactly the same members and in the same order",
	Problem:    "election",
	Presumed:   []string{tracefmt.OnRing},
	ViolatedBy: analyze.Facts("send", "receive", "suspect", "crash", "halt", "recover"),
	ExcusedBy:  analyze.Facts("send", "receive", "suspect", "crash", "halt", "recover"),
	Triggers:   analyze.Facts("send"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &listsMonitor{
			noticed: make([]tracefmt.ProcessID, n), began: make([]failure, n), launched: make([]failure, n),
			elections: make([]int, n), receivedFailure: make([]*failure, n),
			sent: map[tracefmt.MessageID]*failure{}, first: map[failure]ringList{}, orphans: map[orphanSend]bool{},
		}
	},
}

// failure is the failure of a process since an event; the zero value is the unnamed failure.
type failure struct {
	process tracefmt.ProcessID
	since   tracefmt.Seq // 0 if the process is up
}

// ringList is the list of a COORDINATOR message.
type ringList struct {
	members  []string
	launcher tracefmt.ProcessID
	at       tracefmt.Seq
}

// listsMonitor compares the member lists of COORDINATOR messages that belong to one failure.
//
// It stores, by process, the first suspicion since its last step, the failure of its last election, and the failure
// of its last launched list. It stores the failure of each ELECTION message in transit, and of the message that a
// process received last. The orphans are sends that only their arrivals show, so that their lists and times are not
// known.
type listsMonitor struct {
	noticed         []tracefmt.ProcessID
	began, launched []failure
	elections       []int // by process: the number of elections it has begun
	receivedFailure []*failure
	sent            map[tracefmt.MessageID]*failure
	first           map[failure]ringList
	orphans         map[orphanSend]bool
	orphan          tracefmt.MessageID // the last of them
	several         bool               // there are two of them
}

// orphanSend is a send of a type by a process.
type orphanSend struct {
	sender tracefmt.ProcessID
	typ    string
}

// Step follows suspicions and ELECTION messages, and compares the list of a COORDINATOR message.
func (m *listsMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if unrecorded.IsOrphan(s, e) && (e.Type == "ELECTION" || e.Type == "COORDINATOR") {
		m.orphans[orphanSend{e.Peer, e.Type}] = true
		m.several = m.several || m.orphan > 0 && m.orphan != e.Message
		m.orphan = e.Message
	}
	switch e.Kind {
	case tracefmt.Suspect:
		if m.noticed[e.Process] == 0 {
			m.noticed[e.Process] = e.Peer
		}
		return
	case tracefmt.Send:
		m.send(r, s, e)
	case tracefmt.Receive:
		m.receivedFailure[e.Process] = m.sent[e.Message]
		delete(m.sent, e.Message)
	case tracefmt.Lose:
		delete(m.sent, e.Message)
		return // a loss is no step of the receiver
	}
	m.noticed[e.Process] = 0
}

// send handles the send of an ELECTION or COORDINATOR message.
func (m *listsMonitor) send(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	list, hasList := e.Field("list")
	if hasList && tracefmt.ItemCount(list) < 0 && (e.Type == "ELECTION" || e.Type == "COORDINATOR") {
		r.Undecided(func() string {
			return fmt.Sprintf("the %s message at seq %d has %s in place of a list of processes", e.Type, e.Seq,
				text.Short(string(list), 41))
		})
		return
	}
	switch e.Type {
	case "ELECTION":
		if members := namesOf(s, list); len(members) == 1 && members[0] == s.Run.ProcessName(e.Process) {
			state := m.failureOf(s, m.noticed[e.Process])
			m.began[e.Process], m.receivedFailure[e.Process] = state, &state
			m.elections[e.Process]++
		}
		if state := m.receivedFailure[e.Process]; state != nil && memory.RoomFor(r, len(m.sent)+1, "messages") {
			m.sent[e.Message] = state
		}
	case "COORDINATOR":
		value, ok := e.Field("launcher")
		launcher := s.Named(value)
		if !ok || launcher < 1 || !hasList {
			return // the message does not belong to a ring election
		}
		if launcher == e.Process {
			m.launched[launcher] = m.began[launcher]
			if state := m.receivedFailure[launcher]; state != nil && m.elections[launcher] > 1 {
				m.launched[launcher] = *state
			}
		}
		m.compare(r, s, ringList{namesOf(s, list), launcher, e.Seq})
	}
}

// failureOf returns the failure of a suspected process, 0 for none.
func (m *listsMonitor) failureOf(s *replay.State, p tracefmt.ProcessID) failure {
	if p < 1 || s.Live(p) {
		return failure{process: p}
	}
	return failure{p, s.Process(p).Since}
}

// namesOf returns the names of the processes of a list, with unknown members as written.
func namesOf(s *replay.State, list []byte) (names []string) {
	for item := range tracefmt.Items(list) {
		name := string(item)
		if p := s.Named(item); p > 0 {
			name = s.Run.ProcessName(p)
		}
		names = append(names, name)
	}
	return names
}

// compare compares a list with the first list of the same failure.
func (m *listsMonitor) compare(r *analyze.Result, s *replay.State, list ringList) {
	r.Examined++
	state := m.launched[list.launcher]
	first, known := m.first[state]
	switch {
	case !known && memory.RoomFor(r, len(m.first)+1, "failures"):
		m.first[state] = list
	case known && !isRotation(first.members, list.members):
		r.ViolateUnless(m.otherFailure(s, state, first, list), func() string {
			return fmt.Sprintf("of the failure of %s, process %s has launched the list %s (seq %d), and process %s the list %s (seq %d)",
				failedText(s, state), s.Run.ProcessName(first.launcher), ringText(first.members), first.at,
				s.Run.ProcessName(list.launcher), ringText(list.members), list.at)
		}, first.at, list.at)
	}
}

// isRotation reports whether two lists have the same members in the same cyclic order.
func isRotation(x, y []string) bool {
	if len(x) != len(y) || len(x) == 0 {
		return len(x) == len(y)
	}
	i := slices.Index(y, x[0])
	return i >= 0 && slices.Equal(x, slices.Concat(y[i:], y[:i]))
}

// failedText names a failure for people.
func failedText(s *replay.State, state failure) string {
	if state.process < 1 {
		return "a process that is not named"
	}
	return "process " + s.Run.ProcessName(state.process)
}

// ringText formats a list for people.
func ringText(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = text.Printable(name)
	}
	return strings.Join(shown, " ")
}

// otherFailure returns the needs by which two lists may be of different failures: another suspicion, another
// election, or two failures of the process.
func (m *listsMonitor) otherFailure(s *replay.State, state failure, x, y ringList) (needs []analyze.Need) {
	for _, launcher := range []tracefmt.ProcessID{x.launcher, y.launcher} {
		needs = append(needs, analyze.Needs(launcher, 0, s.Now(), tracefmt.Fact{Kind: tracefmt.Suspect},
			unrecorded.SendFact)...)
		if m.elections[launcher] > 1 { // messages show which of its lists came round
			needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, s.Now(), unrecorded.SendFact,
				tracefmt.Fact{Kind: tracefmt.Receive})...)
		}
	}
	if state.process > 0 {
		needs = append(needs, analyze.Needs(state.process, 0, s.Now(), unrecorded.CrashFact, unrecorded.HaltFact,
			unrecorded.RecoverFact)...)
	}
	return needs
}

// Relies implements [analyze.Relying]: no further list was launched, and lists of different failures are not of
// one failure.
func (m *listsMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	types := []string{"COORDINATOR"}
	var needs []analyze.Need
	if len(m.first) > 1 {
		types = append(types, "ELECTION")
		needs = analyze.Needs(analyze.AnyProcess, 0, 0, tracefmt.Fact{Kind: tracefmt.Suspect}, unrecorded.CrashFact,
			unrecorded.HaltFact, unrecorded.RecoverFact)
		if slices.ContainsFunc(m.elections, func(n int) bool { return n > 1 }) {
			needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, 0, tracefmt.Fact{Kind: tracefmt.Receive})...)
		}
	}
	for send := range m.orphans { // needs are sorted later
		if slices.Contains(types, send.typ) && (m.several || len(m.first) > 0) { // else there is no second list
			needs = append(needs, analyze.Needs(send.sender, 0, 0, unrecorded.SendFact)...)
		}
	}
	return slices.Values(append(needs, unrecorded.Send(s, end,
		func(send *tracefmt.Event) bool { return slices.Contains(types, send.Type) }, types...)...))
}

// End does nothing: each list was judged at once.
func (m *listsMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
