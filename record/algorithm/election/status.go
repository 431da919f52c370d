package election

import (
	"slices"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// condition is the entry of a process in a status table.
type condition uint8

const (
	normal condition = iota
	crashed
	coordinating
)

// Words implements [sim.Words].
func (condition) Words() []string { return []string{"NORMAL", "CRASHED", "COORDINATOR"} }

// conditions is a status table. The condition of a process without an entry is unknown.
type conditions = sim.Map[tracefmt.ProcessID, condition]

// status is the common part of basu and gajre-ragha: each process keeps a table with the condition of every
// process, NORMAL, CRASHED or COORDINATOR. The initiator of an election, and a winner, look up the receivers
// of their messages. A process that recovers asks a neighbour for its table.
type status struct {
	announcer
	// victory announces the winner of an election. The embedded announcer is for a process that takes over at its
	// recovery. basu distinguishes the two.
	victory           announcer
	table             sim.Var[conditions]
	neighbour         sim.Var[tracefmt.ProcessID]
	asked             sim.Var[tracefmt.ProcessID] // declared with retry only
	election, request sim.Signal
	reply             sim.Message[tableCopy]
	update            sim.Message[named]
	replying          sim.Timer
	answering         sim.Timer // declared with retry only

	timeout          tracefmt.Time
	retry, updateAll bool
	believed         []tracefmt.ProcessID
}

// tableCopy has the fields of REPLY.
type tableCopy struct{ table conditions }

// statusDoc is the part of the documentation that both share.
const statusDoc = `In the initial tables, processes that are down are CRASHED, except those of believed-normal. The known
coordinator is COORDINATOR, and all others are NORMAL. A process that notices that the coordinator is
gone marks it CRASHED in its table. A message COORDINATOR makes the former coordinator NORMAL and its
sender COORDINATOR in the table of the receiver. So a crash during the run leaves stale entries, and no
rule repairs them. live means not CRASHED in the table of the sender.

A process m that recovers has lost its table. It sends REQUEST to the next
higher id, and if that does not reply in time to the one after it, then to the
lower ids downwards; the paper writes "any of its live neighbors" and assumes a live one. The receiver sends a copy of
its table; a process that still waits for a table itself has none to give. If the coordinator of the table is higher,
m adopts the table, enters itself as NORMAL and sends UPDATE (parameter update: "all other live processes" by the
table, or all others); receivers set m NORMAL. If the coordinator is lower than m, or m itself, m announces itself.
The paper leaves open whether m sends REQUEST before it announces itself. Here it does, since it has no table.
The paper does not mention a table without a coordinator: m adopts it in the same way, but elected stays empty.
If no process replies there is no rule.`

// statusParams returns the common parameters; live describes the value live of announce.
func statusParams(live string) []algorithm.Param {
	return []algorithm.Param{
		{
			Name: "announce", Default: "live", Words: []string{"lower", "all", "live"},
			Doc: "the receivers of the result: every lower id, every other id, or every " + live + " id that is not CRASHED in the sender's table",
		},
		timeoutParam,
		{
			Name: "update", Default: "live", Words: []string{"live", "all"},
			Doc: "the receivers of UPDATE from a process that recovers: those not CRASHED in its table, or all others",
		},
		{
			Name: "believed-normal", Default: "none", Words: []string{"none"}, Processes: true, Bounded: []string{"none"},
			Doc: "processes that all tables show as NORMAL at the start although they are down",
		},
	}
}

// newStatus declares the common part, except ELECTION, which the caller has declared. The caller handles
// ELECTION and its answer. With retry, an initiator waits for an answer, and without one asks the next lower
// process.
func newStatus(pr *sim.Protocol, v algorithm.Values, election sim.Signal, retry bool) *status {
	s := &status{election: election, retry: retry, updateAll: v["update"] == "all", believed: v.Processes("believed-normal")}
	var coordinator sim.Signal
	s.announcer, coordinator = newSignaller(pr, v)
	s.table = sim.Declare[conditions](pr, "table", "the status table: the condition of each process, as far as known")
	s.neighbour = sim.Declare[tracefmt.ProcessID](pr, "neighbour", "the last receiver of its REQUEST, while it has no table")
	s.request = pr.Signal("REQUEST", "asks for the receiver's table")
	s.replying = pr.Timer("reply")
	s.reply = sim.DeclareMessage[tableCopy](pr, "REPLY", "a copy of the sender's table")
	s.update = sim.DeclareMessage[named](pr, "UPDATE", "the sender has recovered")
	s.live = s.notCrashed
	s.victory = s.announcer
	s.timeout, _ = v.Time("timeout")
	if retry {
		s.asked = sim.Declare[tracefmt.ProcessID](pr, "asked", "the last receiver of its ELECTION")
		s.answering = pr.Timer("answer")
	}
	coordinator.On(s.handleResult)
	s.request.On(s.handleRequest)
	s.reply.On(s.rejoin)
	s.update.On(func(p *sim.Process, _ tracefmt.ProcessID, m named) { s.enter(p, m.id, normal) })
	pr.Begin, pr.Recover, pr.Timeout, pr.Busy = s.begin, s.recover, s.expire, s.busy
	pr.Start = s.elected.Noticing(s.initiate)
	return s
}

// begin fills the table of p at the start.
func (s *status) begin(p *sim.Process) {
	s.table.Set(p, sim.MapOf(func(yield func(tracefmt.ProcessID, condition) bool) {
		for q := tracefmt.ProcessID(1); q <= p.Last() && yield(q, s.atFirst(p, q)); q++ {
			continue
		}
	}))
}

// atFirst returns the condition of q in p's table at the start.
func (s *status) atFirst(p *sim.Process, q tracefmt.ProcessID) condition {
	switch {
	case !p.Up(q) && !slices.Contains(s.believed, q):
		return crashed
	case q == s.elected.Get(p):
		return coordinating
	}
	return normal
}

// enter sets the condition of q in p's table.
func (s *status) enter(p *sim.Process, q tracefmt.ProcessID, c condition) {
	s.table.Set(p, s.table.Get(p).With(q, c))
}

// notCrashed reports whether q is not CRASHED in p's table.
func (s *status) notCrashed(p *sim.Process, q tracefmt.ProcessID) bool {
	return s.table.Get(p).Get(q) != crashed
}

// coordinatorOf returns the coordinator in p's table, 0 if it shows none.
func (s *status) coordinatorOf(p *sim.Process) tracefmt.ProcessID {
	for q, c := range s.table.Get(p).All() {
		if c == coordinating {
			return q
		}
	}
	return 0
}

// appoint makes q the coordinator in p's table, and the former coordinator NORMAL.
func (s *status) appoint(p *sim.Process, q tracefmt.ProcessID) {
	former := s.coordinatorOf(p)
	if former == q {
		return
	}
	if former != 0 {
		s.enter(p, former, normal)
	}
	s.enter(p, q, coordinating)
}

// busy reports whether p waits for a table or an answer, so that a start has no effect.
func (s *status) busy(p *sim.Process) bool {
	return p.Armed(s.replying) || s.retry && p.Armed(s.answering)
}

// initiate begins an election. It marks the coordinator as CRASHED.
func (s *status) initiate(p *sim.Process) {
	if failed := s.coordinatorOf(p); failed != 0 && failed != p.ID() {
		s.enter(p, failed, crashed)
	}
	s.ask(p)
}

// ask sends ELECTION to the highest process above p that is not CRASHED in its table. Without such a process p
// has won.
func (s *status) ask(p *sim.Process) {
	q := p.Last()
	for q > p.ID() && !s.notCrashed(p, q) {
		q--
	}
	if q == p.ID() {
		s.win(p)
		return
	}
	if s.retry {
		s.asked.Set(p, q)
	}
	s.election.Send(p, q)
	if s.retry {
		p.SetTimer(s.answering, s.timeout)
	}
}

// win announces p as the winner, after it has updated its own table.
func (s *status) win(p *sim.Process) {
	s.appoint(p, p.ID())
	s.victory.win(p)
}

// handleAnswer handles an answer to ELECTION.
func (s *status) handleAnswer(p *sim.Process) {
	if s.retry {
		p.StopTimer(s.answering)
	}
}

// handleResult handles the result of an election.
func (s *status) handleResult(p *sim.Process, winner tracefmt.ProcessID) {
	s.handleAnswer(p)
	s.appoint(p, winner)
	s.believe(p, winner)
}

// handleRequest handles REQUEST: p sends its table, if it has one.
func (s *status) handleRequest(p *sim.Process, from tracefmt.ProcessID) {
	if s.neighbour.Get(p) == 0 {
		s.reply.Send(p, from, tableCopy{s.table.Get(p)})
	}
}

// expire handles a timer: p requests a table from the next process, or marks the process that it asked as
// CRASHED and asks again.
func (s *status) expire(p *sim.Process, t sim.Timer) {
	if t == s.replying {
		s.requestFrom(p, nextNeighbour(p, s.neighbour.Get(p)))
		return
	}
	s.enter(p, s.asked.Get(p), crashed)
	s.ask(p)
}

// recover begins to request a table.
func (s *status) recover(p *sim.Process) { s.requestFrom(p, nextNeighbour(p, p.ID())) }

// nextNeighbour returns the process from which p requests a table after q: upwards from itself, then downwards
// from itself; 0 after the last.
func nextNeighbour(p *sim.Process, q tracefmt.ProcessID) tracefmt.ProcessID {
	switch {
	case q == p.Last():
		return p.ID() - 1
	case q >= p.ID():
		return q + 1
	}
	return q - 1
}

// requestFrom requests the table of q; for q = 0 it does nothing.
func (s *status) requestFrom(p *sim.Process, q tracefmt.ProcessID) {
	if q == 0 {
		return
	}
	s.neighbour.Set(p, q)
	s.request.Send(p, q)
	p.SetTimer(s.replying, s.timeout)
}

// rejoin handles the first REPLY; a late one of another neighbour has no effect.
func (s *status) rejoin(p *sim.Process, _ tracefmt.ProcessID, m tableCopy) {
	if s.neighbour.Get(p) == 0 {
		return
	}
	p.StopTimer(s.replying)
	s.neighbour.Set(p, 0)
	s.table.Set(p, m.table)
	q := s.coordinatorOf(p)
	if q != 0 && q <= p.ID() {
		s.appoint(p, p.ID())
		s.announcer.win(p)
		return
	}
	s.enter(p, p.ID(), normal)
	if q != 0 {
		s.believe(p, q)
	}
	for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
		if q != p.ID() && (s.updateAll || s.notCrashed(p, q)) {
			s.update.Send(p, q, named{p.ID()})
		}
	}
}
