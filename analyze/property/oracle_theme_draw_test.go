package property_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"etrace/fixtures/mask"
	"etrace/tracefmt"
)

// draw draws a complete run, or one without a declaration.
func (th *theme) draw(random *rand.Rand) *tracefmt.Memory {
	run := tracefmt.Run{
		Problem: th.problem, Source: tracefmt.Simulated, TimeUnit: tracefmt.Delays, Traits: th.traits,
		Basic: th.basic, Token: th.token,
	}
	if random.IntN(3) == 0 {
		run.Source = mask.Log
	}
	for i := range th.n {
		m := tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1}
		switch {
		case th.roles != nil:
			m.Attributes = fmt.Appendf(nil, `{"role":%q}`, th.roles[i])
		case run.Source == mask.Log:
			m.Attributes = []byte(`{"role":"server"}`)
		}
		run.Members = append(run.Members, m)
	}
	d := &drawnRun{tracefmt.NewMemory(run), new(course)}
	for range 2 + random.IntN(th.events-1) {
		d.happen(th, random)
	}
	end := tracefmt.Stopped
	if random.IntN(4) > 0 {
		end = tracefmt.Quiescent
		d.settle(random)
	}
	_ = d.Finish(end)
	return d.Memory
}

// drawnRun is a run that is being drawn, and what may happen in it next.
type drawnRun struct {
	*tracefmt.Memory
	course *course
}

// happen draws one event that keeps the rules.
func (d *drawnRun) happen(th *theme, random *rand.Rand) {
	var list []tracefmt.Event
	for p := range tracefmt.ProcessID(th.n) {
		add := func(e *tracefmt.Event) {
			for range th.often(e) {
				if d.course.keeps(e) {
					list = append(list, *e)
				}
			}
		}
		for _, e := range began(th.happenings(), th.n, p+1) {
			add(&e)
		}
		d.course.follows(p+1, add)
	}
	if len(list) > 0 {
		d.add(list[random.IntN(len(list))])
	}
}

// often is how often an event is drawn; what follows from others is drawn most.
func (th *theme) often(e *tracefmt.Event) int {
	for _, s := range th.happenings() {
		if s.kind == e.Kind && s.typ == e.Type {
			return s.often
		}
	}
	return 6
}

func (d *drawnRun) add(e tracefmt.Event) {
	e.Seq, e.Time = tracefmt.Seq(d.Len()+1), tracefmt.Time(d.Len())*tracefmt.Unit
	if e.Kind == tracefmt.Send {
		e.Message = tracefmt.MessageID(len(d.course.messages) + 1)
	}
	if e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose {
		e.Cause = d.course.messages[d.course.flight(&e)].Seq
	}
	d.course.step(&e)
	_ = d.Write(&e) // a Memory takes every event
}

// settle has messages arrive, or be lost, and stops timers.
func (d *drawnRun) settle(random *rand.Rand) {
	for _, m := range d.course.clone().messages {
		if m.settled {
			continue
		}
		e := tracefmt.Event{Kind: tracefmt.Receive, Process: m.Peer, Peer: m.Process, Type: m.Type, Message: m.Message, Payload: m.Payload}
		if d.course.processes[m.Peer].down || random.IntN(4) == 0 {
			e.Kind, e.Payload = tracefmt.Lose, nil
		}
		d.add(e)
	}
	for _, t := range d.course.clone().armed {
		d.add(tracefmt.Event{Kind: tracefmt.Timeout, Process: t.Process, Type: t.Type})
	}
}
