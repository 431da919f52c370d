package shiviz

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// clock is a vector clock: the entries that are not zero, by host. Sparse,
// because a log of many hosts names few of them in each clock.
type clock []entry

type entry struct {
	host  hostID
	value int64
}

// at returns the entry of a host, 0 if it has none.
func (c clock) at(host hostID) int64 {
	i, ok := slices.BinarySearchFunc(c, host, func(e entry, h hostID) int { return cmp.Compare(e.host, h) })
	if !ok {
		return 0
	}
	return c[i].value
}

// firstLess returns the first host other than self of which c knows less
// than other does.
func (c clock) firstLess(other clock, self hostID) (hostID, bool) {
	i := 0
	for _, want := range other {
		for i < len(c) && c[i].host < want.host {
			i++
		}
		known := i < len(c) && c[i].host == want.host && c[i].value >= want.value
		if !known && want.host != self {
			return want.host, true
		}
	}
	return 0, false
}

// parseClock reads a JSON object from host to integer. Loggers that print a
// quoted string escape the quotes inside, TLC for one. repeated is a key that
// occurs twice, "" if none does; the last value counts, as in JavaScript.
func (h *history) parseClock(text string) (c clock, repeated string, err error) {
	object := []byte(text)
	if !json.Valid(object) {
		object = []byte(strings.ReplaceAll(text, `\"`, `"`))
	}
	if len(object) == 0 || !json.Valid(object) || !strings.HasPrefix(strings.TrimLeft(text, " \t"), "{") {
		return nil, "", fmt.Errorf("the clock %q is not a JSON object, expected one like {\"a\":1, \"b\":2}", interop.Shorten(text))
	}
	start := len(h.memory)
	for key, value := range tracefmt.Fields(object) {
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 {
			return nil, "", fmt.Errorf("the clock entry %q is %s, expected an integer from 0 on", key, interop.Shorten(string(value)))
		}
		h.memory = append(h.memory, entry{h.internKey(key), n})
	}
	c = clock(h.memory[start:len(h.memory):len(h.memory)])
	c, twice := c.normalise()
	if twice >= 0 {
		repeated = h.hosts[twice].name
	}
	return c, repeated, nil
}

// internKey is intern without an allocation for names that are known.
func (h *history) internKey(key []byte) hostID {
	if id, ok := h.hostIndex[string(key)]; ok {
		return id
	}
	return h.intern(strings.ToValidUTF8(string(key), "\uFFFD"))
}

// normalise sorts by host, keeps the last of equal hosts and drops zeros, in
// place. twice is a host that occurred twice, -1 if none did.
func (c clock) normalise() (sorted clock, twice hostID) {
	slices.SortStableFunc(c, func(a, b entry) int { return cmp.Compare(a.host, b.host) })
	twice = -1
	kept := c[:0]
	for i, e := range c {
		switch {
		case i+1 < len(c) && c[i+1].host == e.host:
			twice = e.host
		case e.value != 0:
			kept = append(kept, e)
		}
	}
	return kept, twice
}

// appendClock writes the clock as a JSON object.
func (h *history) appendClock(b []byte, c clock) []byte {
	b = append(b, '{')
	for i, e := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = tracefmt.AppendString(b, h.hosts[e.host].name)
		b = append(b, ':')
		b = strconv.AppendInt(b, e.value, 10)
	}
	return append(b, '}')
}
