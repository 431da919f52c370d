package network

import (
	"fmt"
	"slices"
	"time"

	"etrace/tracefmt"
)

// Config describes the behaviour of the network. The zero value delivers every message
// after one unit, in the order of sending.
type Config struct {
	// Delay is the distribution of delays; the zero value is one unit.
	Delay Delay
	// Rules drop or delay single messages.
	Rules []Rule
	// Edits change the fate of single messages of a known run.
	Edits []Edit
	// Loss and Duplicate are probabilities per message.
	Loss, Duplicate float64
	// Reorder lets messages overtake each other on a channel.
	Reorder bool
	// Seed is the seed of all random draws.
	Seed int64
	// Chooser, unless nil, decides which event is next, in place of time.
	Chooser Chooser
}

// Rule drops or delays the messages that match it.
type Rule struct {
	// Type is a message type's name, "" for any.
	Type string
	// From and To are the sender and the receiver, 0 for any.
	From, To tracefmt.ProcessID
	// Occurrence k applies the rule to the k-th matching message only; 0 means all.
	Occurrence int
	// Drop loses the message; otherwise Delay replaces its delay.
	Drop  bool
	Delay tracefmt.Time
}

// Distribution is a probability distribution of delays.
type Distribution uint8

// The distributions of delays.
const (
	Fixed Distribution = iota
	Uniform
	Exponential
)

// Delay is a distribution of message delays. Fixed and Exponential have the mean A; Uniform lies in [A, B). The
// zero value is fixed at one unit.
type Delay struct {
	Distribution Distribution
	A, B         tracefmt.Time
}

// MaxTime is the limit for every instant and duration of a config and of timers: 72 million units.
const MaxTime tracefmt.Time = 1 << 56

// Chance reports whether random draws influence the run.
func (c *Config) Chance() bool {
	return c.Loss > 0 || c.Duplicate > 0 || c.Delay.Distribution != Fixed
}

// Validate returns an error for a config that a network of that many processes cannot have.
func (c *Config) Validate(processes int) error {
	switch {
	// The negation refuses NaN, too.
	case !(c.Loss >= 0 && c.Loss <= 1) || !(c.Duplicate >= 0 && c.Duplicate <= 1):
		return fmt.Errorf("loss %v and duplicate %v must be probabilities", c.Loss, c.Duplicate)
	case c.Delay.Distribution == Uniform && c.Delay.B <= c.Delay.A:
		return fmt.Errorf("uniform delays from %v to %v, expected a rising range", c.Delay.A, c.Delay.B)
	}
	times := []tracefmt.Time{c.Delay.A, c.Delay.B}
	for _, r := range c.Rules {
		times = append(times, r.Delay)
		for _, p := range []tracefmt.ProcessID{r.From, r.To} {
			if p < 0 || int(p) > processes {
				return fmt.Errorf("process number %d, but there are %d processes", p, processes)
			}
		}
	}
	for _, e := range c.Edits {
		times = append(times, e.Delay)
	}
	if err := ValidateTimes(times...); err != nil {
		return err
	}
	return c.validateChooser()
}

// ValidateTimes returns an error for a time that is not from 0 to [MaxTime].
func ValidateTimes(times ...tracefmt.Time) error {
	for _, t := range times {
		if t < 0 || t > MaxTime {
			return fmt.Errorf("time %v, expected 0 to %v", t, MaxTime)
		}
	}
	return nil
}

// validateChooser returns an error for a part of the config that has no meaning with a chooser.
func (c *Config) validateChooser() error {
	if c.Chooser == nil {
		return nil
	}
	for _, meaningless := range []struct {
		thing string
		given bool
	}{
		{"loss by chance", c.Loss > 0},
		{"duplicates by chance", c.Duplicate > 0},
		{"edits", len(c.Edits) > 0},
	} {
		if meaningless.given {
			return Timeless(meaningless.thing)
		}
	}
	return nil
}

// Timeless returns the error for a thing that a run without time cannot have.
func Timeless(thing string) error {
	return fmt.Errorf("%s cannot be used with choices, which replace time", thing)
}

// overtaking reports whether the delays could let a message overtake another one of its channel. A single fixed
// delay could not.
func (c *Config) overtaking() bool {
	if c.Delay.Distribution != Fixed {
		return true
	}
	return slices.ContainsFunc(c.Rules, func(r Rule) bool { return !r.Drop }) ||
		slices.ContainsFunc(c.Edits, func(e Edit) bool { return e.Kind == DelayMessage })
}

// ParseTime reads a time from 0 to [MaxTime]: in units of the mean message delay, or a Go duration such as
// 1500ms, in which 1 s is one unit.
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
