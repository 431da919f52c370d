package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var hirschbergSinclairAlgorithm = algorithm.Algorithm{
	Name: "hirschberg-sinclair",
	Doc: `The ring election of Hirschberg and Sinclair: the greatest process of a neighbourhood asks
in a neighbourhood twice as wide.

In phase k, from 0, a process sends probe(its id) both ways round the ring, for 2^k hops. A
process with a greater id drops the probe; others pass it on. The process at the last hop sends a
reply back along the same way. A process with replies from both sides goes on to the next phase.
A process whose own probe arrives has the greatest id and is elected. It takes O(n log n)
messages for any order of the ids, and no process knows n.

A process drops smaller ids also after it has lost in its own neighbourhood. A probe ends at its
owner, even if it has hops left. Both probes of the leader's last phase go around the whole ring;
the second has no effect. Each message carries its direction: in a ring of two both neighbours are
one. With join=relay the greatest of the starters is elected; relays drop nothing.

` + contestDoc,
	Source:  "Hirschberg and Sinclair, CACM 23(11), 1980; the rules as in Lynch, Distributed Algorithms, sections 3.4 and 15.1",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery},
	Needs:   algorithm.Ring,
	Bounds: []tracefmt.Bound{
		// Phase 0: 4 for each process. In phase k > 0 there are at most
		// live/(2^(k-1)+1) processes, each with 4*2^k hops: less than 8*live; and
		// ceil(log2(live)) is the last phase. The live messages of elected, which the
		// source does not count, are fewer than phase 0 falls short of 8*live.
		atMost("8*live*(1 + ceil(log2(live)))", "",
			"Hirschberg and Sinclair 1980, as in Lynch: 8n(1 + ceil(log2 n)) probes and replies, whoever starts; this also covers elected"),
		without(atMost("8*live*(1 + ceil(log2(live)))", "", "Hirschberg and Sinclair 1980, as in Lynch: 8n(1 + "+
			"ceil(log2 n)), probes and replies only"), "elected"),
	},
	Params: slices.Clone(contestParams),
	New:    newHirschbergSinclair,
}

// probe and reply are the fields of the two messages.
type (
	probe struct {
		id   tracefmt.ProcessID
		hops int64
		way  way
	}
	reply struct {
		id  tracefmt.ProcessID
		way way
	}
)

// hirschbergSinclair is the protocol.
type hirschbergSinclair struct {
	*contest
	phase   sim.Var[int64]
	replied sim.Var[sim.Set[way]]
	probe   sim.Message[probe]
	reply   sim.Message[reply]
}

// newHirschbergSinclair returns the protocol.
func newHirschbergSinclair(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	h := &hirschbergSinclair{
		contest: newContest(pr, v),
		phase:   sim.Declare[int64](pr, "phase", "the probes of the process go 2^phase hops"),
		replied: sim.Declare[sim.Set[way]](pr, "replied", "the directions from which a probe of this phase was answered"),
		probe:   sim.DeclareMessage[probe](pr, "probe", "asks whether its id is the greatest for this number of hops, including this one"),
		reply:   sim.DeclareMessage[reply](pr, "reply", "the probe met no greater id; it goes back to its owner"),
	}
	h.announced(pr)
	h.compete = h.ask
	h.probe.On(h.compare)
	h.reply.On(h.handleReply)
	return pr
}

// ask sends the probes of a phase in both directions.
func (h *hirschbergSinclair) ask(p *sim.Process) {
	hops := int64(1) << uint64(h.phase.Get(p))
	h.probe.SendBoth(p, probe{p.ID(), hops, clockwise}, probe{p.ID(), hops, counterclockwise})
}

// compare handles a probe: the own probe wins, a smaller id is dropped, and a greater one is forwarded or
// answered.
func (h *hirschbergSinclair) compare(p *sim.Process, _ tracefmt.ProcessID, m probe) {
	h.wakeOrRelay(p)
	switch {
	case m.id == p.ID():
		if h.competes(p) {
			h.win(p)
		}
	case m.id < p.ID() && h.standing.Get(p) == active:
		// swallowed
	case m.hops > 1:
		m.hops--
		sendOn(p, h.probe, m.way, m)
	default:
		sendOn(p, h.reply, m.way.opposite(), reply{m.id, m.way.opposite()})
	}
}

// handleReply handles a reply: two replies to the own probes begin the next phase; replies to others are forwarded.
func (h *hirschbergSinclair) handleReply(p *sim.Process, _ tracefmt.ProcessID, m reply) {
	h.wakeOrRelay(p)
	if m.id != p.ID() {
		sendOn(p, h.reply, m.way, m)
		return
	}
	if h.competes(p) && sim.Insert(p, h.replied, m.way.opposite()).Len() == 2 {
		h.replied.Clear(p)
		sim.Add(p, h.phase, 1)
		h.ask(p)
	}
}
