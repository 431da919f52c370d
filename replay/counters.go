package replay

import (
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// Counters are the parts of variables and messages that the run declares as counters, see
// [tracefmt.Run.Counters]: only their order and differences have a meaning.
type Counters struct {
	variables, messages map[string]*counterPaths
}

// counterPaths marks the counters within a JSON value.
type counterPaths struct {
	// counter is true if the value itself is a counter.
	// counter: the value itself is a counter.
	counter bool
	// items are the elements of an array, or the values of an object with arbitrary keys.
	items  *counterPaths
	fields map[string]*counterPaths
}

// NewCounters reads paths such as ballot, log[].term, and ACCEPT:ballot for a field of a message.
func NewCounters(paths []string) *Counters {
	c := &Counters{variables: map[string]*counterPaths{}, messages: map[string]*counterPaths{}}
	for _, path := range paths {
		nested, at := c.variables, path
		name, tail := cutPath(at)
		if message, field, ok := strings.Cut(path, ":"); ok {
			nested, name, tail = c.messages, message, "."+field
		}
		if nested[name] == nil {
			nested[name] = &counterPaths{}
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

// add marks the value at a path as a counter; the empty path is the value itself.
func (c *counterPaths) add(path string) {
	switch {
	case path == "":
		c.counter = true
	case strings.HasPrefix(path, "[]"):
		if c.items == nil {
			c.items = &counterPaths{}
		}
		c.items.add(path[len("[]"):])
	case path[0] == '.':
		name, tail := cutPath(path[1:])
		if c.fields == nil {
			c.fields = map[string]*counterPaths{}
		}
		if c.fields[name] == nil {
			c.fields[name] = &counterPaths{}
		}
		c.fields[name].add(tail)
	}
}

// Variable appends the JSON value of a variable to dst, with less subtracted from each counter in it. The
// name may be that of an item of a list, such as log[3].
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

// Message appends the payload of a message of the type to dst, with less subtracted from each counter in it.
func (c *Counters) Message(dst []byte, typ string, payload []byte, less int64) []byte {
	if c == nil {
		return append(dst, payload...)
	}
	return c.messages[typ].append(dst, payload, less)
}

// append appends the JSON value to dst, with less subtracted from each counter in it. Arrays and objects that
// it changes get a comma after each element: the result is for comparison, not for a JSON parser.
func (c *counterPaths) append(dst, value []byte, less int64) []byte {
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
	// A declared counter that is no integer is copied below.
	case c.counter:
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return strconv.AppendInt(dst, n-less, 10)
		}
	}
	return append(dst, value...)
}

// appendObject is append of a JSON object. The marks of items apply to fields without marks of their own.
func (c *counterPaths) appendObject(dst, object []byte, less int64) []byte {
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

// Count reports whether a counter is declared in the variable of that name, or in a field of that name of any
// message.
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
