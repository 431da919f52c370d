package stepper

import (
	"fmt"
	"strings"

	"etrace/tracefmt"
)

// clock formats the times of a run in one unit, with as many decimals as the finest of them needs.
type clock struct {
	unit tracefmt.TimeUnit
	// from is subtracted from all times: the first time if times count from 1970, else 0.
	from tracefmt.Time
	// name is the name of the displayed unit, "" for the unit of the run. size is the unit in nanoseconds.
	name string
	size tracefmt.Time
	// finest is the unit of the last decimal that is needed.
	finest tracefmt.Time

	begun       bool
	first, last tracefmt.Time
	width       int
}

// longAgo is the least time, in nanoseconds, that is taken for a wall-clock time, so that times are shown relative to the
// first.
const longAgo = 1_000_000 * tracefmt.Unit

// newClock returns a clock for the times of the run, before any time is added.
func newClock(run *tracefmt.Run) clock {
	return clock{unit: run.TimeUnit, size: tracefmt.Unit, finest: tracefmt.Unit}
}

// add takes the time of an event into account.
func (c *clock) add(t tracefmt.Time) {
	t = c.unit.Units(t)
	if !c.begun {
		c.begun, c.first, c.last = true, t, t
		if c.unit == tracefmt.Nanoseconds && t >= longAgo {
			c.from = t
		}
	}
	c.first, c.last = min(c.first, t), max(c.last, t)
	for (t-c.from)%c.finest != 0 { // the loop ends: finest is a power of ten, and 1 divides every time
		c.finest /= 10
	}
}

// chooseUnit chooses the unit and the width of the column, after all times were added.
func (c *clock) chooseUnit() {
	if c.unit == tracefmt.Nanoseconds {
		c.name = "s"
		span := max(c.last-c.from, c.from-c.first)
		for _, u := range []struct {
			size tracefmt.Time
			name string
		}{{1e6, "ms"}, {1e3, "µs"}, {1, "ns"}} {
			if span < c.size && span > 0 {
				c.size, c.name = u.size, u.name
			}
		}
	}
	c.width = max(width(c.text(c.first)), width(c.text(c.last)), width(c.heading()))
}

// heading returns the heading of the column of times, with the unit: "t/ms".
func (c *clock) heading() string {
	if c.name == "" {
		return "t"
	}
	return "t/" + c.name
}

// text returns a time as the screen shows it.
func (c *clock) text(t tracefmt.Time) string {
	t = c.unit.Units(t)
	digits := 0
	for u := c.size; u > c.finest && u > 1; u /= 10 {
		digits++
	}
	sign := ""
	t -= c.from
	if c.from != 0 {
		sign = "+"
	}
	quotient, part := t/c.size, t%c.size
	if t < 0 {
		sign, quotient, part = "-", -quotient, -part
	}
	if digits == 0 {
		return fmt.Sprintf("%s%d", sign, quotient)
	}
	decimals := fmt.Sprintf("%0*d", len(fmt.Sprint(int64(c.size)))-1, int64(part))
	return fmt.Sprintf("%s%d.%s", sign, quotient, decimals[:digits])
}

// parse parses a time that the user types: as in the trace or, with a sign +, as the screen shows it.
func (c *clock) parse(s string) (tracefmt.Time, error) {
	s = strings.TrimSpace(s)
	digits, relative := strings.CutPrefix(s, "+")
	t, err := tracefmt.ParseTime(digits)
	if err != nil || !relative {
		return t, err
	}
	return c.from + t/(tracefmt.Unit/c.size), nil
}
