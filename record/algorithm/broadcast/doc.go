// Package broadcast holds the algorithms by which all processes deliver the messages of each, one file each. A
// start makes a process broadcast its next message, which is named after it: 3.1 is the first of process 3.
//
// When a process sends to several others, it does so in ascending order. It sends itself no message: its own
// part takes effect in the same step, after the sends.
package broadcast

import (
	"strconv"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// All returns the broadcast algorithms, sorted by name.
func All() []*algorithm.Algorithm {
	return []*algorithm.Algorithm{
		&brachaAlgorithm,
		&causalAlgorithm,
		&reliableAlgorithm,
		&totalOrderAlgorithm,
	}
}

// delivery has the fields of the notes.
type delivery struct {
	m      string
	sender tracefmt.ProcessID
}

// notes are the notes that record broadcasts and deliveries.
type notes struct {
	broadcast, deliver sim.Note[delivery]
}

func declareNotes(pr *sim.Protocol) notes {
	return notes{
		broadcast: sim.DeclareNote[delivery](pr, "broadcast", "the process broadcasts m"),
		deliver:   sim.DeclareNote[delivery](pr, "deliver", "the process delivers m, which the sender has broadcast"),
	}
}

// declareNumber declares the variable with the number of messages that a process has broadcast. A process that
// recovers continues to count, since the names of its messages contain the number.
func declareNumber(pr *sim.Protocol) sim.Var[int64] {
	return sim.Declare[int64](pr, "number", "the number of messages that it has broadcast", sim.Stable)
}

// exactly returns a bound on the exact number of messages of broadcasts that begin at one instant, counting
// every send.
func exactly(messages, condition, source string) tracefmt.Bound {
	return tracefmt.Bound{Messages: messages, If: condition, Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent, Source: source}
}

// announce notes that the process broadcasts its message with the number.
func (n notes) announce(p *sim.Process, number int64) delivery {
	d := delivery{messageName(p, number), p.ID()}
	n.broadcast.Record(p, d)
	return d
}

// messageName returns the name of the message of p with the number.
func messageName(p *sim.Process, number int64) string {
	return p.Name() + "." + strconv.FormatInt(number, 10)
}
