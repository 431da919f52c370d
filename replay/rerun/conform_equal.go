package rerun

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// agree reports whether a process did what the algorithm expects.
func (c *conformer) agree(recorded, expected *tracefmt.Event) bool {
	if recorded.Kind != expected.Kind || recorded.Peer != expected.Peer || recorded.Type != expected.Type {
		return false
	}
	switch recorded.Kind {
	case tracefmt.SetTimer, tracefmt.Timeout:
		if !c.durations {
			return true
		}
	}
	if bytes.Equal(recorded.Payload, expected.Payload) {
		return true
	}
	got, want := c.fields(recorded), c.fields(expected)
	if beginsLife(recorded.Kind) {
		dropNull(got)
		dropNull(want)
	}
	return reflect.DeepEqual(got, want)
}

// beginsLife reports whether the variables of a process are those of the event from then on, so that one that it
// does not name is null.
func beginsLife(k tracefmt.Kind) bool { return k == tracefmt.Start || k == tracefmt.Recover }

func dropNull(fields map[string]any) {
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
}

// fields returns what the payload says. Payloads whose bytes differ, in order
// or notation, may say the same. Variables that are not shared do not count, nor
// what the trace says about its event.
func (c *conformer) fields(e *tracefmt.Event) map[string]any {
	all := map[string]any{}
	for key, value := range tracefmt.Fields(e.Payload) {
		name := string(key)
		if name != tracefmt.CausesKey && name != tracefmt.LogKey && !tracefmt.IsMark(e.Kind, key) && !(e.Kind.AssignsVariables() && !c.shared.both[variableName(key)]) {
			all[name] = meaning(c.report.Run, value)
		}
	}
	return all
}

// meaning is a value in which 4 and "4" are the same if they name a process.
func meaning(run *tracefmt.Run, value []byte) any {
	if p, ok := run.ProcessValue(value); ok {
		return p
	}
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	return v
}

// shared are the variables that both a run and an algorithm have. The zero
// value has none.
type shared struct {
	told, both map[string]bool
	// all: neither has others, so that no event need be looked at.
	all bool
}

// tell takes in the variables that a start event has.
func (s *shared) tell(e *tracefmt.Event) {
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		if s.told == nil {
			s.told = map[string]bool{}
		}
		s.told[variableName(name)] = true
	}
}

// declare takes in those of the algorithm, when the run's are known.
func (s *shared) declare(protocol *sim.Protocol) {
	_, declared, _ := protocol.Describe()
	s.both = map[string]bool{}
	for _, v := range declared {
		if name := v[0]; s.told[name] {
			s.both[name] = true
		}
	}
	s.all = len(s.both) == len(s.told) && len(s.both) == len(declared)
}

// variableName is the name of a variable as an algorithm declares it: log[2] is
// an item of log[i].
func variableName(name []byte) string {
	list, index, indexed := bytes.Cut(name, []byte("["))
	if indexed && len(index) > 1 && len(bytes.Trim(index[:len(index)-1], "0123456789")) == 0 && index[len(index)-1] == ']' {
		return string(list) + "[i]"
	}
	return string(name)
}

// untold reports whether an event is a change of variables of which none is
// shared.
func (s *shared) untold(e *tracefmt.Event) bool {
	if s.all || e.Kind != tracefmt.State {
		return false
	}
	for name := range tracefmt.Fields(e.Payload) {
		if s.both[variableName(name)] {
			return false
		}
	}
	return true
}
