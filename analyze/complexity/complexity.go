package complexity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Stats are the counts of one run, and the JSON form of etrace stats. The total is the number of messages sent;
// delivered, lost, to crashed and in flight add up to it.
type Stats struct {
	Run       int    `json:"run"`
	Name      string `json:"name,omitempty"`
	Algorithm string `json:"algorithm"`
	// Mutant is the mutant that made a simulated run, "" for none.
	Mutant    string `json:"mutant,omitempty"`
	Processes int    `json:"processes"`
	Events    int64  `json:"events"`

	Messages Messages `json:"messages"`
	// CausalDepth is the length of the longest chain of delivered messages.
	CausalDepth int64 `json:"causal_depth"`
	// LastDelivery and LastDecision are in units of the mean message delay. They are nil if the run has no
	// delivery or no decision. Duplicates do not count. The problem of the run defines a decision: in consensus
	// and commitment a process decides; in a wave it is the note decide; in termination detection it is the
	// note announce; otherwise a process elects a leader.
	LastDelivery *float64 `json:"last_delivery"`
	LastDecision *float64 `json:"last_decision"`
	// Suspicions counts suspect events, of a dead coordinator and of dead ring successors alike.
	Suspicions int64 `json:"suspicions"`

	ByProcess []ProcessCount `json:"by_process"`
	ByLink    Links          `json:"by_link"`

	// Details are nil unless requested; see [CountDetailed].
	*Details

	End tracefmt.End `json:"end"`
	// Elected maps each live process to its raw value of elected; it is nil if the run has no such variable.
	Elected map[string]json.RawMessage `json:"elected"`
	// Leader is the value on which all live electors agree, otherwise null. If a run records only roles, it is
	// the leading process.
	Leader json.RawMessage `json:"leader"`

	// Assumed describes the completeness that was assumed because the run declares none, "" if it declares its
	// completeness.
	Assumed string `json:"assumed,omitempty"`
	// Account describes the gaps that the log itself shows, one sentence each.
	Account []string `json:"account,omitempty"`
	// AtLeast and AtMost name the counts that are bounds, by their JSON keys. NotKnown names the unknown
	// values. All three are empty if the recording is complete.
	AtLeast  []string `json:"at_least,omitempty"`
	AtMost   []string `json:"at_most,omitempty"`
	NotKnown []string `json:"not_known,omitempty"`

	bounds   bounds
	complete bool   // the recording is complete
	title    string // names the algorithm, or the run

	// began is the time of the first event; delivered and decided are the times of the last delivery and
	// decision, if any, in the unit of the run.
	began, delivered, decided tracefmt.Time
	delivers, decides         bool
	run                       *tracefmt.Run

	opening []tracefmt.ProcessID // the live processes at the first send
	special map[string]int64     // by convention, for bounds that need more than the totals

	nonParticipants int   // processes that n does not count; see [tracefmt.Run.Size]
	edges           int64 // events whose cause is an event of another process, but no message
}

// Messages counts messages by fate and type.
type Messages struct {
	Sent      int64            `json:"sent"`
	Delivered int64            `json:"delivered"`
	Lost      int64            `json:"lost"`
	ToCrashed int64            `json:"to_crashed"`
	InFlight  int64            `json:"in_flight"`
	ByType    map[string]int64 `json:"by_type"`
	// WithoutSend counts the sent messages without a recorded send: they were received or lost, and so were
	// sent.
	WithoutSend int64 `json:"without_send,omitempty"`
	// ToItself counts the sent messages of processes to themselves, which are no traffic.
	ToItself int64 `json:"to_itself,omitempty"`
	// Carried is nil unless details were requested.
	*Carried
}

// ProcessCount counts the messages of one process.
type ProcessCount struct {
	Process  string `json:"process"`
	Sent     int64  `json:"sent"`
	Received int64  `json:"received"`
	// AtLeast names the counts that are lower bounds, NotKnown the counts that may be too high or too low.
	AtLeast  []string `json:"at_least,omitempty"`
	NotKnown []string `json:"not_known,omitempty"`
}

// Links counts the messages by sender and receiver. It makes its sorted list only on request, since most
// callers need only totals.
type Links struct {
	run   *tracefmt.Run
	table linkTable
}

// counts yields the links with messages, ordered by sender and receiver.
func (l Links) counts() iter.Seq[linkCount] {
	return func(yield func(linkCount) bool) {
		for link, sent := range l.table.links() {
			if !yield(linkCount{l.run.ProcessName(link.sender), l.run.ProcessName(link.receiver), sent}) {
				return
			}
		}
	}
}

// MarshalJSON writes the list of the links.
func (l Links) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]linkCount{}, slices.Collect(l.counts())...))
}

// linkCount counts the messages sent from one process to another.
type linkCount struct {
	From string `json:"from"`
	To   string `json:"to"`
	Sent int64  `json:"sent"`
}

// Counter counts the events of a run. Callers pass all events to Write, in order.
type Counter struct {
	run      *tracefmt.Run
	decision decision
	state    *replay.State // the states of the processes; the counter itself counts messages
	follow   bool          // the state belongs to another reader, which applies the events
	stats    Stats

	depth    []int64      // by process: the length of the longest chain of messages delivered to it
	ledger   *ledger      // nil unless details are requested
	open     openMessages // sent and not received, though a copy may be lost
	types    typeCounts
	unsent   map[tracefmt.MessageID]bool   // arrived or lost without a recorded send
	fates    [tracefmt.Delivered + 1]int64 // the number of messages with this fate
	links    linkTable                     // sent
	sent     []int64
	received []int64
	special  specialCounts
	inferred bool // some arrival was matched to its message by inference
	lost     bool // some loss is recorded
}

// link is a pair of sender and receiver.
type link struct{ sender, receiver tracefmt.ProcessID }

// NewCounter returns a counter for the events of run.
func NewCounter(run *tracefmt.Run) *Counter {
	c := new(Counter)
	c.Restart(run, nil)
	return c
}

// Restart prepares the counter for another run, and reuses its memory. If state is not nil, it belongs to the
// caller, which must apply every event to it before Write.
func (c *Counter) Restart(run *tracefmt.Run, state *replay.State) {
	n := len(run.Members) + 1
	old := *c
	*c = Counter{
		run: run, state: state, follow: state != nil, stats: Stats{run: run},
		depth: zeros(old.depth, n), sent: zeros(old.sent, n), received: zeros(old.received, n),
		open: old.open, links: old.links, types: typeCounts{list: old.types.list[:0]},
		special: newSpecialCounts(run), decision: decisionOf(run),
	}
	c.open.clear()
	c.links.restart(n)
	if c.follow {
		return
	}
	c.state = old.state
	if old.state == nil || old.follow {
		c.state = new(replay.State)
	}
	c.state.Begin(run)
	c.state.KeepElections()
}

// zeros returns n zeros, in the given memory if it is large enough.
func zeros(memory []int64, n int) []int64 {
	if cap(memory) < n {
		return make([]int64, n)
	}
	memory = memory[:n]
	clear(memory)
	return memory
}

// Write counts the next event. It fails if the event has a process that the run does not have.
func (c *Counter) Write(e *tracefmt.Event) error {
	if err := c.checkProcess(e); err != nil {
		return err
	}
	// A complete recording needs the state only for elections, so most events need not be applied.
	if !c.follow && (!c.state.Coverage().Complete() || c.state.Concerns(e)) {
		c.state.Apply(e)
	}
	if c.stats.Events++; c.stats.Events == 1 {
		c.stats.began = e.Time
	}
	c.special.write(e)
	if e.Cause > 0 && e.Kind != tracefmt.Receive && e.Kind != tracefmt.Lose {
		c.stats.edges++
	}
	switch e.Kind {
	case tracefmt.Send:
		c.send(e)
	case tracefmt.Receive, tracefmt.Lose:
		c.arrive(e)
	case tracefmt.Suspect:
		c.stats.Suspicions++
	case tracefmt.State, tracefmt.Note:
		if c.decides(e) {
			c.stats.decided, c.stats.decides = later(c.stats.decided, e.Time, c.stats.decides), true
		}
	}
	return nil
}

// checkProcess returns an error for an event of a process that the run does not have.
func (c *Counter) checkProcess(e *tracefmt.Event) error {
	for _, p := range [...]tracefmt.ProcessID{e.Process, e.Peer} {
		if p < 0 || int(p) > len(c.run.Members) {
			return fmt.Errorf("run %d seq %d: process number %d, but the run has %d processes", c.run.Number, e.Seq,
				p, len(c.run.Members))
		}
	}
	return nil
}

// send counts the message of a send.
func (c *Counter) send(e *tracefmt.Event) {
	on := link{e.Process, e.Peer}
	c.count(e, on, message{depth: 1 + c.depth[e.Process], accounts: c.ledger.send(e, on)})
}

// count counts a sent message and returns it, in flight.
func (c *Counter) count(e *tracefmt.Event, on link, m message) message {
	if c.stats.Messages.Sent == 0 && len(c.run.Bounds) > 0 {
		c.stats.opening = c.state.LiveProcesses()
	}
	c.stats.Messages.Sent++
	c.types.add(e.Type)
	c.sent[on.sender]++
	c.links.add(on)
	if on.sender == on.receiver {
		c.stats.Messages.ToItself++
	}
	m.fate = tracefmt.InFlight
	c.open.put(e.Message, m)
	c.fates[m.fate]++
	return m
}

// arrive updates the fate of the message that an event receives or loses. Further copies of a delivered
// message do not count.
func (c *Counter) arrive(e *tracefmt.Event) {
	c.lost = c.lost || e.Kind == tracefmt.Lose
	c.inferred = c.inferred || c.run.Source != tracefmt.Simulated && e.GuessedSend()
	m, ok := c.open.get(e.Message)
	if !ok {
		// The message was delivered before, or was counted as one without a recorded send.
		if e.Cause != 0 || c.state.Coverage().Complete() || c.unsent[e.Message] {
			return
		}
		m = c.sendUnrecorded(e)
	}
	fate := max(m.fate, e.Fate())
	c.fates[m.fate]--
	c.fates[fate]++
	c.ledger.arrive(e, m.accounts, m.fate, fate)
	if fate != tracefmt.Delivered {
		m.fate = fate
		c.open.put(e.Message, m)
		return
	}
	c.open.remove(e.Message)
	c.deliver(e, m.depth)
}

// sendUnrecorded counts a message whose send is not recorded when it arrives or is lost. The chain of
// messages that ends with it has at least length 1.
func (c *Counter) sendUnrecorded(e *tracefmt.Event) message {
	if c.unsent == nil {
		c.unsent = make(map[tracefmt.MessageID]bool)
	}
	c.unsent[e.Message] = true
	c.stats.Messages.WithoutSend++
	on := link{e.Peer, e.Process}
	return c.count(e, on, message{depth: 1, accounts: c.ledger.enterUnsent(e, on)})
}

// deliver counts a delivered message; depth is the length of the chain that ends with it.
func (c *Counter) deliver(e *tracefmt.Event, depth int64) {
	c.received[e.Process]++
	c.depth[e.Process] = max(c.depth[e.Process], depth)
	c.stats.CausalDepth = max(c.stats.CausalDepth, depth)
	c.stats.delivered, c.stats.delivers = later(c.stats.delivered, e.Time, c.stats.delivers), true
}

// later returns the later of two times; recorded is false if the first is missing. The times of different
// processes of a recording need not ascend.
func later(a, b tracefmt.Time, recorded bool) tracefmt.Time {
	if recorded {
		return max(a, b)
	}
	return b
}

// units returns a time in units, for the JSON form.
func units(t tracefmt.Time) *float64 {
	u, _ := big.NewRat(int64(t), int64(tracefmt.Unit)).Float64() // the nearest: times since 1970 have more digits than a float64
	return &u
}

// Stats returns the counts. It reads the run's End and Number now, since they are known only at the end.
func (c *Counter) Stats() *Stats {
	s := c.stats
	s.title = c.run.Titled(cmp.Or(c.run.Algorithm, c.run.Name))
	s.Run, s.Name, s.Algorithm, s.Mutant = c.run.Number, c.run.Name, c.run.Algorithm, c.run.Mutant()
	s.Processes, s.End = len(c.run.Members), c.run.End
	s.nonParticipants = s.Processes - c.run.Size()
	if s.delivers {
		s.LastDelivery = units(c.run.TimeUnit.Units(s.delivered))
	}
	if s.decides {
		s.LastDecision = units(c.run.TimeUnit.Units(s.decided))
	}
	s.Messages.ByType = c.types.byName()
	s.Messages.Delivered, s.Messages.InFlight = c.fates[tracefmt.Delivered], c.fates[tracefmt.InFlight]
	s.Messages.Lost, s.Messages.ToCrashed = c.fates[tracefmt.Lost], c.fates[tracefmt.ReceiverCrashed]
	for i, m := range c.run.Members {
		s.ByProcess = append(s.ByProcess, ProcessCount{Process: m.Name, Sent: c.sent[i+1], Received: c.received[i+1]})
	}
	s.ByLink = Links{c.run, c.links.copy()}
	s.special = c.special.counts()
	c.state.Finish()
	s.Elected, s.Leader = c.elected()
	c.limit(&s)
	return &s
}

// elected returns the elected value of each live process, nil if the run has no variable elected. It also
// returns the value that all of them share.
func (c *Counter) elected() (map[string]json.RawMessage, json.RawMessage) {
	if !c.state.HasElected() {
		return nil, leader(c.state)
	}
	elected := map[string]json.RawMessage{}
	for _, p := range c.state.LiveProcesses() {
		elected[c.run.ProcessName(p)] = electedBy(c.state, p)
	}
	return elected, leader(c.state)
}

// leader returns the value that all live electors have elected. If a run records only roles, it returns the
// name of the leading process. It returns nil without a leader.
func leader(s *replay.State) json.RawMessage {
	elected := s.Leader()
	if elected == 0 {
		return nil
	}
	for _, p := range s.Electors() {
		if s.Choice(p) != 0 {
			return electedBy(s, p)
		}
	}
	return s.Run.AppendProcess(nil, elected)
}

// electedBy returns the raw value of elected at a process.
func electedBy(s *replay.State, p tracefmt.ProcessID) json.RawMessage {
	if value, ok := s.Variable(p, "elected"); ok && json.Valid(value) {
		return bytes.Clone(value)
	}
	return json.RawMessage("null")
}

// Count counts a whole recording.
func Count(rec tracefmt.Recording) (*Stats, error) {
	rec, assumed, err := tracefmt.Assume(rec)
	if err != nil {
		return nil, err
	}
	c := NewCounter(rec.Run())
	for e, err := range rec.Events(1) {
		if err != nil {
			return nil, err
		}
		if err := c.Write(e); err != nil {
			return nil, err
		}
	}
	// The end of a stream is known only now.
	c.run = rec.Run()
	s := c.Stats()
	s.Assumed, s.Account = assumed, accountOf(rec.Run())
	return s, nil
}
