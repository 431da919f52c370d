package adversary

import (
	"cmp"
	"fmt"

	"etrace/tracefmt"
)

// A certificate proves, without exploring them, that all schedules of a scenario send the same messages. The
// argument is that of Kahn, The Semantics of a Simple Language for Parallel Programming, IFIP Congress 74, pp.
// 471-475. In a network of processes that read from and write to queues, suppose that the contents of each
// output queue are a function of the contents of the input queues. Then the contents of every queue are the
// same in all schedules. Kahn's processes wait for a certain queue. The processes here take whatever arrives,
// so the proof has to show that they are such functions. Deliveries at different processes commute in any case
// (Mazurkiewicz, Concurrent Program Schemes and their Interpretations, Aarhus 1977), so it is enough to examine
// each process alone.
//
// Requirements: channels are reliable. Messages are the only inputs of a process: no timers, rounds,
// operations, crashes, recoveries or partitions. All starts are at time 0, before every delivery. Then a
// schedule is an order of deliveries, and each process begins in one state. [newFamily] and [world.model]
// refuse all other scenarios.
//
// Let H be one run that ends. The stream of a channel is the sequence of its messages in H, in the order of
// sending. A point of a process is the number of messages that it has handled from each incoming stream of H.
// Let G be a set of points of each process, such that
//
//   1. the zero point is in G, and the run H passes through points of G only;
//   2. all paths through G from the zero point to a point, one message at a time, end in the same state
//      and have sent equally many messages on each outgoing stream, and these are a prefix of that stream
//      in H: so a point of G has a state and a number of sent messages;
//   3. if a schedule has stayed in G so far, and the messages sent on each stream are a prefix of the
//      stream in H, then the next delivery stays in G.
//
// Then every schedule stays in G, by induction over its deliveries. The delivered message is the next message
// of its stream in H, since the sent messages are a prefix of the stream and channels are FIFO. By 3 the point
// after the delivery is in G. By 2 the messages that the receiver has sent are still a prefix of the streams of
// H. So a schedule sends at most the messages of H, and ends. It also sends all of them. Suppose that it ends
// without some message of H, and take the first such message in H. All messages that its sender had handled
// before in H were sent before it in H. Hence the schedule sends and delivers them, too. So the sender reaches
// that point or passes it, and the set of its sent messages only grows. Hence every schedule sends exactly the
// messages of H, stream by stream, and leaves every process in the same state as H.
//
// The simplest G contains all points up to the last point of H. Properties 1 and 3 hold for it trivially, and 2
// is examined with a [sim.Host], point by point. This G is enough for rings on which messages go in one
// direction, where a process has one stream and no choice. It is also enough for processes that queue early
// messages.
//
// Other protocols never reach most of these points, since one message follows from another. So let each message
// have needs: messages that its sender must have handled before it can be sent. At first these are all messages
// that the sender had handled in H. G contains the points that include, with each message, its needs, and
// transitively the needs of these. Property 1 holds, and 2 is examined on G. For 3 it is enough that no point
// of G sends a message without its needs. One test decides this for a need j of the message m. The greatest
// point of G without j is H without all messages that need j. If m is not sent there, it is not sent at any
// smaller point, which covers all points of G without j. A need that fails is dropped, which adds points to G,
// and the examination begins again until all needs hold. (The points of G are the configurations of a prime
// event structure; see Nielsen, Plotkin and Winskel, Theoretical Computer Science 13, 1981.)
//
// Where a process answers one neighbour and forwards the messages of the other, the order on its outgoing
// channel depends on the schedule, though the messages do not. So there is a second kind of streams: the equal
// messages of a channel, by type and fields. The proof above uses only that messages of one stream arrive in
// order, and a receiver cannot distinguish equal messages. Points may then combine messages of different
// streams in any order. These are more points than on FIFO channels, and so a stronger requirement, which does
// not need FIFO. A stream that never changes a state, and always gets the same answer, is left out of the
// points: it would double their number without effect.

// proof is an attempt to prove that all schedules of a model send the messages of its history.
type proof struct {
	m *model
	h *history
	// channels is true if a stream is a whole channel; otherwise it is the equal messages of a channel.
	channels bool

	streams         []stream
	numbers         map[streamKey]int
	at              []spot  // the place of each message
	inward, outward [][]int // by process: the numbers of its incoming and outgoing streams
	// needs of each message, and the messages that must be handled before it.
	needs, before []bitset
	// relevant streams decide the state of their receivers.
	relevant []bool
}

// streamKey names a stream; a whole channel has the contentID -1.
type streamKey struct {
	sender, receiver tracefmt.ProcessID
	contentID        contentID
}

// stream holds the messages of a stream in order, its index among the incoming streams of the receiver, and its
// index among the outgoing streams of the sender.
type stream struct {
	streamKey
	messages        []int
	inward, outward int
}

// spot is the place of a message: its stream, and its index in the stream.
type spot struct{ stream, index int }

// proofKinds are the kinds of proof, the fastest first: whether streams are whole channels, and whether
// messages have needs.
var proofKinds = [...]struct{ channels, needs bool }{{true, false}, {true, true}, {false, true}}

// certify proves that all schedules send the messages of the history, by any kind of proof. It returns nil,
// or the reason why no proof succeeds.
func (m *model) certify(h *history, fifo bool) error {
	var failed [len(proofKinds)]error
	for i := range proofKinds {
		// The way that succeeded last time usually succeeds again.
		number := (m.w.way + i) % len(proofKinds)
		way := proofKinds[number]
		if way.channels && !fifo {
			continue
		}
		failed[number] = newProof(m, h, way.channels).prove(way.needs)
		if failed[number] == nil {
			m.w.way = number
			return nil
		}
	}
	return cmp.Or(failed[:]...)
}

// newProof divides the messages of a history into streams.
func newProof(m *model, h *history, channels bool) *proof {
	n := len(m.processes)
	x := &proof{
		m: m, h: h, channels: channels, numbers: map[streamKey]int{}, inward: make([][]int, n),
		outward: make([][]int, n),
	}
	for i := range h.messages {
		c := &h.messages[i]
		key := x.key(c.sender, c.receiver, c.contentID)
		number, ok := x.numbers[key]
		if !ok {
			number = len(x.streams)
			x.numbers[key] = number
			x.streams = append(x.streams, stream{
				streamKey: key, inward: len(x.inward[c.receiver]),
				outward: len(x.outward[c.sender]),
			})
			x.inward[c.receiver], x.outward[c.sender] = append(x.inward[c.receiver], number),
				append(x.outward[c.sender], number)
		}
		s := &x.streams[number]
		x.at = append(x.at, spot{number, len(s.messages)})
		s.messages = append(s.messages, i)
	}
	x.relevant = make([]bool, len(x.streams))
	for i := range x.relevant {
		x.relevant[i] = channels
	}
	return x
}

// key returns the stream of a message.
func (x *proof) key(sender, receiver tracefmt.ProcessID, l contentID) streamKey {
	if x.channels {
		l = -1
	}
	return streamKey{sender, receiver, l}
}

// prove examines all processes, until no need is dropped any more. It ends, since the needs are finite.
func (x *proof) prove(needs bool) error {
	x.setNeeds(needs)
	for {
		x.closeNeeds()
		assumed := false
		for p := range x.m.processes {
			points, err := x.examine(tracefmt.ProcessID(p))
			if err != nil {
				return err
			}
			assumed = x.giveUp(tracefmt.ProcessID(p), points) || assumed
		}
		if !assumed {
			return nil
		}
	}
}

// maxPoints is the greatest number of points of a process, maxCounted that of messages of a stream.
const (
	maxPoints  = 20_000
	maxCounted = 255
)

// point is a point of a process: its state there, and the number of messages that it has sent on each
// outgoing stream.
type point struct {
	state int32
	sent  []int32
}

// points maps the counts of handled messages, one byte for each incoming stream, to the state of a process after these
// messages. The count of an irrelevant stream is 0. answers has, for each message that the process can receive, the
// messages that it sends in reply.
type points struct {
	known   map[string]*point
	answers [][]emission
}

// examine visits all points of a process. It fails if the behaviour of the process depends on the schedule;
// the error names how. A process with a single possible order has no points.
func (x *proof) examine(p tracefmt.ProcessID) (*points, error) {
	if x.m.processes[p] == nil || x.channels && len(x.inward[p]) < 2 {
		// It receives nothing, or only the order of H is possible.
		return nil, nil
	}
	for _, s := range x.inward[p] {
		if len(x.streams[s].messages) > maxCounted {
			return nil, fmt.Errorf("process %s gets more than %d messages on one channel", x.name(p), maxCounted)
		}
	}
	for {
		w := &walk{proof: x, p: p, a: x.m.processes[p], needed: x.neededCounts(p)}
		restart, err := w.explore()
		if !restart || err != nil {
			return &w.points, err
		}
	}
}

// name returns a process's id.
func (x *proof) name(p tracefmt.ProcessID) string { return x.m.w.family.members[p-1].Name }

// sends returns the number of messages on each outgoing stream after the process has sent some more.
func (x *proof) sends(p tracefmt.ProcessID, before []int32, sent []emission) ([]int32, error) {
	counts := append(make([]int32, 0, len(x.outward[p])), before...)
	for _, e := range sent {
		number, isKnown := x.numbers[x.key(p, e.receiver, e.contentID)]
		if isKnown {
			s := &x.streams[number]
			i := int(counts[s.outward])
			isKnown = i < len(s.messages) && x.h.messages[s.messages[i]].contentID == e.contentID
			counts[s.outward]++
		}
		if !isKnown {
			return nil, fmt.Errorf("what process %s sends to %s depends on the order in which messages arrive",
				x.name(p), x.name(e.receiver))
		}
	}
	return counts, nil
}
