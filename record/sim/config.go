package sim

import (
	"fmt"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Config determines a simulated run: equal configs give equal events.
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
	// Down are the processes that are crashed from the start.
	Down []tracefmt.ProcessID
	// Passive are Byzantine processes that take no step of their own. Messages to them have no effect, and they send
	// only the forged messages of the actions.
	Passive []tracefmt.ProcessID
	// Coordinator is the leader that every live process knows at the start; 0 for none.
	Coordinator tracefmt.ProcessID
	// Actions are the fault plan and the starts, in any order.
	Actions []Action
	// The embedded Config is that of the network: delays, rules, losses, the seed.
	network.Config
	// Edges are the pairs of processes that may send to each other; nil means all pairs.
	Edges [][2]tracefmt.ProcessID
	// NoRingRepair prevents that ring neighbours notice crashes after the start.
	NoRingRepair bool
	// Until is the instant after which nothing happens; 0 for no limit.
	Until tracefmt.Time
	// MaxEvents is the number of events after which the run ends; 0 means DefaultMaxEvents.
	MaxEvents int64
	// RoundLength is the time between two rounds of a synchronous protocol, see [Protocol.Round]; 0 means one unit.
	RoundLength tracefmt.Time
	// CountFrom is the initial value of counters in variables, also after a crash. A protocol
	// that keeps the promise of [Counter] does the same from any number, shifted by it.
	CountFrom Counter
	// Origin, unless nil, describes algorithm and scenario in one line, for errors.
	Origin func() string
}

// DefaultMaxEvents is the default of Config.MaxEvents.
const DefaultMaxEvents = 1_000_000

// lastInstant is the limit of time for runs without Until, so that their clock cannot overflow: any delay is
// less than the rest.
const lastInstant tracefmt.Time = 1 << 62

// ActionKind is the effect of an action.
type ActionKind uint8

// The actions of a scenario.
const (
	CrashProcess ActionKind = iota
	RecoverProcess
	SplitNetwork
	HealNetwork
	// StartProcess calls [Protocol.Start] at the process, which begins an election, for example.
	StartProcess
	// InvokeOperation makes the process invoke an operation.
	InvokeOperation
	// SilenceProcess suppresses all further messages of the process except forged ones.
	SilenceProcess
	// LieProcess replaces, from now on, fields of the messages of a type that the process sends to the receivers.
	LieProcess
	// ForgeMessage makes the process send a message that its algorithm does not send.
	ForgeMessage
	// SwitchProtocol makes all processes follow another protocol from now on.
	SwitchProtocol
)

// Action is a step of the scenario at an instant, or after an event.
type Action struct {
	Kind ActionKind
	At   tracefmt.Time
	// After, unless 0, is the event after which the action is taken, in place
	// of the instant At; see after.go.
	After   tracefmt.Seq
	Process tracefmt.ProcessID
	// Partition numbers a split and the heal that ends it.
	Partition int
	// Groups are the groups of a split, and of the heal that ends it. Processes in no group form one further group.
	Groups [][]tracefmt.ProcessID
	// Operation is the name of the invoked operation, Arguments its arguments as a JSON object.
	Operation string
	Arguments []byte
	// Type is the type of the messages of a lie or a forgery, Fields are the fields as a JSON object, and Receivers
	// the receivers. Receivers is nil for a lie to all receivers.
	Type      string
	Fields    []byte
	Receivers []tracefmt.ProcessID
	// Protocol is the protocol to switch to. It must have the declarations of the protocol of the config.
	Protocol *Protocol
}

// setDefaults replaces zero values by the defaults.
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

// validate returns an error for a config that the kernel cannot run. Scenario files and flags have better
// messages, so this is only the last check.
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
