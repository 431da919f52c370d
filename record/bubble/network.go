package bubble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Config has the delays and the faults of the network. A unit of its times is a second.
type Config struct {
	network.Config
	// Faults happen by themselves, each at its instant since the network began.
	Faults []Fault
}

// FaultKind is the kind of a fault.
type FaultKind uint8

// The faults.
const (
	Crash FaultKind = iota
	Recover
	Partition
	Heal
)

// Fault is a crash, a recovery, a partition or its end at an instant.
type Fault struct {
	Kind FaultKind
	At   time.Duration
	// Node is the node that crashes or recovers.
	Node string
	// Groups are the groups of a partition; nodes in no group form one further group.
	Groups [][]string
}

// Network delivers the messages between the nodes of a run, and starts and stops the nodes.
type Network struct {
	rec   *record.Live
	began time.Time
	wake  chan struct{} // something was scheduled
	done  context.CancelFunc
	over  context.Context // it ends with the network
	users sync.WaitGroup

	mu     sync.Mutex
	net    network.Network[Message]
	config *Config
	nodes  []*member // by ProcessID - 1
	faults []pending // by the number of their item
	last   tracefmt.Time
	timers map[int64]*timer
	number int64
}

// member is a node in all its incarnations: its program, and its present incarnation.
type member struct {
	name   string
	run    func(context.Context, *Node)
	node   *Node // nil while it is down
	hasRun bool  // it was started before, so its next start is a recovery
}

// timer is a timer of a node; fire gets the instant at which it expires.
type timer struct {
	node *Node
	fire chan time.Time
}

// New returns a network between nodes of these names; rec records what happens. The network ends with ctx: then all nodes
// stop, and [Network.Wait] returns.
func New(ctx context.Context, rec *record.Live, names []string, c Config) (*Network, error) {
	if err := c.Config.Validate(len(names)); err != nil {
		return nil, fmt.Errorf("bubble: %w", err)
	}
	if c.Chooser != nil {
		return nil, errors.New("bubble: a chooser needs time that stands still")
	}
	c.Delay = spreadDelay(c.Delay)
	n := &Network{rec: rec, began: time.Now(), wake: make(chan struct{}, 1), config: &c, timers: map[int64]*timer{}}
	if len(names) == 0 {
		return nil, errors.New("bubble: no node, expected the name of each")
	}
	for _, name := range names {
		if n.id(name) != 0 {
			return nil, fmt.Errorf("bubble: two nodes are called %q", name)
		}
		rec.Process(name)
		n.nodes = append(n.nodes, &member{name: name})
	}
	if err := rec.Err(); err != nil {
		return nil, err
	}
	n.net.Restart(&n.config.Config, len(names), (*user)(n))
	for i, f := range c.Faults {
		if err := n.checkFault(f); err != nil {
			return nil, fmt.Errorf("fault %d: %w", i+1, err)
		}
		if f.At < 0 {
			return nil, fmt.Errorf("bubble: fault %d at %v, expected no time before 0", i+1, f.At)
		}
		n.faults = append(n.faults, pending{Fault: f})
		n.net.Schedule(tracefmt.Time(f.At), network.Fault, 0, int64(i))
	}
	ctx, n.done = context.WithCancel(ctx)
	n.over = ctx
	n.users.Go(func() { n.drive(ctx) })
	return n, nil
}

// spreadDelay returns a distribution of delays that hardly ever puts a delivery at the instant of a timer of the
// program: a fixed delay varies by a thousandth. The default delay is 5 to 15 ms.
func spreadDelay(d network.Delay) network.Delay {
	switch {
	case d == network.Delay{}:
		return network.Delay{Distribution: network.Uniform, A: 5e6, B: 15e6}
	case d.Distribution == network.Fixed:
		return network.Delay{Distribution: network.Uniform, A: d.A, B: d.A + d.A/1000 + 1000}
	}
	return d
}

// Wait ends the run and returns when all nodes have stopped.
func (n *Network) Wait() {
	n.done()
	n.users.Wait()
}

// Start begins a node: run is executed in a goroutine of its own, and again after each recovery. A node whose run
// returns halts. Its context ends with a crash of the node, and with the network. The start has an instant of its
// own.
func (n *Network) Start(name string, run func(ctx context.Context, self *Node)) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, err := n.member(name)
	switch {
	case err != nil:
		return err
	case n.over.Err() != nil:
		return errEnded
	case run == nil:
		return fmt.Errorf("bubble: node %s without a program", name)
	case p.run != nil:
		return fmt.Errorf("bubble: node %s has been started already", name)
	}
	p.run = run
	n.schedule(n.soonInstant(), network.Start, n.id(name), 0)
	return nil
}

// Crash stops a node without warning.
func (n *Network) Crash(name string) error { return n.fault(Fault{Kind: Crash, Node: name}) }

// Recover starts a crashed node again.
func (n *Network) Recover(name string) error { return n.fault(Fault{Kind: Recover, Node: name}) }

// Partition splits the network into groups; no message crosses until it is healed.
func (n *Network) Partition(groups ...[]string) error {
	return n.fault(Fault{Kind: Partition, Groups: groups})
}

// Heal makes the network whole again.
func (n *Network) Heal() error { return n.fault(Fault{Kind: Heal}) }

// fault schedules a fault soon, at its own instant, and returns when it has happened.
func (n *Network) fault(f Fault) error {
	n.mu.Lock()
	if err := n.checkFault(f); err != nil {
		n.mu.Unlock()
		return err
	}
	done := make(chan struct{})
	n.faults = append(n.faults, pending{f, done})
	n.schedule(n.soonInstant(), network.Fault, 0, int64(len(n.faults)-1))
	n.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-n.over.Done():
		return errEnded
	}
}

var errEnded = errors.New("bubble: the network has ended")

// checkFault returns an error for a fault that is impossible, such as the crash of an unknown node.
func (n *Network) checkFault(f Fault) error {
	var err error
	switch f.Kind {
	case Crash, Recover:
		_, err = n.member(f.Node)
	case Partition, Heal:
		_, err = n.groups(f.Groups)
	default:
		err = fmt.Errorf("bubble: unknown kind of fault %d, expected Crash, Recover, Partition or Heal", f.Kind)
	}
	return err
}

// soonInstant returns an instant a little later than now, by a different amount each time. Nodes that began at one
// instant would have their timers at one instant, too.
func (n *Network) soonInstant() tracefmt.Time { return n.now() + n.jitter(100_000) }

// jitter returns a time of at most limit nanoseconds, different in most calls.
func (n *Network) jitter(limit uint64) tracefmt.Time {
	n.number++
	return 1 + tracefmt.Time(network.Mix(uint64(n.config.Seed)^uint64(n.number))%limit)
}

// now returns the time since the network began.
func (n *Network) now() tracefmt.Time { return tracefmt.Time(time.Since(n.began)) }

// id returns the number of a node, 0 for an unknown name.
func (n *Network) id(name string) tracefmt.ProcessID {
	return tracefmt.ProcessID(slices.IndexFunc(n.nodes, func(p *member) bool { return p.name == name }) + 1)
}

// member returns the node with the name.
func (n *Network) member(name string) (*member, error) {
	if id := n.id(name); id != 0 {
		return n.nodes[id-1], nil
	}
	return nil, fmt.Errorf("bubble: unknown node %q", name)
}

// pending is a fault that is scheduled; done, unless nil, is closed when it has happened.
type pending struct {
	Fault
	done chan struct{}
}

// groups returns the numbers of the nodes in groups of names. It fails for an unknown node, and for a node in
// two groups.
func (n *Network) groups(names [][]string) (groups [][]tracefmt.ProcessID, err error) {
	grouped := map[string]bool{}
	for _, group := range names {
		var ids []tracefmt.ProcessID
		for _, name := range group {
			switch {
			case n.id(name) == 0:
				return nil, fmt.Errorf("bubble: unknown node %q", name)
			case grouped[name]:
				return nil, fmt.Errorf("bubble: node %s is in two groups of a partition", name)
			}
			grouped[name] = true
			ids = append(ids, n.id(name))
		}
		groups = append(groups, ids)
	}
	return groups, nil
}

// schedule schedules an item, and wakes the driver.
func (n *Network) schedule(at tracefmt.Time, class network.Class, p tracefmt.ProcessID, number int64) {
	n.net.Schedule(at, class, p, number)
	n.notify()
}

// notify wakes the driver.
func (n *Network) notify() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// drive makes the scheduled items happen in their order, each at its own instant, until ctx ends.
func (n *Network) drive(ctx context.Context) {
	defer n.stop()
	for {
		n.mu.Lock()
		pause, more := time.Duration(0), n.net.More()
		if more {
			pause = time.Duration(max(n.net.NextAt(), n.last+1) - n.now())
		}
		if more && pause <= 0 {
			n.last = n.now()
			n.execute(n.net.Next())
			n.mu.Unlock()
			continue
		}
		n.mu.Unlock()
		var elapsed <-chan time.Time
		if more {
			elapsed = time.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-n.wake:
		case <-elapsed:
		}
	}
}

// stop ends all nodes.
func (n *Network) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.nodes {
		if p.node != nil {
			p.node.cancel()
		}
	}
}

// execute makes the next item happen: a delivery, a timer, a start or a fault.
func (n *Network) execute(item *network.Item) {
	switch item.Class {
	case network.Fault:
		f := n.faults[item.Number]
		n.inject(f.Fault)
		if f.done != nil {
			close(f.done)
		}
	case network.Start:
		if p := n.nodes[item.Process-1]; !p.hasRun {
			n.begin(p)
		}
	case network.Timer:
		t := n.timers[item.Number]
		delete(n.timers, item.Number)
		t.fire <- time.Now()
	case network.Delivery:
		sent, m := n.net.Take(item)
		p := n.nodes[sent.To-1]
		if p.node == nil {
			n.rec.Lose(m.stamp, tracefmt.ReceiverCrashed.String())
			return
		}
		p.node.Process.Receive(m.stamp, m.fields...)
		p.node.dispatch(*m)
	}
}

// begin starts a node, or its next incarnation.
func (n *Network) begin(p *member) {
	ctx, cancel := context.WithCancel(context.Background())
	p.node = newNode(n, p, ctx, cancel)
	if p.hasRun {
		p.node.Process.Recover()
	} else {
		p.node.Process.Start()
	}
	p.hasRun = true
	node, run := p.node, p.run
	n.users.Go(func() {
		run(ctx, node)
		n.mu.Lock()
		if p.node == node && ctx.Err() == nil {
			node.Process.Halt()
			p.node = nil
		}
		n.mu.Unlock()
		cancel()
	})
	n.users.Go(func() { node.mail.deliver(ctx) })
	n.users.Go(func() { node.packets.deliver(ctx) })
}

// inject makes a fault happen, which was checked.
func (n *Network) inject(f Fault) {
	switch f.Kind {
	case Partition:
		groups, _ := n.groups(f.Groups)
		n.net.Split(0, groups)
		n.rec.Partition(f.Groups...)
		return
	case Heal:
		n.net.Heal(0)
		n.rec.Heal()
		return
	}
	p, _ := n.member(f.Node)
	switch {
	case f.Kind == Crash && p.node != nil:
		p.node.cancel()
		n.rec.Process(p.name).Crash()
		p.node = nil
	case f.Kind == Recover && p.node == nil && p.run != nil:
		n.begin(p)
	}
}

// user is the view of the network that package record/sim/network needs of its user.
type user Network

// Armed implements [network.User].
func (n *user) Armed(item network.Item) bool {
	t := n.timers[item.Number]
	if t != nil && t.node.ctx.Err() != nil {
		delete(n.timers, item.Number)
		return false
	}
	return t != nil
}

// TimerName implements [network.User].
func (n *user) TimerName(network.Item) string { return "" }

// Gone implements [network.User].
func (n *user) Gone(p tracefmt.ProcessID) bool { return false }

// String describes the fault and its time.
func (f Fault) String() string {
	switch f.Kind {
	case Crash:
		return fmt.Sprintf("%s crashes at %v", f.Node, f.At)
	case Recover:
		return fmt.Sprintf("%s recovers at %v", f.Node, f.At)
	case Partition:
		var groups []string
		for _, group := range f.Groups {
			groups = append(groups, strings.Join(group, ","))
		}
		return fmt.Sprintf("the network splits into %s and the others at %v", strings.Join(groups, " | "), f.At)
	}
	return fmt.Sprintf("the network is whole again at %v", f.At)
}
