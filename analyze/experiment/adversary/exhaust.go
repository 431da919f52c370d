package adversary

import (
	"encoding/binary"
	"errors"
	"slices"

	"etrace/record/scenario"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Where the schedule matters, a model can be gone through situation by situation: what can
// still follow depends on the states of the processes and what is on its way, not on how
// the run came there. So each situation is gone on from once, and what a measure may still
// come to is kept; for the longest chain, which depends on what was, the depths so far are
// part of the situation.

// situations goes through all situations of a model on FIFO channels.
type situations struct {
	m       *model
	g       *goal
	between [][]bool // who may send to whom, nil if everybody may to everybody
	limit   int

	states []int32
	depths []int64         // of the processes, all 0 unless the goal is one of chains
	queues [][]waiting     // by channel: see at
	known  map[string]rest // by situation
	key    []byte
}

// waiting is a message on its way, with the length of the chain that ends with it.
type waiting struct {
	letter letter
	depth  int64
}

// rest is what a situation comes to: the measure of what is still sent, and the channel on
// which the next message then comes, -1 at an end. It is open while it is found out.
type rest struct {
	value int64
	next  int
	open  bool
}

var (
	errRepeats = errors.New("a schedule comes back to where it was, so that it need not end")
	errMany    = errors.New("there are too many situations")
)

// goThrough returns the greatest value of the goal over all schedules, or the least, and
// who sends to whom at each choice of one that has it. Edges are nil for the complete graph.
func (m *model) goThrough(g *goal, edges [][2]tracefmt.ProcessID, limit int) (value int64, choices [][2]tracefmt.ProcessID, runs int64, err error) {
	n := len(m.processes)
	x := &situations{
		m: m, g: g, limit: limit, states: make([]int32, n), depths: make([]int64, n), queues: make([][]waiting, n*n), known: map[string]rest{},
	}
	x.join(edges)
	sum := int64(0)
	for p, a := range m.processes {
		if a != nil {
			x.states[p] = a.first.state
			sum += x.send(tracefmt.ProcessID(p), a.first.sent, nil)
		}
	}
	value, err = x.best()
	if err != nil {
		return 0, nil, int64(len(x.known)), err
	}
	choices, err = x.path()
	return sum + value, choices, int64(len(x.known)), err
}

// join says who may send to whom.
func (x *situations) join(edges [][2]tracefmt.ProcessID) {
	if edges == nil {
		return
	}
	x.between = make([][]bool, len(x.states))
	for p := range x.between {
		x.between[p] = make([]bool, len(x.states))
	}
	for _, e := range edges {
		x.between[e[0]][e[1]], x.between[e[1]][e[0]] = true, true
	}
}

// at is the number of a channel.
func (x *situations) at(from, to tracefmt.ProcessID) int { return int(from)*len(x.states) + int(to) }

// ends are those of a channel.
func (x *situations) ends(channel int) (from, to tracefmt.ProcessID) {
	return tracefmt.ProcessID(channel / len(x.states)), tracefmt.ProcessID(channel % len(x.states))
}

// saved is a channel as it was.
type saved struct {
	channel int
	queue   []waiting
}

// send puts messages on their way, and returns what they weigh.
func (x *situations) send(from tracefmt.ProcessID, sent []emission, was *[]saved) (sum int64) {
	for _, e := range sent {
		if x.g.each != nil {
			sum += x.g.each(x.m, &message{from: from, to: e.to, letter: e.letter})
		}
		if x.m.processes[e.to] == nil {
			continue
		}
		depth := int64(0)
		if x.g.each == nil {
			depth = x.depths[from] + 1
		}
		c := x.at(from, e.to)
		if was != nil {
			*was = append(*was, saved{c, x.queues[c]})
		}
		x.queues[c] = append(x.queues[c], waiting{e.letter, depth})
	}
	return sum
}

// options returns the channels on which the next message may come, and, as those to go on
// with, all of them or those to one process: if something waits on each channel to it,
// nothing that happens elsewhere changes what it can get next, so that all schedules differ
// from one that goes on there in the order of independent events only.
func (x *situations) options() (all, goOn []int) {
	for c, q := range x.queues {
		if len(q) > 0 {
			all = append(all, c)
		}
	}
	if x.between == nil {
		return all, all
	}
	for p := range x.between {
		full, some := true, false
		for q, joined := range x.between[p] {
			if joined && x.m.processes[q] != nil {
				full = full && len(x.queues[x.at(tracefmt.ProcessID(q), tracefmt.ProcessID(p))]) > 0
				some = true
			}
		}
		if full && some && x.m.processes[p] != nil {
			return all, slices.DeleteFunc(slices.Clone(all), func(c int) bool {
				_, to := x.ends(c)
				return int(to) != p
			})
		}
	}
	return all, all
}

// best returns what the present situation comes to.
func (x *situations) best() (int64, error) {
	key := string(x.situation())
	if r, ok := x.known[key]; ok {
		if r.open {
			return 0, errRepeats
		}
		return r.value, nil
	}
	if len(x.known) == x.limit {
		return 0, errMany
	}
	_, options := x.options()
	if len(options) == 0 {
		r := rest{value: slices.Max(x.depths), next: -1}
		x.known[key] = r
		return r.value, nil
	}
	x.known[key] = rest{open: true}
	var best rest
	for i, c := range options {
		value, err := x.through(c)
		if err != nil {
			return 0, err
		}
		if i == 0 || x.g.better(outcome{value: value}, outcome{value: best.value}) {
			best = rest{value: value, next: c}
		}
	}
	x.known[key] = best
	return best.value, nil
}

// through returns what the situation comes to if the next message comes on a channel.
func (x *situations) through(c int) (int64, error) {
	from, to := x.ends(c)
	state, depth, was := x.states[to], x.depths[to], []saved{{c, x.queues[c]}}
	sum, err := x.take(from, to, &was)
	if err != nil {
		return 0, err
	}
	value, err := x.best()
	x.states[to], x.depths[to] = state, depth
	for _, w := range slices.Backward(was) {
		x.queues[w.channel] = w.queue
	}
	return sum + value, err
}

// take delivers the next message of a channel.
func (x *situations) take(from, to tracefmt.ProcessID, was *[]saved) (int64, error) {
	c := x.at(from, to)
	m := x.queues[c][0]
	x.queues[c] = x.queues[c][1:]
	s, err := x.m.processes[to].take(x.states[to], from, m.letter)
	if err != nil {
		return 0, err
	}
	x.states[to], x.depths[to] = s.state, max(x.depths[to], m.depth)
	return x.send(to, s.sent, was), nil
}

// situation returns what the present one has that others have not.
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
			b = binary.AppendVarint(binary.AppendVarint(b, int64(m.letter)), m.depth)
		}
	}
	x.key = b
	return b
}

// path goes from the first situation to an end by the best ways, and returns the channel of
// each message that is one of several that might come.
func (x *situations) path() (choices [][2]tracefmt.ProcessID, err error) {
	for {
		next := x.known[string(x.situation())].next
		if next < 0 {
			return choices, nil
		}
		from, to := x.ends(next)
		if all, _ := x.options(); len(all) > 1 {
			choices = append(choices, [2]tracefmt.ProcessID{from, to})
		}
		if _, err := x.take(from, to, nil); err != nil {
			return nil, err
		}
	}
}

// follower is a chooser that delivers on one channel after the other, and writes down which
// options these are.
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
