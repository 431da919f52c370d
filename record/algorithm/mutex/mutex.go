package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the algorithms of mutual exclusion, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&carvalhoRoucairolAlgorithm,
		&centralAlgorithm,
		&lamportAlgorithm,
		&maekawaAlgorithm,
		&naimiTrehelAlgorithm,
		&raymondAlgorithm,
		&ricartAgrawalaAlgorithm,
		&suzukiKasamiAlgorithm,
		&tokenRingAlgorithm,
	}
}

type (
	processSet  = sim.Set[tracefmt.ProcessID]
	processList = sim.List[tracefmt.ProcessID]
)

// stamp is when a request was made. Of two, the one with the lower clock is older, and of
// equal clocks the one of the lower id.
type stamp struct {
	clock int64
	id    tracefmt.ProcessID
}

// asks is the fields of a request.
type asks struct{ clock int64 }

// permission is what algorithms have in common in which a process enters with the
// permission of all others: its requests are numbered, and whoever has an older one defers the
// reply until its own exit. G is the type in which it counts the replies, or stores their senders.
type permission[G any] struct {
	section
	clock    sim.Var[int64]
	stamp    sim.Var[stamp]
	granted  sim.Var[G]
	deferred sim.Var[processSet]
	request  sim.Message[asks]
	reply    sim.Signal
}

// newPermission declares all that in a protocol, with name and doc of what is granted.
func newPermission[G any](pr *sim.Protocol, v algorithm.Values, r rules, granted, doc string) permission[G] {
	return permission[G]{
		section:  newSection(pr, v, r),
		clock:    sim.Declare[int64](pr, "clock", "the highest number known"),
		stamp:    sim.Declare[stamp](pr, "stamp", "number and id of the last request"),
		granted:  sim.Declare[G](pr, granted, doc),
		deferred: sim.Declare[processSet](pr, "deferred", "the processes that get a reply at the exit"),
		request:  sim.DeclareMessage[asks](pr, "REQUEST", "asks for permission, with the number of the request"),
		reply:    pr.Signal("REPLY", "gives permission"),
	}
}

// next numbers a request.
func (a *permission[G]) next(p *sim.Process) asks {
	a.stamp.Set(p, stamp{sim.Add(p, a.clock, 1), p.ID()})
	return asks{a.clock.Get(p)}
}

// goesFirst raises the clock to that of a request, and reports whether the process enters before the sender.
func (a *permission[G]) goesFirst(p *sim.Process, from tracefmt.ProcessID, m asks) bool {
	sim.Raise(p, a.clock, m.clock)
	return a.inside.Get(p) || a.waits.Get(p) && sim.Less(a.stamp.Get(p), stamp{m.clock, from})
}

// exactly returns a bound on the exact number of messages of requests that are all made at one instant.
func exactly(messages, condition, source string) tracefmt.Bound {
	return tracefmt.Bound{Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Source: source}
}

// atMost returns an upper bound on the same number.
func atMost(messages, condition, source string) tracefmt.Bound {
	b := exactly(messages, condition, source)
	b.Kind = ""
	return b
}
