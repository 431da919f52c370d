package sim

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// kernel is the state of a simulated run.
type kernel struct {
	Config
	protocol  *Protocol
	rec       record.Recorder
	processes []Process // by ProcessID; 0 is unused
	roster    *roster

	columns    []column   // by variable, its values at all processes
	arenas     []arena    // by message type, its messages in flight
	scratch    []any      // by note, memory for its fields
	operations []operands // by operation

	ring          []tracefmt.ProcessID // the processes in ring order
	place         []int                // by process, its index in ring
	initiallyDown []bool
	firstSuspect  tracefmt.ProcessID
	ringRepair    bool

	net     network.Network[parcel]
	local   []parcel // messages of a process to itself, applied before anything else happens
	later   later    // the actions that wait for an event
	choices int      // the number of questions to a chooser
	// noticed is the suspect in the trace that a host follows; nil for the suspect of the protocol.
	noticed *tracefmt.ProcessID
	rounds  rounds
	lies    []lie // the lies that have begun
	// assumed has the assumptions of a host in the present step, nil without a host.
	assumed *Assumptions

	neighbours  [][]tracefmt.ProcessID // by process; nil if all processes are neighbours
	stepping    *Process               // the process that takes the present step
	mistake     *Mistake               // a mistake of the algorithm, which ends the run
	interrupted bool                   // the context ended the run

	hash uint64 // a running hash of the global state, see lasso
	loop lasso

	ineffective []Ineffective // actions without effect

	buf, dueBuf []byte
}

// Result is the outcome of a run.
type Result struct {
	End      tracefmt.End
	Events   int64
	Messages int64
	// Now is the instant of the last event.
	Now tracefmt.Time
	// Interrupted is true if the context ended the run.
	Interrupted bool
	// Ineffective are the actions of the plan without effect, such as the start of a process that is down.
	Ineffective []Ineffective
	// Unmet are the indices of the rules that matched no message.
	Unmet []int
	// Unedited are the indices of the edits whose message was not sent.
	Unedited []int
	// Choices is the number of questions to the chooser, Beyond has its answers that named no option.
	Choices int
	Beyond  []network.Beyond
	// InRounds is true if the protocol works in rounds.
	InRounds bool
}

// Run simulates until nothing can happen any more, the global state repeats, a limit is reached, or the context
// ends. The end of the context is no error: the run is then Stopped. The sink gets the events in order. An error
// of the sink ends the run, and so does a mistake of the algorithm, as a [Mistake].
func Run(ctx context.Context, c Config, sink tracefmt.Writer) (Result, error) {
	return new(Simulator).Run(ctx, c, sink)
}

// Simulator makes runs one after the other, as [Run] does, and reuses the memory of the previous run. Runs with
// the same protocol and members share what is computed from these. The zero value is ready. It is not safe for
// concurrent use.
type Simulator struct{ kernel kernel }

// Run makes a run, see the function [Run].
func (s *Simulator) Run(ctx context.Context, c Config, sink tracefmt.Writer) (Result, error) {
	if err := c.validate(); err != nil {
		return Result{}, fmt.Errorf("simulate: %w", err)
	}
	k := &s.kernel
	k.prepare(c, sink)
	end := k.execute(ctx)
	result := Result{
		End: end, Events: int64(k.rec.Seq()), Messages: k.rec.Messages(), Now: k.net.Now(), Interrupted: k.interrupted,
		Ineffective: k.ineffective, Unmet: k.net.Unmet(), Unedited: k.net.Unedited(), Choices: k.net.Choices(), Beyond: k.net.Beyond(),
		InRounds: k.protocol.Round != nil,
	}
	if mistake := k.mistake; mistake != nil {
		s.kernel = kernel{} // the mistake may have interrupted a step, so its memory is not reused
		return result, mistake
	}
	return result, k.rec.Err()
}

// execute makes the run. A panic of the algorithm becomes a mistake.
func (k *kernel) execute(ctx context.Context) tracefmt.End {
	defer k.recoverMistake()
	k.begin()
	return k.run(ctx)
}

// newKernel returns a kernel that is ready for a run.
func newKernel(c Config, sink tracefmt.Writer) *kernel {
	k := new(kernel)
	k.prepare(c, sink)
	return k
}

// prepare makes the kernel ready for a run. It keeps only the memory of the previous run: fields that are not
// named here are as in a new kernel.
func (k *kernel) prepare(c Config, sink tracefmt.Writer) {
	c.setDefaults()
	old := *k
	*k = kernel{
		Config: c, protocol: c.Protocol, rec: old.rec, ringRepair: !c.NoRingRepair, later: later{next: never},
		processes: old.processes, place: old.place, initiallyDown: old.initiallyDown, ring: old.ring[:0],
		columns: old.columns, arenas: old.arenas, scratch: old.scratch, operations: old.operations,
		roster: old.roster, net: old.net, local: old.local[:0], loop: old.loop.emptied(),
		buf: old.buf, dueBuf: old.dueBuf,
	}
	n := len(c.Members)
	k.rec.Restart(sink, n)
	k.net.Restart(&k.Config.Config, n, k)
	if !k.roster.has(c.Members) {
		k.roster = newRoster(c.Members)
	}
	if old.Protocol == c.Protocol && len(old.processes) == n+1 {
		k.emptyMemory()
	} else {
		k.allocate()
	}
	k.placeProcesses()
	k.initializeCounters()
	k.buildNeighbours()
	k.loop.enabled = !c.Chance()
}

// placeProcesses sets the initial state of the processes, and their order on the ring.
func (k *kernel) placeProcesses() {
	for p := range k.processes {
		k.processes[p].begin(k, tracefmt.ProcessID(p))
		k.initiallyDown[p] = false
		if p > 0 {
			k.ring = append(k.ring, tracefmt.ProcessID(p))
		}
	}
	for _, p := range k.Down {
		k.processes[p].up, k.initiallyDown[p] = false, true
		k.firstSuspect = max(k.firstSuspect, p)
	}
	for _, p := range k.Passive {
		k.processes[p].passive = true
	}
	slices.SortFunc(k.ring, func(p, q tracefmt.ProcessID) int {
		return cmp.Or(k.Members[p-1].Position-k.Members[q-1].Position, int(p-q))
	})
	for i, p := range k.ring {
		k.place[p] = i
	}
}

// allocate allocates the processes, and memory for the declarations of the protocol.
func (k *kernel) allocate() {
	n := len(k.Members)
	k.processes, k.place, k.initiallyDown = make([]Process, n+1), make([]int, n+1), make([]bool, n+1)
	k.columns, k.arenas, k.scratch, k.operations = nil, nil, nil, nil
	for _, v := range k.protocol.variables {
		k.columns = append(k.columns, v.newColumn(n))
	}
	for _, m := range k.protocol.messages {
		k.arenas = append(k.arenas, newArena(m))
	}
	for _, n := range k.protocol.notes {
		k.scratch = append(k.scratch, n.newScratch())
	}
	for _, o := range k.protocol.operations {
		k.operations = append(k.operations, operands{o.newArguments(), o.newResults()})
	}
}

// emptyMemory resets the memory of allocate for another run.
func (k *kernel) emptyMemory() {
	for _, c := range k.columns {
		c.empty()
	}
	for i := range k.arenas {
		k.arenas[i].empty()
	}
}

// begin records the starts of the live processes with their variables, schedules the actions, and wakes the
// processes.
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
			k.later.add(&k.Actions[i])
			continue
		}
		class := network.Fault
		if a.Kind == StartProcess || a.Kind == InvokeOperation {
			class = network.Start
		}
		k.net.Schedule(a.At, class, a.Process, int64(i))
	}
	k.wakeAll()
	k.scheduleRounds()
}

// wakeAll calls [Protocol.Wake] for each live process.
func (k *kernel) wakeAll() {
	if k.protocol.Wake == nil {
		return
	}
	for i := range k.processes[1:] {
		k.wake(&k.processes[i+1])
	}
}

// wake calls [Protocol.Wake] for a process that is up.
func (k *kernel) wake(p *Process) {
	if k.protocol.Wake != nil && p.up && !p.passive {
		k.stepping = p
		k.protocol.Wake(p)
		p.flush()
	}
}

// initialize gives the variables of p their initial values.
func (k *kernel) initialize(p *Process) {
	if v := k.protocol.elected; v != nil {
		v.Set(p, k.Coordinator)
	}
	// The start event has all values.
	p.dirty = 0
	k.stepping = p
	if k.protocol.Begin != nil {
		k.protocol.Begin(p)
	}
	p.dirty = 0
}

// run takes steps until an end is reached.
func (k *kernel) run(ctx context.Context) tracefmt.End {
	if k.loop.enabled && k.pending() == 0 {
		k.loop.firstHashes.add(k.hash, 0)
	}
	for steps := int64(0); ; steps++ {
		k.beforeStep()
		switch {
		case k.rec.Err() != nil || k.mistake != nil:
			return tracefmt.Stopped
		case steps%64 == 0 && ctx.Err() != nil: // a step may have a thousand sends, so ctx is tested often
			k.interrupted = true
			return tracefmt.Stopped
		case len(k.local) == 0 && !k.net.More():
			return tracefmt.Quiescent
		case k.limitReached(steps):
			return tracefmt.Deadline
		}
		k.takeStep()
		if k.loop.enabled && k.pending() == 0 && k.findLoop(steps+1) {
			return tracefmt.Stopped
		}
	}
}

// beforeStep takes the actions that are due after the last event.
func (k *kernel) beforeStep() {
	if k.due() {
		k.takeDue(0)
		k.scheduleRounds()
	}
}

// takeStep makes the next thing happen, and everything that follows from it at once.
func (k *kernel) takeStep() {
	k.stepping = nil
	k.step()
	k.invokeWaiting()
	if k.protocol.Round != nil && k.stepping != nil {
		k.scheduleRound(k.stepping)
	}
}

// limitReached reports whether a limit forbids the next step. The number of steps is limited, too, since a lone
// process that sends messages to itself makes no events.
func (k *kernel) limitReached(steps int64) bool {
	return int64(k.rec.Seq()) >= k.MaxEvents || steps/2 >= k.MaxEvents ||
		len(k.local) == 0 && k.net.NextAt() > k.Until
}

// pending counts the actions and edits that have not happened yet.
func (k *kernel) pending() int { return k.net.Pending() + len(k.later.waiting) }

// step makes the next scheduled thing happen: a delivery, a timer, an action or a round.
func (k *kernel) step() {
	if len(k.local) > 0 {
		m := k.local[0]
		k.local = append(k.local[:0], k.local[1:]...)
		p := &k.processes[m.receiver]
		k.handle(p, m)
		p.flush()
		return
	}
	item := k.net.Next()
	if n := k.net.Choices(); n != k.choices {
		k.choices = n
		k.loop.forget() // a loop proves nothing if a chooser could choose otherwise
	}
	switch item.Class {
	case network.Delivery:
		k.deliver(k.net.Take(item))
	case network.Round:
		k.takeRound(&k.processes[item.Process], int64(item.At/k.RoundLength)+1)
	case network.Timer:
		k.expireTimer(&k.processes[item.Process], Timer(item.Number))
	default:
		k.takeAction(&k.Actions[item.Number])
	}
}

// send sends a message of a process: to itself, or by transmit after lies were applied.
func (k *kernel) send(m parcel) {
	if m.from == m.receiver {
		k.local = append(k.local, m)
		return
	}
	if len(k.lies) > 0 {
		k.falsify(m)
	}
	k.transmit(m)
}

// transmit records a send and puts the message in flight.
func (k *kernel) transmit(m parcel) {
	sent := k.rec.Send(k.net.Now(), m.from, m.receiver, k.protocol.messages[m.typ].name, k.term(m), k.encodeMessage(m))
	m.hash = k.hashMessage(m)
	copies, lost := k.net.Send(&sent, &m)
	switch {
	case lost != "":
		k.rec.Lose(k.net.Now(), sent, lost)
		k.arenas[m.typ].release(m.place)
	case copies == 1:
		k.hash ^= m.hash
	default: // two copies: their hashes cancel each other out
		k.arenas[m.typ].slots[m.place].further++
	}
}

// deliver delivers a message to its receiver. If the receiver is down it records a loss.
func (k *kernel) deliver(sent *record.Sent, arriving *parcel) {
	m := *arriving
	k.hash ^= m.hash
	p := &k.processes[m.receiver]
	if !p.up {
		k.rec.Lose(k.net.Now(), *sent, tracefmt.ReceiverCrashed.String())
		k.arenas[m.typ].release(m.place)
		return
	}
	k.rec.Receive(k.net.Now(), *sent, k.arenas[m.typ].slots[m.place].payload)
	k.handle(p, m)
	p.flush()
}

// handle makes the protocol handle a message, unless an intercept returns true for it.
func (k *kernel) handle(p *Process, m parcel) {
	k.stepping = p
	if p.passive {
		k.arenas[m.typ].release(m.place)
		return
	}
	spec := k.protocol.messages[m.typ]
	settled := false
	for i := 0; i < len(spec.intercepts) && !settled; i++ {
		arrival := Arrival{m.from, p, m}
		settled = spec.intercepts[i](p, &arrival)
		m = arrival.m
	}
	if settled {
		k.arenas[m.typ].release(m.place)
	} else {
		spec.handle(p, m)
	}
}

// expireTimer records the expiry of a timer, and makes the protocol handle it.
func (k *kernel) expireTimer(p *Process, t Timer) {
	due := p.timer(t).due
	p.disarm(t)
	k.rec.Local(k.net.Now(), tracefmt.Timeout, p.id, 0, k.protocol.timerName(t), k.duePayload(due))
	k.stepping = p
	k.protocol.Timeout(p, t)
	p.flush()
}

// takeAction takes an action of the plan. An action without effect is added to ineffective.
func (k *kernel) takeAction(a *Action) {
	switch a.Kind {
	case SplitNetwork:
		k.net.Split(a.Partition, a.Groups)
		k.rec.Environment(k.net.Now(), tracefmt.Partition, "", k.groupsPayload(a))
		return
	case HealNetwork: // others may go on, so the event names its groups
		k.net.Heal(a.Partition)
		k.rec.Environment(k.net.Now(), tracefmt.Heal, "", k.groupsPayload(a))
		return
	case SwitchProtocol:
		k.protocol = a.Protocol
		return
	}
	p := &k.processes[a.Process]
	k.stepping = p
	if reason := k.obstacle(p, a.Kind); reason != 0 {
		k.ineffective = append(k.ineffective, Ineffective{*a, reason})
		return
	}
	switch a.Kind {
	case CrashProcess:
		k.crash(p)
	case RecoverProcess:
		k.recover(p)
	case StartProcess:
		k.protocol.Start(p)
	case InvokeOperation:
		k.invokeOrWait(p, a)
	default:
		k.misbehave(p, a)
	}
	p.flush()
}

// start calls [Protocol.Start] at a process. It reports whether the start has an effect.
func (k *kernel) start(p *Process) bool {
	begins := k.startObstacle(p) == 0
	if begins {
		k.protocol.Start(p)
	}
	return begins
}

// crash records the crash of a process. It drops its timers and its messages to itself.
func (k *kernel) crash(p *Process) {
	p.up, p.open, p.held = false, false, nil
	p.disarmAll()
	k.local = slices.DeleteFunc(k.local, func(m parcel) bool {
		if m.receiver == p.id {
			k.arenas[m.typ].release(m.place)
		}
		return m.receiver == p.id
	})
	k.rec.Local(k.net.Now(), tracefmt.Crash, p.id, 0, "", nil)
}

// recover records the recovery of a process, whose variables except the stable ones are initial again, and makes
// the protocol handle it.
func (k *kernel) recover(p *Process) {
	p.up = true
	p.reset()
	k.rec.Local(k.net.Now(), tracefmt.Recover, p.id, 0, "", p.variables())
	if k.protocol.Recover != nil && !p.passive {
		k.protocol.Recover(p)
	}
}

// groupsPayload returns the payload of a partition or heal event, nil without groups. The next payload overwrites it.
func (k *kernel) groupsPayload(a *Action) []byte {
	b := append(k.buf[:0], `{"groups":[`...)
	for i, g := range a.Groups {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '[')
		for j, p := range g {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, k.roster.values[p]...)
		}
		b = append(b, ']')
	}
	k.buf = append(b, `]}`...)
	return k.buf
}

// duePayload returns the payload of a timer event.
func (k *kernel) duePayload(at tracefmt.Time) []byte {
	b := strconv.AppendInt(append(k.dueBuf[:0], `{"due":`...), int64(at), 10)
	k.dueBuf = append(b, '}')
	return k.dueBuf
}

// Armed implements [network.User].
func (k *kernel) Armed(t network.Item) bool {
	p := &k.processes[t.Process]
	if t.Class == network.Round {
		return p.round.order == t.Order
	}
	return p.timer(Timer(t.Number)).order == t.Order
}

// TimerName implements [network.User].
func (k *kernel) TimerName(t network.Item) string {
	if t.Class == network.Round {
		return RoundNote
	}
	return k.protocol.timerName(Timer(t.Number))
}

// Gone implements [network.User].
func (k *kernel) Gone(p tracefmt.ProcessID) bool {
	if k.processes[p].up {
		return false
	}
	return !k.net.Expects(func(x network.Item) bool {
		return x.Class == network.Fault && x.Process == p && k.Actions[x.Number].Kind == RecoverProcess
	})
}
