package property_test

import (
	"fmt"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// diary writes a run that never goes wrong, with the clocks that it should have.
type diary struct {
	*tracefmt.Memory
	n       int
	lamport []int64 // by process
	steps   []int   // by process: the events that a clock of the log counts
	message tracefmt.MessageID
}

// newDiary returns an empty run of n processes, 1 to n on a ring, of a problem.
func newDiary(n int, problem string, traits ...string) *diary {
	run := tracefmt.Run{Completeness: recordedWhole, Problem: problem, TimeUnit: tracefmt.Delays, Source: "recorded", Traits: traits}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	return &diary{Memory: tracefmt.NewMemory(run), n: n, lamport: make([]int64, n+1), steps: make([]int, n+1)}
}

// process is one of the n, in turn.
func (d *diary) process(i int) tracefmt.ProcessID { return tracefmt.ProcessID(i%d.n + 1) }

// write writes an event and returns its seq.
func (d *diary) write(e tracefmt.Event) tracefmt.Seq {
	e.Seq, e.Time = tracefmt.Seq(d.Len()+1), tracefmt.Time(d.Len())*1000
	clock := &d.lamport[e.Process]
	if e.Cause != 0 {
		*clock = max(*clock, d.At(e.Cause).Lamport)
	}
	*clock++
	e.Lamport = *clock
	_ = d.Write(&e) // a Memory takes every event
	return e.Seq
}

func (d *diary) do(kind tracefmt.Kind, p tracefmt.ProcessID, label, payload string) {
	d.write(tracefmt.Event{Kind: kind, Process: p, Type: label, Payload: []byte(payload)})
}

// send sends a message, which arrive receives.
func (d *diary) send(p, q tracefmt.ProcessID, kind, payload string) tracefmt.Seq {
	d.message++
	return d.write(tracefmt.Event{Kind: tracefmt.Send, Process: p, Peer: q, Type: kind, Message: d.message, Payload: []byte(payload)})
}

func (d *diary) arrive(sent tracefmt.Seq) {
	m := d.At(sent)
	d.write(tracefmt.Event{
		Kind: tracefmt.Receive, Process: m.Peer, Peer: m.Process, Type: m.Type, Message: m.Message,
		Cause: sent, Payload: m.Payload,
	})
}

func (d *diary) pass(p, q tracefmt.ProcessID, kind, payload string) {
	d.arrive(d.send(p, q, kind, payload))
}

// costRun is a kind of run that some properties are measured on: what happens
// first, and then one round after the other.
type costRun struct {
	problem string
	traits  []string
	// basic and token are the types of messages that the header lists.
	basic, token []string
	names        string // of the properties
	begin        func(d *diary)
	round        func(d *diary, i int)
}

// make makes a run of n processes and at least that number of events.
func (c *costRun) make(n, events int) *tracefmt.Memory {
	d := newDiary(n, c.problem, c.traits...)
	d.Run().Basic, d.Run().Token = c.basic, c.token
	if c.begin != nil {
		c.begin(d)
	}
	for i := 0; d.Len() < events; i++ {
		c.round(d, i)
	}
	d.Finish(tracefmt.Stopped)
	return d.Memory
}

// costRuns are the runs of the table of costs. Properties that none of them names
// are measured on the first.
var costRuns = []costRun{
	// The greatest process leads; each other crashes, recovers, and asks it.
	{
		problem: "election", traits: []string{tracefmt.GreatestWins},
		begin: func(d *diary) {
			d.do(tracefmt.State, d.process(d.n-1), "", fmt.Sprintf(`{"elected":%d,"term":1}`, d.n))
		},
		round: func(d *diary, i int) {
			p, best := tracefmt.ProcessID(i%(d.n-1)+1), d.process(d.n-1)
			d.do(tracefmt.Crash, p, "", "")
			d.do(tracefmt.Recover, p, "", `{"elected":null}`)
			d.pass(p, best, "ELECTION", fmt.Sprintf(`{"id":%d}`, p))
			d.do(tracefmt.SetTimer, p, "answer", fmt.Sprintf(`{"due":%d}`, (d.Len()+8)*1000))
			d.pass(best, p, "OK", `{}`)
			d.do(tracefmt.CancelTimer, p, "answer", "")
			d.pass(best, p, "COORDINATOR", fmt.Sprintf(`{"leader":%d}`, best))
			d.do(tracefmt.State, p, "", fmt.Sprintf(`{"elected":%d,"term":%d,"votedFor":%d}`, best, i/d.n+1, best))
			d.do(tracefmt.SetTimer, p, "rest", fmt.Sprintf(`{"due":%d}`, (d.Len()+1)*1000))
			d.do(tracefmt.Timeout, p, "rest", "")
		},
	},
	// Each leads in turn, and hands on.
	{
		problem: "election",
		names:   "named-leader-per-term single-leader single-leader-definitely single-leader-possibly unique-leader-per-term",
		round: func(d *diary, i int) {
			p, next := d.process(i), d.process(i*7+1)
			if i > 0 {
				p = d.At(tracefmt.Seq(d.Len())).Process
			}
			d.do(tracefmt.State, p, "", fmt.Sprintf(`{"elected":%d,"term":%d}`, p, i+1))
			d.do(tracefmt.State, p, "", `{"elected":null}`)
			d.pass(p, next, "LEAD", `{}`)
		},
	},
	// All wait, and a token goes round.
	{
		problem: "mutex",
		names:   "mutual-exclusion-definitely mutual-exclusion-possibly no-starvation bounded-bypass(1000000) request-order-fairness",
		begin: func(d *diary) {
			for i := range d.n {
				d.do(tracefmt.Note, d.process(i), "request", "{}")
			}
		},
		round: func(d *diary, i int) {
			p := d.process(i)
			for _, label := range []string{"enter", "exit", "request"} {
				d.do(tracefmt.Note, p, label, "{}")
			}
			d.pass(p, d.process(i+1), "TOKEN", `{}`)
		},
	},
	// Each has a lock of its own, another one each time, and crashes now and then.
	{
		problem: "mutex",
		names:   "mutual-exclusion",
		round: func(d *diary, i int) {
			p, lock := d.process(i), fmt.Sprintf(`{"lock":%d}`, i)
			for _, label := range []string{"request", "enter", "exit"} {
				d.do(tracefmt.Note, p, label, lock)
			}
			if i%4 == 3 {
				d.do(tracefmt.Crash, p, "", "")
				d.do(tracefmt.Recover, p, "", "")
			}
		},
	},
	// Each broadcasts in turn, all deliver, and one reads.
	{
		problem: "broadcast",
		names: "broadcast-agreement broadcast-causal-order broadcast-fifo-order broadcast-monotonic-reads broadcast-no-creation " +
			"broadcast-no-duplication broadcast-total-order broadcast-uniform-agreement broadcast-validity",
		round: func(d *diary, i int) {
			id := fmt.Sprintf(`{"m":%d}`, i)
			d.do(tracefmt.Note, d.process(i), "broadcast", id)
			for p := range d.n {
				d.do(tracefmt.Note, d.process(p), "deliver", id)
			}
			d.do(tracefmt.Note, d.process(i), "read", fmt.Sprintf(`{"read":%d,"values":%d}`, i+1, i+1))
		},
	},
	// Everybody talks to everybody, with many messages on their way, so that in the
	// end each knows of all.
	{
		names: "causal-delivery fifo lamport-clocks message-integrity no-duplication no-loss process-time-monotone",
		round: func(d *diary, i int) {
			const onTheirWay = 32
			var sent []tracefmt.Seq
			for j := range onTheirWay {
				p := d.process(i*onTheirWay + j)
				sent = append(sent, d.send(p, d.process(int(p)+(i*onTheirWay+j)*2654435761%(d.n-1)), "GOSSIP", `{"x":1}`))
			}
			for _, seq := range sent {
				d.arrive(seq)
			}
		},
	},
	// The same in groups of four, each event with the clock of its log: that of all
	// would be longer than the log.
	{
		names: "vector-clocks",
		round: vectorRound,
	},
	// Each proposes and decides, and repeats that.
	{
		problem: "consensus",
		names:   "consensus-agreement consensus-integrity consensus-termination consensus-validity",
		round: func(d *diary, i int) {
			d.do(tracefmt.State, d.process(i), "", `{"proposed":7}`)
			d.do(tracefmt.State, d.process(i), "", `{"decided":7}`)
		},
	},
	// All have voted, and each decides, and repeats that.
	{
		problem: "commit",
		names:   "commit-agreement commit-all-yes commit-termination",
		begin: func(d *diary) {
			for i := range d.n {
				d.do(tracefmt.State, d.process(i), "", `{"vote":"yes"}`)
			}
		},
		round: func(d *diary, i int) {
			d.do(tracefmt.State, d.process(i), "", `{"decided":"commit","vote":"yes"}`)
			d.do(tracefmt.State, d.process(i), "", `{"decided":"commit"}`)
		},
	},
	// Each votes no and aborts, and forgets it.
	{
		problem: "commit",
		names:   "commit-abort-cause",
		round: func(d *diary, i int) {
			d.do(tracefmt.State, d.process(i), "", `{"vote":"no"}`)
			d.do(tracefmt.State, d.process(i), "", `{"decided":"abort"}`)
			d.do(tracefmt.State, d.process(i), "", `{"decided":null}`)
		},
	},
	// Each works in turn, and announces the end.
	{
		problem: "termination", basic: []string{"WORK"},
		names: "announcement-not-early",
		round: func(d *diary, i int) {
			work(d, i)
			d.do(tracefmt.Note, d.process(i), "announce", "")
		},
	},
	// The same, with one announcement.
	{
		problem: "termination", basic: []string{"WORK"},
		names: "announcement-in-the-end announcement-once",
		begin: func(d *diary) { d.do(tracefmt.Note, 1, "announce", "") },
		round: work,
	},
	// A wave that goes round, and round again, and in the end a decision.
	{
		problem: "wave", traits: []string{tracefmt.DecidesOnce},
		names: "wave-covers wave-decides-once",
		begin: func(d *diary) {
			d.do(tracefmt.Note, 1, "start", "")
			for i := range d.n {
				d.pass(d.process(i), d.process(i+1), "WAVE", `{}`)
			}
			d.do(tracefmt.Note, 1, "decide", "")
		},
		round: func(d *diary, i int) { d.pass(d.process(i), d.process(i+1), "WAVE", `{}`) },
	},
	// All but the last have recorded, and go on to pay each other, and this one.
	{
		problem: "snapshot", traits: []string{tracefmt.Reliable}, basic: []string{"MONEY"},
		names: "snapshot-consistent",
		begin: func(d *diary) {
			for i := range d.n - 1 {
				d.do(tracefmt.Start, d.process(i), "", `{"amount":100}`)
				d.do(tracefmt.Note, d.process(i), "record", `{"state":100}`)
			}
		},
		round: func(d *diary, i int) {
			d.pass(d.process(i%(d.n-1)), d.process(d.n-1), "MONEY", `{"amount":1}`)
			d.do(tracefmt.State, d.process(i), "", `{"amount":99}`)
			d.pass(d.process(i), d.process(i+1), "MARKER", `{}`)
		},
	},
	// All have recorded, and repeat their records.
	{
		problem: "snapshot", traits: []string{tracefmt.Reliable}, basic: []string{"MONEY"},
		names: "snapshot-complete sum-preserved",
		begin: func(d *diary) {
			for i := range d.n {
				d.do(tracefmt.Start, d.process(i), "", `{"amount":100}`)
				d.do(tracefmt.Note, d.process(i), "record", `{"state":100,"sent":{"1":0},"received":{"1":0}}`)
			}
		},
		round: func(d *diary, i int) {
			d.do(tracefmt.State, d.process(i), "", `{"amount":99}`)
			d.do(tracefmt.Note, d.process(i), "record", `{"state":99}`)
		},
	},
	// A token goes round.
	{
		problem: "mutex", token: []string{"TOKEN"},
		names: "token-unique",
		begin: func(d *diary) { d.do(tracefmt.Start, 1, "", `{"token":true}`) },
		round: func(d *diary, i int) {
			d.do(tracefmt.State, d.process(i), "", `{"token":false}`)
			d.pass(d.process(i), d.process(i+1), "TOKEN", `{}`)
			d.do(tracefmt.State, d.process(i+1), "", `{"token":true}`)
		},
	},
	// Leaders one after the other, whose log all others have.
	{
		names: "leader-has-quorum vote-once-per-term raft-leader-append-only raft-leader-completeness raft-log-matching " +
			"raft-state-machine-safety",
		round: func(d *diary, i int) {
			const perTerm = 32
			term := i/perTerm + 1
			leader := d.process(term)
			if i%perTerm == 0 {
				d.do(tracefmt.State, d.process(term-1), "", `{"role":"follower"}`)
				d.do(tracefmt.State, leader, "", fmt.Sprintf(`{"role":"leader","term":%d,"votedFor":%d}`, term, leader))
			}
			for p := range d.n {
				d.do(tracefmt.State, d.process(p), "",
					fmt.Sprintf(`{"log[%d]":{"term":%d,"set":%d},"term":%d,"votedFor":%d}`, i+1, term, i, term, leader))
			}
			for p := range d.n {
				d.do(tracefmt.State, d.process(p), "", fmt.Sprintf(`{"commit":%d}`, i+1))
			}
		},
	},
	// Two clients that meet, then one alone.
	{
		names: "linearizability",
		round: func(d *diary, i int) {
			value := fmt.Sprintf(`{"value":%d}`, i)
			writer, reader, later := d.process(3*i), d.process(3*i+1), d.process(3*i+2)
			d.do(tracefmt.Invoke, writer, "write", value)
			d.do(tracefmt.Invoke, reader, "read", `{}`)
			d.do(tracefmt.Return, reader, "read", value)
			d.do(tracefmt.Return, writer, "write", `{}`)
			d.do(tracefmt.Invoke, later, "read", `{}`)
			d.do(tracefmt.Return, later, "read", value)
		},
	},
	// A client echoes and gets an id.
	{
		names: "echo-reply-equals-request unique-ids-distinct",
		round: func(d *diary, i int) {
			p, payload := d.process(i), fmt.Sprintf(`{"op":%d,"value":%d}`, i, i)
			d.do(tracefmt.Invoke, p, "echo", payload)
			d.do(tracefmt.Return, p, "echo", payload)
			d.do(tracefmt.Invoke, p, "generate", fmt.Sprintf(`{"op":%d}`, i))
			d.do(tracefmt.Return, p, "generate", payload)
		},
	},
	// The list of the members goes round a ring of ten.
	{
		problem: "election", traits: []string{tracefmt.OnRing},
		names: "ring-lists-agree",
		round: func(d *diary, i int) {
			payload := `{"launcher":1,"list":[1,2,3,4,5,6,7,8,9,10]}`
			for p := tracefmt.ProcessID(1); p < d.process(9); p++ {
				d.pass(p, p+1, "COORDINATOR", payload)
			}
		},
	},
	// A message goes round a ring to the process that sent it, which is down meanwhile.
	{
		problem: "election", traits: []string{tracefmt.GreatestWins, tracefmt.OnRing, tracefmt.DropsSmaller, tracefmt.FIFO, tracefmt.Reliable},
		names: "ring-forward-increasing ring-no-orphan ring-successor-only",
		round: func(d *diary, i int) {
			last, payload := d.process(d.n-1), fmt.Sprintf(`{"id":%d}`, d.n)
			d.pass(last, 1, "election", payload)
			d.do(tracefmt.Crash, last, "", "")
			for p := tracefmt.ProcessID(1); p < last-1; p++ {
				d.pass(p, p+1, "election", payload)
			}
			d.do(tracefmt.Recover, last, "", `{"elected":null}`)
			d.pass(last-1, last, "election", payload)
			d.do(tracefmt.State, last, "", fmt.Sprintf(`{"elected":%d}`, d.n))
		},
	},
}

// work: a process is active, gives the next one work, and hears of its end.
func work(d *diary, i int) {
	p, next := d.process(i), d.process(i+1)
	d.do(tracefmt.Note, p, "active", "")
	sent := d.send(p, next, "WORK", `{}`)
	d.do(tracefmt.Note, p, "passive", "")
	d.arrive(sent)
	d.pass(next, p, "SIGNAL", `{}`)
}

// groupSize is how many processes of a run with vector clocks know of each other.
const groupSize = 4

// vectorRound: in one of the groups a token is passed on, so that whoever has it
// knows of all steps of the group, and its clock counts them.
func vectorRound(d *diary, i int) {
	groups := d.n / groupSize
	first, turn := i%groups*groupSize, i/groups
	p, q := d.process(first+turn%groupSize), d.process(first+(turn+1)%groupSize)
	sent := d.send(p, q, "TOKEN", d.groupClock(first, p))
	m := *d.At(sent)
	d.write(tracefmt.Event{
		Kind: tracefmt.Receive, Process: q, Peer: p, Type: m.Type, Message: m.Message, Cause: sent,
		Payload: []byte(d.groupClock(first, q)),
	})
}

// groupClock counts a further step of p, and returns the clock of its group as an
// import writes it.
func (d *diary) groupClock(first int, p tracefmt.ProcessID) string {
	d.steps[p]++
	var entries []string
	for j := range groupSize {
		if q := d.process(first + j); d.steps[q] > 0 {
			entries = append(entries, fmt.Sprintf(`"%d":%d`, q, d.steps[q]))
		}
	}
	return fmt.Sprintf(`{"log":{"clock":{%s}}}`, strings.Join(entries, ","))
}
