package complexity

import (
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// Totals are the counts of a run that are single numbers, for those who count
// many runs. They mean what the [Stats] of the same names do.
type Totals struct {
	Events                                                            int64
	Sent, Delivered, Lost, ToCrashed, InFlight, WithoutSend, ToItself int64
	CausalDepth, Suspicions                                           int64
	// LastDelivery and LastDecision are in the time of the run. They are valid only if Delivers or Decides is true:
	// some message was delivered, some process decided.
	LastDelivery, LastDecision tracefmt.Time
	Delivers, Decides          bool
	// ByType counts the messages sent by their types, sorted by these.
	ByType []TypeCount
}

// TypeCount counts the messages of a type.
type TypeCount struct {
	Type string
	Sent int64
}

// OfType returns how many messages of a type were sent.
func (t *Totals) OfType(name string) int64 {
	for _, c := range t.ByType {
		if c.Type == name {
			return c.Sent
		}
	}
	return 0
}

// Totals are the counts of a run that are single numbers, for callers that count many runs. The fields are
// those of [Stats].
func (c *Counter) Totals() Totals {
	s, m := &c.stats, &c.stats.Messages
	t := Totals{
		Events: s.Events, Sent: m.Sent, Delivered: c.fates[tracefmt.Delivered], Lost: c.fates[tracefmt.Lost],
		ToCrashed: c.fates[tracefmt.ReceiverCrashed], InFlight: c.fates[tracefmt.InFlight],
		WithoutSend: m.WithoutSend, ToItself: m.ToItself,
		CausalDepth: s.CausalDepth, Suspicions: s.Suspicions,
		LastDelivery: s.delivered, LastDecision: s.decided, Delivers: s.delivers, Decides: s.decides,
	}
	t.ByType = slices.Clone(c.types.list)
	slices.SortFunc(t.ByType, func(a, b TypeCount) int { return cmp.Compare(a.Type, b.Type) })
	return t
}
