package bubble

import (
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// Addr is the address of a node: its name.
type Addr string

// Network implements [net.Addr].
func (Addr) Network() string { return "bubble" }

// String implements [net.Addr].
func (a Addr) String() string { return string(a) }

// Describe returns the message type and the fields under which bytes are recorded.
type Describe func(data []byte) (typ string, fields []slog.Attr)

// apply describes data. Without a function the message has a default type and its length.
func (d Describe) apply(data []byte, defaultType string) (string, []slog.Attr) {
	if d == nil {
		return defaultType, []slog.Attr{slog.Int("bytes", len(data))}
	}
	return d(data)
}

// datagram is the value of a packet.
type datagram []byte

// PacketConn returns a connection for packets, such as UDP's, whose addresses are names of nodes:
// [Addr]. Describe names the packets in the recording; without it their type is packet.
func (n *Node) PacketConn(describe Describe) net.PacketConn {
	return &packetConn{node: n, describe: describe, closed: make(chan struct{}), moved: make(chan struct{})}
}

// packetConn is the connection of [Node.PacketConn].
type packetConn struct {
	node     *Node
	describe Describe
	closed   chan struct{}
	once     sync.Once

	mu       sync.Mutex
	deadline time.Time
	moved    chan struct{} // closed when the deadline changes
}

// ReadFrom implements [net.PacketConn]: it waits for a packet, the end of the connection or the node, or the
// deadline.
func (c *packetConn) ReadFrom(buffer []byte) (int, net.Addr, error) {
	for {
		c.mu.Lock()
		deadline, moved := c.deadline, c.moved
		c.mu.Unlock()
		var expired <-chan time.Time
		if !deadline.IsZero() {
			expired = time.After(time.Until(deadline))
		}
		select {
		case m := <-c.node.packets.out:
			return copy(buffer, m.Value.(datagram)), Addr(m.From), nil
		case <-c.closed:
			return 0, nil, net.ErrClosed
		case <-c.node.ctx.Done():
			return 0, nil, net.ErrClosed
		case <-expired:
			return 0, nil, os.ErrDeadlineExceeded
		case <-moved:
		}
	}
}

// WriteTo implements [net.PacketConn]: it sends the data as one message, which may be lost.
func (c *packetConn) WriteTo(data []byte, addr net.Addr) (int, error) {
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	default:
	}
	typ, fields := c.describe.apply(data, "packet")
	if err := c.node.Send(addr.String(), typ, datagram(append([]byte(nil), data...)), fields...); err != nil {
		return 0, &net.OpError{Op: "write", Net: "bubble", Addr: addr, Err: err}
	}
	return len(data), nil
}

func (c *packetConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *packetConn) LocalAddr() net.Addr { return Addr(c.node.Name()) }

func (c *packetConn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements [net.PacketConn]. It also applies to a ReadFrom that waits.
func (c *packetConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	close(c.moved)
	c.moved = make(chan struct{})
	return nil
}

// SetWriteDeadline does nothing: a packet is sent at once.
func (c *packetConn) SetWriteDeadline(time.Time) error { return nil }
