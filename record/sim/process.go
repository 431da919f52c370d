package sim

import (
	"maps"
	"math/bits"
	"slices"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Process is one process as its algorithm sees it. Process numbers follow the
// ids: a greater number is a greater id.
type Process struct {
	k    *kernel
	id   tracefmt.ProcessID
	up   bool
	num  []int64
	list [][]tracefmt.ProcessID // lists and tables, never changed in place
	// dirty has a bit for each variable assigned since the last state event.
	dirty uint64
	// timers are the declared ones, numbered those with a number that are armed.
	timers   []timer
	numbered map[Timer]timer
	// round is the next one, lastRound the instant of the last.
	round     timer
	lastRound tracefmt.Time
	// others are the neighbours where everybody is one, bridge is the successor
	// on a repaired ring.
	others []tracefmt.ProcessID
	bridge tracefmt.ProcessID
}

type timer struct {
	order uint64 // of the arming that counts; 0: not armed
	due   tracefmt.Time
}

// ID returns the process's own number.
func (p *Process) ID() tracefmt.ProcessID { return p.id }

// Last returns the greatest process number there is.
func (p *Process) Last() tracefmt.ProcessID { return tracefmt.ProcessID(len(p.k.processes) - 1) }

// Up tells the truth about another process. No algorithm of the texts can
// know it; it serves the idealisations that say so (ring repair, announce=live).
func (p *Process) Up(q tracefmt.ProcessID) bool { return p.k.processes[q].up }

// FirstSuspect returns the coordinator whose failure started the run: the
// highest process that was down at the start, 0 if none was.
func (p *Process) FirstSuspect() tracefmt.ProcessID { return p.k.firstSuspect }

// Suspected returns the coordinator that the process would hold for gone if it
// noticed anything now: the one that it believes in, else, and if it believes
// in itself, FirstSuspect. 0: it knows of none.
func (p *Process) Suspected() tracefmt.ProcessID { return p.k.suspected(p) }

// Send sends a message with the given scalar fields.
func (p *Process) Send(to tracefmt.ProcessID, t MessageType, fields ...int64) {
	p.SendList(to, t, nil, fields...)
}

// SendList sends a message with a list, which must not be changed afterwards.
// A message to oneself is no message: the rule for it is applied at once.
func (p *Process) SendList(to tracefmt.ProcessID, t MessageType, list []tracefmt.ProcessID, fields ...int64) {
	m := Message{Type: t, From: p.id, to: to, list: list, used: len(p.k.protocol.messages[t].fields)}
	copy(m.fields[:], fields)
	if to == p.id {
		if p.up {
			p.k.local = append(p.k.local, m)
		}
		return
	}
	if p.ready() && p.reaches(to) {
		p.k.transmit(&m)
	}
}

// SendTable sends a message with a copy of a table of the sender.
func (p *Process) SendTable(to tracefmt.ProcessID, t MessageType, table Table, fields ...int64) {
	p.SendList(to, t, p.list[table.index], fields...)
}

// SendNext sends a message to the successor on the ring. With ring repair the
// successors that are down are passed over, each with a suspicion.
func (p *Process) SendNext(t MessageType, list []tracefmt.ProcessID, fields ...int64) {
	p.SendList(p.successor(), t, list, fields...)
}

// Forward passes a message on unchanged to the successor on the ring.
func (p *Process) Forward(m *Message) {
	p.SendNext(m.Type, m.list, m.fields[:m.used]...)
}

func (p *Process) successor() tracefmt.ProcessID {
	k := p.k
	for i := 1; ; i++ {
		q := k.ring[(k.place[p.id]+i)%len(k.ring)]
		switch {
		case q == p.id:
			return q
		case !k.ringRepair:
			if !k.initiallyDown[q] {
				return p.reach(q, i)
			}
		case k.processes[q].up:
			return p.reach(q, i)
		default:
			p.Suspect(q)
		}
	}
}

// Suspect records that the process holds q for crashed; q = 0 names nobody.
func (p *Process) Suspect(q tracefmt.ProcessID) {
	if p.ready() {
		p.k.rec.Local(p.k.net.Now(), tracefmt.Suspect, p.id, q, "", nil)
	}
}

// SetTimer arms a timer that expires after d, which is at most [network.MaxTime]; an
// armed one is restarted.
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
	k.rec.Local(k.net.Now(), tracefmt.SetTimer, p.id, 0, k.protocol.timerName(t), k.dueAt(due))
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

func (p *Process) timer(t Timer) timer {
	if t.Number() == 0 {
		return p.timers[t]
	}
	return p.numbered[t]
}

func (p *Process) arm(t Timer, to timer) {
	if t.Number() == 0 {
		p.timers[t] = to
		return
	}
	if p.numbered == nil {
		p.numbered = map[Timer]timer{}
	}
	p.numbered[t] = to
}

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

// Get returns the flag's value at p.
func (v Flag) Get(p *Process) bool { return p.num[v.index] != 0 }

// Set assigns the flag at p.
func (v Flag) Set(p *Process, on bool) {
	n := int64(0)
	if on {
		n = 1
	}
	p.set(v.index, n)
}

// Get returns the counter's value at p.
func (v Counter) Get(p *Process) int64 { return p.num[v.index] }

// Set assigns the counter at p.
func (v Counter) Set(p *Process, n int64) { p.set(v.index, n) }

// Get returns the variable's value at p, 0 for none.
func (v ProcessVar) Get(p *Process) tracefmt.ProcessID { return tracefmt.ProcessID(p.num[v.index]) }

// Set assigns the variable at p.
func (v ProcessVar) Set(p *Process, q tracefmt.ProcessID) { p.set(v.index, int64(q)) }

// Set assigns the i-th word at p.
func (v Word) Set(p *Process, i int) { p.set(v.index, int64(i)) }

// Get returns the index of the present word at p.
func (v Word) Get(p *Process) int { return int(p.num[v.index]) }

// Get returns the list at p, which must not be changed.
func (v Processes) Get(p *Process) []tracefmt.ProcessID { return p.list[v.index] }

// Set assigns the list at p; it must not be changed afterwards.
func (v Processes) Set(p *Process, list []tracefmt.ProcessID) {
	p.k.hash ^= hashList(p.id, v.index, p.list[v.index]) ^ hashList(p.id, v.index, list)
	p.list[v.index] = list
	p.dirty |= 1 << v.index
}

// Get returns the number of q's word in the table at p, counted from 1; 0 if
// the table has no entry for q.
func (v Table) Get(p *Process, q tracefmt.ProcessID) int {
	// The table is a list with a number for each process in order, or nil.
	table := p.list[v.index]
	if len(table) == 0 {
		return 0
	}
	return int(table[q-1])
}

// Set assigns q's entry in the table at p, 0 for none.
func (v Table) Set(p *Process, q tracefmt.ProcessID, word int) {
	if v.Get(p, q) == word {
		return
	}
	table := make([]tracefmt.ProcessID, p.Last())
	copy(table, p.list[v.index])
	table[q-1] = tracefmt.ProcessID(word)
	Processes(v).Set(p, table)
}

// Fill assigns the whole table at p: word gives the entry of each process.
func (v Table) Fill(p *Process, word func(q tracefmt.ProcessID) int) {
	table := make([]tracefmt.ProcessID, p.Last())
	for i := range table {
		table[i] = tracefmt.ProcessID(word(tracefmt.ProcessID(i + 1)))
	}
	Processes(v).Set(p, table)
}

// Adopt replaces the table at p by the one that the message carries.
func (v Table) Adopt(p *Process, m *Message) { Processes(v).Set(p, m.list) }

func (p *Process) set(index int, n int64) {
	old := p.num[index]
	every := p.k.protocol.variables[index].every
	if old == n && !every {
		return
	}
	if every && p.dirty&(1<<index) != 0 {
		p.flush() // two assignments must not merge into one event
	}
	p.k.hash ^= hashVar(p.id, index, old) ^ hashVar(p.id, index, n)
	p.num[index] = n
	p.dirty |= 1 << index
}

// ready prepares for the next event of the process, which may not come to be:
// an edit may have the process crash in the middle of its step.
func (p *Process) ready() bool {
	if p.dirty != 0 || p.k.due() {
		p.k.takeDue(p.id)
		p.flush()
		p.k.takeDue(p.id)
	}
	return p.up
}

// flush records the variables assigned since the last call as one event. It
// runs before any other event of the process and at the end of each step.
func (p *Process) flush() {
	if p.dirty == 0 {
		return
	}
	set := p.dirty
	p.dirty = 0
	if !p.up {
		return // an edit has crashed it in the middle of its step
	}
	payload := p.appendVariables(set)
	p.k.rec.Local(p.k.net.Now(), tracefmt.State, p.id, 0, "", payload)
}

// variables is the payload of start and recover events: what the process
// begins with. It is nil for a protocol without variables.
func (p *Process) variables() []byte {
	if len(p.num) == 0 {
		return nil
	}
	return p.appendVariables(1<<len(p.num) - 1)
}

// appendVariables returns the variables whose bits are set as a JSON object
// that is overwritten by the next call.
func (p *Process) appendVariables(set uint64) []byte {
	k := p.k
	b := append(k.buf[:0], '{')
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		v := &k.protocol.variables[i]
		b = appendKey(b, v.name)
		switch v.kind {
		case processesVar:
			b = k.appendList(b, p.list[i])
		case tableVar:
			b = k.appendTable(b, v.words, p.list[i])
		default:
			b = k.appendValue(b, v.kind, v.words, p.num[i])
		}
	}
	k.buf = append(b, '}')
	return k.buf
}

// reset gives every variable its first value again.
func (p *Process) reset() {
	for i := range p.num {
		if len(p.list[i]) > 0 {
			p.k.hash ^= hashList(p.id, i, p.list[i]) ^ hashList(p.id, i, nil)
			p.list[i] = nil
		}
		p.k.hash ^= hashVar(p.id, i, p.num[i]) ^ hashVar(p.id, i, 0)
		p.num[i] = 0
	}
}
