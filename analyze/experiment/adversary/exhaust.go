package adversary

import (
	"encoding/binary"
	"errors"
	"slices"

	"etrace/record/scenario"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Where the schedule matters, a model can be explored situation by situation. The possible continuations depend
// on the states of the processes and the messages in transit, and not on the path to the situation. So each
// situation is explored once, and the best remaining value of the measure is stored. The longest chain also
// depends on the past, so the present depths are part of the situation.

// situations explores all situations of a model on FIFO channels. A situation is the states of the processes
// and the messages in flight.
type situations struct {
	m        *model
	g        *goal
	adjacent [][]bool // whether two processes share an edge; nil for the complete graph
	limit    int

	states        []int32                 // by process
	depths        []int64                 // by process: the longest chain delivered to it; 0 unless the goal is the longest chain
	queues        [][]waiting             // by channel: its messages in flight
	continuations map[string]continuation // by situation
	key           []byte                  // memory for keys
}

// waiting is a message in transit, with the length of the chain that ends with it.
type waiting struct {
	contentID contentID
	depth     int64
}

// continuation is the best continuation of a situation: the measure of the messages still to be sent, and the channel
// of the next delivery, -1 at an end. It is open until it is computed.
type continuation struct {
	value int64
	next  int
	open  bool
}

var (
	errRepeats = errors.New("a schedule comes back to where it was, so that it need not end")
	errMany    = errors.New("there are too many situations")
)

// goThrough returns the best value of the goal over all schedules, and the channel of each delivery for which
// a schedule with this value has a choice. edges is nil for the complete graph. runs is the number of
// situations explored.
func (m *model) goThrough(
	g *goal, edges [][2]tracefmt.ProcessID, limit int,
) (value int64, choices [][2]tracefmt.ProcessID, runs int64, err error) {
	n := len(m.processes)
	x := &situations{
		m: m, g: g, limit: limit, states: make([]int32, n), depths: make([]int64, n), queues: make([][]waiting, n*n),
		continuations: map[string]continuation{},
	}
	x.setEdges(edges)
	sum := int64(0)
	for p, a := range m.processes {
		if a != nil {
			x.states[p] = a.first.state
			sum += x.send(tracefmt.ProcessID(p), a.first.sent, nil)
		}
	}
	value, err = x.best()
	if err != nil {
		return 0, nil, int64(len(x.continuations)), err
	}
	choices, err = x.path()
	return sum + value, choices, int64(len(x.continuations)), err
}

// setEdges stores which processes share an edge.
func (x *situations) setEdges(edges [][2]tracefmt.ProcessID) {
	if edges == nil {
		return
	}
	x.adjacent = make([][]bool, len(x.states))
	for p := range x.adjacent {
		x.adjacent[p] = make([]bool, len(x.states))
	}
	for _, e := range edges {
		x.adjacent[e[0]][e[1]], x.adjacent[e[1]][e[0]] = true, true
	}
}

// channel returns the number of the channel between two processes.
func (x *situations) channel(sender, receiver tracefmt.ProcessID) int {
	return int(sender)*len(x.states) + int(receiver)
}

// endsOf returns the sender and the receiver of a channel.
func (x *situations) endsOf(channel int) (sender, receiver tracefmt.ProcessID) {
	return tracefmt.ProcessID(channel / len(x.states)), tracefmt.ProcessID(channel % len(x.states))
}

// saved is a copy of a channel's state, to undo a delivery.
type saved struct {
	channel int
	queue   []waiting
}

// send puts messages in flight, and returns the amount that they add to the measure. It appends copies of the
// changed queues to was.
func (x *situations) send(from tracefmt.ProcessID, sent []emission, was *[]saved) (sum int64) {
	for _, e := range sent {
		if x.g.perMessage != nil {
			sum += x.g.perMessage(x.m, &message{sender: from, receiver: e.receiver, contentID: e.contentID})
		}
		if x.m.processes[e.receiver] == nil {
			continue
		}
		depth := int64(0)
		if x.g.perMessage == nil {
			depth = x.depths[from] + 1
		}
		c := x.channel(from, e.receiver)
		if was != nil {
			*was = append(*was, saved{c, x.queues[c]})
		}
		x.queues[c] = append(x.queues[c], waiting{e.contentID, depth})
	}
	return sum
}

// options returns the channels on which the next message may arrive, and those to explore. If a message waits
// on each channel to some process, no other event changes what that process receives next. Then it is enough
// to explore the channels to this process: any other schedule equals one of these up to the order of
// independent events.
func (x *situations) options() (available, explored []int) {
	for c, q := range x.queues {
		if len(q) > 0 {
			available = append(available, c)
		}
	}
	if x.adjacent == nil {
		return available, available
	}
	// One such process is enough: the reduction follows from the independence of deliveries at different
	// processes.
	for p := range x.adjacent {
		full, some := true, false
		for q, joined := range x.adjacent[p] {
			if joined && x.m.processes[q] != nil {
				full = full && len(x.queues[x.channel(tracefmt.ProcessID(q), tracefmt.ProcessID(p))]) > 0
				some = true
			}
		}
		if full && some && x.m.processes[p] != nil {
			return available, slices.DeleteFunc(slices.Clone(available), func(c int) bool {
				_, receiver := x.endsOf(c)
				return int(receiver) != p
			})
		}
	}
	return available, available
}

// best returns the best remaining value of the present situation. It fails if a situation repeats, or if there
// are too many.
func (x *situations) best() (int64, error) {
	key := string(x.situation())
	if r, ok := x.continuations[key]; ok {
		// The situation leads back to itself, so messages can be delivered forever.
		if r.open {
			return 0, errRepeats
		}
		return r.value, nil
	}
	if len(x.continuations) == x.limit {
		return 0, errMany
	}
	_, options := x.options()
	if len(options) == 0 {
		// Nothing is in transit: the run ends here.
		r := continuation{value: slices.Max(x.depths), next: -1}
		x.continuations[key] = r
		return r.value, nil
	}
	x.continuations[key] = continuation{open: true}
	var best continuation
	for i, c := range options {
		value, err := x.bestThrough(c)
		if err != nil {
			return 0, err
		}
		if i == 0 || x.g.better(outcome{value: value}, outcome{value: best.value}) {
			best = continuation{value: value, next: c}
		}
	}
	x.continuations[key] = best
	return best.value, nil
}

// bestThrough returns the best remaining value if the next message arrives on a channel. It restores the situation
// before it returns.
func (x *situations) bestThrough(c int) (int64, error) {
	sender, receiver := x.endsOf(c)
	state, depth, savedChannels := x.states[receiver], x.depths[receiver], []saved{{c, x.queues[c]}}
	sum, err := x.deliver(sender, receiver, &savedChannels)
	if err != nil {
		return 0, err
	}
	value, err := x.best()
	x.states[receiver], x.depths[receiver] = state, depth
	for _, w := range slices.Backward(savedChannels) {
		x.queues[w.channel] = w.queue
	}
	return sum + value, err
}

// deliver delivers the next message of a channel, and returns what the answers add to the measure.
func (x *situations) deliver(sender, receiver tracefmt.ProcessID, was *[]saved) (int64, error) {
	c := x.channel(sender, receiver)
	m := x.queues[c][0]
	x.queues[c] = x.queues[c][1:]
	s, err := x.m.processes[receiver].react(x.states[receiver], sender, m.contentID)
	if err != nil {
		return 0, err
	}
	x.states[receiver], x.depths[receiver] = s.state, max(x.depths[receiver], m.depth)
	return x.send(receiver, s.sent, was), nil
}

// situation returns the part of the state that differs between branches, as a key.
func (x *situations) situation() []byte {
	b := x.key[:0]
	for p, s := range x.states {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(s)), x.depths[p])
	}
	for c, q := range x.queues {
		if len(q) == 0 {
			continue
		}
		b = binary.AppendVarint(binary.AppendVarint(b, int64(c)), int64(len(q)))
		for _, m := range q {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(m.contentID)), m.depth)
		}
	}
	x.key = b
	return b
}

// path follows the best channels from the first situation to an end. It returns the channel of each delivery
// for which there was a choice.
func (x *situations) path() (choices [][2]tracefmt.ProcessID, err error) {
	for {
		next := x.continuations[string(x.situation())].next
		if next < 0 {
			return choices, nil
		}
		sender, receiver := x.endsOf(next)
		if available, _ := x.options(); len(available) > 1 {
			choices = append(choices, [2]tracefmt.ProcessID{sender, receiver})
		}
		if _, err := x.deliver(sender, receiver, nil); err != nil {
			return nil, err
		}
	}
}

// follower is a chooser that delivers on given channels in turn, and records its choices.
type follower struct {
	channels [][2]tracefmt.ProcessID
	choices  scenario.Choices
}

// Choose implements [network.Chooser].
func (f *follower) Choose(p network.Point) int {
	option := 0
	if p.Number < len(f.channels) {
		option = max(0, slices.IndexFunc(p.Options, func(o network.Option) bool {
			return o.From == f.channels[p.Number][0] && o.To == f.channels[p.Number][1]
		}))
	}
	f.choices = append(f.choices, option)
	return option
}
