package adversary

import (
	"cmp"
	"fmt"

	"etrace/tracefmt"
)

// That all schedules of a scenario send the same messages can be proved without going
// through them. The argument is that of Kahn, The Semantics of a Simple Language for
// Parallel Programming, IFIP Congress 74, pp. 471-475: in a network of processes that
// read from and write to queues, if what each process has written on each of its
// queues is a function of what it has read from each, then what passes along every
// queue is the same however the processes are scheduled. Processes of Kahn wait for a
// certain queue; those here take what comes, so whether they are such functions is to be
// examined. Deliveries at different processes commute in any case (Mazurkiewicz,
// Concurrent Program Schemes and their Interpretations, Aarhus 1977), so it is enough to
// look at each process alone.
//
// What is required: channels are reliable, nothing but a message ever happens to a
// process (no timers, rounds, operations, crashes, recoveries or partitions), and all
// starts are at time 0, where they come before every delivery. Then a schedule is an
// order of deliveries, and each process begins in one state. [newFamily] and
// [world.model] refuse everything else.
//
// Let H be one run that ends, and call the messages of a channel, in the order in which
// they are sent, its stream. A point of a process says how many messages of each incoming
// stream of H it has handled. Let G be a set of points of each process, such that
//
//  1. the point of nothing is in G, and the run H passes through points of G only;
//  2. all ways through G from nothing to a point, one message at a time, lead to one
//     state, and have sent equally much on each outgoing stream, a beginning of that
//     stream in H: so a point of G has a state, and a number of messages sent;
//  3. if a schedule has kept to G so far, with what is sent on each stream a beginning of
//     that of H, then the next delivery keeps to G.
//
// Then every schedule keeps to G, by induction over its deliveries: the message that is
// delivered is the next one of its stream in H, since what was sent is a beginning of it
// and channels are FIFO; by 3 the point after it is in G; by 2 what its receiver has sent
// is then still a beginning of the streams of H. So a schedule sends at most what H does,
// and ends. And it sends all of it: suppose that it ends without a message of H, and take
// the first one in H. What its sender had handled before in H was sent before, hence in
// the schedule, too, which delivers all that is sent. So the sender has come to that point
// or past it, and what it has sent only grows. Hence every schedule sends exactly the
// messages of H, stream by stream, and leaves every process in the state in which H does.
//
// The simplest G are all points up to the last one of H, for which 1 and 3 hold by
// themselves, and 2 is examined with a [sim.Host], point by point. That is enough for
// rings on which messages go one way, where a process has one stream and no choice, and
// for those that keep what comes too early in queues.
//
// Other protocols never meet most of these points, since one message follows from another.
// So let each message have needs: messages that its sender must have handled before it
// can be sent. They begin with all that the sender had handled in H. G are the points
// that have, with each message, what it needs, directly or through the needs of what it
// needs. Property 1 holds, and 2 is examined on G. For 3 it is enough that a message is
// really never sent without its needs at a point of G; and for a need j of the message m
// that is one look: the greatest point of G without j is the whole of H without all that
// needs j, and if m is not sent there then it is not at any smaller point, that is at no
// point of G without j. A need that fails is given up, which adds points to G; and it is
// begun anew until all needs hold. (The points of G are the configurations of a prime
// event structure; see Nielsen, Plotkin and Winskel, Theoretical Computer Science 13,
// 1981.)
//
// Where a process answers one neighbour and passes on what comes from the other, the
// order on its outgoing channel depends on the schedule though the messages do not. So
// there is a second kind of streams: the equal messages of a channel, by type and fields.
// Nothing above uses that streams are whole channels, except that messages of one stream
// arrive in order; and equal messages are the same to whom they reach. Points may then have
// messages of different streams in any order, which are more points than FIFO channels
// have, and so a stronger requirement. It does not even need FIFO. A stream that never
// changes a state, and is always answered alike, is left out of the points: it doubles
// their number and decides nothing.

// proof is an attempt to prove that all schedules of a model send what its history does.
type proof struct {
	m *model
	h *history
	// whole: streams are whole channels; else the equal messages of a channel.
	whole bool

	streams []stream
	numbers map[streamKey]int
	at      []spot // of each message
	in, out [][]int
	// needs of each message, and what must have been handled before it is.
	needs, before []bitset
	// relevant streams decide the state of their receivers.
	relevant []bool
}

// streamKey names a stream; a channel has the letter -1.
type streamKey struct {
	from, to tracefmt.ProcessID
	letter   letter
}

// stream is the messages of a stream, in order, and its place among those that its
// receiver gets, and that its sender sends.
type stream struct {
	streamKey
	messages        []int
	inward, outward int
}

// spot is a message's place: its stream, and where it is in it.
type spot struct{ stream, index int }

// ways are those of a proof, the quickest one first.
var ways = [...]struct{ whole, needs bool }{{true, false}, {true, true}, {false, true}}

// certify reports why the history may not be the one of all schedules, nil if it is
// proved that it is.
func (m *model) certify(h *history, fifo bool) error {
	var failed [len(ways)]error
	for i := range ways {
		number := (m.w.way + i) % len(ways) // where one succeeded it mostly does again
		way := ways[number]
		if way.whole && !fifo {
			continue
		}
		if failed[number] = newProof(m, h, way.whole).prove(way.needs); failed[number] == nil {
			m.w.way = number
			return nil
		}
	}
	return cmp.Or(failed[:]...)
}

func newProof(m *model, h *history, whole bool) *proof {
	n := len(m.processes)
	x := &proof{m: m, h: h, whole: whole, numbers: map[streamKey]int{}, in: make([][]int, n), out: make([][]int, n)}
	for i := range h.messages {
		c := &h.messages[i]
		key := x.key(c.from, c.to, c.letter)
		number, ok := x.numbers[key]
		if !ok {
			number = len(x.streams)
			x.numbers[key] = number
			x.streams = append(x.streams, stream{streamKey: key, inward: len(x.in[c.to]), outward: len(x.out[c.from])})
			x.in[c.to], x.out[c.from] = append(x.in[c.to], number), append(x.out[c.from], number)
		}
		s := &x.streams[number]
		x.at = append(x.at, spot{number, len(s.messages)})
		s.messages = append(s.messages, i)
	}
	x.relevant = make([]bool, len(x.streams))
	for i := range x.relevant {
		x.relevant[i] = whole
	}
	return x
}

func (x *proof) key(from, to tracefmt.ProcessID, l letter) streamKey {
	if x.whole {
		l = -1
	}
	return streamKey{from, to, l}
}

// prove examines all processes, again and again while needs are given up.
func (x *proof) prove(needs bool) error {
	x.assume(needs)
	for {
		x.close()
		given := false
		for p := range x.m.processes {
			points, err := x.examine(tracefmt.ProcessID(p))
			if err != nil {
				return err
			}
			given = x.giveUp(tracefmt.ProcessID(p), points) || given
		}
		if !given {
			return nil
		}
	}
}

// mostPoints bounds the points of a process, and mostCounted what is counted of a stream.
const (
	mostPoints  = 20_000
	mostCounted = 255
)

// point is a situation in which a process may be: its state, and how much it has sent on
// each of its outgoing streams.
type point struct {
	state int32
	sent  []int32
}

// points are those of a process, by how many messages of its incoming streams it has
// handled, a byte each. Of streams that are not relevant that is 0, and answers has what
// the process sends when it gets one, if it does.
type points struct {
	all     map[string]*point
	answers [][]emission
}

// examine goes through all points of a process. The error says what depends on the schedule.
func (x *proof) examine(p tracefmt.ProcessID) (*points, error) {
	if x.m.processes[p] == nil || x.whole && len(x.in[p]) < 2 {
		return nil, nil // it gets nothing, or has no choice but the way of H
	}
	for _, s := range x.in[p] {
		if len(x.streams[s].messages) > mostCounted {
			return nil, fmt.Errorf("process %s gets more than %d messages on one channel", x.name(p), mostCounted)
		}
	}
	for {
		w := &walk{proof: x, p: p, a: x.m.processes[p], needed: x.needed(p)}
		anew, err := w.through()
		if !anew || err != nil {
			return &w.points, err
		}
	}
}

// name returns a process's id.
func (x *proof) name(p tracefmt.ProcessID) string { return x.m.w.family.members[p-1].Name }

// sends returns how much the process has sent after it sent more.
func (x *proof) sends(p tracefmt.ProcessID, before []int32, sent []emission) ([]int32, error) {
	after := append(make([]int32, 0, len(x.out[p])), before...)
	for _, e := range sent {
		number, known := x.numbers[x.key(p, e.to, e.letter)]
		if known {
			s := &x.streams[number]
			i := int(after[s.outward])
			known = i < len(s.messages) && x.h.messages[s.messages[i]].letter == e.letter
			after[s.outward]++
		}
		if !known {
			return nil, fmt.Errorf("what process %s sends to %s depends on the order in which messages arrive", x.name(p), x.name(e.to))
		}
	}
	return after, nil
}
