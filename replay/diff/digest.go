package diff

import (
	"encoding/binary"
	"hash/maphash"

	"etrace/tracefmt"
)

// seed makes the hashes random, so that no trace can be built to collide. Hashes stay within the process, and
// no output depends on them.
var seed = maphash.MakeSeed()

// channel is the messages of one type between two processes of a run.
type channel struct {
	from, receiver tracefmt.ProcessID
	typ            string
}

// fates counts what became of the messages of a channel.
type fates struct {
	channel
	sent, received, lost int64
}

// cause is an event that may be the direct cause of a later one: a hash that names it, and for a send the place of its
// channel in Digest.channels.
type cause struct {
	name    uint64
	channel int
}

// Digest is a hash of a run: of the steps of each process in their order, and of the pairing of receives with
// sends. Runs that differ only in times and in the order of concurrent events have equal digests. Other runs
// differ, except with probability 2^-64. Its memory grows with the number of processes and, by a few bytes
// each, with the number of messages.
type Digest struct {
	run    *tracefmt.Run
	ignore *ignored
	names  []uint64 // the members' names as hashes, by ProcessID
	// steps and prefix are, by process, the number of steps and the hash of all of them; index 0 is the
	// network.
	steps  []int64
	prefix []uint64
	// losses is the sum of their hashes, since they have no order; lost counts them.
	losses   uint64
	lost     int64
	lastLoss uint64 // the hash of the last
	channels []fates
	places   map[channel]int // the index of each channel in channels
	causes   causes[cause]
	// texts counts the events with a text of a log. beside is the hash of what the log records beside the text
	// of the last event, 0 for nothing.
	texts  int64
	beside uint64
	buf    []byte
}

// NewDigest returns the digest of no events of the run.
func NewDigest(run *tracefmt.Run) *Digest {
	nothing, _ := parseIgnore(nil)
	return newDigest(run, nothing)
}

// newDigest returns the digest of no events; it will leave out what ignore names.
func newDigest(run *tracefmt.Run, ignore *ignored) *Digest {
	n := len(run.Members) + 1
	d := &Digest{
		run: run, ignore: ignore, names: make([]uint64, n), steps: make([]int64, n), prefix: make([]uint64, n),
		channels: make([]fates, 1), places: map[channel]int{}, causes: newCauses[cause](run),
	}
	for i, m := range run.Members {
		d.names[i+1] = maphash.String(seed, m.Name)
	}
	return d
}

// Write handles the next event. It never fails; the error makes a sink of it.
func (d *Digest) Write(e *tracefmt.Event) error {
	d.add(e)
	return nil
}

// Sum returns the digest of the events so far.
func (d *Digest) Sum() uint64 {
	sum := d.losses
	for p, prefix := range d.prefix {
		sum += d.mix(d.names[p], prefix)
	}
	return sum
}

// add adds an event. It reports whether the event is a step that is compared, of a process or, if e.Process
// is 0, of the network.
func (d *Digest) add(e *tracefmt.Event) bool {
	if !d.counts(e) {
		return false
	}
	p := e.Process
	if e.Kind == tracefmt.Lose {
		d.arrivals(e).lost++
		d.lastLoss = d.loss(e)
		d.losses += d.lastLoss
		d.lost++
		return false
	}
	h := d.content(e)
	d.steps[p]++
	d.prefix[p] = d.mix(d.prefix[p], h)
	switch e.Kind {
	case tracefmt.Send:
		at := d.place(channel{p, e.Peer, e.Type})
		f := &d.channels[at]
		f.sent++
		d.causes.store(e, cause{d.mix(d.names[p], d.names[e.Peer], maphash.String(seed, e.Type), uint64(f.sent)), at})
		return true
	case tracefmt.Receive:
		d.arrivals(e).received++
	}
	if d.causes.every {
		d.causes.store(e, cause{name: d.mix(d.names[p], uint64(d.steps[p]))})
	}
	return true
}

// counts reports whether an event is compared: it is not ignored, and its processes are in the run.
func (d *Digest) counts(e *tracefmt.Event) bool {
	last := tracefmt.ProcessID(len(d.names) - 1)
	return e.Process >= 0 && e.Process <= last && e.Peer >= 0 && e.Peer <= last && !d.ignore.kinds[e.Kind] &&
		!d.ignore.gaps.leavesOut(d.run, e)
}

// place returns the index of a channel in channels, and adds a new channel. Index 0 is unused.
func (d *Digest) place(c channel) int {
	at := d.places[c]
	if at == 0 {
		at = len(d.channels)
		d.places[c] = at
		d.channels = append(d.channels, fates{channel: c})
	}
	return at
}

// arrivals returns the counts of the channel of a received or lost message. It takes the channel from the
// message's send, since a lookup by channel is the slowest step in runs of thousands of processes.
func (d *Digest) arrivals(e *tracefmt.Event) *fates {
	c := channel{e.Peer, e.Process, e.Type}
	at := 0
	d.causes.each(e, func(sent cause) { at = sent.channel })
	if at == 0 || d.channels[at].channel != c {
		at = d.place(c)
	}
	return &d.channels[at]
}

// content is the hash of an event without its place and clocks.
func (d *Digest) content(e *tracefmt.Event) uint64 {
	term := e.Term
	if d.ignore.parts[terms] {
		term = 0
	}
	return d.mix(uint64(e.Kind), d.names[e.Peer], maphash.String(seed, e.Type), uint64(term), d.payload(e), d.cause(e))
}

// loss is the hash of a lose event: which message, and why.
func (d *Digest) loss(e *tracefmt.Event) uint64 { return d.mix(d.content(e), d.names[e.Process]) }

// cause describes an event that may be the direct cause of a later one: a hash of its process and number and,
// for a send, the index of its channel in Digest.channels.
func (d *Digest) cause(e *tracefmt.Event) uint64 {
	sum := uint64(0)
	d.causes.each(e, func(c cause) { sum += c.name })
	return sum
}

// payload returns the hash of the fields that are compared, in any order.
func (d *Digest) payload(e *tracefmt.Event) uint64 {
	sum := uint64(0)
	d.beside = 0
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) == tracefmt.LogKey {
			sum += d.log(value)
		} else if d.ignore.payload(e, key) {
			sum += d.mix(maphash.Bytes(seed, key), maphash.Bytes(seed, value))
		}
	}
	return sum
}

// log returns the hash of the text of a log, and keeps the hash of the other fields in d.beside. The line
// number in the file, and vector clocks, are left out.
func (d *Digest) log(log []byte) (sum uint64) {
	for key, value := range tracefmt.Fields(log) {
		switch string(key) {
		case "line", "clock": // where the event stood in the log is no difference
		case "text":
			if string(value) == `""` {
				continue
			}
			if d.texts++; !d.ignore.parts[logTexts] {
				sum = d.mix(maphash.Bytes(seed, key), maphash.Bytes(seed, value))
			}
		default:
			d.beside += d.mix(maphash.Bytes(seed, key), maphash.Bytes(seed, value))
		}
	}
	return sum
}

// mix returns the hash of numbers in their order.
func (d *Digest) mix(words ...uint64) uint64 {
	d.buf = d.buf[:0]
	for _, w := range words {
		d.buf = binary.LittleEndian.AppendUint64(d.buf, w)
	}
	return maphash.Bytes(seed, d.buf)
}

// causes stores a value for each event that may be the direct cause of a later one. In a simulated or
// recorded run these are the sends, found by their message. In an imported run any event may be a cause,
// found by its seq.
type causes[T any] struct {
	kept tracefmt.MessageTable[T] // by the message, or by the seq where every is set
	// every event is kept.
	every bool
}

// newCauses returns an empty store for a run.
func newCauses[T any](run *tracefmt.Run) causes[T] {
	return causes[T]{every: run.Source != tracefmt.Simulated && run.Source != tracefmt.Recorded}
}

// store stores a value for an event that may be a cause.
func (c *causes[T]) store(e *tracefmt.Event, value T) {
	switch {
	case c.every:
		c.kept.Put(tracefmt.MessageID(e.Seq), value)
	case e.Kind == tracefmt.Send:
		c.kept.Put(e.Message, value)
	}
}

// each calls f with the stored value of each direct cause of an event.
func (c *causes[T]) each(e *tracefmt.Event, f func(T)) {
	if c.every {
		for seq := range e.Causes() {
			c.lookUp(tracefmt.MessageID(seq), f)
		}
	} else if e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose {
		c.lookUp(e.Message, f)
	}
}

// lookUp calls f with the value stored for a message or seq, if there is one.
func (c *causes[T]) lookUp(id tracefmt.MessageID, f func(T)) {
	if v := c.kept.Get(id); v != nil {
		f(*v)
	}
}
