package property_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// The oracle of histories follows all worlds that are possible at once: what the object holds, and which of the
// open operations have taken effect, with what result. An end leaves the worlds that it fits; if none is left, no
// order explains the history.

// call is an operation that a process invoked.
type call struct {
	seq, end  tracefmt.Seq // end is 0 if the outcome is not known
	p         tracefmt.ProcessID
	name      string
	arguments map[string]string
	failed    bool
	result    string
}

func (o oracle) invokes() bool {
	return slices.ContainsFunc(o.events, func(e tracefmt.Event) bool { return e.Kind == tracefmt.Invoke })
}

// calls are all operations, each with its end.
func (o oracle) calls() (list []*call) {
	last := map[tracefmt.ProcessID]*call{}
	for _, e := range o.events {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(e.Payload, &fields) // not all have some
		switch e.Kind {
		case tracefmt.Invoke:
			c := &call{seq: e.Seq, p: e.Process, name: e.Type, arguments: map[string]string{}}
			for k, v := range fields {
				c.arguments[k] = string(v)
			}
			list, last[e.Process] = append(list, c), c
		case tracefmt.Return:
			lies := o.attribute(e.Process, "role") == `"byzantine"`
			if c := last[e.Process]; !lies && string(fields["outcome"]) != `"unknown"` {
				c.end, c.failed, c.result = e.Seq, string(fields["outcome"]) == `"fail"`, string(fields["value"])
			}
		}
	}
	return list
}

// world is a way that things may be. Its key has all that counts.
type world struct {
	holds   string
	results map[*call]string // of the operations that have taken effect
}

func (w world) key(calls []*call) string {
	key := w.holds
	for i, c := range calls {
		if result, ok := w.results[c]; ok {
			key += fmt.Sprint(";", i, result)
		}
	}
	return key
}

// take has an operation take effect.
func (w world) take(c *call) world {
	next := world{w.holds, maps.Clone(w.results)}
	owner := fmt.Sprint(c.p)
	result := "true"
	switch {
	case c.name == "read":
		result = w.holds
	case c.name == "write":
		next.holds, result = c.arguments["value"], "null"
	case c.name == "cas" && w.holds == c.arguments["old"]:
		next.holds = c.arguments["new"]
	case c.name == "acquire" && w.holds == "null":
		next.holds = owner
	case c.name == "release" && w.holds == owner:
		next.holds = "null"
	default:
		result = "false"
	}
	next.results[c] = result
	return next
}

// wrongEnd returns the first end that no world fits, of the calls of one
// object; nil for none. Operations that fail are left out.
func wrongEnd(calls []*call) *call {
	calls = slices.DeleteFunc(slices.Clone(calls), func(c *call) bool { return c.failed })
	var ends []*call
	for _, c := range calls {
		if c.end != 0 {
			ends = append(ends, c)
		}
	}
	slices.SortFunc(ends, func(x, y *call) int { return int(x.end - y.end) })
	worlds := []world{{"null", map[*call]string{}}}
	for _, c := range ends {
		worlds = grow(worlds, calls, c.end)
		worlds = slices.DeleteFunc(worlds, func(w world) bool { return w.results[c] != c.result })
		if len(worlds) == 0 {
			return c
		}
	}
	return nil
}

// grow adds the worlds in which more of what was invoked before has taken
// effect.
func grow(worlds []world, calls []*call, before tracefmt.Seq) []world {
	seen := map[string]bool{}
	for i := 0; i < len(worlds); i++ {
		w := worlds[i]
		for _, c := range calls {
			if _, done := w.results[c]; done || c.seq > before {
				continue
			}
			if next := w.take(c); !seen[next.key(calls)] {
				seen[next.key(calls)] = true
				worlds = append(worlds, next)
			}
		}
	}
	return worlds
}

// wrongEnds are those of the register and of the lock.
func (o oracle) wrongEnds() (wrong []*call) {
	var register, lock []*call
	for _, c := range o.calls() {
		if c.name == "acquire" || c.name == "release" {
			lock = append(lock, c)
		} else {
			register = append(register, c)
		}
	}
	for _, calls := range [][]*call{register, lock} {
		if c := wrongEnd(calls); c != nil {
			wrong = append(wrong, c)
		}
	}
	slices.SortFunc(wrong, func(x, y *call) int { return int(x.end - y.end) })
	return wrong
}

func (o oracle) linearizable() (wrong, examined int) {
	for _, e := range o.events {
		lies := e.Process > 0 && o.attribute(e.Process, "role") == `"byzantine"`
		if outcome, _ := e.Field("outcome"); e.Kind == tracefmt.Return && !lies && string(outcome) != `"unknown"` {
			examined++
		}
	}
	return len(o.wrongEnds()), examined
}

// showsFirstWrong: the witness has the invocation of the call that ends wrongly
// first, its end, and nothing later.
func (o oracle) showsFirstWrong(witness []tracefmt.Seq) bool {
	first := o.wrongEnds()[0]
	return slices.Contains(witness, first.seq) && slices.Max(witness) == first.end
}
