package sim

import (
	"maps"
	"slices"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Process is one process as its algorithm sees it. Process numbers follow the
// ids: a greater number is a greater id.
type Process struct {
	k  *kernel
	id tracefmt.ProcessID
	up bool
	// dirty has a bit for each variable assigned since the last state event.
	dirty uint64
	// timers are the declared timers; numbered are the armed timers with a number, see [Timer.At].
	timers   []timer
	numbered map[Timer]timer
	// round is the timer of the next round, lastRound the instant of the last round.
	round     timer
	lastRound tracefmt.Time
	// lastNumber is the number of the last round, for hosts.
	lastNumber int64
	// draws is the number of its draws; see draw.go.
	draws   int64
	open    bool      // an invoked operation has not returned
	held    []*Action // operations to invoke after the open one
	silent  bool      // it sends nothing; see byzantine.go
	passive bool      // it takes no step of its own
	// remaining are all other processes, which are the neighbours in a run without edges. bridges are the successor and
	// the predecessor on a repaired ring.
	remaining []tracefmt.ProcessID
	bridges   [2]tracefmt.ProcessID
}

// timer is the state of a timer.
type timer struct {
	order uint64 // the number of its last arming, 0 if it is not armed
	due   tracefmt.Time
}

// begin sets the process to its state before a run.
func (p *Process) begin(k *kernel, id tracefmt.ProcessID) {
	timers, numbered, remaining := p.timers, p.numbered, p.remaining
	if timers == nil {
		timers = make([]timer, len(k.protocol.timers))
	}
	clear(timers)
	clear(numbered)
	*p = Process{k: k, id: id, up: id > 0, lastRound: -1, timers: timers, numbered: numbered, remaining: remaining}
}

// ID returns the process's own number.
func (p *Process) ID() tracefmt.ProcessID {
	p.requireIdentity("asks for its own id")
	return p.id
}

// Name returns the process's own name, which is its id as the user wrote it.
func (p *Process) Name() string {
	p.requireIdentity("asks for its own name")
	return p.k.Members[p.id-1].Name
}

// Last returns the greatest process number.
func (p *Process) Last() tracefmt.ProcessID { return tracefmt.ProcessID(len(p.k.processes) - 1) }

// Up reports whether another process is up. No algorithm of the literature can know it; it serves declared
// idealisations (ring repair, announce=live).
func (p *Process) Up(q tracefmt.ProcessID) bool {
	p.requireIdentity("asks whether a process of some id is up")
	return p.k.isUp(q)
}

// Along returns the process at the given number of places in the order of the ring; a negative number goes
// against it. Unlike [Message.SendNext] it does not skip crashed processes.
func (p *Process) Along(places int) tracefmt.ProcessID {
	p.requireIdentity("asks for the id of a process on the ring")
	n := len(p.k.ring)
	return p.k.ring[((p.k.place[p.id]+places)%n+n)%n] // % is negative for a negative sum
}

func (p *Process) successor() tracefmt.ProcessID { return p.ringNeighbour(0, 1) }

func (p *Process) predecessor() tracefmt.ProcessID { return p.ringNeighbour(1, len(p.k.ring)-1) }

// ringNeighbour returns the neighbour on a side of the ring (0 next, 1 previous); step is the distance between two
// places in that direction. With ring repair it skips processes that are down, and records a suspicion of each.
// Without ring repair it skips only processes that were down at the start. It returns p itself if no other
// process remains.
func (p *Process) ringNeighbour(side, step int) tracefmt.ProcessID {
	k := p.k
	for i := 1; ; i++ {
		q := k.ring[(k.place[p.id]+i*step)%len(k.ring)]
		switch {
		case q == p.id:
			return q
		case !k.ringRepair:
			if !k.wasDown(q) {
				return p.bridgeTo(q, side, i)
			}
		case k.isUp(q):
			return p.bridgeTo(q, side, i)
		default:
			p.Suspect(q)
		}
	}
}

// Suspect records that the process suspects q; q = 0 names no process.
func (p *Process) Suspect(q tracefmt.ProcessID) {
	if p.ready() {
		p.k.rec.Local(p.k.net.Now(), tracefmt.Suspect, p.id, q, "", nil)
	}
}

// SetTimer arms a timer that expires after d, which is at most [network.MaxTime]. It restarts an armed timer.
func (p *Process) SetTimer(t Timer, d tracefmt.Time) {
	if !p.ready() {
		return
	}
	k := p.k
	due := k.net.Now() + min(d, network.MaxTime)
	if p.Armed(t) {
		k.hash ^= hashTimer(p.id, t)
	}
	p.arm(t, timer{k.net.Schedule(due, network.Timer, p.id, int64(t)), due})
	k.hash ^= hashTimer(p.id, t)
	k.rec.Local(k.net.Now(), tracefmt.SetTimer, p.id, 0, k.protocol.timerName(t), k.duePayload(due))
}

// StopTimer stops a timer if it is armed.
func (p *Process) StopTimer(t Timer) {
	if !p.Armed(t) || !p.ready() {
		return
	}
	p.disarm(t)
	p.k.rec.Local(p.k.net.Now(), tracefmt.CancelTimer, p.id, 0, p.k.protocol.timerName(t), nil)
}

// StopTimers stops all timers of t's declaration that are armed, in the order
// of their numbers.
func (p *Process) StopTimers(t Timer) {
	t = t.Declared()
	p.StopTimer(t)
	for _, numbered := range slices.Sorted(maps.Keys(p.numbered)) {
		if numbered.Declared() == t {
			p.StopTimer(numbered)
		}
	}
}

// Armed reports whether a timer runs.
func (p *Process) Armed(t Timer) bool { return p.timer(t).order != 0 }

// timer returns the state of a timer.
func (p *Process) timer(t Timer) timer {
	if t.Number() == 0 {
		return p.timers[t]
	}
	return p.numbered[t]
}

// arm sets the state of a timer.
func (p *Process) arm(t Timer, state timer) {
	if t.Number() == 0 {
		p.timers[t] = state
		return
	}
	if p.numbered == nil {
		p.numbered = map[Timer]timer{}
	}
	p.numbered[t] = state
}

// disarm stops a timer.
func (p *Process) disarm(t Timer) {
	if t.Number() == 0 {
		p.timers[t] = timer{}
	} else {
		delete(p.numbered, t)
	}
	p.k.hash ^= hashTimer(p.id, t)
}

// disarmAll removes all timers, as a crash does.
func (p *Process) disarmAll() {
	for t := range p.timers {
		if p.timers[t].order != 0 {
			p.disarm(Timer(t))
		}
	}
	for t := range p.numbered {
		p.disarm(t)
	}
}

// ready prepares for the next event of the process. It returns false if the event may not happen: an edit may
// crash the process in the middle of its step.
func (p *Process) ready() bool {
	if p.dirty != 0 || p.k.due() {
		p.k.takeDue(p.id)
		p.flush()
		p.k.takeDue(p.id)
	}
	return p.up
}
