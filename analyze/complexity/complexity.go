// Package complexity counts what a run costs: its messages by type, process,
// link and fate, the longest causal chain, and when it decided.
package complexity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Stats are the counts of one run, and the JSON form of etrace stats. The
// total is the number of messages sent; delivered, lost, to crashed and in
// flight add up to it.
type Stats struct {
	Run       int    `json:"run"`
	Name      string `json:"name,omitempty"`
	Algorithm string `json:"algorithm"`
	Processes int    `json:"processes"`
	Events    int64  `json:"events"`

	Messages Messages `json:"messages"`
	// CausalDepth is the length of the longest chain of delivered messages.
	CausalDepth int64 `json:"causal_depth"`
	// LastDelivery and LastDecision are in units of the mean message delay;
	// nil if nothing was delivered, or elected was never assigned.
	LastDelivery *float64 `json:"last_delivery"`
	LastDecision *float64 `json:"last_decision"`
	// Suspicions counts suspect events, the noticing of the dead coordinator
	// and of dead ring successors alike.
	Suspicions int64 `json:"suspicions"`

	ByProcess []ProcessCount `json:"by_process"`
	ByLink    []LinkCount    `json:"by_link"`

	End tracefmt.End `json:"end"`
	// Elected maps each live process to its raw value of elected; nil if the
	// run has no such variable.
	Elected map[string]json.RawMessage `json:"elected"`
	// Leader is the value that all live processes agree on, else null.
	Leader json.RawMessage `json:"leader"`
}

// Messages counts messages by fate and type.
type Messages struct {
	Sent      int64            `json:"sent"`
	Delivered int64            `json:"delivered"`
	Lost      int64            `json:"lost"`
	ToCrashed int64            `json:"to_crashed"`
	InFlight  int64            `json:"in_flight"`
	ByType    map[string]int64 `json:"by_type"`
}

// ProcessCount counts the messages of one process.
type ProcessCount struct {
	Process  string `json:"process"`
	Sent     int64  `json:"sent"`
	Received int64  `json:"received"`
}

// LinkCount counts the messages sent from one process to another.
type LinkCount struct {
	From string `json:"from"`
	To   string `json:"to"`
	Sent int64  `json:"sent"`
}

// Counter counts while a run passes by: each event is given to Write once.
type Counter struct {
	run   *tracefmt.Run
	state *replay.State
	stats Stats

	depth    []int64                      // greatest depth delivered to a process
	flights  map[tracefmt.MessageID]int64 // depth of what was sent, and not received or lost yet
	links    map[link]int64               // sent
	sent     []int64
	received []int64
}

type link struct{ from, to tracefmt.ProcessID }

// NewCounter returns a counter for the events of run.
func NewCounter(run *tracefmt.Run) *Counter {
	n := len(run.Members) + 1
	return &Counter{
		run: run, state: replay.NewState(run),
		stats: Stats{Messages: Messages{ByType: map[string]int64{}}},
		depth: make([]int64, n), sent: make([]int64, n), received: make([]int64, n),
		flights: make(map[tracefmt.MessageID]int64), links: make(map[link]int64),
	}
}

// Write counts the next event.
func (c *Counter) Write(e *tracefmt.Event) error {
	c.state.Apply(e)
	c.stats.Events++
	switch e.Kind {
	case tracefmt.Send:
		c.send(e)
	case tracefmt.Receive:
		c.receive(e)
	case tracefmt.Lose:
		c.lose(e)
	case tracefmt.Suspect:
		c.stats.Suspicions++
	case tracefmt.State:
		if _, ok := e.Field("elected"); ok {
			c.stats.LastDecision = units(e.Time)
		}
	}
	return nil
}

func (c *Counter) send(e *tracefmt.Event) {
	c.stats.Messages.Sent++
	c.stats.Messages.ByType[e.Type]++
	c.sent[e.Process]++
	c.links[link{e.Process, e.Peer}]++
	c.flights[e.Message] = 1 + c.depth[e.Process]
}

// receive counts the first receive of a message; duplicates are no new ones.
func (c *Counter) receive(e *tracefmt.Event) {
	depth, ok := c.flights[e.Message]
	if !ok {
		return
	}
	delete(c.flights, e.Message)
	c.stats.Messages.Delivered++
	c.received[e.Process]++
	c.depth[e.Process] = max(c.depth[e.Process], depth)
	c.stats.CausalDepth = max(c.stats.CausalDepth, depth)
	c.stats.LastDelivery = units(e.Time)
}

func (c *Counter) lose(e *tracefmt.Event) {
	if _, ok := c.flights[e.Message]; !ok {
		return // a copy of a message that was delivered
	}
	delete(c.flights, e.Message)
	reason, _ := e.Field("reason")
	if bytes.Equal(reason, []byte(`"receiver crashed"`)) {
		c.stats.Messages.ToCrashed++
	} else {
		c.stats.Messages.Lost++
	}
}

func units(t tracefmt.Time) *float64 {
	u := float64(t) / float64(tracefmt.Unit)
	return &u
}

// Stats returns the counts. The run's End and Number are read now, when they
// are known.
func (c *Counter) Stats() *Stats {
	s := c.stats
	s.Run, s.Name, s.Algorithm, s.Processes, s.End = c.run.Number, c.run.Name, c.run.Algorithm, len(c.run.Members), c.run.End
	s.Messages.InFlight = int64(len(c.flights))
	for i, m := range c.run.Members {
		s.ByProcess = append(s.ByProcess, ProcessCount{m.Name, c.sent[i+1], c.received[i+1]})
	}
	s.ByLink = c.linkCounts()
	s.Elected, s.Leader = c.elected()
	return &s
}

func (c *Counter) linkCounts() []LinkCount {
	links := slices.SortedFunc(maps.Keys(c.links), func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	list := make([]LinkCount, len(links))
	for i, l := range links {
		list[i] = LinkCount{c.run.ProcessName(l.from), c.run.ProcessName(l.to), c.links[l]}
	}
	return list
}

// elected returns what each live process has elected, and the value that all
// of them share.
func (c *Counter) elected() (map[string]json.RawMessage, json.RawMessage) {
	if !c.state.HasElected() {
		return nil, nil
	}
	elected := map[string]json.RawMessage{}
	var leader json.RawMessage
	agree := true
	for i, m := range c.run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !c.state.Live(p) {
			continue
		}
		value, ok := c.state.Variable(p, "elected")
		if !ok || !json.Valid(value) {
			value = []byte("null")
		}
		elected[m.Name] = bytes.Clone(value)
		agree = agree && (leader == nil || bytes.Equal(leader, value))
		leader = elected[m.Name]
	}
	if !agree || string(leader) == "null" {
		leader = nil
	}
	return elected, leader
}

// Count counts a whole recording.
func Count(rec tracefmt.Recording) (*Stats, error) {
	c := NewCounter(rec.Run())
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if err := c.Write(e); err != nil {
			return nil, err
		}
	}
	return c.Stats(), nil
}
