package sim_test

import (
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// store has operations that are answered a unit later by a timer, in one of the
// ways in which an operation ends.
type store struct {
	toy
	read  sim.Operation[noFields, value]
	write sim.Operation[value, noFields]
}

type (
	noFields struct{}
	value    struct{ N int64 }
)

func newStore() *store {
	s := &store{toy: *newToy()}
	s.read = sim.DeclareOperation[noFields, value](&s.Protocol, "read", "")
	s.write = sim.DeclareOperation[value, noFields](&s.Protocol, "write", "")
	s.Label("enter", "")
	s.read.On(func(p *sim.Process, _ noFields) { p.SetTimer(s.t1, tracefmt.Unit) })
	s.write.On(func(p *sim.Process, v value) {
		switch v.N {
		case 0:
			s.write.Fail(p)
		case 1:
			s.write.Unknown(p)
		default:
			s.write.Return(p, noFields{})
		}
	})
	s.Timeout = func(p *sim.Process, _ sim.Timer) { s.read.Return(p, value{7}) }
	return s
}

func invokes(name, arguments string, at float64) sim.Action {
	return sim.Action{Kind: sim.InvokeOperation, Process: 1, At: u(at), Operation: name, Arguments: []byte(arguments)}
}

// TestOperations: a process has one operation open at a time; what it is to invoke
// meanwhile waits for the return, in the order of the scenario.
func TestOperations(t *testing.T) {
	expect(t,
		newStore().config(
			1, invokes("read", `{}`, 0), invokes("write", `{"n":0}`, 0.5), invokes("write", `{"n":1}`, 0.7),
			invokes("write", `{"n":2}`, 2),
		), `
		0 invoke 1 read
		0 set-timer 1 t1 {"due":1000000000}
		1 timeout 1 t1 {"due":1000000000}
		1 return 1 read {"outcome":"ok","n":7}
		1 invoke 1 write {"n":0}
		1 return 1 write {"outcome":"fail"}
		1 invoke 1 write {"n":1}
		1 return 1 write {"outcome":"unknown"}
		2 invoke 1 write {"n":2}
		2 return 1 write {"outcome":"ok"}`)
}

// TestDeclares: a protocol can take over from another if both declare the same. Any difference prevents it.
func TestDeclares(t *testing.T) {
	declared := func(more func(pr *sim.Protocol)) *sim.Protocol {
		pr := &newStore().Protocol
		if more != nil {
			more(pr)
		}
		return pr
	}
	if !declared(nil).Declares(declared(nil)) {
		t.Error("two stores differ")
	}
	if (*sim.Protocol)(nil).Declares(declared(nil)) {
		t.Error("no protocol declares what a store does")
	}
	for name, more := range map[string]func(pr *sim.Protocol){
		"a timer":      func(pr *sim.Protocol) { pr.Timer("t3") },
		"a variable":   func(pr *sim.Protocol) { sim.Declare[bool](pr, "more", "") },
		"a message":    func(pr *sim.Protocol) { pr.Signal("C", "") },
		"a note":       func(pr *sim.Protocol) { pr.Label("leave", "") },
		"an operation": func(pr *sim.Protocol) { sim.DeclareOperation[noFields, value](pr, "reset", "") },
	} {
		if declared(more).Declares(declared(nil)) || declared(nil).Declares(declared(more)) {
			t.Errorf("%s more makes no difference", name)
		}
	}
	first, second := declared(nil), declared(nil)
	sim.Declare[int](first, "log", "", sim.Stable)
	sim.Declare[int](second, "log", "")
	if first.Declares(second) {
		t.Error("a variable on stable storage is another")
	}
}

// TestMakes: notes and operations that the protocol declares are its own, all
// others commentary.
func TestMakes(t *testing.T) {
	h, err := sim.NewHost(newStore().config(1), &log{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		kind  tracefmt.Kind
		label string
		want  bool
	}{
		{tracefmt.Note, "enter", true},
		{tracefmt.Note, "leave", false},
		{tracefmt.Note, "read", false},
		{tracefmt.Return, "read", true},
		{tracefmt.Invoke, "write", true},
		{tracefmt.Return, "enter", false},
		{tracefmt.Send, "A", false},
	} {
		if got := h.Makes(tt.kind, tt.label); got != tt.want {
			t.Errorf("%s %s: %t", tt.kind, tt.label, got)
		}
	}
}
