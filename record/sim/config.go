package sim

import (
	"fmt"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Config is all that decides a simulated run: equal configs give equal events.
type Config struct {
	Protocol *Protocol
	// Members in ascending order of their ids; Position is the ring order.
	Members []tracefmt.Member
	// Attribute, unless "", is an attribute of the members which elections compare before the id, so
	// that the numbers of the processes follow it; see attribute.go.
	Attribute string
	// Anonymous: processes have no ids. A protocol that asks for an id fails, see [Mistake], and messages do
	// not carry their senders. A process may know the number of the processes, and send to its neighbours.
	Anonymous bool
	// Down are crashed from the start.
	Down []tracefmt.ProcessID
	// Passive are Byzantine processes that take no step of their own: what reaches them
	// has no effect, and what they send is in the actions.
	Passive []tracefmt.ProcessID
	// Coordinator is known to every live process at the start; 0 for none.
	Coordinator tracefmt.ProcessID
	// Actions are the fault plan and the starts, in any order.
	Actions []Action
	// Config of the network: delays, rules, losses, the seed.
	network.Config
	// Edges are the pairs of processes that may send to each other; nil: everybody
	// may send to everybody.
	Edges [][2]tracefmt.ProcessID
	// NoRingRepair: crashes after the start are not noticed by ring neighbours.
	NoRingRepair bool
	// Until is the instant after which nothing happens; 0 for no limit.
	Until tracefmt.Time
	// MaxEvents ends the run; 0 means DefaultMaxEvents.
	MaxEvents int64
	// RoundLength is the time between two rounds of a protocol that works in
	// rounds; 0 means one unit.
	RoundLength tracefmt.Time
	// CountFrom is the initial value of counters in variables, also after a crash. A protocol
	// that keeps the promise of [Counter] does the same from any number, shifted by it.
	CountFrom Counter
	// Origin, unless nil, describes algorithm and scenario in one line, for errors.
	Origin func() string
}

// DefaultMaxEvents ends runs that nothing else ends.
const DefaultMaxEvents = 1_000_000

// lastInstant ends runs without Until before their clock overflows: a delay,
// even an exponential one, adds less than is left then.
const lastInstant tracefmt.Time = 1 << 62

// ActionKind is the effect of an action.
type ActionKind uint8

// The actions of a scenario.
const (
	CrashProcess ActionKind = iota
	RecoverProcess
	SplitNetwork
	HealNetwork
	// StartProcess: the process begins what the algorithm is there for.
	StartProcess
	// InvokeOperation: the process invokes an operation.
	InvokeOperation
	// SilenceProcess: from now on the process sends nothing but what is forged.
	SilenceProcess
	// LieProcess: from now on, in the messages of the type that the process sends
	// to the receivers, the fields are those of the action.
	LieProcess
	// ForgeMessage: the process sends a message that its algorithm does not send.
	ForgeMessage
	// SwitchProtocol: from now on the processes go by another protocol.
	SwitchProtocol
)

// Action is something that the scenario does at an instant, or after an event.
type Action struct {
	Kind ActionKind
	At   tracefmt.Time
	// After, unless 0, is the event after which the action is taken, in place
	// of the instant At; see after.go.
	After   tracefmt.Seq
	Process tracefmt.ProcessID
	// Partition numbers a split and the heal that ends it.
	Partition int
	// Groups of a split, and of the heal that ends it. Processes in no group
	// form one more together.
	Groups [][]tracefmt.ProcessID
	// Operation that is invoked, by its name, and its Arguments as an object.
	Operation string
	Arguments []byte
	// Type of the messages of a lie or a forgery, Fields as an object, and who
	// receives them: of a lie, nil for all.
	Type      string
	Fields    []byte
	Receivers []tracefmt.ProcessID
	// Protocol to switch to. It declares what the protocol of the config does.
	Protocol *Protocol
}

// setDefaults replaces zero values by their meanings.
func (c *Config) setDefaults() {
	if c.MaxEvents == 0 {
		c.MaxEvents = DefaultMaxEvents
	}
	if c.RoundLength == 0 {
		c.RoundLength = tracefmt.Unit
	}
	if c.Until == 0 {
		c.Until = lastInstant
	}
}

// validate refuses what the kernel could not run. Scenario files and flags
// have better messages; this is the last line.
func (c *Config) validate() error {
	switch {
	case len(c.Members) == 0:
		return fmt.Errorf("a run needs at least one process")
	case c.MaxEvents < 0:
		return fmt.Errorf("the limit of events is %d, expected 0 or more", c.MaxEvents)
	case c.Until > 0 && c.Chooser != nil:
		return network.Timeless("a last instant")
	}
	if err := c.Config.Validate(len(c.Members)); err != nil {
		return err
	}
	if err := network.ValidateTimes(c.Until, c.RoundLength); err != nil {
		return err
	}
	// An action with After edits a recorded run, whose order a chooser would change.
	for i := range c.Actions {
		a := &c.Actions[i]
		if a.After > 0 && c.Chooser != nil {
			return network.Timeless("edits")
		}
		if err := network.ValidateTimes(a.At); err != nil {
			return err
		}
	}
	if err := c.validateEdges(); err != nil {
		return err
	}
	return c.validateProcesses()
}

// validateProcesses compares the numbers of processes with the members.
func (c *Config) validateProcesses() error {
	named := append(make([]tracefmt.ProcessID, 0, len(c.Down)+len(c.Passive)+len(c.Actions)+1), c.Down...)
	named = append(named, c.Passive...)
	for i := range c.Actions {
		a := &c.Actions[i]
		switch a.Kind {
		case SplitNetwork, HealNetwork:
		case SwitchProtocol:
			if !a.Protocol.Declares(c.Protocol) {
				return fmt.Errorf("a protocol that declares other messages, variables or timers cannot take over in the middle of a run")
			}
		case InvokeOperation:
			if err := c.Protocol.checkInvocation(a.Operation, a.Arguments, c.Members); err != nil {
				return err
			}
			named = append(named, a.Process)
		case LieProcess, ForgeMessage:
			if err := c.validateClaim(a); err != nil {
				return err
			}
			named = append(append(named, a.Process), a.Receivers...)
		default:
			named = append(named, a.Process)
		}
		for _, g := range a.Groups {
			named = append(named, g...)
		}
	}
	// 0 means that no coordinator is known, so it is not in the list to check.
	if c.Coordinator != 0 {
		named = append(named, c.Coordinator)
	}
	n := tracefmt.ProcessID(len(c.Members))
	for _, p := range named {
		if p < 1 || p > n {
			return fmt.Errorf("process number %d, but there are %d processes", p, n)
		}
	}
	return nil
}
