package replay

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// memory are the fields without meaning for the state: buffers and caches.
var memory = []string{"arrived", "pool", "read", "roles"}

// fullState returns a state in which every meaningful field, and every one of process 1, has a value.
func fullState() *State {
	run := &tracefmt.Run{
		Problem: "election", TimeUnit: tracefmt.Delays,
		Members: []tracefmt.Member{{Name: "1"}, {Name: "2"}, {Name: "3", Attributes: []byte(`{"role":"byzantine"}`)}},
		Completeness: &tracefmt.Completeness{
			Levels: tracefmt.Levels{Default: tracefmt.All},
			Gaps:   []tracefmt.Gap{{Process: "2", From: 3, To: 4}},
		},
	}
	s := NewState(run)
	events := []tracefmt.Event{
		{Kind: tracefmt.Start, Process: 1, Lamport: 1, Payload: []byte(`{"a[1]":1,"x":2}`)},
		{Kind: tracefmt.Send, Process: 2, Peer: 1, Message: 1, Type: "A", Lamport: 1, Payload: []byte(`{"n":1}`)},
		{Kind: tracefmt.Receive, Process: 1, Peer: 2, Message: 1, Cause: 2, Type: "A", Lamport: 2, Payload: []byte(`{"n":1}`)},
		{Kind: tracefmt.Crash, Process: 1, Lamport: 2},
		{Kind: tracefmt.State, Process: 2, Lamport: 2, Payload: []byte(`{"role":"strange"}`)},
		{Kind: tracefmt.Start, Process: 2, Lamport: 3, Payload: []byte(`{"inferred":true}`)},
	}
	return show(s, append(events, moreEvents(1)...)...)
}

// moreEvents end with a step of a process that is down, so that it must be up again.
func moreEvents(n int) []tracefmt.Event {
	id := tracefmt.MessageID(10 * n)
	return []tracefmt.Event{
		{Kind: tracefmt.Crash, Process: 1, Payload: []byte(`{"inferred":true}`)},
		{Kind: tracefmt.Recover, Process: 2, Lamport: 4, Payload: fmt.Appendf(nil, `{"elected":"2","role":"leader","term":%d,"a[%d]":7}`, n, n)},
		{Kind: tracefmt.Send, Process: 2, Peer: 2, Message: id, Type: fmt.Sprint("B", n), Lamport: 5, Payload: []byte(`{"n":2}`)},
		{Kind: tracefmt.Receive, Process: 3, Peer: 2, Message: id + 1, Type: fmt.Sprint("C", n)},
		{Kind: tracefmt.Halt, Process: 2, Lamport: 6},
		{Kind: tracefmt.State, Process: 1, Lamport: 7, Payload: fmt.Appendf(nil,
			`{"elected":"1","role":"leader","term":%d,"a[%d]":8,"x%d":3}`, n, n, n)},
		{Kind: tracefmt.SetTimer, Process: 1, Type: fmt.Sprint("t", n), Lamport: 8, Payload: []byte(`{"due":99}`)},
		{Kind: tracefmt.Send, Process: 3, Peer: 1, Message: id + 2, Type: fmt.Sprint("D", n), Lamport: 9, Payload: []byte(`{"n":3}`)},
		{Kind: tracefmt.Crash, Process: 3, Lamport: 9},
		{Kind: tracefmt.Start, Process: 3, Lamport: 10},
		{Kind: tracefmt.Start, Process: 3, Lamport: 11},
	}
}

func show(s *State, events ...tracefmt.Event) *State {
	for _, e := range events {
		e.Seq, e.Time = s.Seq+1, s.Time+1
		s.Apply(&e)
	}
	return s
}

// difference compares two states field by field: what is behind pointers, variables by their values.
func difference(a, b *State) string {
	type values map[string]string
	return cmp.Diff(a, b, cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Transformer("values", func(v variables) values {
			fields := values{}
			for name, value := range v.entries() {
				fields[string(name)] = string(value)
			}
			return fields
		}),
		cmp.Transformer("assigned", func(m map[string]*assignment) map[string]assignment {
			assignments := map[string]assignment{}
			for name, last := range m {
				assignments[name] = *last
			}
			return assignments
		}),
		cmp.FilterPath(func(p cmp.Path) bool {
			field, ok := p.Last().(cmp.StructField)
			return ok && p.Index(-2).Type() == reflect.TypeFor[State]() && slices.Contains(memory, field.Name())
		}, cmp.Ignore()))
}

// empties returns the meaningful fields that have no value anywhere.
func empties[T any](values ...T) (names []string) {
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		filled := slices.ContainsFunc(values, func(v T) bool { return !reflect.ValueOf(v).Field(i).IsZero() })
		if name := typ.Field(i).Name; !filled && !slices.Contains(memory, name) {
			names = append(names, name)
		}
	}
	return names
}

// TestFieldsOfClone: a copy has every field of the state, and neither changes with the other.
func TestFieldsOfClone(t *testing.T) {
	s := fullState()
	s.Finish()
	// Events set neither.
	s.elections, s.noFlights = true, true
	restarted := show(fullState(), tracefmt.Event{Kind: tracefmt.Crash, Process: 3, Payload: []byte(`{"inferred":true}`)})
	inferred := restarted.processes[3]
	show(restarted, tracefmt.Event{Kind: tracefmt.State, Process: 3, Lamport: 12})
	for _, name := range append(empties(*s, *restarted), empties(append(s.processes, inferred)...)...) {
		t.Errorf("no state here has the field %s, so that no test sees whether a copy has it", name)
	}
	for _, s := range []*State{s, restarted} {
		if diff := difference(s, s.Clone()); diff != "" {
			t.Errorf("the copy lacks (-state +copy)\n%s", diff)
		}
	}
	s, twin := fullState(), fullState()
	c := s.Clone()
	if show(s, moreEvents(2)...); difference(s, twin) == "" {
		t.Fatal("further events change nothing")
	}
	if diff := difference(twin, c); diff != "" {
		t.Errorf("the copy changes with the original (-before +after)\n%s", diff)
	}
	s = fullState()
	show(s.Clone(), moreEvents(2)...)
	if diff := difference(twin, s); diff != "" {
		t.Errorf("the original changes with the copy (-before +after)\n%s", diff)
	}
}
