package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// One test for each sentence of the simulation rules (DESIGN 5, ALGORITHMS 1).

// At t=1 four things happen at once: a crash, two deliveries, two timers, a
// start. They are scheduled in the opposite order.
func TestTiesAtOneInstant(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		switch p.ID() {
		case 1:
			p.SetTimer(y.t2, u(1))
			p.SetTimer(y.t1, u(1))
			y.b.Send(p, 3)
			y.a.Send(p, 2)
		case 2:
			y.a.Send(p, 1)
		}
	}
	c := y.config(4, start(4, 1), start(1, 0), start(2, 0), crash(3, 1))
	expect(t, c, `
		0 suspect 1
		0 set-timer 1 t2 {"due":1000000000}
		0 set-timer 1 t1 {"due":1000000000}
		0 send 1 peer 3 B m1
		0 send 1 peer 2 A m2
		0 suspect 2
		0 send 2 peer 1 A m3
		1 crash 3
		1 lose 3 peer 1 B m1 {"reason":"receiver crashed"}
		1 receive 2 peer 1 A m2
		1 receive 1 peer 2 A m3
		1 timeout 1 t2 {"due":1000000000}
		1 timeout 1 t1 {"due":1000000000}
		1 suspect 4`)
}

// The effects of a handler at the same instant come after everything that was due already, but a delivery
// still comes before a timer.
func TestZeroDelays(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		p.SetTimer(y.t1, 0)
		y.a.Send(p, 2)
	}
	y.Receive = func(p *sim.Process, m arrived) {
		if m.Type == "A" {
			y.b.Send(p, 1)
		}
	}
	c := y.config(2, start(1, 0))
	c.Rules = []network.Rule{{Delay: 0}}
	expect(t, c, `
		0 suspect 1
		0 set-timer 1 t1 {"due":0}
		0 send 1 peer 2 A m1
		0 receive 2 peer 1 A m1
		0 send 2 peer 1 B m2
		0 receive 1 peer 2 B m2
		0 timeout 1 t1 {"due":0}`)
}

// twoMessages sends A, then B, from 1 to 2.
func twoMessages() *toy {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.a.Send(p, 2)
		y.b.Send(p, 2)
	}
	return y
}

// A message arrives no earlier than its predecessor on the channel, also when
// a rule held that one up; at one instant the order of the sends stays.
func TestFIFO(t *testing.T) {
	y := twoMessages()
	c := y.config(2, start(1, 0))
	c.Rules = []network.Rule{{Type: "A", Delay: u(4)}}
	expect(t, c, `
		0 suspect 1
		0 send 1 peer 2 A m1
		0 send 1 peer 2 B m2
		4 receive 2 peer 1 A m1
		4 receive 2 peer 1 B m2`)
	c.Reorder = true
	expect(t, c, `
		0 suspect 1
		0 send 1 peer 2 A m1
		0 send 1 peer 2 B m2
		1 receive 2 peer 1 B m2
		4 receive 2 peer 1 A m1`)
}

// FIFO holds per channel: another sender is not held up.
func TestFIFOIsPerChannel(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.Send(p, 3) }
	c := y.config(3, start(1, 0), start(2, 0))
	c.Rules = []network.Rule{{From: 1, Delay: u(4)}}
	expect(t, c, `
		0 suspect 1
		0 send 1 peer 3 A m1
		0 suspect 2
		0 send 2 peer 3 A m2
		1 receive 3 peer 2 A m2
		4 receive 3 peer 1 A m1`)
}

// Four messages from 1: A and B to 2, A and B to 3, then the same again at 10.
// r1 is received at 1, d0 dropped at 0; p and c below are partitioned and
// receiver crashed.
func TestRules(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		for _, q := range []tracefmt.ProcessID{2, 3} {
			y.a.Send(p, q)
			y.b.Send(p, q)
		}
	}
	for _, test := range []struct {
		name  string
		rules []network.Rule
		want  string
	}{
		{"none", nil, "r1 r1 r1 r1 r11 r11 r11 r11"},
		{"every A from 1 to 2", []network.Rule{{Type: "A", From: 1, To: 2, Drop: true}}, "d0 r1 r1 r1 d10 r11 r11 r11"},
		{"the second A from 1 to 2", []network.Rule{{Type: "A", From: 1, To: 2, Occurrence: 2, Drop: true}}, "r1 r1 r1 r1 d10 r11 r11 r11"},
		{"the third A at all", []network.Rule{{Type: "A", Occurrence: 3, Drop: true}}, "r1 r1 r1 r1 d10 r11 r11 r11"},
		{"the fourth to 3", []network.Rule{{To: 3, Occurrence: 4, Drop: true}}, "r1 r1 r1 r1 d10 r11 r11 r11"},
		{"everything", []network.Rule{{Drop: true}}, "d0 d0 d0 d0 d10 d10 d10 d10"},
		{"the fifth of all is slow", []network.Rule{{Occurrence: 5, Delay: u(3)}}, "r1 r1 r1 r1 r11 r11 r13 r13"},
		{"no such channel", []network.Rule{{From: 2, Drop: true}}, "r1 r1 r1 r1 r11 r11 r11 r11"},
		{"slowed and dropped", []network.Rule{{Type: "A", Delay: u(2)}, {Type: "A", To: 2, Drop: true}}, "d0 r1 r2 r2 d10 r11 r12 r12"},
		{"the first that slows counts", []network.Rule{{Delay: u(2)}, {Delay: u(5)}}, "r2 r2 r2 r2 r12 r12 r12 r12"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := y.config(3, start(1, 0), start(1, 10))
			c.Rules = test.rules
			l, _ := run(t, c)
			if got := strings.Join(l.fates, " "); sorted(got) != sorted(test.want) {
				t.Errorf("fates %s, want %s", got, test.want)
			}
		})
	}
}

// sorted orders words: losses in the order of sends, receives in the order of arrival.
func sorted(words string) string {
	return strings.Join(slices.Sorted(slices.Values(strings.Fields(words))), " ")
}

// A lost message counts as sent and ends at its time of sending.
func TestLossAtTheSend(t *testing.T) {
	y := twoMessages()
	c := y.config(2, start(1, 0.5))
	c.Loss = 1
	expect(t, c, `
		0.5 suspect 1
		0.5 send 1 peer 2 A m1
		0.5 lose 2 peer 1 A m1 {"reason":"dropped"}
		0.5 send 1 peer 2 B m2
		0.5 lose 2 peer 1 B m2 {"reason":"dropped"}`)
}

// A message is lost if its receiver is down at the arrival. The messages of a process that crashes later still
// arrive.
func TestCrashesAndMessages(t *testing.T) {
	y := twoMessages()
	for _, test := range []struct {
		name    string
		actions []sim.Action
		want    string
	}{
		{"down all the time", []sim.Action{crash(2, 0)}, "c1 c1"},
		{"up when sent, down when it arrives", []sim.Action{crash(2, 0.5)}, "c1 c1"},
		{"down at the instant of the arrival", []sim.Action{crash(2, 1)}, "c1 c1"},
		{"down when sent, recovered meanwhile", []sim.Action{crash(2, 0), recovers(2, 0.5)}, "r1 r1"},
		{"recovers at the instant of the arrival", []sim.Action{crash(2, 0), recovers(2, 1)}, "r1 r1"},
		{"down and up in between", []sim.Action{crash(2, 0.2), recovers(2, 0.8)}, "r1 r1"},
		{"the sender crashes after the send", []sim.Action{crash(1, 0.5)}, "r1 r1"},
		{"the sender crashes first", []sim.Action{crash(1, 0)}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, r := run(t, y.config(2, append(test.actions, start(1, 0))...))
			if got := strings.Join(l.fates, " "); got != test.want || r.End != tracefmt.Quiescent {
				t.Errorf("fates %q, end %v, want %q, quiescent", got, r.End, test.want)
			}
		})
	}
}

// A crash removes all timers; a recovered process begins with fresh variables,
// recorded in the event, and no timers.
func TestCrashLosesTimersAndVariables(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.flag.Set(p, true)
		y.elected.Set(p, 2)
		y.members.Set(p, sim.ListOf[tracefmt.ProcessID](1, 2))
		p.SetTimer(y.t1, u(3))
	}
	y.Recover = func(p *sim.Process) {
		if y.flag.Get(p) || y.elected.Get(p) != 0 || y.members.Get(p).Len() > 0 || p.Armed(y.t1) {
			t.Error("a recovered process remembers")
		}
		p.SetTimer(y.t1, u(5))
	}
	expect(t, y.config(2, start(1, 0), crash(1, 1), recovers(1, 2)), `
		0 suspect 1
		0 state 1 {"elected":2,"flag":true,"members":[1,2]}
		0 set-timer 1 t1 {"due":3000000000}
		1 crash 1
		2 recover 1 {"elected":null,"flag":false,"members":[]}
		2 set-timer 1 t1 {"due":7000000000}
		7 timeout 1 t1 {"due":7000000000}`)
}

// Crashing who is down and recovering who is up have no effect; a crash comes
// before a recovery of the same instant if it is listed first.
func TestFaultsWithoutEffect(t *testing.T) {
	y := newToy()
	c := y.config(2, crash(1, 1), recovers(2, 1), recovers(1, 1), crash(2, 2))
	c.Down = []tracefmt.ProcessID{1}
	expect(t, c, `
		0 crash 1
		1 recover 1 {"elected":null,"flag":false,"members":[]}
		2 crash 2`)
}

// A start of a process that is down, or busy with an election of its own, has
// no effect and leaves no trace.
func TestStartWithoutEffect(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.flag.Set(p, true) }
	y.Busy = y.flag.Get
	c := y.config(3, start(1, 0), start(1, 1), start(3, 1), start(2, 1))
	c.Down = []tracefmt.ProcessID{3}
	expect(t, c, `
		0 crash 3
		0 suspect 1 peer 3
		0 state 1 {"flag":true}
		1 suspect 2 peer 3
		1 state 2 {"flag":true}`)
}

// A process suspects the coordinator that it believes in. Otherwise it suspects the highest process that was
// down at the start. It suspects none if that is absent, or itself.
func TestWhoIsSuspected(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.elected.Set(p, 2) }
	c := y.config(4, start(1, 0), start(1, 1), recovers(3, 2), start(3, 2))
	c.Down = []tracefmt.ProcessID{3, 2}
	expect(t, c, `
		0 crash 2
		0 crash 3
		0 suspect 1 peer 3
		0 state 1 {"elected":2}
		1 suspect 1 peer 2
		1 state 1 {"elected":2}
		2 recover 3 {"elected":null,"flag":false,"members":[]}
		2 suspect 3
		2 state 3 {"elected":2}`)
}

// Setting an armed timer restarts it. A stopped timer does not expire. Stopping a timer that is not armed
// leaves no trace.
func TestTimers(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		p.SetTimer(y.t1, u(3))
		p.SetTimer(y.t1, u(1))
		p.SetTimer(y.t2, u(2))
	}
	y.Timeout = func(p *sim.Process, timer sim.Timer) {
		if timer == y.t1 {
			if p.Armed(y.t1) || !p.Armed(y.t2) {
				t.Error("armed: want t2 only")
			}
			p.StopTimer(y.t2)
			p.StopTimer(y.t1)
		}
	}
	expect(t, y.config(1, start(1, 0)), `
		0 suspect 1
		0 set-timer 1 t1 {"due":3000000000}
		0 set-timer 1 t1 {"due":1000000000}
		0 set-timer 1 t2 {"due":2000000000}
		1 timeout 1 t1 {"due":1000000000}
		1 cancel-timer 1 t2`)
}

// A timer that is restarted for the same instant counts from its last setting: it expires after a timer that
// was set in between.
func TestTimersInTheOrderTheyWereSet(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		p.SetTimer(y.t1, u(1))
		p.SetTimer(y.t2, u(1))
		p.SetTimer(y.t1, u(1))
	}
	expect(t, y.config(1, start(1, 0)), `
		0 suspect 1
		0 set-timer 1 t1 {"due":1000000000}
		0 set-timer 1 t2 {"due":1000000000}
		0 set-timer 1 t1 {"due":1000000000}
		1 timeout 1 t2 {"due":1000000000}
		1 timeout 1 t1 {"due":1000000000}`)
}

// A partition is judged at the send: what is on the way arrives, what is sent
// meanwhile does not arrive after the heal. 3 and 4, in no group, form one.
func TestPartition(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		if p.ID() == 1 {
			y.a.Send(p, 2)
		}
		if p.ID() == 3 {
			y.a.Send(p, 2)
			y.a.Send(p, 4)
		}
	}
	groups := [][]tracefmt.ProcessID{{1}, {2}}
	expect(t, y.config(4, start(1, 0), start(1, 1.5), start(3, 1.5), start(1, 2), split(1, groups...), heal(2, groups...)), `
		0 suspect 1
		0 send 1 peer 2 A m1
		1 partition {"groups":[[1],[2]]}
		1 receive 2 peer 1 A m1
		1.5 suspect 1
		1.5 send 1 peer 2 A m2
		1.5 lose 2 peer 1 A m2 {"reason":"partitioned"}
		1.5 suspect 3
		1.5 send 3 peer 2 A m3
		1.5 lose 2 peer 3 A m3 {"reason":"partitioned"}
		1.5 send 3 peer 4 A m4
		2 heal {"groups":[[1],[2]]}
		2 suspect 1
		2 send 1 peer 2 A m5
		2.5 receive 4 peer 3 A m4
		3 receive 2 peer 1 A m5`)
}

// Of two partitions at once, each takes messages until its own heal.
func TestPartitionsOverlap(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.a.Send(p, 2)
		y.a.Send(p, 3)
	}
	first, two := split(0, []tracefmt.ProcessID{1, 2}, []tracefmt.ProcessID{3}), split(0, []tracefmt.ProcessID{1, 3}, []tracefmt.ProcessID{2})
	two.Partition = 1
	l, _ := run(t, y.config(3, first, two, heal(5), start(1, 0), start(1, 5)))
	if got := strings.Join(l.fates, " "); got != "p0 p0 p5 r6" {
		t.Errorf("fates %s, want both lost at 0, the one to 2 lost at 5", got)
	}
}

// A duplicate is a second receive of the same message.
func TestDuplicate(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.Send(p, 2) }
	c := y.config(2, start(1, 0))
	c.Duplicate = 1
	expect(t, c, `
		0 suspect 1
		0 send 1 peer 2 A m1
		1 receive 2 peer 1 A m1
		1 receive 2 peer 1 A m1`)
}

// A message to oneself is not sent: its rule is applied at once, before anything else, and only its effect is
// recorded.
func TestMessageToOneself(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.list.Send(p, p.ID(), listFields{7, sim.ListOf[tracefmt.ProcessID](2)})
		p.SetTimer(y.t1, 0)
	}
	y.Receive = func(p *sim.Process, m arrived) {
		if m.From != p.ID() || m.N != 7 || m.List.Len() != 1 {
			t.Errorf("received %+v", m)
		}
		y.flag.Set(p, true)
	}
	expect(t, y.config(2, start(1, 0)), `
		0 suspect 1
		0 set-timer 1 t1 {"due":0}
		0 state 1 {"flag":true}
		0 timeout 1 t1 {"due":0}`)
}

// The payload of a message has its fields by name, processes as their names.
func TestPayload(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.id.Send(p, 2, idFields{1})
		y.id.Send(p, 2, idFields{0})
		y.list.Send(p, 2, listFields{-3, sim.ListOf[tracefmt.ProcessID](2, 1)})
	}
	c := y.config(2, start(1, 0))
	c.Members[0].Name, c.Members[1].Name = "alpha", "7"
	l, _ := run(t, c)
	want := lines(`
		0 suspect 1
		0 send 1 peer 2 ID m1 {"id":"alpha"}
		0 send 1 peer 2 ID m2 {"id":null}
		0 send 1 peer 2 LIST m3 {"n":-3,"list":[7,"alpha"]}`)
	if got := l.lines[:4]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every assignment to elected is recorded, also of the same value; of other
// variables every change, as one event with what else the step assigns.
func TestState(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.flag.Set(p, false) // no change
		y.elected.Set(p, 1)
		y.flag.Set(p, true)
		y.elected.Set(p, 1)
		y.elected.Set(p, 2)
	}
	c := y.config(2, start(1, 0))
	c.Coordinator = 2
	expect(t, c, `
		0 suspect 1 peer 2
		0 state 1 {"elected":1,"flag":true}
		0 state 1 {"elected":1}
		0 state 1 {"elected":2}`)
}

// A known coordinator is the initial value of elected at the live processes; the variables are in their start
// events.
func TestKnownCoordinator(t *testing.T) {
	y := newToy()
	m := tracefmt.NewMemory(tracefmt.Run{})
	c := y.config(3)
	c.Coordinator, c.Down = 3, []tracefmt.ProcessID{2}
	if _, err := sim.Run(context.Background(), c, m); err != nil {
		t.Fatal(err)
	}
	want := `{"elected":3,"flag":false,"members":[]}`
	for p := tracefmt.Seq(1); p <= 3; p++ {
		e := m.At(p)
		if p == 2 && (e.Kind != tracefmt.Crash || e.Payload != nil) || p != 2 && string(e.Payload) != want {
			t.Errorf("process %d begins with %v %s", p, e.Kind, e.Payload)
		}
	}
}

// With ring repair a sender passes over dead successors, one suspicion each in
// each pass; a recovered process has its old place again.
func TestRingRepair(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.SendNext(p) }
	c := y.config(4, crash(3, 0), start(1, 0), start(1, 1), recovers(2, 5), start(1, 5))
	c.Down = []tracefmt.ProcessID{2}
	expect(t, c, `
		0 crash 2
		0 crash 3
		0 suspect 1 peer 2
		0 suspect 1 peer 2
		0 suspect 1 peer 3
		0 send 1 peer 4 A m1
		1 receive 4 peer 1 A m1
		1 suspect 1 peer 2
		1 suspect 1 peer 2
		1 suspect 1 peer 3
		1 send 1 peer 4 A m2
		2 receive 4 peer 1 A m2
		5 recover 2 {"elected":null,"flag":false,"members":[]}
		5 suspect 1 peer 2
		5 send 1 peer 2 A m3
		6 receive 2 peer 1 A m3`)
}

// Without repair the ring is that of the processes which were up at the start:
// 2 is left out even after it recovers, the crash of 3 is not noticed.
func TestNoRingRepair(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.SendNext(p) }
	c := y.config(4, crash(3, 0), recovers(2, 0), start(1, 0), start(2, 0))
	c.Down, c.NoRingRepair = []tracefmt.ProcessID{2}, true
	expect(t, c, `
		0 crash 2
		0 crash 3
		0 recover 2 {"elected":null,"flag":false,"members":[]}
		0 suspect 1 peer 2
		0 send 1 peer 3 A m1
		0 suspect 2
		0 send 2 peer 3 A m2
		1 lose 3 peer 1 A m1 {"reason":"receiver crashed"}
		1 lose 3 peer 2 A m2 {"reason":"receiver crashed"}`)
}

// The ring order is that of the positions, not of the ids.
func TestRingOrder(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.SendNext(p) }
	c := y.config(3, start(1, 0), start(2, 0), start(3, 0))
	for i, position := range []int{2, 1, 3} { // 2, 1, 3
		c.Members[i].Position = position
	}
	l, _ := run(t, c)
	if got := strings.Join(l.lines[:6:6], "; "); !strings.Contains(got, "send 1 peer 3") ||
		!strings.Contains(got, "send 2 peer 1") || !strings.Contains(got, "send 3 peer 2") {
		t.Errorf("sends: %s", got)
	}
}

// The lone process of a ring, or the last one up, is its own successor.
func TestAlone(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.SendNext(p) }
	y.Receive = func(p *sim.Process, m arrived) { y.elected.Set(p, m.From) }
	expect(t, y.config(1, start(1, 0)), `
		0 suspect 1
		0 state 1 {"elected":1}`)
	c := y.config(3, start(2, 0))
	c.Down = []tracefmt.ProcessID{1, 3}
	expect(t, c, `
		0 crash 1
		0 crash 3
		0 suspect 2 peer 3
		0 suspect 2 peer 3
		0 suspect 2 peer 1
		0 state 2 {"elected":2}`)
}

func TestEverythingDown(t *testing.T) {
	y := newToy()
	c := y.config(2, start(1, 0))
	c.Down = []tracefmt.ProcessID{1, 2}
	expect(t, c, `
		0 crash 1
		0 crash 2`)
}

// ticking restarts its timer forever and counts the expiries, so that the state never repeats.
func ticking() *toy {
	y := newToy()
	y.Start = func(p *sim.Process) { p.SetTimer(y.t1, u(1)) }
	y.Timeout = func(p *sim.Process, _ sim.Timer) {
		y.members.Set(p, y.members.Get(p).Append(1))
		p.SetTimer(y.t1, u(1))
	}
	return y
}

// Until is the last instant at which something happens.
func TestUntil(t *testing.T) {
	y := ticking()
	c := y.config(1, start(1, 0))
	c.Until = u(3)
	l, r := run(t, c)
	if r.End != tracefmt.Deadline || r.Now != u(3) || l.kinds[tracefmt.Timeout] != 3 {
		t.Errorf("end %v at %v after %d ticks, want deadline at 3 after 3", r.End, r.Now, l.kinds[tracefmt.Timeout])
	}
	c = newToy().config(1, start(1, 3))
	c.Until = u(3)
	_, r = run(t, c)
	if r.End != tracefmt.Quiescent {
		t.Errorf("end %v, want quiescent: nothing is left at the limit", r.End)
	}
}

// MaxEvents ends the run after the step that reaches it.
func TestMaxEvents(t *testing.T) {
	y := ticking()
	for limit := int64(1); limit < 30; limit++ {
		c := y.config(1, start(1, 0))
		c.MaxEvents = limit
		if _, r := run(t, c); r.End != tracefmt.Deadline || r.Events < limit || r.Events > limit+2 {
			t.Errorf("limit %d: end %v after %d events", limit, r.End, r.Events)
		}
	}
	c := newToy().config(1, start(1, 0))
	c.MaxEvents = 1<<63 - 1 // twice as many steps overflowed
	if _, r := run(t, c); r.End != tracefmt.Quiescent {
		t.Errorf("no limit: end %v, want quiescent", r.End)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := &log{}
	y := ticking()
	r, err := sim.Run(ctx, y.config(1, start(1, 0)), l)
	if err != nil || r.End != tracefmt.Stopped || r.Events != 1 {
		t.Errorf("cancelled before: %+v, %v, want stopped after the start event", r, err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	n := 0
	r, err = sim.Run(ctx, y.config(1, start(1, 0)), sinkFunc(func(*tracefmt.Event) error {
		n++
		if n == 5000 {
			cancel()
		}
		return nil
	}))
	if err != nil || r.End != tracefmt.Stopped || r.Events < 5000 || r.Events > 10_000 {
		t.Errorf("cancelled on the way: %+v, %v", r, err)
	}
}

type sinkFunc func(*tracefmt.Event) error

func (f sinkFunc) Write(e *tracefmt.Event) error { return f(e) }

func TestSinkError(t *testing.T) {
	full := errors.New("disk full")
	for at := 1; at < 12; at++ {
		n := 0
		y := ticking()
		r, err := sim.Run(context.Background(), y.config(1, start(1, 0)), sinkFunc(func(*tracefmt.Event) error {
			n++
			if n == at {
				return full
			}
			return nil
		}))
		if !errors.Is(err, full) || r.End != tracefmt.Stopped || n != at || r.Events != int64(at-1) {
			t.Errorf("error at event %d: %d writes, %+v, %v", at, n, r, err)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for want, change := range map[string]func(c *sim.Config){
		"at least one process":    func(c *sim.Config) { c.Members = nil },
		"process number 4":        func(c *sim.Config) { c.Down = []tracefmt.ProcessID{4} },
		"process number 0":        func(c *sim.Config) { c.Actions = []sim.Action{{Kind: sim.CrashProcess}} },
		"process number 9":        func(c *sim.Config) { c.Coordinator = 9 },
		"process number 5":        func(c *sim.Config) { c.Actions = []sim.Action{split(0, []tracefmt.ProcessID{5})} },
		"process number 6":        func(c *sim.Config) { c.Rules = []network.Rule{{To: 6}} },
		"probabilities":           func(c *sim.Config) { c.Loss = 1.5 },
		"time -1":                 func(c *sim.Config) { c.Actions = []sim.Action{start(1, -1)} },
		"time -2":                 func(c *sim.Config) { c.Rules = []network.Rule{{Delay: u(-2)}} },
		"time -3":                 func(c *sim.Config) { c.Delay.A = u(-3) },
		"time 72057594.037927937": func(c *sim.Config) { c.Until = network.MaxTime + 1 },
		"limit of events":         func(c *sim.Config) { c.MaxEvents = -1 },
		"rising range":            func(c *sim.Config) { c.Delay = network.Delay{Distribution: network.Uniform, A: 2, B: 2} },
	} {
		c := newToy().config(3)
		change(&c)
		if _, err := sim.Run(context.Background(), c, &log{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// The clock cannot overflow: a run with the greatest delays ends at a deadline,
// and time never goes back.
func TestClockDoesNotOverflow(t *testing.T) {
	y := ticking()
	y.Timeout = func(p *sim.Process, _ sim.Timer) {
		y.members.Set(p, y.members.Get(p).Append(1))
		p.SetTimer(y.t1, 1<<62) // clamped
	}
	c := y.config(1, start(1, 0))
	c.MaxEvents = 1000
	last := tracefmt.Time(0)
	r, err := sim.Run(context.Background(), c, sinkFunc(func(e *tracefmt.Event) error {
		if e.Time < last {
			t.Fatalf("%v after %v", e.Time, last)
		}
		last = e.Time
		return nil
	}))
	if err != nil || r.End != tracefmt.Deadline {
		t.Errorf("%+v, %v, want deadline", r, err)
	}
}
