package broadcast

import (
	"fmt"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var brachaAlgorithm = algorithm.Algorithm{
	Name: "bracha",
	Doc: `The reliable broadcast of Bracha: all correct processes deliver the same messages, even if f others,
such as the sender, are Byzantine.

A process that starts sends SEND(sender, number, m) to all. A process that gets the first SEND for a
sender and a number from that sender itself sends ECHO of the same to all. When a process has ECHO
for m from more than (n+f)/2 processes, or READY for m from f+1, it sends READY for m to all. When it
has READY for m from 2f+1 processes, it delivers m. Both happen once for each sender and number. Its
own messages count as well.

Two sets of more than (n+f)/2 processes have a correct process in common, and it echoes once. So
echoes never make two correct processes ready for different messages. Among 2f+1 ready processes,
f+1 are correct, and their READYs make all correct processes ready. So all correct processes
deliver, or none. This needs n > 3f.

With quorum=n-f, more than (n+f)/2 echoes and 2f+1 READYs become n-f of each. For n = 3f+1 these
numbers are the same. For fewer processes, the n-f correct processes can still reach them, but may
deliver different messages.

In the source, crashed processes stay down. Here the delivered messages and the number of broadcasts are on
stable storage. So a process that recovers delivers no message twice, and numbers its messages without
repetition.

A Byzantine process takes no step of the algorithm. The scenario lists the messages that
it sends, as in --lie '1@0 SEND:2={"sender":1,"number":1,"m":"a"}'.`,
	Source: "Bracha, Asynchronous Byzantine Agreement Protocols, Information and Computation 75(2), 1987, " +
		"section 3; Cachin, Guerraoui, Rodrigues, Reliable and Secure Distributed Programming, 2011, 3.11",
	Problem: tracefmt.Broadcast,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{{
		Messages: "starts*(n-1)*(2*n+1)", Counts: tracefmt.CountsSent,
		Source: "by the rules: for each broadcast n-1 SEND, and n-1 ECHO and n-1 READY of each of n processes at most",
	}},
	Params: []algorithm.Param{
		{
			Name: "f", Default: "most", Words: []string{"most", "0"}, Number: true,
			Doc: "the number of Byzantine processes that it must tolerate; most: the greatest number below n/3",
		},
		{
			Name: "quorum", Default: "bracha", Words: []string{"bracha", "n-f"},
			Doc: "bracha: more than (n+f)/2 echoes, and 2f+1 READYs; n-f: n-f of each",
		},
	},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.AnyFault, Most: algorithm.LessThanAThird, Param: "f",
		Breaks:     "correct processes may deliver different messages, or only some of them deliver",
		Overstated: "correct processes may deliver nothing or, with quorum=n-f, different messages",
		Source:     "Bracha 1987, section 3",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "small-quorum", Doc: "f+1 echoes suffice to send READY, so correct processes send READY for different values",
			Breaks: []string{agreement}, Shows: twoFaced,
		},
		{
			Name: "no-amplification", Doc: "f+1 ready messages convince no process, so a process that heard another value never delivers",
			Breaks: []string{agreement}, Shows: twoFaced,
		},
		{
			Name: "delivers-early", Doc: "f+1 ready messages suffice to deliver, although only one of their senders may be correct",
			Breaks: []string{agreement},
			Shows: `nodes: 4, start: 2, lie: ['1@0 SEND:2=` + claimText("a") + `,3=` + claimText("a") +
				`', '1@0 ECHO:2=` + claimText("a") + `', '1@0 READY:2=` + claimText("a") + `']`,
		},
	},
	Suits: func(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
		if f, given := v.Number("f"); given && f >= int64(len(c.Members)) {
			return &algorithm.Unsuited{Param: "f", Reason: fmt.Sprintf("%d of %d processes, expected fewer", f, len(c.Members))}
		}
		return nil
	},
	New: newBracha,
}

// agreement is the name of the property of agreement.
const agreement = "broadcast-agreement"

// twoFaced is a plan in which 1 broadcasts a to 2, but b to 3 and 4.
var twoFaced = `nodes: 4, lie: [` + twoFacedLie("SEND") + `, ` + twoFacedLie("ECHO") + `, ` + twoFacedLie("READY") + `]`

// twoFacedLie returns the lie in which 1 sends messages of a type: for a to 2, and for b to 3 and 4.
func twoFacedLie(typ string) string {
	return `'1@0 ` + typ + `:2=` + claimText("a") + `,3=` + claimText("b") + `,4=` + claimText("b") + `'`
}

// claimText returns the fields of a message that claims that 1 has broadcast m.
func claimText(m string) string { return `{"sender":1,"number":1,"m":"` + m + `"}` }

// slot identifies a broadcast: its sender, and its number.
type slot struct {
	sender tracefmt.ProcessID
	number int64
}

// claim is the content of a message: the sender has broadcast m as that number.
type claim struct {
	sender tracefmt.ProcessID
	number int64
	m      string
}

func (c claim) slot() slot { return slot{c.sender, c.number} }

// heard is a claim with the process that sent it.
type heard struct {
	claim claim
	from  tracefmt.ProcessID
}

// bracha is the protocol; see the documentation of the algorithm for its variables and messages.
type bracha struct {
	notes
	values            algorithm.Values
	number            sim.Var[int64]
	echoed, isReady   sim.Var[sim.Set[slot]]
	delivered         sim.Var[sim.Set[slot]]
	echoes, readies   sim.Var[sim.Set[heard]]
	send, echo, ready sim.Message[claim]
}

// newBracha returns the protocol.
func newBracha(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	b := &bracha{
		notes: declareNotes(pr), values: v,
		number:    declareNumber(pr),
		echoed:    sim.Declare[sim.Set[slot]](pr, "echoed", "the broadcasts for which it has sent ECHO"),
		isReady:   sim.Declare[sim.Set[slot]](pr, "ready", "those for which it has sent READY"),
		delivered: sim.Declare[sim.Set[slot]](pr, "delivered", "the broadcasts with delivered messages", sim.Stable),
		echoes:    sim.Declare[sim.Set[heard]](pr, "echoes", "the ECHO messages that it has received, with their senders"),
		readies:   sim.Declare[sim.Set[heard]](pr, "readies", "the READY messages that it has received, with their senders"),

		send:  sim.DeclareMessage[claim](pr, "SEND", "the sender broadcasts m"),
		echo:  sim.DeclareMessage[claim](pr, "ECHO", "the message that the sender has got in SEND"),
		ready: sim.DeclareMessage[claim](pr, "READY", "the sender is ready to deliver this message"),
	}
	pr.Start = func(p *sim.Process) {
		n := sim.Add(p, b.number, 1)
		c := claim{p.ID(), n, messageName(p, n)}
		b.broadcast.Record(p, delivery{c.m, c.sender})
		b.toAll(p, b.send, c)
	}
	b.send.On(func(p *sim.Process, from tracefmt.ProcessID, c claim) {
		if from == c.sender {
			b.once(p, b.echoed, b.echo, c)
		}
	})
	b.echo.On(func(p *sim.Process, from tracefmt.ProcessID, c claim) {
		if b.count(p, b.echoes, from, c) >= b.enoughEchoes(p) {
			b.once(p, b.isReady, b.ready, c)
		}
	})
	b.ready.On(func(p *sim.Process, from tracefmt.ProcessID, c claim) {
		n := b.count(p, b.readies, from, c)
		if n > b.faulty(p) && !v.Mutant("no-amplification") {
			b.once(p, b.isReady, b.ready, c)
		}
		b.deliverIfReady(p, c)
	})
	return pr
}

// faulty returns f.
func (b *bracha) faulty(p *sim.Process) int {
	if f, given := b.values.Number("f"); given {
		return int(f)
	}
	return (int(p.Last()) - 1) / 3
}

// enoughEchoes is the number of ECHO messages that make a process ready.
func (b *bracha) enoughEchoes(p *sim.Process) int {
	n, f := int(p.Last()), b.faulty(p)
	switch {
	case b.values.Mutant("small-quorum"):
		return f + 1
	case b.values.Is("quorum", "n-f"):
		return n - f
	}
	return (n+f)/2 + 1
}

// enoughReadies is the number of READY messages that let a process deliver.
func (b *bracha) enoughReadies(p *sim.Process) int {
	f := b.faulty(p)
	switch {
	case b.values.Mutant("delivers-early"):
		return f + 1
	case b.values.Is("quorum", "n-f"):
		return int(p.Last()) - f
	}
	return 2*f + 1
}

// toAll sends a message to all, p itself last.
func (b *bracha) toAll(p *sim.Process, message sim.Message[claim], c claim) {
	message.Broadcast(p, c)
	message.SendOrTake(p, p.ID(), c)
}

// once sends a message about a broadcast to all, unless p has sent such a message before. sent holds the
// broadcasts with such a message.
func (b *bracha) once(p *sim.Process, sent sim.Var[sim.Set[slot]], message sim.Message[claim], c claim) {
	if !sent.Get(p).Has(c.slot()) {
		sim.Insert(p, sent, c.slot())
		b.toAll(p, message, c)
	}
}

// count stores the claim of a sender in claims, and returns the number of senders of the same claim.
func (b *bracha) count(p *sim.Process, claims sim.Var[sim.Set[heard]], from tracefmt.ProcessID, c claim) int {
	sim.Insert(p, claims, heard{c, from})
	return agreeing(claims.Get(p), c)
}

// agreeing returns the number of senders of a claim.
func agreeing(hearers sim.Set[heard], c claim) (n int) {
	for h := range hearers.Values() {
		if h.claim == c {
			n++
		}
	}
	return n
}

// deliverIfReady delivers the message of a claim, once, when enough processes are ready for it.
func (b *bracha) deliverIfReady(p *sim.Process, c claim) {
	if agreeing(b.readies.Get(p), c) >= b.enoughReadies(p) && !b.delivered.Get(p).Has(c.slot()) {
		sim.Insert(p, b.delivered, c.slot())
		b.deliver.Record(p, delivery{c.m, c.sender})
	}
}
