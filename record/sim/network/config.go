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
	// Delay of a message; the zero value is one unit.
	Delay Delay
	// Rules drop or slow single messages.
	Rules []Rule
	// Edits change the fate of single messages of a run that is known.
	Edits []Edit
	// Loss and Duplicate are probabilities per message.
	Loss, Duplicate float64
	// Reorder lets messages overtake each other on a channel.
	Reorder bool
	// Seed of all random draws.
	Seed int64
	// Chooser, unless nil, decides what happens next; see its type.
	Chooser Chooser
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

// Distribution is a probability distribution of delays.
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

// MaxTime bounds every instant and duration of a config and of timers: 72
// million units.
const MaxTime tracefmt.Time = 1 << 56

// Chance reports whether random draws decide anything.
func (c *Config) Chance() bool {
	return c.Loss > 0 || c.Duplicate > 0 || c.Delay.Distribution != Fixed
}

// Validate refuses what a network of that many processes could not do.
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

// ValidateTimes refuses instants and durations that are not from 0 to
// [MaxTime].
func ValidateTimes(times ...tracefmt.Time) error {
	for _, t := range times {
		if t < 0 || t > MaxTime {
			return fmt.Errorf("time %v, expected 0 to %v", t, MaxTime)
		}
	}
	return nil
}

// validateChooser refuses what a chooser leaves without a meaning.
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

// Timeless is the error of something that a run without time cannot have.
func Timeless(thing string) error {
	return fmt.Errorf("%s cannot be used with choices, which replace time", thing)
}

// overtaking reports whether the delays could let a message overtake another
// of its channel. With one fixed delay none can.
func (c *Config) overtaking() bool {
	if c.Delay.Distribution != Fixed {
		return true
	}
	return slices.ContainsFunc(c.Rules, func(r Rule) bool { return !r.Drop }) ||
		slices.ContainsFunc(c.Edits, func(e Edit) bool { return e.Kind == DelayMessage })
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
