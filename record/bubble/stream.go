package bubble

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
)

// segment is the value of a message of a stream.
type segment struct {
	stream int64
	place  int64 // the number of the segment in its direction, from 0
	kind   segmentKind
	data   []byte
}

type segmentKind uint8

const (
	opens segmentKind = iota
	accepts
	refuses
	carries
	closes
)

// segmentTypes are the message types of segments, except for data with a [Describe].
var segmentTypes = [...]string{opens: "connect", accepts: "accept", refuses: "refuse", carries: "data", closes: "close"}

// streams are the connections of a node.
type streams struct {
	mu     sync.Mutex
	open   map[streamID]*stream
	listen *listener
}

// streamID identifies one end of a stream: both ends may be at the same node.
type streamID struct {
	number int64
	dialed bool
}

// stream is one end of a connection. The program has the other side of a pipe, which supports deadlines.
type stream struct {
	node     *Node
	peer     string
	id       streamID
	describe Describe
	inner    net.Conn    // the network's side of the pipe
	ready    chan error  // gets the answer to a connect
	mail     chan []byte // the data that has arrived in order
	finish   context.CancelFunc
	ctx      context.Context

	mu    sync.Mutex
	sent  int64             // the number of segments sent
	taken int64             // the number of segments taken in order
	early map[int64]segment // segments that overtook earlier segments, by place
}

// conn is the connection that the program uses.
type conn struct {
	net.Conn
	local, remote Addr
}

func (c conn) LocalAddr() net.Addr  { return c.local }
func (c conn) RemoteAddr() net.Addr { return c.remote }

// Dial connects to a node that listens. Describe names the messages of written data; the default type is data.
// If the network loses a segment, the stream breaks at the sender, and the receiver gets nothing more.
func (n *Node) Dial(ctx context.Context, peer string, describe Describe) (net.Conn, error) {
	n.net.mu.Lock()
	n.net.number++
	number := n.net.number
	n.net.mu.Unlock()
	s, c := n.newStream(peer, streamID{number, true}, describe)
	if err := s.send(opens, nil); err != nil {
		return nil, &net.OpError{Op: "dial", Net: "bubble", Addr: Addr(peer), Err: err}
	}
	var err error
	select {
	case err = <-s.ready:
	case <-ctx.Done():
		err = ctx.Err()
	case <-n.ctx.Done():
		err = net.ErrClosed
	}
	if err != nil {
		s.finish()
		return nil, &net.OpError{Op: "dial", Net: "bubble", Addr: Addr(peer), Err: err}
	}
	return c, nil
}

// Listen accepts the connections that other nodes dial. Data written to them is recorded as in [Node.Dial]. A node has one
// listener at a time.
func (n *Node) Listen(describe Describe) (net.Listener, error) {
	n.conns.mu.Lock()
	defer n.conns.mu.Unlock()
	if n.conns.listen != nil {
		return nil, fmt.Errorf("bubble: node %s listens already", n.Name())
	}
	n.conns.listen = &listener{node: n, describe: describe, dialed: make(chan net.Conn, 1024), closed: make(chan struct{})}
	return n.conns.listen, nil
}

// listener is the listener of a node.
type listener struct {
	node     *Node
	describe Describe
	dialed   chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// Accept implements [net.Listener]. It fails when the listener is closed or the node ends.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialed:
		return c, nil
	case <-l.closed:
	case <-l.node.ctx.Done():
	}
	return nil, net.ErrClosed
}

// Close implements [net.Listener]. The node may then listen again.
func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.node.conns.mu.Lock()
		l.node.conns.listen = nil
		l.node.conns.mu.Unlock()
	})
	return nil
}

func (l *listener) Addr() net.Addr { return Addr(l.node.Name()) }

// newStream makes one end of a stream, and the connection for the program.
func (n *Node) newStream(peer string, id streamID, describe Describe) (*stream, net.Conn) {
	outer, inner := net.Pipe()
	s := &stream{
		node: n, peer: peer, id: id, describe: describe, inner: inner, ready: make(chan error, 1),
		early: map[int64]segment{}, mail: make(chan []byte, 1<<16),
	}
	s.ctx, s.finish = context.WithCancel(n.ctx)
	n.conns.mu.Lock()
	if n.conns.open == nil {
		n.conns.open = map[streamID]*stream{}
	}
	n.conns.open[id] = s
	n.conns.mu.Unlock()
	n.net.users.Go(s.sendWritten)
	n.net.users.Go(s.passReceived)
	context.AfterFunc(s.ctx, func() { inner.Close() })
	return s, conn{outer, Addr(n.Name()), Addr(peer)}
}

// send sends a segment. It fails if the segment is lost.
func (s *stream) send(kind segmentKind, data []byte) error {
	typ := segmentTypes[kind]
	s.mu.Lock()
	m := segment{s.id.number, s.sent, kind, append([]byte(nil), data...)}
	s.sent++
	s.mu.Unlock()
	if kind == carries {
		named, fields := s.describe.apply(data, typ)
		return s.node.send(s.peer, named, addressed{m, !s.id.dialed}, fields)
	}
	return s.node.send(s.peer, typ, addressed{m, !s.id.dialed}, nil)
}

// addressed is a segment for one of the two ends of a stream.
type addressed struct {
	segment
	toDialer bool
}

// sendWritten sends the data that the program writes.
func (s *stream) sendWritten() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := s.inner.Read(buffer)
		if n > 0 && s.send(carries, buffer[:n]) != nil {
			s.finish()
			return
		}
		if err != nil {
			_ = s.send(closes, nil)
			s.finish()
			return
		}
	}
}

// passReceived passes the data that has arrived to the program.
func (s *stream) passReceived() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case data := <-s.mail:
			if data == nil { // the other end has closed the stream
				s.finish()
				return
			}
			if _, err := s.inner.Write(data); err != nil {
				return
			}
		}
	}
}

// handleSegment handles a segment that has arrived at the node.
func (n *Node) handleSegment(from string, m addressed) {
	id := streamID{m.stream, m.toDialer}
	n.conns.mu.Lock()
	s, listening := n.conns.open[id], n.conns.listen
	n.conns.mu.Unlock()
	switch {
	case m.kind == opens && s == nil && listening == nil:
		_ = n.send(from, segmentTypes[refuses], addressed{segment{stream: m.stream, kind: refuses}, true}, nil)
	case m.kind == opens && s == nil:
		accepted, c := n.newStream(from, id, listening.describe)
		accepted.take(m.segment)
		if accepted.send(accepts, nil) == nil {
			select {
			case listening.dialed <- c:
			default: // the program accepts nothing, and too many connections wait
				accepted.finish()
			}
		}
	case s != nil:
		s.take(m.segment)
	}
}

// take passes on the data of segments in the order of their sends, each once. An early segment waits for the
// segments before it.
func (s *stream) take(m segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.place < s.taken {
		return
	}
	s.early[m.place] = m
	for {
		next, ok := s.early[s.taken]
		if !ok {
			return
		}
		delete(s.early, s.taken)
		s.taken++
		switch next.kind {
		case accepts:
			s.ready <- nil
		case refuses:
			s.ready <- syscall.ECONNREFUSED
		case carries:
			s.mail <- next.data
		case closes:
			s.mail <- nil
		}
	}
}

// errLost is the error for a message that the network lost.
var errLost = errors.New("connection reset: the network lost a segment")
