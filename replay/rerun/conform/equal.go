package conform

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// agree reports whether a recorded event equals an expected one in kind, peer, type and payload. Times of
// timers count only if the run's time unit is that of the simulator.
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
	// Most payloads are equal byte by byte, which saves parsing.
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

// beginsLife reports whether an event assigns all variables of a process: a variable that the event does not
// list is null.
func beginsLife(k tracefmt.Kind) bool { return k == tracefmt.Start || k == tracefmt.Recover }

// dropNull removes the fields whose value is null.
func dropNull(fields map[string]any) {
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
}

// fields returns the fields of a payload by name, since payloads with different bytes may be equal. It leaves
// out variables that are not shared, and what the trace notes about its own event.
func (c *conformer) fields(e *tracefmt.Event) map[string]any {
	fields := map[string]any{}
	for key, value := range tracefmt.Fields(e.Payload) {
		name := string(key)
		ofTrace := name == tracefmt.CausesKey || name == tracefmt.LogKey || tracefmt.IsMark(e.Kind, key)
		if !ofTrace && (!e.Kind.AssignsVariables() || c.shared.common[variableName(key)]) {
			fields[name] = meaning(c.report.Run, value)
		}
	}
	return fields
}

// meaning decodes a JSON value for comparison: 4 and "4" are equal if they name the same process.
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

// shared holds the variables that both a run and an algorithm have. The zero value has none.
type shared struct {
	recorded, common map[string]bool
	// complete: neither side has other variables, so no event need be examined.
	complete bool
}

// addStart adds the variables of a start event to those of the run.
func (s *shared) addStart(e *tracefmt.Event) {
	for name, value := range tracefmt.Fields(e.Payload) {
		if !tracefmt.IsVariable(e.Kind, name, value) {
			continue
		}
		if s.recorded == nil {
			s.recorded = map[string]bool{}
		}
		s.recorded[variableName(name)] = true
	}
}

// declare computes the variables that both sides have; those of the run must be known.
func (s *shared) declare(protocol *sim.Protocol) {
	_, declared, _ := protocol.Describe()
	s.common = map[string]bool{}
	for _, v := range declared {
		if name := v[0]; s.recorded[name] {
			s.common[name] = true
		}
	}
	s.complete = len(s.common) == len(s.recorded) && len(s.common) == len(declared)
}

// variableName returns the name of a variable as an algorithm declares it: log[2] is an item of log[i].
func variableName(name []byte) string {
	list, index, indexed := bytes.Cut(name, []byte("["))
	if indexed && len(index) > 1 && len(bytes.Trim(index[:len(index)-1], "0123456789")) == 0 &&
		index[len(index)-1] == ']' {
		return string(list) + "[i]"
	}
	return string(name)
}

// ignores reports whether an event only changes variables that are not shared.
func (s *shared) ignores(e *tracefmt.Event) bool {
	if s.complete || e.Kind != tracefmt.State {
		return false
	}
	for name := range tracefmt.Fields(e.Payload) {
		if s.common[variableName(name)] {
			return false
		}
	}
	return true
}
