package complexity

import (
	"maps"

	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// Detail says what of a run is counted beside its [Stats]; the zero value asks for the elections,
// and the bytes of payloads.
type Detail struct {
	// By are the ways in which the messages are divided.
	By []*Grouping
	// Per are the operations by which they are counted; [Elections] is one.
	Per []*spec.Operation
	// Path: the longest chain of messages is kept.
	Path bool
	// Meter measures the messages in bits; nil where nothing is declared of them.
	Meter Meter
}

// Elections is the operation that an [Election] is.
func Elections() *spec.Operation { return &elected }

var elected = spec.Operation{Name: electionWord}

// Details are what [Detail] asks for, and a part of the JSON form of etrace stats.
type Details struct {
	// Elections of the run, nil where it tells of none.
	Elections []Election `json:"elections,omitempty"`
	// Breakdowns are in the order in which they were asked for, and so is Per.
	Breakdowns []Breakdown    `json:"breakdowns,omitempty"`
	Per        []PerOperation `json:"per,omitempty"`
	// CriticalPath is the longest chain of delivered messages, nil where it is not asked for.
	CriticalPath []Hop `json:"critical_path,omitempty"`

	declared []string // the types of messages that are declared, nil where that is not known
}

// detailed counts a run that passes by, and what else is asked for. One state takes in its
// events for all that count.
type detailed struct {
	Detail
	counter    Counter
	state      *replay.State
	elections  *elections
	groups     []*groups
	operations []*operations // in the order of Per, nil for elections
}

func newDetailed(run *tracefmt.Run, d Detail) *detailed {
	c := &detailed{Detail: d, state: replay.NewState(run), elections: newElections(run)}
	c.counter.Restart(run, c.state)
	ledger := &ledger{state: c.state, meter: d.Meter, books: []book{c.elections}}
	c.counter.ledger = ledger
	for _, by := range d.By {
		g := newGroups(by)
		c.groups = append(c.groups, g)
		ledger.books = append(ledger.books, g)
	}
	for _, per := range d.Per {
		if per == Elections() {
			c.operations = append(c.operations, nil)
			continue
		}
		o := newOperations(run, per)
		c.operations = append(c.operations, o)
		ledger.books = append(ledger.books, o)
	}
	if d.Path {
		ledger.trail = newTrail(run)
	}
	return c
}

// write takes in the next event. The error is that of [Counter.Write].
func (c *detailed) write(e *tracefmt.Event) error {
	if err := c.counter.has(e); err != nil {
		return err
	}
	c.state.Apply(e)
	c.elections.step(c.state, e)
	for _, o := range c.operations {
		if o != nil {
			o.step(c.state, e)
		}
	}
	return c.counter.Write(e)
}

// stats returns all counts.
func (c *detailed) stats() *Stats {
	s := c.counter.Stats()
	measured := c.Meter != nil
	carried := c.counter.ledger.total.carried(measured)
	s.Messages.Carried = &carried
	r := c.counter.record()
	uncertain := !r.settles(c.elections.facts(c.state)...)
	d := &Details{declared: declared(c.Meter), Elections: c.elections.list(c.state, measured), CriticalPath: c.counter.ledger.trail.hops()}
	for _, g := range c.groups {
		d.Breakdowns = append(d.Breakdowns, g.breakdown(c.state, r, measured))
	}
	for _, o := range c.operations {
		if o == nil {
			d.Per = append(d.Per, c.elections.report(d.Elections, measured, uncertain))
		} else {
			d.Per = append(d.Per, o.report(r, measured))
		}
	}
	s.Details = d
	s.limitDetails(uncertain)
	return s
}

// limitDetails says of what was added which counts are bounds and which are not known.
func (s *Stats) limitDetails(uncertain bool) {
	if uncertain && s.Elections != nil {
		s.NotKnown = append(s.NotKnown, "elections")
	}
	carried := bounds{"bytes": s.bounds["messages"], "bits": s.bounds["messages"]}
	if s.Messages.Bits == nil {
		carried["bits"] = unmeasured
	}
	s.AtLeast = append(s.AtLeast, carried.keys(atLeast, untold)...)
	s.NotKnown = append(s.NotKnown, carried.keys(unmeasured)...)
	maps.Copy(carried, s.bounds)
	s.bounds = carried
}

// declared are the types of messages that are declared, nil where that is not known.
func declared(m Meter) []string {
	if d, ok := m.(interface{ Types() []string }); ok {
		return d.Types()
	}
	return nil
}

// CountDetailed counts a whole recording in detail.
func CountDetailed(rec tracefmt.Recording, d Detail) (*Stats, error) {
	rec, assumed, err := tracefmt.Assume(rec)
	if err != nil {
		return nil, err
	}
	c := newDetailed(rec.Run(), d)
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if err := c.write(e); err != nil {
			return nil, err
		}
	}
	c.counter.run = rec.Run() // of a stream it is known now how it ended
	s := c.stats()
	s.Assumed, s.Account = assumed, accountOf(rec.Run())
	return s, nil
}
