package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var kordafshariAlgorithm = algorithm.Algorithm{
	Name: "kordafshari",
	Doc: `The bully variant of Kordafshari et al.: the initiator sends GRANT to the highest process
that answers.

The initiator sends ELECTION to every higher process and collects their OKs until its timer runs
out; the timer always runs to the end, since no process knows how many answers to expect. Then it
sends GRANT to the highest that answered, which announces itself; without an answer, the initiator
announces itself. A process that answers starts nothing. The highest of all ids announces itself at
once. A process that recovers acts like an initiator.

The result goes to all others, as in the paper, also to crashed processes (parameter announce). Every GRANT
makes an announcement. The text is
silent on a process that dies between its OK and its announcement: no process is
elected then, for there is no timer for the announcement.`,
	Source:  comparisonPaper + ", section II, method [3]; Kordafshari et al., Modified Bully Election Algorithm in Distributed System, 2005",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{inTime("starts * (2*above + 1 + n-1)", "", "Gajre and Ragha, method [3]: ELECTION and OK, GRANT, announcement")},
	Params:  []algorithm.Param{announceParam("all"), timeoutParam},
	New:     newKordafshari,
}

// kordafshari is the protocol.
type kordafshari struct {
	survey
	announcer
	grant sim.Signal
}

// newKordafshari returns the protocol.
func newKordafshari(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	k := &kordafshari{
		survey: newSurvey(pr, v),
		grant:  pr.Signal("GRANT", "the receiver is to announce itself"),
	}
	k.announcer, _ = newSignaller(pr, v)
	k.grant.On(func(p *sim.Process, _ tracefmt.ProcessID) { k.win(p) })
	pr.Start, pr.Recover, pr.Timeout = k.elected.Noticing(k.initiate), k.initiate, k.expire
	return pr
}

// initiate begins a survey; the highest process wins at once.
func (k *kordafshari) initiate(p *sim.Process) {
	if p.ID() == p.Last() {
		k.win(p)
		return
	}
	k.ask(p)
}

// expire ends the survey: p grants the election to the highest process that answered, or wins itself.
func (k *kordafshari) expire(p *sim.Process, _ sim.Timer) {
	if q := k.highest(p); q != p.ID() {
		k.grant.Send(p, q)
		return
	}
	k.win(p)
}
