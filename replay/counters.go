package replay

import (
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// Counters finds the counters in what a run records: the numbers in its variables and
// messages of which only order and differences matter, by [tracefmt.Run.Counters].
type Counters struct {
	variables, messages map[string]*counting
}

// counting says where in a JSON value counters are.
type counting struct {
	here   bool
	items  *counting // of an array, and the values of an object by keys
	fields map[string]*counting
}

// NewCounters returns the counters at the paths.
func NewCounters(paths []string) *Counters {
	c := &Counters{variables: map[string]*counting{}, messages: map[string]*counting{}}
	for _, path := range paths {
		of, at := c.variables, path
		name, rest := cutPath(at)
		if message, field, ok := strings.Cut(path, ":"); ok {
			of, name, rest = c.messages, message, "."+field
		}
		if of[name] == nil {
			of[name] = &counting{}
		}
		of[name].add(rest)
	}
	return c
}

// cutPath divides a path after its first name.
func cutPath(path string) (name, rest string) {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

func (c *counting) add(path string) {
	switch {
	case path == "":
		c.here = true
	case strings.HasPrefix(path, "[]"):
		if c.items == nil {
			c.items = &counting{}
		}
		c.items.add(path[len("[]"):])
	case path[0] == '.':
		name, rest := cutPath(path[1:])
		if c.fields == nil {
			c.fields = map[string]*counting{}
		}
		if c.fields[name] == nil {
			c.fields[name] = &counting{}
		}
		c.fields[name].add(rest)
	}
}

// Variable appends the JSON value of a variable of a process with less subtracted from its
// counters. An item of a list may be a variable of its own, such as log[3].
func (c *Counters) Variable(dst []byte, name string, value []byte, less int64) []byte {
	if c == nil {
		return append(dst, value...)
	}
	declared, _, item := strings.Cut(name, "[")
	of := c.variables[declared]
	if item && of != nil {
		of = of.items
	}
	return of.append(dst, value, less)
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
	case c.here:
		if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return strconv.AppendInt(dst, n-less, 10)
		}
	}
	return append(dst, value...)
}

func (c *counting) appendObject(dst, object []byte, less int64) []byte {
	dst = append(dst, '{')
	for key, value := range tracefmt.Fields(object) {
		of := c.fields[string(key)]
		if of == nil {
			of = c.items
		}
		dst = append(tracefmt.AppendString(dst, string(key)), ':')
		dst = append(of.append(dst, value, less), ',')
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
	for _, of := range c.messages {
		if of.fields[declared] != nil {
			return true
		}
	}
	return false
}
