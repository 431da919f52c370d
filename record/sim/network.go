package sim

import (
	"slices"

	"etrace/record"
	"etrace/tracefmt"
)

// channel is a pair of sender and receiver.
type channel struct{ from, to tracefmt.ProcessID }

// overtaking reports whether the delays could let a message overtake another
// of its channel. With one fixed delay none can.
func (c *Config) overtaking() bool {
	if c.Delay.Distribution != Fixed {
		return true
	}
	return slices.ContainsFunc(c.Rules, func(r Rule) bool { return !r.Drop }) ||
		slices.ContainsFunc(c.Edits, func(e Edit) bool { return e.Kind == DelayMessage })
}

// transmit records a send and decides the message's fate.
func (k *kernel) transmit(m *Message) {
	s := k.rec.Send(k.now, m.From, m.to, k.protocol.messages[m.Type].name, 0, k.payload(m))
	f := k.fate(m)
	if len(k.Edits) > 0 {
		f = k.edit(s.Message, s.Seq, f)
	}
	if f.lost != "" {
		k.rec.Lose(k.now, s, f.lost)
		return
	}
	k.schedule(m, s, f.delay)
	if f.copy >= 0 {
		k.schedule(m, s, f.copy)
	}
}

// fate is what becomes of a message: it is lost for a reason, or it arrives
// after a delay, and a copy of it after another, -1 for no copy. Four words is
// what the compiler keeps in registers.
type fate struct {
	lost        string
	delay, copy tracefmt.Time
}

// fate decides by the config. It makes all the random draws of a message, so
// that edits leave those of the other messages as they are.
func (k *kernel) fate(m *Message) fate {
	drop, delay := k.applyRules(m)
	switch {
	case drop || k.Loss > 0 && k.random.chance(k.Loss):
		return fate{lost: "dropped"}
	case k.partitioned(m):
		return fate{lost: "partitioned"}
	}
	if delay < 0 {
		delay = k.random.delay(k.Delay)
	}
	f := fate{delay: delay, copy: -1}
	if k.Duplicate > 0 && k.random.chance(k.Duplicate) {
		f.copy = k.random.delay(k.Delay)
	}
	return f
}

// schedule puts one copy of the message on its way. On a FIFO channel it
// arrives no earlier than its predecessor.
func (k *kernel) schedule(m *Message, s record.Sent, delay tracefmt.Time) {
	at := k.now + delay
	if k.lastArrival != nil {
		c := channel{m.From, m.to}
		at = max(at, k.lastArrival[c])
		k.lastArrival[c] = at
	}
	place := int32(len(k.flights))
	if n := len(k.free); n > 0 {
		place = k.free[n-1]
		k.free = k.free[:n-1]
	} else {
		k.flights = append(k.flights, flight{})
	}
	f := &k.flights[place]
	f.message, f.sent, f.hash = *m, s, hashMessage(m)
	k.hash ^= f.hash
	k.order++
	k.push(item{at: at, class: deliveryClass, order: k.order, a: place})
}

// applyRules counts the message at every rule that it fits. The first rule
// that slows it gives its delay; -1 if none does.
func (k *kernel) applyRules(m *Message) (drop bool, delay tracefmt.Time) {
	delay = -1
	for i := range k.Rules {
		r := &k.Rules[i]
		if r.Type != "" && r.Type != k.protocol.messages[m.Type].name ||
			r.From != 0 && r.From != m.From || r.To != 0 && r.To != m.to {
			continue
		}
		if r.Occurrence > 0 {
			if k.seen[i] >= r.Occurrence {
				continue // its message has passed
			}
			if k.seen[i]++; k.seen[i] != r.Occurrence {
				continue
			}
		}
		if r.Drop {
			drop = true
		} else if delay < 0 {
			delay = r.Delay
		}
	}
	return drop, delay
}

// split begins a partition.
func (k *kernel) split(a *Action) {
	group := make([]int, len(k.processes))
	for i, g := range a.Groups {
		for _, p := range g {
			group[p] = i + 1
		}
	}
	k.partitions[a.Partition] = group
	k.rec.Environment(k.now, tracefmt.Partition, "", k.groups(a))
}

// heal ends a partition. Others may go on, so the event names its groups.
func (k *kernel) heal(a *Action) {
	delete(k.partitions, a.Partition)
	k.rec.Environment(k.now, tracefmt.Heal, "", k.groups(a))
}

// groups is the payload of partition and heal events, nil for no groups. The
// bytes are overwritten by the next payload.
func (k *kernel) groups(a *Action) []byte {
	b := append(k.buf[:0], `{"groups":[`...)
	for i, g := range a.Groups {
		if i > 0 {
			b = append(b, ',')
		}
		b = k.appendList(b, g)
	}
	k.buf = append(b, `]}`...)
	return k.buf
}

func (k *kernel) partitioned(m *Message) bool {
	for _, group := range k.partitions {
		if group[m.From] != group[m.to] {
			return true
		}
	}
	return false
}
