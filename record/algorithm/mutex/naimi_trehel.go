package mutex

import (
	"fmt"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var naimiTrehelAlgorithm = algorithm.Algorithm{
	Name: "naimi-trehel",
	Doc: `The mutual exclusion of Naimi and Trehel: a request follows pointers to the last requester, and redirects each of them to
the new requester.

Each process has a father, the process that it believes to have asked last; a process without a
father asked last itself. A requester sends REQUEST to its father, and then has no father. A process
with a father passes a REQUEST on. A process without a father makes the requester its next if it
waits or is inside, and else gives it the TOKEN. In both cases the requester becomes its father. A
process that leaves gives the token to its next. A process that has no father when it requests has
the token, and enters.

A request costs a message for each hop of its path, and one for the token: 0 to n. For isolated
requests of processes that are chosen uniformly the mean is H(n-1), once the pointers no longer
depend on their initial values. Channels may reorder. With fathers=star all point to the holder,
with line each to its neighbour by id on the side of the holder; a list has the father of each
process in ascending order of their ids, the holder's its own. The algorithm has no rule for a lost
message.`,
	Source:  "Naimi, Trehel and Arnold, JPDC 34(1), 1996, section 2",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery},
	Token:   []string{"TOKEN"},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{atMost("n*starts*repeat", "live == n", "Naimi, Trehel and Arnold 1996: a path of at most n-1, and the token")},
	Params: withToken(algorithm.Param{
		Name: fathersParam, Default: "star", Words: []string{"star", "line"}, Processes: true,
		Doc: "the pointers when the run begins: a list has the father of each process, and the holder has itself",
	}),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None,
		Breaks: "a request or the token is lost if that process has it or is sent it, and a process that asks may wait forever",
		Source: "by the rules: no process enters without the token, and only pointers lead to it",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "no-reversal", Doc: "A process that gets a request leaves its father as it is, so that two requests may come to the same process.",
		Breaks: []string{"no-starvation"}, Shows: "nodes: 4, start: [1, 2, 3, 4]",
	}},
	Suits:   suitsFathers,
	Example: "nodes: 4, start: all",
	New:     newNaimiTrehel,
}

const fathersParam = "fathers"

// naimiTrehel is the protocol.
type naimiTrehel struct {
	section
	token
	father, next sim.Var[tracefmt.ProcessID]
	request      sim.Message[forProcess]
	tokenIs      sim.Signal
	noReversal   bool // mutant
}

// forProcess has the fields of a request that others forward: id is the process that asks.
type forProcess struct{ id tracefmt.ProcessID }

// newNaimiTrehel returns the protocol.
func newNaimiTrehel(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &naimiTrehel{noReversal: v.Mutant("no-reversal")}
	a.section = newSection(pr, v, rules{a.ask, a.release})
	a.father = sim.Declare[tracefmt.ProcessID](pr, "father", "the process that it believes to be the last requester; none: itself")
	a.next = sim.Declare[tracefmt.ProcessID](pr, "next", "the process that gets the token at the exit")
	a.token = declareToken(pr, v, func(p *sim.Process, holder tracefmt.ProcessID) {
		a.father.Set(p, firstFather(v, p.ID(), holder))
	})
	a.request = sim.DeclareMessage[forProcess](pr, "REQUEST", "asks for the token, for the process that it names")
	a.tokenIs = pr.Signal("TOKEN", "the token")
	a.request.On(a.handleRequest)
	a.tokenIs.On(a.handleToken)
	return pr
}

// firstFather returns the initial father of p, 0 for none.
func firstFather(v algorithm.Values, p, holder tracefmt.ProcessID) tracefmt.ProcessID {
	list := v.Processes(fathersParam)
	switch {
	case p == holder:
		return 0
	case int(p) <= len(list):
		return list[p-1]
	case v.Is(fathersParam, "line") && p < holder:
		return p + 1
	case v.Is(fathersParam, "line"):
		return p - 1
	}
	return holder
}

// suitsFathers fails for a list of fathers that does not lead from every process to the holder.
func suitsFathers(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
	list, n := v.Processes(fathersParam), len(c.Members)
	if list != nil && len(list) != n {
		return &algorithm.Unsuited{Param: fathersParam, Reason: fmt.Sprintf("%d processes, expected the father of each of the %d", len(list), n)}
	}
	holder := v.Process(holderParam, 1)
	for i := range list {
		p := tracefmt.ProcessID(i + 1)
		for range n {
			if p != holder {
				p = list[p-1]
			}
		}
		if p != holder {
			return &algorithm.Unsuited{Param: fathersParam, Reason: fmt.Sprintf("the fathers of process %s do "+
				"not lead to the holder, process %s", c.Members[i].Name, c.Members[holder-1].Name)}
		}
	}
	return nil
}

// ask sends REQUEST to the father. A process without a father has the token, and enters.
func (a *naimiTrehel) ask(p *sim.Process) {
	father := a.father.Take(p)
	if father == 0 {
		a.enter(p)
		return
	}
	a.request.Send(p, father, forProcess{p.ID()})
}

// handleRequest handles REQUEST.
func (a *naimiTrehel) handleRequest(p *sim.Process, _ tracefmt.ProcessID, m forProcess) {
	father := a.father.Get(p)
	if !a.noReversal {
		a.father.Set(p, m.id)
	}
	switch {
	case father != 0:
		a.request.Send(p, father, m)
	case a.waits.Get(p) || a.inside.Get(p):
		a.next.Set(p, m.id)
	default:
		a.passToken(p, m.id)
	}
}

// passToken sends the token to a process.
func (a *naimiTrehel) passToken(p *sim.Process, receiver tracefmt.ProcessID) {
	a.token.Clear(p)
	a.tokenIs.Send(p, receiver)
}

// handleToken handles TOKEN: p enters.
func (a *naimiTrehel) handleToken(p *sim.Process, _ tracefmt.ProcessID) {
	a.token.Set(p, true)
	a.enter(p)
}

// release sends the token to the next process, if there is one.
func (a *naimiTrehel) release(p *sim.Process) {
	if next := a.next.Take(p); next != 0 {
		a.passToken(p, next)
	}
}
