package sim

import (
	"fmt"
	"slices"
	"time"

	"etrace/tracefmt"
)

// Config is all that decides a simulated run: equal configs give equal events.
type Config struct {
	Protocol *Protocol
	// Members in ascending order of their ids; Position is the ring order.
	Members []tracefmt.Member
	// Down are crashed from the start.
	Down []tracefmt.ProcessID
	// Coordinator is known to every live process at the start; 0 for none.
	Coordinator tracefmt.ProcessID
	// Actions are the fault plan and the starts, in any order.
	Actions []Action
	// Delay of a message; the zero value is one unit.
	Delay Delay
	// Rules drop or slow single messages.
	Rules []Rule
	// Edits change the fate of single messages of a run that is known.
	Edits []Edit
	// Loss and Duplicate are probabilities per message.
	Loss, Duplicate float64
	// Chooser, unless nil, decides what happens next; see its type.
	Chooser Chooser
	// Reorder lets messages overtake each other on a channel.
	Reorder bool
	// NoRingRepair: crashes after the start are not noticed by ring neighbours.
	NoRingRepair bool
	Seed         int64
	// Until is the instant after which nothing happens; 0 for no limit.
	Until tracefmt.Time
	// MaxEvents ends the run; 0 means DefaultMaxEvents.
	MaxEvents int64
}

// DefaultMaxEvents ends runs that nothing else ends.
const DefaultMaxEvents = 1_000_000

// MaxTime bounds every instant and duration of a config and of timers: 72
// million units. lastInstant ends runs without Until before their clock
// overflows: a delay, even an exponential one, adds less than is left then.
const (
	MaxTime     tracefmt.Time = 1 << 56
	lastInstant tracefmt.Time = 1 << 62
)

// ActionKind says what an action does.
type ActionKind uint8

// The actions of a scenario.
const (
	CrashProcess ActionKind = iota
	RecoverProcess
	SplitNetwork
	HealNetwork
	// StartProcess: the process notices that the coordinator is gone.
	StartProcess
	// SwitchProtocol: from now on the processes go by another protocol.
	SwitchProtocol
)

// Action is something that the scenario does at an instant, or behind an event.
type Action struct {
	Kind ActionKind
	At   tracefmt.Time
	// After, unless 0, is the event behind which the action is taken, in place
	// of the instant At; see edit.go.
	After   tracefmt.Seq
	Process tracefmt.ProcessID
	// Partition numbers a split and the heal that ends it.
	Partition int
	// Groups of a split, and of the heal that ends it. Processes in no group
	// form one more together.
	Groups [][]tracefmt.ProcessID
	// Protocol to switch to. It declares what the protocol of the config does.
	Protocol *Protocol
}

// Rule takes or slows the messages that it fits.
type Rule struct {
	// Type is a message type's name, "" for any.
	Type string
	// From and To are 0 for any.
	From, To tracefmt.ProcessID
	// Occurrence picks the k-th message that fits, 0 each of them.
	Occurrence int
	// Drop takes the message; otherwise Delay replaces its delay.
	Drop  bool
	Delay tracefmt.Time
}

// Distribution is how delays are drawn.
type Distribution uint8

// The distributions of delays.
const (
	Fixed Distribution = iota
	Uniform
	Exponential
)

// Delay is a distribution of message delays: Fixed and Exponential have the
// mean A, Uniform lies in [A, B). The zero value is one unit, fixed.
type Delay struct {
	Distribution Distribution
	A, B         tracefmt.Time
}

// setDefaults says what the zero values mean.
func (c *Config) setDefaults() {
	if c.MaxEvents == 0 {
		c.MaxEvents = DefaultMaxEvents
	}
	if c.Until == 0 {
		c.Until = lastInstant
	}
	if c.Delay == (Delay{}) {
		c.Delay.A = tracefmt.Unit
	}
}

// validate refuses what the kernel could not run. Scenario files and flags
// have better messages; this is the last line.
func (c *Config) validate() error {
	switch {
	case len(c.Members) == 0:
		return fmt.Errorf("a run needs at least one process")
	case !(c.Loss >= 0 && c.Loss <= 1) || !(c.Duplicate >= 0 && c.Duplicate <= 1):
		return fmt.Errorf("loss %v and duplicate %v must be probabilities", c.Loss, c.Duplicate)
	case c.MaxEvents < 0:
		return fmt.Errorf("the limit of events is %d, expected 0 or more", c.MaxEvents)
	case c.Delay.Distribution == Uniform && c.Delay.B <= c.Delay.A:
		return fmt.Errorf("uniform delays from %v to %v, expected a rising range", c.Delay.A, c.Delay.B)
	}
	if err := c.validateTimes(); err != nil {
		return err
	}
	if err := c.validateChooser(); err != nil {
		return err
	}
	return c.validateProcesses()
}

// validateProcesses holds the numbers of processes against the members.
func (c *Config) validateProcesses() error {
	named := slices.Clone(c.Down)
	for _, a := range c.Actions {
		switch a.Kind {
		case SplitNetwork, HealNetwork:
		case SwitchProtocol:
			if !a.Protocol.Declares(c.Protocol) {
				return fmt.Errorf("a protocol that declares other messages, variables or timers cannot take over in the middle of a run")
			}
		default:
			named = append(named, a.Process)
		}
		for _, g := range a.Groups {
			named = append(named, g...)
		}
	}
	optional := []tracefmt.ProcessID{c.Coordinator}
	for _, r := range c.Rules {
		optional = append(optional, r.From, r.To)
	}
	named = append(named, slices.DeleteFunc(optional, func(p tracefmt.ProcessID) bool { return p == 0 })...)
	n := tracefmt.ProcessID(len(c.Members))
	for _, p := range named {
		if p < 1 || p > n {
			return fmt.Errorf("process number %d, but there are %d processes", p, n)
		}
	}
	return nil
}

func (c *Config) validateTimes() error {
	times := []tracefmt.Time{c.Delay.A, c.Delay.B, c.Until}
	for _, r := range c.Rules {
		times = append(times, r.Delay)
	}
	for _, e := range c.Edits {
		times = append(times, e.Delay)
	}
	for _, a := range c.Actions {
		times = append(times, a.At)
	}
	for _, t := range times {
		if t < 0 || t > MaxTime {
			return fmt.Errorf("time %v, expected 0 to %v", t, MaxTime)
		}
	}
	return nil
}

// ParseTime reads a time in units of the mean message delay, or a Go duration
// such as 1500ms, which counts 1 s as one unit. It is from 0 to [MaxTime].
func ParseTime(text string) (tracefmt.Time, error) {
	t, err := tracefmt.ParseTime(text)
	if err != nil {
		d, durationErr := time.ParseDuration(text)
		if durationErr != nil {
			return 0, fmt.Errorf("%q is not a time, expected a decimal number of message delays such as 2.5, or a duration such as 2500ms", text)
		}
		t = tracefmt.Time(d)
	}
	if t < 0 || t > MaxTime {
		return 0, fmt.Errorf("%q: expected a time from 0 to %v", text, MaxTime)
	}
	return t, nil
}
