// Package sim runs a protocol in simulated time, deterministically: equal
// configs give equal events, byte for byte, on any machine.
//
// At one instant things happen in this order: faults, then deliveries in the
// order of their sends, then timers in the order they were set, then starts.
// A channel is FIFO unless the config says otherwise. Whether a message finds
// its receiver up is judged when it arrives, whether a partition takes it
// when it is sent. Work inside a process takes no time.
//
// The protocol is a function of its inputs. It reads no clock and draws no
// random number; see [Protocol].
package sim

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"etrace/record"
	"etrace/tracefmt"
)

// The classes order what happens at one instant.
const (
	faultClass = iota
	deliveryClass
	timerClass
	startClass
)

// item is something that will happen: an action (a is its index), a delivery
// (a is its place in flights), or a timer (a is the process, b the declared
// timer, c its number).
type item struct {
	at      tracefmt.Time
	order   uint64
	class   uint8
	a, b, c int32
}

func timerItem(at tracefmt.Time, order uint64, p tracefmt.ProcessID, t Timer) item {
	return item{at: at, class: timerClass, order: order, a: int32(p), b: int32(t.Declared()), c: int32(t.Number())}
}

// timer is the timer of an item of timerClass.
func (x *item) timer() Timer { return Timer(x.b).At(int64(x.c)) }

func (x *item) before(y *item) bool {
	if x.at != y.at {
		return x.at < y.at
	}
	if x.class != y.class {
		return x.class < y.class
	}
	return x.order < y.order
}

// flight is a message on its way. The hash is that of the message.
type flight struct {
	message Message
	sent    record.Sent
	hash    uint64
}

type kernel struct {
	Config
	protocol  *Protocol
	rec       *record.Recorder
	processes []Process // by ProcessID; 0 is unused
	names     [][]byte  // the members' names as JSON values, by ProcessID

	ring          []tracefmt.ProcessID // in ring order
	place         []int                // of a process in ring
	initiallyDown []bool
	firstSuspect  tracefmt.ProcessID
	ringRepair    bool

	now      tracefmt.Time
	queue    []item // a binary heap
	order    uint64
	flights  []flight
	free     []int32   // places in flights that may be used again
	local    []Message // to oneself, applied before anything else happens
	current  Message   // the one that is being received
	pending  int       // actions and edits that have not happened yet
	behind   behind    // the actions that wait for an event
	choosing choosing

	random      random
	lastArrival map[channel]tracefmt.Time // nil where FIFO needs no help
	seen        []int                     // how many messages fitted each rule
	partitions  map[int][]int             // active ones: group of each process

	interrupted bool

	hash uint64 // changes of the global state, see lasso
	loop lasso

	buf, dueBuf []byte
}

// Result says how a run went.
type Result struct {
	End      tracefmt.End
	Events   int64
	Messages int64
	// Now is the instant of the last event.
	Now tracefmt.Time
	// Interrupted: the context ended the run.
	Interrupted bool
}

// Run simulates until nothing can happen any more, the global state repeats,
// a limit is reached, or the context ends, which is no error: the run is then
// Stopped. The events go to sink in order; an error of the sink ends the run.
func Run(ctx context.Context, c Config, sink tracefmt.Writer) (Result, error) {
	if err := c.validate(); err != nil {
		return Result{}, fmt.Errorf("simulate: %w", err)
	}
	k := newKernel(c, sink)
	k.begin()
	end := k.run(ctx)
	return Result{
		End: end, Events: int64(k.rec.Seq()), Messages: k.rec.Messages(), Now: k.now, Interrupted: k.interrupted,
	}, k.rec.Err()
}

func newKernel(c Config, sink tracefmt.Writer) *kernel {
	c.setDefaults()
	n := len(c.Members)
	k := &kernel{
		Config: c, protocol: c.Protocol, rec: record.New(sink, n), ringRepair: !c.NoRingRepair,
		processes: make([]Process, n+1), place: make([]int, n+1), initiallyDown: make([]bool, n+1),
		random: newRandom(c.Seed), seen: make([]int, len(c.Rules)), partitions: map[int][]int{},
		behind: behind{next: never},
	}
	run := &tracefmt.Run{Members: c.Members}
	for p := range k.processes {
		id := tracefmt.ProcessID(p)
		k.names = append(k.names, run.AppendProcess(nil, id))
		k.processes[p] = Process{
			k: k, id: id, up: p > 0,
			num:    make([]int64, len(c.Protocol.variables)),
			list:   make([][]tracefmt.ProcessID, len(c.Protocol.variables)),
			timers: make([]timer, len(c.Protocol.timers)),
		}
		if p > 0 {
			k.ring = append(k.ring, id)
		}
	}
	for _, p := range c.Down {
		k.processes[p].up, k.initiallyDown[p] = false, true
		k.firstSuspect = max(k.firstSuspect, p)
	}
	slices.SortStableFunc(k.ring, func(p, q tracefmt.ProcessID) int {
		return c.Members[p-1].Position - c.Members[q-1].Position
	})
	for i, p := range k.ring {
		k.place[p] = i
	}
	if !c.Reorder && c.overtaking() {
		k.lastArrival = make(map[channel]tracefmt.Time)
	}
	k.loop.enabled = c.Loss == 0 && c.Duplicate == 0 && c.Delay.Distribution == Fixed
	return k
}

// begin records who is up and with which variables, and schedules the actions.
func (k *kernel) begin() {
	for i := range k.processes[1:] {
		p := &k.processes[i+1]
		if !p.up {
			k.rec.Local(0, tracefmt.Crash, p.id, 0, "", nil)
			continue
		}
		k.initialize(p)
		k.rec.Local(0, tracefmt.Start, p.id, 0, "", p.variables())
	}
	for i, a := range k.Actions {
		if a.After > 0 {
			k.behind.add(&k.Actions[i])
			continue
		}
		class := uint8(faultClass)
		if a.Kind == StartProcess {
			class = startClass
		}
		k.order++
		k.push(item{at: a.At, class: class, order: k.order, a: int32(i)})
	}
	k.pending = len(k.Actions) + len(k.Edits)
}

// initialize gives the variables of p what they begin with.
func (k *kernel) initialize(p *Process) {
	if v := k.protocol.elected; v != nil {
		p.num[v.index] = int64(k.Coordinator)
	}
	if k.protocol.Begin != nil {
		k.protocol.Begin(p)
		p.dirty = 0 // the start event says it all
	}
}

// run takes steps until an end is reached.
func (k *kernel) run(ctx context.Context) tracefmt.End {
	for steps := int64(0); ; steps++ {
		if k.due() {
			k.takeDue(0)
		}
		switch {
		case k.rec.Err() != nil:
			return tracefmt.Stopped
		case steps%64 == 0 && ctx.Err() != nil: // a step may be a thousand sends
			k.interrupted = true
			return tracefmt.Stopped
		case !k.more():
			return tracefmt.Quiescent
		case k.limited(steps):
			return tracefmt.Deadline
		}
		k.step()
		if k.loop.enabled && k.pending == 0 && k.repeats() {
			return tracefmt.Stopped
		}
	}
}

// more reports whether anything can happen, dropping timers that were
// stopped or restarted.
func (k *kernel) more() bool {
	for len(k.local) == 0 {
		if len(k.queue) == 0 {
			return false
		}
		top := &k.queue[0]
		if top.class != timerClass || k.processes[top.a].timer(top.timer()).order == top.order {
			break
		}
		k.pop()
	}
	return true
}

// limited reports whether a limit forbids the next step. Steps are bounded
// too, since a lone process that passes a message to itself makes no events.
func (k *kernel) limited(steps int64) bool {
	return int64(k.rec.Seq()) >= k.MaxEvents || steps/2 >= k.MaxEvents ||
		len(k.local) == 0 && k.queue[0].at > k.Until
}

// step makes the next thing happen.
func (k *kernel) step() {
	if len(k.local) > 0 {
		k.current = k.local[0]
		k.local = append(k.local[:0], k.local[1:]...)
		p := &k.processes[k.current.to]
		k.protocol.Receive(p, &k.current)
		p.flush()
		return
	}
	var it item // taken here, since a function between would copy it at every step
	if k.Chooser == nil {
		it = k.pop()
	} else {
		it = k.chosen()
	}
	k.now = it.at
	switch it.class {
	case deliveryClass:
		k.deliver(it.a)
	case timerClass:
		k.expire(&k.processes[it.a], it.timer())
	default:
		k.pending--
		k.act(&k.Actions[it.a])
	}
}

func (k *kernel) deliver(place int32) {
	f := &k.flights[place]
	m := &k.current // a copy: the handler may send, which moves flights
	*m = f.message
	f.message.list = nil
	k.free = append(k.free, place)
	k.hash ^= f.hash
	p := &k.processes[m.to]
	if !p.up {
		k.rec.Lose(k.now, f.sent, "receiver crashed")
		return
	}
	k.rec.Receive(k.now, f.sent, k.payload(m))
	k.protocol.Receive(p, m)
	p.flush()
}

func (k *kernel) expire(p *Process, t Timer) {
	due := p.timer(t).due
	p.disarm(t)
	k.rec.Local(k.now, tracefmt.Timeout, p.id, 0, k.protocol.timerName(t), k.dueAt(due))
	k.protocol.Timeout(p, t)
	p.flush()
}

func (k *kernel) act(a *Action) {
	switch a.Kind {
	case SplitNetwork:
		k.split(a)
		return
	case HealNetwork:
		k.heal(a)
		return
	case SwitchProtocol:
		k.protocol = a.Protocol
		return
	}
	p := &k.processes[a.Process]
	switch {
	case a.Kind == CrashProcess && p.up:
		k.crash(p)
	case a.Kind == RecoverProcess && !p.up:
		k.recover(p)
	case a.Kind == StartProcess && p.up && !k.busy(p):
		p.Suspect(k.suspected(p))
		k.protocol.Start(p)
	}
	p.flush()
}

func (k *kernel) busy(p *Process) bool { return k.protocol.Busy != nil && k.protocol.Busy(p) }

// suspected is the coordinator that p notices to be gone: the one that it
// believes in, else the highest process that was down at the start.
func (k *kernel) suspected(p *Process) tracefmt.ProcessID {
	if v := k.protocol.elected; v != nil {
		if q := v.Get(p); q != 0 && q != p.id {
			return q
		}
	}
	if k.firstSuspect == p.id {
		return 0
	}
	return k.firstSuspect
}

func (k *kernel) crash(p *Process) {
	p.up = false
	p.disarmAll()
	k.local = slices.DeleteFunc(k.local, func(m Message) bool { return m.to == p.id })
	k.rec.Local(k.now, tracefmt.Crash, p.id, 0, "", nil)
}

func (k *kernel) recover(p *Process) {
	p.up = true
	p.reset()
	k.rec.Local(k.now, tracefmt.Recover, p.id, 0, "", p.variables())
	if k.protocol.Recover != nil {
		k.protocol.Recover(p)
	}
}

// dueAt is the payload of timer events.
func (k *kernel) dueAt(at tracefmt.Time) []byte {
	b := strconv.AppendInt(append(k.dueBuf[:0], `{"due":`...), int64(at), 10)
	k.dueBuf = append(b, '}')
	return k.dueBuf
}

// push and pop are a binary heap of values: no interface, no allocation.
func (k *kernel) push(it item) {
	q := append(k.queue, it)
	i := len(q) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !it.before(&q[parent]) {
			break
		}
		q[i] = q[parent]
		i = parent
	}
	q[i] = it
	k.queue = q
}

func (k *kernel) pop() item {
	q := k.queue
	top, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	k.queue = q
	if len(q) == 0 {
		return top
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(q) {
			break
		}
		if child+1 < len(q) && q[child+1].before(&q[child]) {
			child++
		}
		if !q[child].before(&last) {
			break
		}
		q[i] = q[child]
		i = child
	}
	q[i] = last
	return top
}
