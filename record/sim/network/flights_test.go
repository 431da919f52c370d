package network_test

import (
	"fmt"
	"testing"

	"etrace/record"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// nothing is a user of a network without timers.
type nothing struct{}

func (nothing) Armed(network.Item) bool       { return false }
func (nothing) TimerName(network.Item) string { return "" }
func (nothing) Gone(tracefmt.ProcessID) bool  { return false }

// TestManyFlights: of thousands of messages on their way, sent in three waves
// with others arriving between them, each arrives once, in the order of the sends
// and with its own payload.
func TestManyFlights(t *testing.T) {
	net := network.New[string](network.Config{}, 2, nothing{})
	const wave = 5000
	sent, received := 0, 0
	send := func(n int) {
		for range n {
			sent++
			payload := fmt.Sprint("message ", sent)
			net.Send(&record.Sent{Message: tracefmt.MessageID(sent), From: 1, To: 2}, &payload)
		}
	}
	receive := func(n int) {
		for range n {
			received++
			s, payload := net.Take(net.Next())
			if int(s.Message) != received || *payload != fmt.Sprint("message ", received) {
				t.Fatalf("arrival %d is m%d, %q", received, s.Message, *payload)
			}
		}
	}
	for range 3 {
		send(wave)
		receive(wave / 2)
	}
	last := 0
	net.Waiting(func(item *network.Item) {
		s, _ := net.Look(item)
		last++
		if int(s.Message) != received+last {
			t.Fatalf("waiting at place %d is m%d, want m%d", last, s.Message, received+last)
		}
	})
	receive(sent - received)
	if net.More() || last != 3*wave/2 {
		t.Errorf("more is to come after all that was sent, or %d waited, want %d", last, 3*wave/2)
	}
}
