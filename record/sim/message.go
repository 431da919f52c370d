package sim

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Message is a declared type of message, whose fields are those of the struct M.
type Message[M any] struct{ spec *messageOf[M] }

// messageOf is the part of a declaration that depends on the type of the message.
type messageOf[M any] struct {
	index  int
	handle func(p *Process, from tracefmt.ProcessID, m M)
}

// messageSpec is a declared type of message.
type messageSpec struct {
	payload
	// term is the field that holds the term, nil if the message has none.
	term     *recordField
	newStore func() fieldStore
	// handle frees the slot of the message in the store of its type, and calls the protocol's handler with its fields.
	handle func(p *Process, m parcel)
	// counts is true if some field is a [Counter]. The search for loops compares counters by their differences.
	counts bool
	// intercepts are called before handle; see [Protocol.Intercept].
	intercepts []func(p *Process, m *Arrival) bool
}

// DeclareMessage declares a type of message. Fields may have the types that
// variables have, and are recorded in the order of the struct, under the name
// in the tag sim or their own in lower case. A field of the type [Term] gives the
// message its term, else it has that of its sender.
func DeclareMessage[M any](pr *Protocol, name, doc string) Message[M] {
	declared := &messageOf[M]{index: len(pr.messages)}
	spec := &messageSpec{payload: declarePayload[M]("message", name, doc)}
	spec.term = spec.recordCodec.term()
	spec.counts = counterPaths("", spec.recordCodec) != nil
	spec.newStore = func() fieldStore { return &fieldsOf[M]{} }
	spec.handle = func(p *Process, sent parcel) {
		a := &p.k.arenas[declared.index]
		fields := a.fields.(*fieldsOf[M]).values[sent.place]
		a.release(sent.place) // first, so that the messages that the process now sends reuse the place, which is in the cache
		if declared.handle != nil {
			declared.handle(p, p.k.senderOf(sent), fields)
		}
	}
	pr.messages = append(pr.messages, spec)
	return Message[M]{declared}
}

// On sets the function that is called for each message of the type that arrives. It must be called once, with
// the declaration.
func (t Message[M]) On(handle func(p *Process, from tracefmt.ProcessID, m M)) { t.spec.handle = handle }

// Send sends a message. A message of a process to itself is not recorded: the process handles it at the end of
// its step.
func (t Message[M]) Send(p *Process, receiver tracefmt.ProcessID, m M) {
	p.requireIdentity("sends to a process of some id")
	t.send(p, receiver, m)
}

// send is Send without the check for anonymous processes.
func (t Message[M]) send(p *Process, receiver tracefmt.ProcessID, m M) {
	if p.canSend(receiver) {
		a := &p.k.arenas[t.spec.index]
		place := a.allot()
		a.fields.(*fieldsOf[M]).set(place, m)
		p.k.send(parcel{from: p.id, receiver: receiver, typ: int32(t.spec.index), place: place})
	}
}

// SendOrTake sends a message to another process. A message to itself the process handles at once, in the middle
// of its step. So a process that is one of several receivers has its turn in their order.
func (t Message[M]) SendOrTake(p *Process, receiver tracefmt.ProcessID, m M) {
	switch {
	case receiver != p.id:
		t.Send(p, receiver, m)
	case p.up && t.spec.handle != nil:
		t.spec.handle(p, receiver, m)
	}
}

// SendNext sends a message to the successor on the ring. With ring repair it skips crashed successors, and
// records a suspicion of each.
func (t Message[M]) SendNext(p *Process, m M) { t.send(p, p.successor(), m) }

// SendPrevious sends a message to the predecessor on the ring, as [Message.SendNext] does in the other
// direction.
func (t Message[M]) SendPrevious(p *Process, m M) { t.send(p, p.predecessor(), m) }

// SendBoth sends a message to the successor on the ring and one to the predecessor. The process with the smaller
// id gets its message first. If both are the same process, the message for the successor is first. Anonymous
// processes send to the successor first.
func (t Message[M]) SendBoth(p *Process, next, previous M) {
	successor, predecessor := p.successor(), p.predecessor()
	if successor <= predecessor || p.k.Anonymous {
		t.send(p, successor, next)
		t.send(p, predecessor, previous)
		return
	}
	t.send(p, predecessor, previous)
	t.send(p, successor, next)
}

// Broadcast sends a message to every neighbour, in ascending order. Without edges in the config all other
// processes are neighbours.
func (t Message[M]) Broadcast(p *Process, m M) {
	for _, q := range p.neighbours() {
		t.send(p, q, m)
	}
}

// senderOf returns the sender of a message as its receiver knows it: 0 for anonymous processes.
func (k *kernel) senderOf(m parcel) tracefmt.ProcessID {
	if k.Anonymous {
		return 0
	}
	return m.from
}

// Signal is a declared type of message without fields.
type Signal struct{ message Message[struct{}] }

// Signal declares a type of message without fields.
func (pr *Protocol) Signal(name, doc string) Signal {
	return Signal{DeclareMessage[struct{}](pr, name, doc)}
}

// On sets the function that is called for each message of the type that arrives.
func (s Signal) On(handle func(p *Process, from tracefmt.ProcessID)) {
	s.message.On(func(p *Process, from tracefmt.ProcessID, _ struct{}) { handle(p, from) })
}

// Send sends a message; see [Message.Send].
func (s Signal) Send(p *Process, receiver tracefmt.ProcessID) {
	s.message.Send(p, receiver, struct{}{})
}

// SendOrTake sends a message; see [Message.SendOrTake].
func (s Signal) SendOrTake(p *Process, receiver tracefmt.ProcessID) {
	s.message.SendOrTake(p, receiver, struct{}{})
}

// SendNext sends a message to the successor on the ring; see [Message.SendNext].
func (s Signal) SendNext(p *Process) { s.message.SendNext(p, struct{}{}) }

// Broadcast sends a message to every neighbour; see [Message.Broadcast].
func (s Signal) Broadcast(p *Process) { s.message.Broadcast(p, struct{}{}) }

// canSend reports whether the process may send to the receiver now: an edit may have crashed it in the middle of
// its step.
func (p *Process) canSend(receiver tracefmt.ProcessID) bool {
	if receiver == p.id {
		return p.up
	}
	return p.ready() && !p.silent && p.checkReceiver(receiver)
}

// parcel is a message inside the simulator. Its fields are in the arena of its type, at a place.
type parcel struct {
	from, receiver tracefmt.ProcessID
	typ, place     int32
	hash           uint64 // the hash of the message, while it is in flight
}

// arena holds the fields of all messages of a type by place, so that a parcel is small, and places are reused.
type arena struct {
	fields fieldStore
	slots  []slot
	free   []int32
	// signal is true for messages without fields, which share one place.
	signal bool
}

// newArena returns the arena of a message type.
func newArena(m *messageSpec) arena {
	a := arena{fields: m.newStore()}
	if len(m.fields) == 0 {
		a.fields.clear(a.allot())
		a.signal = true
	}
	return a
}

// slot has the data of a place beside the fields.
type slot struct {
	payload []byte // the recorded fields of the send
	further int32  // the number of owners, without the first
}

// maxReused is the maximum length of a payload whose memory is reused.
const maxReused = 1 << 10

// fieldStore holds the fields of the messages of a type by their places.
type fieldStore interface {
	at(place int32) unsafe.Pointer
	// duplicate makes the fields of one place those of another.
	duplicate(place, source int32)
	clear(place int32)
}

// fieldsOf is the store of a message type M.
type fieldsOf[M any] struct{ values []M }

func (f *fieldsOf[M]) at(place int32) unsafe.Pointer { return unsafe.Pointer(&f.values[place]) }

func (f *fieldsOf[M]) duplicate(place, source int32) { f.set(place, f.values[source]) }

func (f *fieldsOf[M]) clear(place int32) {
	var zero M
	f.set(place, zero)
}

// set sets the fields of a place, which may be the one after the last.
func (f *fieldsOf[M]) set(place int32, m M) {
	if int(place) == len(f.values) {
		f.values = append(f.values, m)
	} else {
		f.values[place] = m
	}
}

// allot returns a free place.
func (a *arena) allot() int32 {
	if a.signal {
		return 0
	}
	if n := len(a.free); n > 0 {
		place := a.free[n-1]
		a.free = a.free[:n-1]
		return place
	}
	a.slots = append(a.slots, slot{})
	return int32(len(a.slots) - 1)
}

// release frees a place, unless it has further owners.
func (a *arena) release(place int32) {
	s := &a.slots[place]
	if a.signal {
		return
	}
	if s.further > 0 {
		s.further--
		return
	}
	if cap(s.payload) > maxReused {
		s.payload = nil
	}
	a.free = append(a.free, place)
}

// copyOf returns a new place with the fields of another one.
func (a *arena) copyOf(place int32) int32 {
	item := a.allot()
	a.fields.duplicate(item, place)
	return item
}

// empty frees all places.
func (a *arena) empty() {
	a.free = a.free[:0]
	for i := range a.slots {
		a.slots[i].further = 0
		a.free = append(a.free, int32(i))
	}
}

// encode returns a record as a JSON object, nil if it has no fields. The next call overwrites it.
func (k *kernel) encode(d *payload, at unsafe.Pointer) []byte {
	if len(d.fields) == 0 {
		return nil
	}
	k.buf = d.appendJSON(k.buf[:0], k.roster, at)
	return k.buf
}

// fields returns the address of the fields of a message.
func (k *kernel) fields(m parcel) unsafe.Pointer { return k.arenas[m.typ].fields.at(m.place) }

// encodeMessage encodes the payload of a message, stores it with the message, and returns it.
func (k *kernel) encodeMessage(m parcel) []byte {
	spec, a := k.protocol.messages[m.typ], &k.arenas[m.typ]
	if a.signal {
		return nil
	}
	s := &a.slots[m.place]
	at := a.fields.at(m.place)
	s.payload = spec.appendAttribute(spec.appendJSON(s.payload[:0], k.roster, at), k.roster, k.Attribute, at)
	return s.payload
}

// term returns the term of a message for its record: its own field or, without one, the term of the sender.
func (k *kernel) term(m parcel) int64 {
	if f := k.protocol.messages[m.typ].term; f != nil {
		return int64(*(*Term)(f.address(k.fields(m))))
	}
	return k.rec.Term(m.from)
}

// Arrival is a received message for code that does not know its Go type, such as a mutant. It is valid only
// during the call that gets it.
type Arrival struct {
	// From is the sender.
	From tracefmt.ProcessID
	p    *Process
	m    parcel
}

// Payload returns the fields as in the trace; nil for a message without fields.
func (m *Arrival) Payload() []byte {
	k := m.p.k
	spec, at := k.protocol.messages[m.m.typ], k.fields(m.m)
	return slices.Clone(spec.appendAttribute(k.encode(&spec.payload, at), k.roster, k.Attribute, at))
}

// Field returns the value of a field. It panics if there is no such field, or
// if it is no T.
func Field[T any](m *Arrival, name string) T { return *fieldOf[T](m, name) }

// SetField changes a field of the message before it is passed on.
func SetField[T any](m *Arrival, name string, x T) {
	a := &m.p.k.arenas[m.m.typ]
	place := a.copyOf(m.m.place) // another copy of the message may be in flight
	a.release(m.m.place)
	m.m.place = place
	*fieldOf[T](m, name) = x
}

// fieldOf returns the address of a field. It panics if the message has no field of this name and type.
func fieldOf[T any](m *Arrival, name string) *T {
	spec := m.p.k.protocol.messages[m.m.typ]
	i := spec.fieldIndex(name)
	if i < 0 || spec.fields[i].typ != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("sim: %s has no field %s of the type %v", spec.name, name, reflect.TypeFor[T]()))
	}
	return (*T)(spec.fields[i].address(m.p.k.fields(m.m)))
}

// Forward sends the message unchanged to the successor on the ring.
func (m *Arrival) Forward() { m.SendTo(m.p.successor()) }

// SendTo sends the message unchanged to a receiver.
func (m *Arrival) SendTo(receiver tracefmt.ProcessID) {
	if p := m.p; p.canSend(receiver) {
		p.k.send(parcel{from: p.id, receiver: receiver, typ: m.m.typ, place: p.k.arenas[m.m.typ].copyOf(m.m.place)})
	}
}

// Intercept registers a function that is called for each arriving message of a type, before the protocol. If f
// returns true, the protocol does not see the message. Intercept is for mutants, and must be called before the
// first run, like a declaration.
func (pr *Protocol) Intercept(name string, f func(p *Process, m *Arrival) bool) {
	m := pr.message(name)
	if m < 0 {
		panic("sim: no message is called " + name)
	}
	pr.messages[m].intercepts = append(pr.messages[m].intercepts, f)
}

// message returns the index of a message type, -1 if it is unknown.
func (pr *Protocol) message(name string) int {
	for i, m := range pr.messages {
		if m.name == name {
			return i
		}
	}
	return -1
}

// Forge sends a message by the name of its type, with fields as in a trace; nil for none. It fails for an
// unknown type or a wrong field.
func (p *Process) Forge(receiver tracefmt.ProcessID, name string, fields []byte) error {
	m, err := p.k.parcel(p.id, receiver, name, fields)
	if err == nil && p.canSend(receiver) {
		p.k.send(m)
	}
	return err
}

// parcel makes a message by the name of its type and its fields.
func (k *kernel) parcel(from, receiver tracefmt.ProcessID, name string, fields []byte) (parcel, error) {
	typ := k.protocol.message(name)
	if typ < 0 {
		return parcel{}, text.Unknown("message type", name, k.protocol.MessageNames())
	}
	spec, a := k.protocol.messages[typ], &k.arenas[typ]
	m := parcel{from: from, receiver: receiver, typ: int32(typ), place: a.allot()}
	a.fields.clear(m.place)
	if err := spec.parseFields(k.roster, fields, a.fields.at(m.place), name); err != nil {
		a.release(m.place)
		return parcel{}, err
	}
	return m, nil
}
