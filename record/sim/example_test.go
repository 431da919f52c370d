package sim_test

import (
	"context"
	"fmt"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// A protocol of one's own: the process that starts asks the others for their
// bids and takes the highest.
func Example() {
	type bid struct{ price int64 }
	type best struct {
		bidder tracefmt.ProcessID
		price  int64
	}
	pr := &sim.Protocol{}
	ask, offer := pr.Signal("ASK", "asks for a bid"), sim.DeclareMessage[bid](pr, "BID", "a bid")
	highest := sim.Declare[best](pr, "highest", "the best bid so far")

	pr.Start = func(p *sim.Process) { ask.Broadcast(p) }
	ask.On(func(p *sim.Process, from tracefmt.ProcessID) { offer.Send(p, from, bid{10 * int64(p.ID())}) })
	offer.On(func(p *sim.Process, from tracefmt.ProcessID, b bid) {
		if b.price > highest.Get(p).price {
			highest.Set(p, best{from, b.price})
		}
	})

	members := []tracefmt.Member{{Name: "ann", Position: 1}, {Name: "bob", Position: 2}, {Name: "cy", Position: 3}}
	run := tracefmt.NewMemory(tracefmt.Run{Members: members})
	result, err := sim.Run(context.Background(), sim.Config{
		Protocol: pr, Members: members, Actions: []sim.Action{{Kind: sim.StartProcess, Process: 1}},
	}, run)
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range run.Events(1) {
		if e.Kind == tracefmt.State {
			fmt.Println(e.Time, run.Run().ProcessName(e.Process), string(e.Payload))
		}
	}
	fmt.Println(result.Messages, "messages,", result.End)
	// Output:
	// 2 ann {"highest":{"bidder":"bob","price":20}}
	// 2 ann {"highest":{"bidder":"cy","price":30}}
	// 4 messages, quiescent
}
