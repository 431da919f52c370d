package bubble

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Node is an incarnation of a node. The methods of [record.Process] record the events that the network does not
// see: variables, terms, operations, notes.
type Node struct {
	*record.Process
	net    *Network
	member *member
	ctx    context.Context // ends with the incarnation
	cancel context.CancelFunc
	mail   *mail // messages
	// packets are the packets for its packet connections.
	packets *mail
	conns   streams
}

// Message is a received message.
type Message struct {
	From, Type string
	// Value is the sender's value itself, not a copy.
	Value  any
	stamp  record.Stamp
	fields []slog.Attr
}

// newNode returns the incarnation of a node that ends with ctx.
func newNode(n *Network, p *member, ctx context.Context, cancel context.CancelFunc) *Node {
	return &Node{Process: n.rec.Process(p.name).Until(ctx), net: n, member: p, ctx: ctx, cancel: cancel, mail: newMail(), packets: newMail()}
}

// Name returns the name of the node.
func (n *Node) Name() string { return n.member.name }

// Send sends a message of a type, with a value for the receiver and fields that are recorded. It fails after a
// crash of the node, with the error of its context, and for an unknown receiver. The loss of a message is no
// error.
func (n *Node) Send(receiver, typ string, value any, fields ...slog.Attr) error {
	if err := n.send(receiver, typ, value, fields); !errors.Is(err, errLost) {
		return err
	}
	return nil
}

// send is Send, but fails with errLost if the message is lost.
func (n *Node) send(receiver, typ string, value any, fields []slog.Attr) error {
	net := n.net
	net.mu.Lock()
	defer net.mu.Unlock()
	if net.id(receiver) == 0 {
		return fmt.Errorf("bubble: unknown node %q", receiver)
	}
	if n.ctx.Err() != nil {
		return n.ctx.Err()
	}
	stamp := n.Process.Send(receiver, typ, fields...)
	m := Message{n.Name(), typ, value, stamp, fields}
	net.net.Advance(net.now())
	net.number++
	sent := record.Sent{Message: tracefmt.MessageID(net.number), From: net.id(n.Name()), To: net.id(receiver), Type: typ}
	if copies, lost := net.net.Send(&sent, &m); copies == 0 {
		net.rec.Lose(stamp, lost)
		return errLost
	}
	net.notify()
	return nil
}

// Inbox has the messages that arrive at the node, in the order of their arrival. It is never closed; a node stops
// with its context.
func (n *Node) Inbox() <-chan Message { return n.mail.out }

// After is time.After with its own instant, up to a microsecond later, since a timer of the program may have the
// same duration. A timer of a crashed node never expires.
func (n *Node) After(d time.Duration) <-chan time.Time {
	net := n.net
	net.mu.Lock()
	defer net.mu.Unlock()
	at := net.now() + tracefmt.Time(max(d, 0)) + net.jitter(1000)
	t := &timer{n, make(chan time.Time, 1)}
	net.timers[net.number] = t
	net.schedule(at, network.Timer, net.id(n.Name()), net.number)
	return t.fire
}

// Sleep waits, and reports whether the node is still running.
func (n *Node) Sleep(d time.Duration) bool {
	select {
	case <-n.After(d):
		return true
	case <-n.ctx.Done():
		return false
	}
}

// mail holds the messages that have arrived at a node and were not read yet.
type mail struct {
	mu    sync.Mutex
	queue []Message
	added chan struct{} // wakes deliver after put
	out   chan Message
}

func newMail() *mail { return &mail{added: make(chan struct{}, 1), out: make(chan Message)} }

// put adds a message that has arrived.
func (m *mail) put(message Message) {
	m.mu.Lock()
	m.queue = append(m.queue, message)
	m.mu.Unlock()
	select {
	case m.added <- struct{}{}:
	default:
	}
}

// deliver passes the messages to out, until ctx ends.
func (m *mail) deliver(ctx context.Context) {
	for {
		m.mu.Lock()
		if len(m.queue) == 0 {
			m.mu.Unlock()
			select {
			case <-ctx.Done():
				return
			case <-m.added:
			}
			continue
		}
		next := m.queue[0]
		m.queue = m.queue[1:]
		m.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case m.out <- next:
		}
	}
}

// dispatch passes an arrived message to its reader: the inbox, a packet connection, or a stream.
func (n *Node) dispatch(m Message) {
	switch v := m.Value.(type) {
	case datagram:
		n.packets.put(m)
	case addressed:
		// In a goroutine: the answer to a connect takes the lock of the network.
		n.net.users.Go(func() { n.handleSegment(m.From, v) })
	default:
		n.mail.put(m)
	}
}
