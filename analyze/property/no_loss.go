package property

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/replay"
	"etrace/tracefmt"
)

var noLoss = analyze.Property{
	Name:  "no-loss",
	Pairs: true,
	Kind:  analyze.Liveness,
	Doc: `Every message to a process that stays live is received.

A process stays live that is live at the send and does not go down after it: whether
a message to another one is lost or still on its way, it is owed to no process. A message that is
lost (drop, loss, partition) and never received, in another copy, is a
violation, and so is one that was on its way already when the loop began in
which the run ends. On a run that was stopped, both are open obligations: a
message on its way may arrive, and one that was lost may be sent once more under
its id. Runs that do not state the trait no-loss, or reliable, and scenarios that
lose messages, promise nothing: they are examined if the property is asked for by name.`,
	Needs:      "send, receive and lose events; how the run ended",
	Source:     reliableProgramming + ", 2.4: reliable delivery",
	Presumed:   []string{tracefmt.NoLoss},
	Convicts:   append(analyze.Facts("recover"), sendFacts...),
	Acquits:    analyze.Facts("receive", "crash", "halt"),
	Triggers:   sendFacts,
	Assumption: "the scenario, if there is one, has no drop, loss or partition",
	Assumes:    planned.Without("drop", "loss", "partition"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &lossMonitor{
			lost: map[tracefmt.Seq]loss{}, unsent: map[tracefmt.MessageID]loss{},
			down: make([]tracefmt.Seq, len(run.Members)+1), up: make([]tracefmt.Seq, len(run.Members)+1),
			copies: planned.Without("duplicate")(run) != "" || run.Source != tracefmt.Simulated && !run.States(tracefmt.NoDuplicates),
		}
	},
}

// loss is a copy of a message that was lost, while none was received.
type loss struct {
	message  tracefmt.MessageID
	from, to tracefmt.ProcessID
	at       tracefmt.Seq
}

type lossMonitor struct {
	lost    map[tracefmt.Seq]loss // by send
	arrived seqSet                // the sends of what was received
	down    []tracefmt.Seq        // by process: where it went down last
	up      []tracefmt.Seq        // by process: where it came up again last
	// steps are of sends, in order, the last step that the receiver had taken, where it may
	// have gone down without that being recorded; most is when those of what was received go.
	steps []sentAfter
	most  int
	// unsent are messages that were lost, of which no send is recorded.
	unsent map[tracefmt.MessageID]loss
	copies bool // of one message several may arrive, or be lost
}

// sentAfter is a send, and the last step that the receiver had taken before.
type sentAfter struct{ sent, step tracefmt.Seq }

func (m *lossMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if p := e.Process; m.down[p] > m.up[p] && s.Live(p) {
		m.up[p] = e.Seq
	}
	switch e.Kind {
	case tracefmt.Send:
		r.Examined++
		if e.Peer != e.Process && mayGoDown(s, e.Peer) {
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

// arriveUnsent takes in what arrives, or is lost, though no send of it is recorded.
func (m *lossMonitor) arriveUnsent(s *replay.State, e *tracefmt.Event) {
	switch {
	case !isOrphan(s, e):
	case e.Kind == tracefmt.Receive:
		delete(m.unsent, e.Message)
	default:
		m.unsent[e.Message] = loss{e.Message, e.Peer, e.Process, e.Seq}
	}
}

// keepStep keeps of a send where the receiver was, in memory for few more than are on their
// way.
func (m *lossMonitor) keepStep(a sentAfter) {
	if len(m.steps) >= max(m.most, 1<<10) {
		m.steps = slices.DeleteFunc(m.steps, func(a sentAfter) bool { return m.arrived.has(a.sent) })
		m.most = 2 * len(m.steps)
	}
	m.steps = append(m.steps, a)
}

// mayGoDown reports whether p may go down at some time without that being recorded.
func mayGoDown(s *replay.State, p tracefmt.ProcessID) bool {
	c := s.Coverage()
	return !c.Complete() && slices.ContainsFunc(downFacts, func(f tracefmt.Fact) bool { return c.Missing(p, f, 0, 0) })
}

func (m *lossMonitor) arrive(s *replay.State, e *tracefmt.Event) {
	if !m.copies && !s.Coverage().Complete() {
		_, lost := m.lost[e.Cause]
		m.copies = lost || m.arrived.has(e.Cause)
	}
	switch {
	case e.Kind == tracefmt.Receive:
		delete(m.lost, e.Cause)
		m.arrived.add(e.Cause)
	case !m.arrived.has(e.Cause):
		m.lost[e.Cause] = loss{e.Message, e.Peer, e.Process, e.Seq}
	}
}

func (m *lossMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	for _, sent := range slices.Sorted(maps.Keys(m.lost)) {
		if l := m.lost[sent]; m.stayedLive(s, l.to, sent) {
			oweUnless(r, end, m.excusesLoss(s, l, sent), func() string {
				return fmt.Sprintf("message %d to process %s, which is live, is lost at seq %d and not received",
					l.message, s.Run.ProcessName(l.to), l.at)
			}, sent, l.at)
		}
	}
	for _, f := range s.Flights() {
		if !m.stayedLive(s, f.To, f.Sent) || end.Looping() && f.Sent > end.LoopFrom {
			continue
		}
		oweUnless(r, end, m.excuses(f.To, f.Sent), func() string {
			return fmt.Sprintf("message %d from process %s to process %s, sent at seq %d, is not received",
				f.Message, s.Run.ProcessName(f.From), s.Run.ProcessName(f.To), f.Sent)
		}, f.Sent)
	}
}

// stayedLive reports whether p was live at the send, the event seq, and has not gone
// down since.
func (m *lossMonitor) stayedLive(s *replay.State, p tracefmt.ProcessID, seq tracefmt.Seq) bool {
	return s.Live(p) && m.down[p] < seq && m.up[p] <= seq
}

// excuses are the facts that would fulfil or lift the promise of the message that was sent
// to p: that p received it, or was down at the send or later.
func (m *lossMonitor) excuses(p tracefmt.ProcessID, sent tracefmt.Seq) []analyze.Need {
	up := sent // unless that is known, the send is the step of the receiver
	i, elsewhere := slices.BinarySearchFunc(m.steps, sent, func(a sentAfter, sent tracefmt.Seq) int { return cmp.Compare(a.sent, sent) })
	if elsewhere && !m.arrived.has(sent) {
		up = m.steps[i].step
	}
	return append(analyze.Needs(p, sent, 0, receiveFacts...), analyze.Needs(p, up, 0, downFacts...)...)
}

// excusesLoss are the facts that would lift the promise of a message that was lost: that the
// receiver was down or, where there may be copies, that another one was received.
func (m *lossMonitor) excusesLoss(s *replay.State, l loss, sent tracefmt.Seq) []analyze.Need {
	excuses := m.excuses(l.to, sent)
	if m.copies || s.Coverage().Complete() {
		return excuses
	}
	excuses = excuses[len(receiveFacts):]
	if certain(s, analyze.Needs(l.to, l.at, 0, receiveFacts...)) {
		return excuses
	}
	return append(analyze.Needs(l.from, l.at, 0, sendFacts...), excuses...)
}

// Relies implements [analyze.Relying]: no other message was sent that may be owed, and a
// receiver that is not known to have stayed live did not.
func (m *lossMonitor) Relies(s *replay.State, end analyze.Ending) []analyze.Need {
	needs := mayHaveSent(s, end, func(send *tracefmt.Event) bool { return mayBeOwed(s, end, send.Peer) })
	for _, l := range m.unsent { // needs are sorted later
		if mayBeLive(s, l.to) {
			needs = append(needs, analyze.Needs(l.from, 0, l.at, sendFacts...)...)
		}
	}
	for _, sent := range slices.Sorted(maps.Keys(m.lost)) {
		needs = append(needs, m.mayStayLive(s, m.lost[sent].to, sent)...)
	}
	for _, f := range s.Flights() {
		needs = append(needs, m.mayStayLive(s, f.To, f.Sent)...)
	}
	return needs
}

// mayBeOwed reports whether a message to p that is not recorded may not have been received,
// though p stays live. In a run that has come to rest it was lost, then.
func mayBeOwed(s *replay.State, end analyze.Ending, p tracefmt.ProcessID) bool {
	return mayBeLive(s, p) && (!end.Quiescent || s.Coverage().Missing(p, tracefmt.Fact{Kind: tracefmt.Lose}, 0, 0))
}

// mayBeLive reports whether p may be live at the end.
func mayBeLive(s *replay.State, p tracefmt.ProcessID) bool {
	return s.Live(p) || !certain(s, mayRise(s, p))
}

// mayStayLive is that p, which was down at the send or later, may have come up before the
// send, or may not have been down.
func (m *lossMonitor) mayStayLive(s *replay.State, p tracefmt.ProcessID, sent tracefmt.Seq) []analyze.Need {
	if m.stayedLive(s, p, sent) {
		return nil
	}
	needs := mayNotBe(s, m.down[p])
	if m.down[p] < sent && s.Process(p).Status != replay.Halted {
		needs = append(needs, analyze.Needs(p, m.down[p], sent, recoverFact)...)
	}
	return needs
}
