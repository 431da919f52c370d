package complexity

import (
	"maps"

	"etrace/analyze/spec"
	"etrace/replay"
	"etrace/tracefmt"
)

// Detail selects the counts beside [Stats]; the zero value selects elections and payload bytes.
type Detail struct {
	// By lists the ways to divide the messages.
	By []*Grouping
	// Per lists the operations for which messages are counted; [Elections] is one.
	Per []*spec.Operation
	// Path selects the longest chain of messages.
	Path bool
	// Latency selects the latencies of messages and operations.
	Latency bool
	// Meter measures the messages in bits; it is nil if their fields are not declared.
	Meter Meter
}

// Elections returns the operation of an [Election].
func Elections() *spec.Operation { return &elected }

var elected = spec.Operation{Name: electionWord}

// Details are the results for a [Detail], and a part of the JSON form of etrace stats.
type Details struct {
	// Elections are the elections of the run, nil if it records none.
	Elections []Election `json:"elections,omitempty"`
	// Breakdowns and Per are in the order of the request.
	Breakdowns []Breakdown    `json:"breakdowns,omitempty"`
	Per        []PerOperation `json:"per,omitempty"`
	// CriticalPath is the longest chain of delivered messages, nil unless requested.
	CriticalPath []Hop `json:"critical_path,omitempty"`
	// Latencies are nil unless requested.
	Latencies *Latencies `json:"latencies,omitempty"`

	declared []string // the declared message types, nil if unknown
}

// detailed counts a run together with the requested details. All its counters share one state.
type detailed struct {
	Detail
	counter    Counter
	state      *replay.State
	elections  *elections
	groups     []*groups
	operations []*operations // one for each name of Per, nil for elections
}

// newDetailed returns the counters for a run and the requested details.
func newDetailed(run *tracefmt.Run, d Detail) *detailed {
	c := &detailed{Detail: d, state: replay.NewState(run), elections: newElections(run)}
	c.counter.Restart(run, c.state)
	ledger := &ledger{state: c.state, meter: d.Meter, books: []book{c.elections}}
	c.counter.ledger = ledger
	for _, grouping := range d.By {
		g := newGroups(grouping)
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
	if d.Latency {
		ledger.latencies = newLatencies(run)
	}
	return c
}

// write counts the next event. It fails like [Counter.Write].
func (c *detailed) write(e *tracefmt.Event) error {
	if err := c.counter.checkProcess(e); err != nil {
		return err
	}
	c.state.Apply(e)
	c.elections.step(c.state, e)
	c.counter.ledger.latencies.step(e)
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
	uncertain := !r.determinesOrder(c.elections.facts(c.state)...)
	d := &Details{
		declared: declared(c.Meter), Elections: c.elections.list(c.state, measured),
		CriticalPath: c.counter.ledger.trail.hops(),
		Latencies:    c.counter.ledger.latencies.report(r),
	}
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

// limitDetails marks the counts of the details as bounds, where the counts that they come from are.
func (s *Stats) limitDetails(uncertain bool) {
	if uncertain && s.Elections != nil {
		s.NotKnown = append(s.NotKnown, "elections")
	}
	carried := bounds{"bytes": s.bounds["messages"], "bits": s.bounds["messages"]}
	if s.Messages.Bits == nil {
		carried["bits"] = unmeasured
	}
	s.AtLeast = append(s.AtLeast, carried.keys(atLeast, notRecorded)...)
	s.NotKnown = append(s.NotKnown, carried.keys(unmeasured)...)
	maps.Copy(carried, s.bounds)
	s.bounds = carried
}

// declared returns the declared message types, nil if unknown.
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
	// The end of a stream is known only now.
	c.counter.run = rec.Run()
	s := c.stats()
	s.Assumed, s.Account = assumed, accountOf(rec.Run())
	return s, nil
}
