package termination

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// The names of the parameters of the work.
const (
	heightParam = "height"
	fanParam    = "fan"
	busyParam   = "busy"
)

// workMessage is the type of the messages of the base computation.
const workMessage = "WORK"

var params = []algorithm.Param{
	{Name: heightParam, Default: "2", Number: true, Doc: "the height of the job of a process that is started; " +
		"together with fan, at most 10,000 messages WORK"},
	{Name: fanParam, Default: "2", Number: true, Doc: "the number of next processes in ring order to which a job of " +
		"a height above 0 passes jobs of the next lower one: fewer than there are processes"},
	{Name: busyParam, Default: "1", Time: true, Words: []string{"0"}, Doc: "how long a job takes; 0: it is done " +
		"in the step in which it comes, so that --all-orders has no timers to wait for"},
}

// workDoc describes the base computation, for the docs of the detectors.
const workDoc = `

The computation that is watched (parameters height, fan, busy): a process that is
started has a job of some height. A job takes some time. When a job of a height above 0 is done, the
process sends WORK, a job of the next lower height, to the next fan processes in ring order. A
process does one job after the other, and is active while it has one. That makes
M = fan + fan^2 + ... + fan^height messages WORK for each process that is started, whatever the
schedule. All starts are at time 0: a later start would make a process active without a message, and
no detector promises to notice that. A start of a process that has a job has no effect.`

// work is the base computation of a process, with the rules of a detector.
type work struct {
	jobs            sim.Var[sim.List[int64]]
	active, passive sim.Label
	announce        sim.Label
	done            sim.Timer
	message         sim.Message[job]

	height, fan int64
	busy        tracefmt.Time
	rules
}

// job has the fields of WORK.
type job struct{ height int64 }

// rules are the actions of a detector at steps of the base computation, in the same step.
type rules struct {
	// begins is called when a process is started, and has its first job; it may be nil.
	begins func(p *sim.Process)
	// sends is called before a process sends messages, with their number; it may be nil.
	sends func(p *sim.Process, messages int64)
	// receives is called when a message has arrived, and the process has its job; it may be nil.
	receives func(p *sim.Process, from tracefmt.ProcessID)
	// rests is called when the process has done its last job.
	rests func(p *sim.Process)
}

// newWork declares the base computation in a protocol, with its starts.
func newWork(pr *sim.Protocol, v algorithm.Values, r rules) work {
	w := work{
		jobs:     sim.Declare[sim.List[int64]](pr, "jobs", "the heights of the jobs, the one in hand first; none: the process is passive"),
		active:   pr.Label("active", "the process has a job, and had none"),
		passive:  pr.Label("passive", "it has done all"),
		announce: pr.Label("announce", "it has found that the computation has ended"),
		done:     pr.Timer("work"),
		rules:    r,
	}
	w.height, _ = v.Number(heightParam)
	w.fan, _ = v.Number(fanParam)
	w.busy, _ = v.Time(busyParam)
	w.message = sim.DeclareMessage[job](pr, workMessage, "a job, with its height")
	w.message.On(w.takeJob)
	pr.Start, pr.Busy, pr.Timeout = w.start, w.isActive, w.finish
	return w
}

func (w work) isActive(p *sim.Process) bool { return w.jobs.Get(p).Len() > 0 }

// start gives a process its first job.
func (w work) start(p *sim.Process) {
	sim.Append(p, w.jobs, w.height)
	if w.begins != nil {
		w.begins(p)
	}
	w.begin(p)
}

// takeJob handles WORK: the process gets its job.
func (w work) takeJob(p *sim.Process, from tracefmt.ProcessID, m job) {
	first := !w.isActive(p)
	sim.Append(p, w.jobs, m.height)
	if w.receives != nil {
		w.receives(p, from)
	}
	if first {
		w.begin(p)
	}
}

// begin makes a process active.
func (w work) begin(p *sim.Process) {
	w.active.Record(p)
	w.carryOn(p)
}

// carryOn makes a process do its next job.
func (w work) carryOn(p *sim.Process) {
	if w.busy > 0 {
		p.SetTimer(w.done, w.busy)
	} else {
		w.finish(p, w.done)
	}
}

// finish ends the present job, when its timer expires.
func (w work) finish(p *sim.Process, _ sim.Timer) {
	jobs := w.jobs.Get(p)
	w.jobs.Set(p, jobs.From(1))
	if height := jobs.At(0); height > 0 {
		if w.sends != nil {
			w.sends(p, w.fan)
		}
		for i := range int(w.fan) {
			w.message.Send(p, p.Along(i+1), job{height - 1})
		}
	}
	if w.isActive(p) {
		w.carryOn(p)
		return
	}
	w.passive.Record(p)
	w.rests(p)
}
