package diagram

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/render/drawing"
	"etrace/render/story"
	"etrace/render/view"
	"etrace/tracefmt"
)

// TestHopRows: on an axis of time, a hop is in the band of its time, or between the bands before and after it. On another
// axis the hops have no place of their own.
func TestHopRows(t *testing.T) {
	via := []story.Hop{{Process: 2, Time: 2}, {Process: 3, Time: 4}, {Process: 4, Time: 6}, {Process: 5, Time: 8}}
	s := &sequence{
		schedule: &schedule{bands: []band{{key: 0, steps: []int32{0}}, {key: 4, steps: []int32{1, 2}}, {key: 10, steps: []int32{3}}}},
		y:        []float64{100, 200, 210, 300},
	}
	for unit, want := range map[keyUnit][]float64{
		instant: {150, 200, 240, 270}, // after 210, the last row of the band of 4
		level:   {140, 180, 220, 260},
	} {
		s.schedule.unit = unit
		if diff := cmp.Diff(want, s.hopRows(via, 100, 300)); diff != "" {
			t.Errorf("unit %d (-want +got):\n%s", unit, diff)
		}
	}
}

// TestHopsOfAnOpenMessage: a message that 2 and 3 pass on and that the next process does not receive was received by 2 and 3.
// So only its part from 3 on is in flight, or lost. In a ring of three, the next process is its sender.
func TestHopsOfAnOpenMessage(t *testing.T) {
	for _, c := range []struct {
		members int
		end     string
		style   *drawing.Style
	}{{4, "", openLine}, {4, `{"reason":"dropped"}`, lostLine}, {3, "", openLine}} {
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Traits: []string{tracefmt.OnRing}})
		for p := range c.members {
			m.Run().Members = append(m.Run().Members, tracefmt.Member{Name: fmt.Sprint(p + 1), Position: p + 1})
		}
		write := func(at int, e tracefmt.Event) tracefmt.Seq {
			e.Seq, e.Time, e.Type = tracefmt.Seq(m.Len()+1), tracefmt.Time(at)*tracefmt.Unit, "A"
			m.Write(&e)
			return e.Seq
		}
		for hop := range 3 {
			sender, receiver := tracefmt.ProcessID(hop+1), tracefmt.ProcessID((hop+1)%c.members+1)
			id := tracefmt.MessageID(hop + 1)
			sent := write(hop, tracefmt.Event{Kind: tracefmt.Send, Process: sender, Peer: receiver, Message: id, Payload: []byte(`{"id":9}`)})
			switch {
			case hop < 2:
				write(hop+1, tracefmt.Event{
					Kind: tracefmt.Receive, Process: receiver, Peer: sender, Message: id, Cause: sent, Payload: []byte(`{"id":9}`),
				})
			case c.end != "":
				write(hop+1, tracefmt.Event{
					Kind: tracefmt.Lose, Process: receiver, Peer: sender, Message: id, Cause: sent, Payload: []byte(c.end),
				})
			}
		}
		m.Finish(tracefmt.Stopped)
		d := build(t, sequenceDiagram, m, story.Options{View: view.View{Merge: true}})
		x := map[string]float64{}
		for _, n := range nodesOf(d, processBox) {
			x[n.Text] = n.X
		}
		var received, open []drawing.Path
		for _, p := range paths(d) {
			switch {
			case p.Tip == "": // a sample of the legend
			case p.Style == messageLine:
				received = append(received, p)
			case p.Style == c.style:
				open = append(open, p)
			}
		}
		if len(received) != 1 || len(open) != 1 {
			t.Fatalf("%d lines of received messages and %d others, want one of each", len(received), len(open))
		}
		way := received[0].Strokes[0]
		goal := x[fmt.Sprint(3%c.members+1)]
		if end := open[0].Strokes[0][3].X; c.end == "" && math.Abs(end-goal) > openShort {
			t.Errorf("the rest ends at %g, want a place beside %g", end, goal)
		}
		if way[0].X != x["1"] || way[len(way)-1].X != x["3"] || open[0].Strokes[0][0].X != x["3"] {
			t.Errorf("the message is received from %g to %g, and goes on at %g; want %g to %g, and %g",
				way[0].X, way[len(way)-1].X, open[0].Strokes[0][0].X, x["1"], x["3"], x["3"])
		}
	}
}
