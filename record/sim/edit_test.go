package sim_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// burst has 1 send A, B and A to 2 when it starts.
func burst() *toy {
	y := newToy()
	y.Start = func(p *sim.Process) {
		for _, m := range []sim.Signal{y.a, y.b, y.a} {
			m.Send(p, 2)
		}
	}
	return y
}

// An edit names its message by id or by the seq of its send: here 3, 4, 5
// after two starts and a suspicion it is 4, 5, 6. Channels stay FIFO.
func TestEdits(t *testing.T) {
	for _, test := range []struct {
		name  string
		edits []network.Edit
		want  []string
	}{
		{"none", nil, []string{"r1", "r1", "r1"}},
		{"drop", []network.Edit{{Kind: network.DropMessage, Message: 2}}, []string{"d0", "r1", "r1"}},
		{"drop by seq", []network.Edit{{Kind: network.DropMessage, Sent: 4}}, []string{"d0", "r1", "r1"}},
		{"delay holds up what is sent later", []network.Edit{{Kind: network.DelayMessage, Message: 2, Delay: u(4)}}, []string{"r1", "r4", "r4"}},
		{"duplicate", []network.Edit{{Kind: network.DuplicateMessage, Message: 3}}, []string{"r1", "r1", "r1", "r1"}},
		{"duplicate of what is dropped", []network.Edit{
			{Kind: network.DropMessage, Message: 3},
			{Kind: network.DuplicateMessage, Message: 3},
		}, []string{"d0", "r1", "r1"}},
		{"no such message", []network.Edit{{Kind: network.DropMessage, Message: 9}}, []string{"r1", "r1", "r1"}},
	} {
		c := burst().config(2, start(1, 0))
		c.Edits = test.edits
		if l, _ := run(t, c); !slices.Equal(l.fates, test.want) {
			t.Errorf("%s: %v, want %v", test.name, l.fates, test.want)
		}
	}
}

// A delay saves a message that would be lost.
func TestDelayOfALostMessage(t *testing.T) {
	c := burst().config(2, start(1, 0))
	c.Loss = 1
	c.Edits = []network.Edit{{Kind: network.DelayMessage, Message: 2, Delay: u(2)}}
	if l, _ := run(t, c); !slices.Equal(l.fates, []string{"d0", "d0", "r2"}) {
		t.Errorf("%v, want the second message to arrive", l.fates)
	}
}

// behindEvent is an action after the event seq.
func behindEvent(kind sim.ActionKind, p int, seq tracefmt.Seq) sim.Action {
	return sim.Action{Kind: kind, Process: tracefmt.ProcessID(p), After: seq}
}

// A crash takes a process in the middle of its step: what it has not sent is
// not sent, what it has assigned is lost, its timers are not set.
func TestCrashWithinAStep(t *testing.T) {
	y := burst()
	send := y.Start
	y.Start = func(p *sim.Process) {
		y.flag.Set(p, true)
		send(p)
		y.elected.Set(p, 1)
		p.SetTimer(y.t1, u(1))
		y.a.Send(p, 1) // to itself
		p.Suspect(2)
	}
	y.Receive = func(p *sim.Process, _ arrived) {
		if p.ID() == 1 {
			t.Error("a message to itself outlives a crash")
		}
	}
	// 1, 2: start; 3: suspect; 4: state; 5: send A; 6: send B.
	expect(t, y.config(2, start(1, 0), behindEvent(sim.CrashProcess, 1, 6), behindEvent(sim.RecoverProcess, 1, 6)), `
		0 suspect 1
		0 state 1 {"flag":true}
		0 send 1 peer 2 A m1
		0 send 1 peer 2 B m2
		0 crash 1
		0 recover 1 {"elected":null,"flag":false,"members":[]}
		1 receive 2 peer 1 A m1
		1 receive 2 peer 1 B m2`)
}

// Effects on other processes wait for the end of the step, and then happen in the order of the plan.
func TestActionsBehindAnEvent(t *testing.T) {
	y := burst()
	y.Recover = func(p *sim.Process) { y.b.Send(p, 1) }
	c := y.config(3, start(1, 0), behindEvent(sim.RecoverProcess, 3, 5), behindEvent(sim.CrashProcess, 2, 5))
	c.Down = []tracefmt.ProcessID{3}
	expect(t, c, `
		0 crash 3
		0 suspect 1 peer 3
		0 send 1 peer 2 A m1
		0 send 1 peer 2 B m2
		0 send 1 peer 2 A m3
		0 recover 3 {"elected":null,"flag":false,"members":[]}
		0 send 3 peer 1 B m4
		0 crash 2
		1 lose 2 peer 1 A m1 {"reason":"receiver crashed"}
		1 lose 2 peer 1 B m2 {"reason":"receiver crashed"}
		1 lose 2 peer 1 A m3 {"reason":"receiver crashed"}
		1 receive 1 peer 3 B m4`)
}

// A run that was over goes on after its last event.
func TestActionBehindTheLastEvent(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.Send(p, 2) }
	expect(t, y.config(2, start(1, 0), behindEvent(sim.StartProcess, 1, 5)), `
		0 suspect 1
		0 send 1 peer 2 A m1
		1 receive 2 peer 1 A m1
		1 suspect 1
		1 send 1 peer 2 A m2
		2 receive 2 peer 1 A m2`)
}

// Another protocol with the same declarations takes over after a step or at an
// instant; one with others is refused.
func TestSwitchProtocol(t *testing.T) {
	y, loud := burst(), newToy()
	loud.Receive = func(p *sim.Process, m arrived) { loud.flag.Set(p, m.Type == "A") }
	for _, action := range []sim.Action{
		{Kind: sim.SwitchProtocol, Protocol: &loud.Protocol, After: 4},
		{Kind: sim.SwitchProtocol, Protocol: &loud.Protocol, At: u(0.5)},
	} {
		expect(t, y.config(2, start(1, 0), action), `
			0 suspect 1
			0 send 1 peer 2 A m1
			0 send 1 peer 2 B m2
			0 send 1 peer 2 A m3
			1 receive 2 peer 1 A m1
			1 state 2 {"flag":true}
			1 receive 2 peer 1 B m2
			1 state 2 {"flag":false}
			1 receive 2 peer 1 A m3
			1 state 2 {"flag":true}`)
	}
	for _, changed := range []*sim.Protocol{nil, {}, &newGossip().Protocol} {
		c := y.config(2, sim.Action{Kind: sim.SwitchProtocol, Protocol: changed})
		if _, err := sim.Run(t.Context(), c, &log{}); err == nil {
			t.Error("a protocol with other declarations takes over")
		}
	}
}

// ticker has every process that starts send A to all others each half unit,
// whatever it receives: fates do not change what is sent.
func ticker() *toy {
	y := newToy()
	y.Start = func(p *sim.Process) { p.SetTimer(y.t1, u(0.5)) }
	y.Timeout = func(p *sim.Process, _ sim.Timer) {
		for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
			if q != p.ID() {
				y.a.Send(p, q)
			}
		}
		p.SetTimer(y.t1, u(0.5))
	}
	return y
}

// fates returns what became of each message, and when.
func fates(t *rapid.T, c sim.Config) map[tracefmt.MessageID]string {
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	fates := map[tracefmt.MessageID]string{}
	for e := range m.Events(1) {
		if e.Message != 0 {
			fates[e.Message] += e.Kind.String() + e.Time.String() + " "
		}
	}
	return fates
}

// TestEditsLeaveOtherMessagesAlone: the fate of a message is drawn for it also
// when an edit decides otherwise, so that all others keep theirs.
func TestEditsLeaveOtherMessagesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := ticker().config(3, start(1, 0), start(3, 0.2))
		c.Delay = rapid.SampledFrom([]network.Delay{
			{Distribution: network.Exponential, A: u(1)}, {Distribution: network.Uniform, A: u(0.5), B: u(3)},
		}).Draw(t, "delay")
		c.Loss, c.Duplicate, c.Reorder = 0.2, 0.2, true
		c.Seed, c.Until = rapid.Int64Range(0, 1000).Draw(t, "seed"), u(6)
		plain := fates(t, c)
		message := tracefmt.MessageID(rapid.IntRange(1, 30).Draw(t, "message"))
		c.Edits = []network.Edit{{Kind: network.EditKind(rapid.IntRange(0, 2).Draw(t, "kind")), Message: message, Delay: u(2)}}
		edited := fates(t, c)
		if len(plain) < 30 || len(plain) != len(edited) {
			t.Fatalf("%d messages, with the edit %d", len(plain), len(edited))
		}
		for m, fate := range plain {
			if m != message && edited[m] != fate {
				t.Fatalf("message %d: %s, with an edit of message %d: %s", m, fate, message, edited[m])
			}
		}
	})
}
