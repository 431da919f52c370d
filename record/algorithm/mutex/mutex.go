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

// stamp is the timestamp of a request. Requests are ordered by clock, then by id; a lower timestamp is older.
type stamp struct {
	clock int64
	id    tracefmt.ProcessID
}

// asks has the fields of a request.
type asks struct{ clock int64 }

// permission is the common part of algorithms in which a process enters with the permission of all others.
// Requests are numbered, and a process with an older request defers its reply until its exit. G is the type of
// the variable granted: the number of replies, or the set of their senders.
type permission[G any] struct {
	section
	clock    sim.Var[int64]
	stamp    sim.Var[stamp]
	granted  sim.Var[G]
	deferred sim.Var[processSet]
	request  sim.Message[asks]
	reply    sim.Signal
}

// newPermission declares the variables and messages. granted and doc are the name and the description of the
// variable granted.
func newPermission[G any](pr *sim.Protocol, v algorithm.Values, r rules, granted, doc string) permission[G] {
	return permission[G]{
		section:  newSection(pr, v, r),
		clock:    sim.Declare[int64](pr, "clock", "the greatest known number of a request"),
		stamp:    sim.Declare[stamp](pr, "stamp", "number and id of the last request"),
		granted:  sim.Declare[G](pr, granted, doc),
		deferred: sim.Declare[processSet](pr, "deferred", "the processes that get a reply at the exit"),
		request:  sim.DeclareMessage[asks](pr, "REQUEST", "asks for permission, with the number of the request"),
		reply:    pr.Signal("REPLY", "gives permission"),
	}
}

// nextRequest gives the next request of p its timestamp.
func (a *permission[G]) nextRequest(p *sim.Process) asks {
	a.stamp.Set(p, stamp{sim.Add(p, a.clock, 1), p.ID()})
	return asks{a.clock.Get(p)}
}

// goesFirst raises the clock to that of a request, and reports whether p enters before the sender.
func (a *permission[G]) goesFirst(p *sim.Process, from tracefmt.ProcessID, m asks) bool {
	sim.Raise(p, a.clock, m.clock)
	return a.inside.Get(p) || a.waits.Get(p) && sim.Less(a.stamp.Get(p), stamp{m.clock, from})
}

// exactly returns a bound on the exact number of messages of simultaneous requests.
func exactly(messages, condition, source string) tracefmt.Bound {
	return tracefmt.Bound{Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Source: source}
}

// atMost returns an upper bound on the number of messages of simultaneous requests.
func atMost(messages, condition, source string) tracefmt.Bound {
	b := exactly(messages, condition, source)
	b.Kind = ""
	return b
}
