package complexity

import "etrace/tracefmt"

// Tally counts some messages by fate, and measures their payloads.
type Tally struct {
	// Sent is the sum of the next four fields.
	Sent      int64 `json:"sent"`
	Delivered int64 `json:"delivered"`
	Lost      int64 `json:"lost"`
	ToCrashed int64 `json:"to_crashed"`
	InFlight  int64 `json:"in_flight"`
	Carried
}

// counts lists the numbers of the tally, in the order of columns.
func (t *Tally) counts() []partCount {
	bits := int64(0)
	if t.Bits != nil {
		bits = *t.Bits
	}
	return []partCount{
		{"type", "sent", t.Sent},
		{"delivered", "delivered", t.Delivered},
		{"to_crashed", "to_crashed", t.ToCrashed},
		{"lost", "lost", t.Lost},
		{"in_flight", "in_flight", t.InFlight},
		{"bytes", "bytes", t.Bytes},
		{"bits", "bits", bits},
	}
}

// partCount is a number of a tally, with the name of its bound and its JSON key.
type partCount struct {
	name, key string
	count     int64
}

// Carried is the size of payloads: see [Payload]. Bits is nil if unknown.
type Carried struct {
	Bytes int64  `json:"bytes"`
	Bits  *int64 `json:"bits"`
}

// account counts messages by their present fate, with their sizes.
type account struct {
	fates [tracefmt.Delivered + 1]int64
	weight
}

// enter adds a sent message.
func (a *account) enter(w weight) {
	a.fates[tracefmt.InFlight]++
	a.weight.add(w)
}

// move changes the fate of a message.
func (a *account) move(from, target tracefmt.Fate) {
	a.fates[from]--
	a.fates[target]++
}

// join adds another account.
func (a *account) join(added *account) {
	for fate, n := range added.fates {
		a.fates[fate] += n
	}
	a.weight.add(added.weight)
}

// sent returns the number of all messages.
func (a *account) sent() (sum int64) {
	for _, n := range a.fates {
		sum += n
	}
	return sum
}

// tally returns the totals; measured is true if there is a meter of bits.
func (a *account) tally(measured bool) Tally {
	t := Tally{
		Sent: a.sent(), Delivered: a.fates[tracefmt.Delivered], Lost: a.fates[tracefmt.Lost],
		ToCrashed: a.fates[tracefmt.ReceiverCrashed], InFlight: a.fates[tracefmt.InFlight],
	}
	t.Carried = a.carried(measured)
	return t
}

// carried returns the sizes for a report; measured is true if there is a meter of bits.
func (w *weight) carried(measured bool) Carried {
	c := Carried{Bytes: w.bytes}
	if measured && w.unmeasured == 0 {
		bits := w.bits
		c.Bits = &bits
	}
	return c
}
