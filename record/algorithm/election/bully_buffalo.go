package election

import (
	"etrace/record/algorithm"
	"etrace/tracefmt"
)

var bullyBuffaloAlgorithm = algorithm.Algorithm{
	Name: "bully-buffalo",
	Doc: `The bully algorithm of the slides: a process that does not receive the result in time starts again.

A process that starts an election sends election to all higher processes. If
no process replies before the timeout, it declares itself the winner and sends
coordinator. If a process replies, it waits for the coordinator message and
restarts after another timeout. A process that gets an election message answers and, unless an
election of its own is running, starts one.

The slides do not name the receivers of coordinator: lower ids by default (parameter
announce). They leave the length of the second wait open; by default it is one message
delay longer than the first. They do not mention recovery. Here a process that recovers
starts an election, as in the other sources.

In the best case of the slides, N-2 coordinator messages and one transmission time, the second
highest process elects itself at once. By the start rule, it sends election to the dead coordinator
and waits. The default is the start rule. skip-known-dead=on gives the best case. The coordinator
whose failure started the run is the highest process that was down then. It gets neither election
nor coordinator, even after a recovery. A process with no process left to ask announces itself at
once.`,
	Source:  "Slides, CSE 486/586 Distributed Systems, Leader Election, Algorithm 3: Bully Algorithm",
	Problem: "election",
	Traits:  []string{tracefmt.Answers, tracefmt.AsksUpward, tracefmt.GreatestWins, tracefmt.Guarded},
	Needs:   algorithm.CompleteGraph,
	Bounds:  holdingBounds,
	Params: []algorithm.Param{
		announceParam("lower"),
		timeoutParam,
		waitParam("on"),
		guardParam,
		{
			Name: "skip-known-dead", Default: "off", Words: onOff, Bounded: []string{"off"},
			Doc: "on: the coordinator whose failure started the run gets no message, and a process without any " +
				"other to ask announces itself at once",
		},
	},
	New: bullyDialect{election: "election", ok: "answer", coordinator: "coordinator", atOnce: true}.New,
}
