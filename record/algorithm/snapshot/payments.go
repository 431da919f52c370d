package snapshot

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

const paysParam = "pays"

// moneyMessage is the type of the messages of the base computation.
const moneyMessage = "MONEY"

var params = []algorithm.Param{{Name: paysParam, Default: "3", Number: true, Doc: "the number of payments of each process"}}

// paymentsDoc describes the base computation, for the docs of the algorithms.
const paymentsDoc = `
The computation whose state is recorded (parameter pays): each process has 100 when the run
begins. At time i it pays i to its i-th neighbour, in ascending order and round again, by a message
MONEY, for i from 1 to pays. The balances and the amounts in transit add up to 100n at any time. An
account may be overdrawn.`

// begins is the initial amount of each process.
const begins = 100

// payments is the base computation of a process.
type payments struct {
	amount, paid sim.Var[int64]
	recorded     sim.Var[bool]
	due          sim.Timer
	pays         int64

	rules
}

// rules are the rules that an algorithm adds to the payments.
type rules struct {
	// send sends MONEY.
	send func(p *sim.Process, receiver tracefmt.ProcessID, amount int64)
	// record makes a process record its state, because of a message of the process from; 0 for a start.
	record func(p *sim.Process, from tracefmt.ProcessID)
	// begin adds to the initial state of a process; it may be nil.
	begin func(p *sim.Process)
}

// newPayments declares the base computation in a protocol. A start makes a process record, once.
func newPayments(pr *sim.Protocol, v algorithm.Values, r rules) payments {
	b := payments{
		amount:   sim.Declare[int64](pr, "amount", "what the process has"),
		paid:     sim.Declare[int64](pr, "paid", "the number of payments that it has made"),
		recorded: sim.Declare[bool](pr, "recorded", "the process has recorded what it has"),
		due:      pr.Timer("pay"),
		rules:    r,
	}
	b.pays, _ = v.Number(paysParam)
	pr.Begin = func(p *sim.Process) {
		b.amount.Set(p, begins)
		if r.begin != nil {
			r.begin(p)
		}
	}
	pr.Start, pr.Busy = func(p *sim.Process) { r.record(p, 0) }, b.recorded.Get
	pr.Wake, pr.Timeout = b.wait, b.pay
	return b
}

// wait arms the timer of the next payment, if there is one.
func (b payments) wait(p *sim.Process) {
	if b.paid.Get(p) < b.pays && len(p.Neighbours()) > 0 {
		p.SetTimer(b.due, tracefmt.Unit)
	}
}

// pay makes a payment, when the timer expires.
func (b payments) pay(p *sim.Process, _ sim.Timer) {
	i := sim.Add(p, b.paid, 1)
	sim.Add(p, b.amount, -i)
	neighbours := p.Neighbours()
	b.send(p, neighbours[(i-1)%int64(len(neighbours))], i)
	b.wait(p)
}
