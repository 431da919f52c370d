package network

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var noLoss = analyze.Property{
	Name:  "no-loss",
	Pairs: true,
	Kind:  analyze.Liveness,
	Doc: `Every message to a process that stays live is received.

A process stays live if it is live at the send and does not go down afterwards; a message to any other process may be
lost or stay in transit. A message that is lost (drop, loss, partition) and not received in another copy is a
violation. In a stopped run it is an open obligation, since it may be sent again with the same id. A message in
transit is an open obligation, too: only a quiescent run shows that it never arrives. A loop does not: if the message
is in transit in every round, the rounds take no time. Runs without the trait no-loss, or reliable, and scenarios
with message loss promise nothing: they are examined only if the property is named.`,
	Needs:      "send, receive and lose events; how the run ended",
	Source:     paper.ReliableProgramming + ", 2.4: reliable delivery",
	Presumed:   []string{tracefmt.NoLoss},
	ViolatedBy: append(analyze.Facts("recover"), unrecorded.SendFacts...),
	ExcusedBy:  analyze.Facts("receive", "crash", "halt"),
	Triggers:   unrecorded.SendFacts,
	Assumption: "the scenario, if there is one, has no drop, loss or partition",
	Assumes:    planned.Without("drop", "loss", "partition"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &lossMonitor{
			lost: map[tracefmt.Seq]loss{}, unsent: map[tracefmt.MessageID]loss{},
			down: make([]tracefmt.Seq, len(run.Members)+1), up: make([]tracefmt.Seq, len(run.Members)+1),
			copies: planned.Without("duplicate")(run) != "" ||
				run.Source != tracefmt.Simulated && !run.States(tracefmt.NoDuplicates),
		}
	},
}

// loss is a lost copy of a message without a received copy so far.
type loss struct {
	message        tracefmt.MessageID
	from, receiver tracefmt.ProcessID
	at             tracefmt.Seq
}

// lossMonitor stores the lost messages that were not received, and when receivers were down.
type lossMonitor struct {
	lost    map[tracefmt.Seq]loss // by send
	arrived memory.SeqSet         // the sends of received messages
	down    []tracefmt.Seq        // by process: its last crash or halt
	up      []tracefmt.Seq        // by process: its last recovery
	// steps has for sends, in order, the last step of the receiver before, if its crashes may be unrecorded. limit
	// is the length at which the entries of received messages are dropped.
	steps []sentAfter
	limit int
	// unsent are lost messages without a recorded send.
	unsent map[tracefmt.MessageID]loss
	copies bool // a message may arrive or be lost several times
}

// sentAfter is a send, and the last step of the receiver before it.
type sentAfter struct{ sent, step tracefmt.Seq }

// Step records sends, arrivals, losses, and changes of status.
func (m *lossMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	// The process is up again, by a recorded restart or by a step that proves one.
	if p := e.Process; m.down[p] > m.up[p] && s.Live(p) {
		m.up[p] = e.Seq
	}
	switch e.Kind {
	case tracefmt.Send:
		r.Examined++
		if e.Peer != e.Process && possibleFall(s, e.Peer) {
			m.keepStep(sentAfter{e.Seq, s.StepAt(e.Peer)})
		}
	case tracefmt.Crash, tracefmt.Halt:
		m.down[e.Process] = e.Seq
	case tracefmt.Receive, tracefmt.Lose:
		if 0 < e.Cause && e.Cause < e.Seq {
			m.arrive(s, e)
		}
		m.arriveUnsent(s, e)
	}
}

// arriveUnsent handles an arrival or loss of a message without a recorded send.
func (m *lossMonitor) arriveUnsent(s *replay.State, e *tracefmt.Event) {
	switch {
	case !unrecorded.IsOrphan(s, e): // the send is recorded
	case e.Kind == tracefmt.Receive:
		delete(m.unsent, e.Message)
	default:
		m.unsent[e.Message] = loss{e.Message, e.Peer, e.Process, e.Seq}
	}
}

// keepStep stores the receiver's last step before a send. The memory is proportional to the messages in transit.
func (m *lossMonitor) keepStep(a sentAfter) {
	if len(m.steps) >= max(m.limit, 1<<10) {
		m.steps = slices.DeleteFunc(m.steps, func(a sentAfter) bool { return m.arrived.Has(a.sent) })
		m.limit = 2 * len(m.steps)
	}
	m.steps = append(m.steps, a)
}

// possibleFall reports whether p may have an unrecorded crash or halt at some time.
func possibleFall(s *replay.State, p tracefmt.ProcessID) bool {
	c := s.Coverage()
	return !c.Complete() && slices.ContainsFunc(unrecorded.DownFacts,
		func(f tracefmt.Fact) bool { return c.Missing(p, f, 0, 0) })
}

// arrive handles a receive or a loss of a message with a recorded send.
func (m *lossMonitor) arrive(s *replay.State, e *tracefmt.Event) {
	if !m.copies && !s.Coverage().Complete() {
		_, lost := m.lost[e.Cause]
		m.copies = lost || m.arrived.Has(e.Cause)
	}
	switch {
	case e.Kind == tracefmt.Receive:
		delete(m.lost, e.Cause)
		m.arrived.Add(e.Cause)
	case !m.arrived.Has(e.Cause):
		m.lost[e.Cause] = loss{e.Message, e.Peer, e.Process, e.Seq}
	}
}

// End reports the messages that were lost or are still in transit, though their receivers stayed live.
func (m *lossMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	for _, sent := range slices.Sorted(maps.Keys(m.lost)) {
		if l := m.lost[sent]; m.stayedLive(s, l.receiver, sent) {
			unrecorded.OweUnless(r, end, m.excusesLoss(s, l, sent), func() string {
				return fmt.Sprintf("message %d to process %s, which is live, is lost at seq %d and not received",
					l.message, s.Run.ProcessName(l.receiver), l.at)
			}, sent, l.at)
		}
	}
	onWay := end
	if end.Looping() {
		// The age of a message is a part of the state that recurs. So a message that is in transit in every round
		// waits for an instant that never ends.
		onWay = analyze.Ending{}
	}
	for _, f := range s.Flights() {
		if !m.stayedLive(s, f.To, f.Sent) || end.Looping() && f.Sent > end.LoopFrom {
			continue
		}
		unrecorded.OweUnless(r, onWay, m.excuses(f.To, f.Sent), func() string {
			return fmt.Sprintf("message %d from process %s to process %s, sent at seq %d, is not received",
				f.Message, s.Run.ProcessName(f.From), s.Run.ProcessName(f.To), f.Sent)
		}, f.Sent)
	}
}

// stayedLive reports whether p was live at the send, the event seq, and has stayed so.
func (m *lossMonitor) stayedLive(s *replay.State, p tracefmt.ProcessID, seq tracefmt.Seq) bool {
	return s.Live(p) && m.down[p] < seq && m.up[p] <= seq
}

// excuses returns the facts that would fulfil or lift the promise of a message to p: a receive, or that p was
// down at the send or later.
func (m *lossMonitor) excuses(p tracefmt.ProcessID, sent tracefmt.Seq) []analyze.Need {
	up := sent // by default, the send is the last known step of the receiver
	i, found := slices.BinarySearchFunc(m.steps, sent,
		func(a sentAfter, sent tracefmt.Seq) int {
			return cmp.Compare(a.sent, sent)
		})
	if found && !m.arrived.Has(sent) {
		up = m.steps[i].step
	}
	return append(analyze.Needs(p, sent, 0, unrecorded.ReceiveFacts...),
		analyze.Needs(p, up, 0, unrecorded.DownFacts...)...)
}

// excusesLoss returns the facts that would lift the promise of a lost message: the receiver was down or, if there
// may be copies, another copy was received.
func (m *lossMonitor) excusesLoss(s *replay.State, l loss, sent tracefmt.Seq) []analyze.Need {
	excuses := m.excuses(l.receiver, sent)
	if m.copies || s.Coverage().Complete() {
		return excuses
	}
	excuses = excuses[len(unrecorded.ReceiveFacts):]
	if unrecorded.None(s, analyze.Needs(l.receiver, l.at, 0, unrecorded.ReceiveFacts...)) {
		return excuses
	}
	return append(analyze.Needs(l.from, l.at, 0, unrecorded.SendFacts...), excuses...)
}

// Relies implements [analyze.Relying]: no further message was sent that must be received, and receivers that are
// not certain to have stayed live did not.
func (m *lossMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	needs := unrecorded.Send(s, end, func(send *tracefmt.Event) bool { return possiblyOwed(s, end, send.Peer) })
	for _, l := range m.unsent { // in any order: needs are sorted later
		if possiblyLive(s, l.receiver) {
			needs = append(needs, analyze.Needs(l.from, 0, l.at, unrecorded.SendFacts...)...)
		}
	}
	for _, sent := range slices.Sorted(maps.Keys(m.lost)) {
		needs = append(needs, m.possiblyStillLive(s, m.lost[sent].receiver, sent)...)
	}
	for _, f := range s.Flights() {
		needs = append(needs, m.possiblyStillLive(s, f.To, f.Sent)...)
	}
	return slices.Values(needs)
}

// possiblyOwed reports whether an unrecorded message to p may have been lost although p stays live. In a
// quiescent run, every message that did not arrive was lost.
func possiblyOwed(s *replay.State, end analyze.Ending, p tracefmt.ProcessID) bool {
	return possiblyLive(s, p) && (!end.Quiescent || s.Coverage().Missing(p, tracefmt.Fact{Kind: tracefmt.Lose}, 0, 0))
}

// possiblyLive reports whether p may be live at the end.
func possiblyLive(s *replay.State, p tracefmt.ProcessID) bool {
	return s.Live(p) || !unrecorded.None(s, unrecorded.Recovery(s, p))
}

// possiblyStillLive returns the needs by which p, which was down at the send or later by the record, may have
// recovered before the send, or may not have been down.
func (m *lossMonitor) possiblyStillLive(s *replay.State, p tracefmt.ProcessID, sent tracefmt.Seq) []analyze.Need {
	if m.stayedLive(s, p, sent) {
		return nil
	}
	needs := unrecorded.Absence(s, m.down[p])
	if m.down[p] < sent && s.Process(p).Status != replay.Halted {
		needs = append(needs, analyze.Needs(p, m.down[p], sent, unrecorded.RecoverFact)...)
	}
	return needs
}
