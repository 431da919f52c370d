package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// The names of the common parameters; only algorithms with a token have holderParam.
const (
	holdParam   = "hold"
	repeatParam = "repeat"
	holderParam = "holder"
)

// params returns the common parameters, and the given ones. Each process that starts enters repeat times, so a
// bound per entry has to be multiplied by starts*repeat.
func params(added ...algorithm.Param) []algorithm.Param {
	return append([]algorithm.Param{
		{Name: holdParam, Default: "3", Time: true, Doc: "the time that a process stays in the critical section"},
		{
			Name: repeatParam, Default: "1", Number: true,
			Doc: "the number of entries of a started process; at each exit but the last, it sends its messages and requests again in the same step",
		},
	}, added...)
}

// withToken returns the parameters of an algorithm with a token.
func withToken(added ...algorithm.Param) []algorithm.Param {
	return params(append([]algorithm.Param{firstHolder}, added...)...)
}

var firstHolder = algorithm.Param{
	Name: holderParam, Default: "first", Words: []string{"first"}, Process: true,
	Doc: "the process with the token when the run begins; first: the lowest id",
}

// section is the critical section of a process: its variables, notes and timer, and the rules of an algorithm.
type section struct {
	waits, inside sim.Var[bool]
	more          sim.Var[int64] // declared for repeat above 1 only

	asked, entered, left sim.Label
	leave                sim.Timer
	hold                 tracefmt.Time
	repeat               int64

	rules
}

// rules are the rules that an algorithm adds to the section.
type rules struct {
	// ask is the action of a process that begins to wait; the process may enter at once.
	ask func(p *sim.Process)
	// release is the action of a process that has left.
	release func(p *sim.Process)
}

// newSection declares the critical section in a protocol. A start is a request. A start of a process that waits
// or is inside has no effect.
func newSection(pr *sim.Protocol, v algorithm.Values, r rules) section {
	s := section{
		waits:   sim.Declare[bool](pr, "waits", "the process wants to enter"),
		inside:  sim.Declare[bool](pr, "inside", "it is in the critical section"),
		asked:   pr.Label("request", "the process begins to wait"),
		entered: pr.Label("enter", "it is in the critical section from here on"),
		left:    pr.Label("exit", "it has left"),
		leave:   pr.Timer("leave"),
		rules:   r,
	}
	s.hold, _ = v.Time(holdParam)
	s.repeat, _ = v.Number(repeatParam)
	if s.repeat > 1 {
		s.more = sim.Declare[int64](pr, "more", "how many more times the process enters")
	}
	pr.Start, pr.Timeout = s.start, s.exit
	pr.Busy = func(p *sim.Process) bool { return s.waits.Get(p) || s.inside.Get(p) }
	return s
}

// start makes the first of repeat requests.
func (s section) start(p *sim.Process) {
	if s.repeat > 1 {
		s.more.Set(p, s.repeat)
	}
	s.askToEnter(p)
}

// askToEnter makes a process ask to enter.
func (s section) askToEnter(p *sim.Process) {
	s.waits.Set(p, true)
	s.asked.Record(p)
	s.rules.ask(p)
}

// enter makes a waiting process enter. A process that has crashed since its request does not enter.
func (s section) enter(p *sim.Process) {
	if !s.waits.Get(p) {
		return
	}
	s.waits.Set(p, false)
	s.inside.Set(p, true)
	s.entered.Record(p)
	p.SetTimer(s.leave, s.hold)
}

// exit handles the timer leave: the process leaves, and asks again if it has more requests.
func (s section) exit(p *sim.Process, _ sim.Timer) {
	s.inside.Set(p, false)
	s.left.Record(p)
	s.rules.release(p)
	if s.repeat > 1 && sim.Add(p, s.more, -1) > 0 {
		s.askToEnter(p)
	}
}

// token is the variable that is true at the holder of the token.
type token struct{ sim.Var[bool] }

// declareToken declares the variable of the token, which the holder has when the run begins. begin, unless nil,
// sets further initial variables of a process.
func declareToken(pr *sim.Protocol, v algorithm.Values, begin func(p *sim.Process, holder tracefmt.ProcessID)) token {
	t := token{sim.Declare[bool](pr, "token", "the process has the token")}
	holder := v.Process(holderParam, 1)
	pr.Begin = func(p *sim.Process) {
		if p.ID() == holder {
			t.Set(p, true)
		}
		if begin != nil {
			begin(p, holder)
		}
	}
	return t
}
