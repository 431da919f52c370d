package replay

import (
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// Counters finds the counters in recorded variables and messages: numbers whose absolute size has no meaning,
// only order and differences, by [tracefmt.Run.Counters].
type Counters struct {
	variables, messages map[string]*counting
}

// counting marks the counters within a JSON value.
type counting struct {
	counter bool
	// items are the elements of an array, or the values of an object with arbitrary keys.
	items  *counting
	fields map[string]*counting
}

// NewCounters returns the counters at the paths.
func NewCounters(paths []string) *Counters {
	c := &Counters{variables: map[string]*counting{}, messages: map[string]*counting{}}
	for _, path := range paths {
		nested, at := c.variables, path
		name, tail := cutPath(at)
		if message, field, ok := strings.Cut(path, ":"); ok {
			nested, name, tail = c.messages, message, "."+field
		}
		if nested[name] == nil {
			nested[name] = &counting{}
		}
		nested[name].add(tail)
	}
	return c
}

// cutPath divides a path after its first name.
func cutPath(path string) (name, tail string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

func (c *counting) add(path string) {
	switch {
	case path == "":
		c.counter = true
	case strings.HasPrefix(path, "[]"):
		if c.items == nil {
			c.items = &counting{}
		}
		c.items.add(path[len("[]"):])
	case path[0] == '.':
		name, tail := cutPath(path[1:])
		if c.fields == nil {
			c.fields = map[string]*counting{}
		}
		if c.fields[name] == nil {
			c.fields[name] = &counting{}
		}
		c.fields[name].add(tail)
	}
}

// Variable appends the JSON value of a variable of a process with less subtracted from its
// counters. An item of a list may be a variable of its own, such as log[3].
func (c *Counters) Variable(dst []byte, name string, value []byte, less int64) []byte {
	if c == nil {
		return append(dst, value...)
	}
	declared, _, item := strings.Cut(name, "[")
	counters := c.variables[declared]
	if item && counters != nil {
		counters = counters.items
	}
	return counters.append(dst, value, less)
}

// Message appends the payload of a message of a type with less subtracted from its counters.
func (c *Counters) Message(dst []byte, typ string, payload []byte, less int64) []byte {
	if c == nil {
		return append(dst, payload...)
	}
	return c.messages[typ].append(dst, payload, less)
}

func (c *counting) append(dst, value []byte, less int64) []byte {
	switch {
	case c == nil || len(value) == 0:
		return append(dst, value...)
	case value[0] == '{':
		return c.appendObject(dst, value, less)
	case value[0] == '[' && c.items != nil:
		dst = append(dst, '[')
		for item := range tracefmt.Items(value) {
			dst = append(c.items.append(dst, item, less), ',')
		}
		return append(dst, ']')
	case c.counter:
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return strconv.AppendInt(dst, n-less, 10)
		}
	}
	return append(dst, value...)
}

func (c *counting) appendObject(dst, object []byte, less int64) []byte {
	dst = append(dst, '{')
	for key, value := range tracefmt.Fields(object) {
		counters := c.fields[string(key)]
		if counters == nil {
			counters = c.items
		}
		dst = append(tracefmt.AppendString(dst, string(key)), ':')
		dst = append(counters.append(dst, value, less), ',')
	}
	return append(dst, '}')
}

// Count reports whether what is recorded under the name, a variable or a field of a
// message, has counters.
func (c *Counters) Count(name string) bool {
	declared, _, _ := strings.Cut(name, "[")
	if c.variables[declared] != nil {
		return true
	}
	for _, counters := range c.messages {
		if counters.fields[declared] != nil {
			return true
		}
	}
	return false
}
