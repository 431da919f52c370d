package property_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// statedBounds are those of three algorithms; the oracle defines them again.
var statedBounds = map[string][]tracefmt.Bound{
	"chang-roberts": {{Messages: "3*live-1", If: "starts == 1"}, {Messages: "live*(live+1)/2 + live"}},
	"ring":          {{Messages: "starts * 2*live", Counts: tracefmt.CountsSent}},
	"bully": {
		{Messages: "above**2 + n-1", If: "not top", Delays: tracefmt.UnitDelays},
		{Messages: "above*(above+1) + max(1, above)*(n-1)", If: "top and starts == 1", Delays: tracefmt.UnitDelays},
	},
}

// drawElection draws a small run that looks like one of the algorithms with
// rules for whom to ask and what to pass on. Any rule may be broken.
func drawElection(t *rapid.T) *tracefmt.Memory {
	names := rapid.Permutation([]string{"1", "2", "3"}[:rapid.IntRange(1, 3).Draw(t, "processes")]).Draw(t, "order")
	run := tracefmt.Run{Completeness: recordedWhole, Problem: "election", TimeUnit: tracefmt.Delays, Traits: []string{tracefmt.GreatestWins}}
	run.Algorithm = rapid.SampledFrom([]string{"chang-roberts", "ring", "bully"}).Draw(t, "algorithm")
	run.Bounds = statedBounds[run.Algorithm]
	starts := rapid.SliceOfN(rapid.SampledFrom([]string{"1@0", "2@0", "3@0"}), 0, 3).Draw(t, "starts")
	plan, err := json.Marshal(map[string]any{"start": starts, "ring-repair": rapid.SampledFrom([]string{"on", "off"}).Draw(t, "repair")})
	if err != nil {
		t.Fatal(err)
	}
	run.Scenario = plan
	for i, place := range rapid.Permutation([]int{1, 2, 3}[:len(names)]).Draw(t, "places") {
		run.Members = append(run.Members, tracefmt.Member{Name: names[i], Position: place})
	}
	d := electionDrawer{t: t, m: tracefmt.NewMemory(run), process: rapid.Custom(func(t *rapid.T) tracefmt.ProcessID {
		return tracefmt.ProcessID(rapid.IntRange(1, len(names)).Draw(t, "process"))
	})}
	for range rapid.IntRange(0, 25).Draw(t, "events") {
		d.event()
	}
	if rapid.Bool().Draw(t, "settle") {
		settle(d.m)
	}
	d.m.Finish(rapid.SampledFrom([]tracefmt.End{tracefmt.Quiescent, tracefmt.Stopped}).Draw(t, "end"))
	return d.m
}

// electionDrawer writes events; sent is what is on its way.
type electionDrawer struct {
	t       *rapid.T
	m       *tracefmt.Memory
	process *rapid.Generator[tracefmt.ProcessID]
	sent    []tracefmt.Event
}

func (d *electionDrawer) event() {
	e := tracefmt.Event{Process: d.process.Draw(d.t, "process")}
	e.Kind = rapid.SampledFrom([]tracefmt.Kind{
		tracefmt.Start, tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.State, tracefmt.Timeout, tracefmt.Note,
		tracefmt.Suspect, tracefmt.Send, tracefmt.Send, tracefmt.Send, tracefmt.Receive, tracefmt.Receive, tracefmt.Receive, tracefmt.Receive,
	}).Draw(d.t, "kind")
	switch e.Kind {
	case tracefmt.Start, tracefmt.Recover, tracefmt.State:
		e.Payload = []byte(rapid.SampledFrom([]string{`{"elected":null}`, `{"x":1}`, `{"elected":1}`}).Draw(d.t, "value"))
	case tracefmt.Timeout:
		e.Type = "answer"
	case tracefmt.Suspect:
		e.Peer = d.process.Draw(d.t, "suspect")
		d.write(&e)
		if rapid.Bool().Draw(d.t, "begins") {
			alone := fmt.Sprintf(`{"list":[%s]}`, d.m.Run().ProcessName(e.Process))
			d.send(tracefmt.Event{Process: e.Process, Type: "ELECTION", Payload: []byte(alone)})
		}
		return
	case tracefmt.Send:
		e.Type = rapid.SampledFrom([]string{"election", "election", "ELECTION", "elected", "COORDINATOR"}).Draw(d.t, "type")
		e.Payload = []byte(rapid.SampledFrom([]string{`{"id":1}`, `{"id":2}`, `{"id":3}`, `{"id":1}`, `{"id":2}`, `{}`}).Draw(d.t, "id"))
		if e.Type == "COORDINATOR" {
			list := rapid.SampledFrom([]string{"1,2,3", "1,2,3", "2,3,1", "1,3,2", "1,2", ""}).Draw(d.t, "list")
			e.Payload = []byte(fmt.Sprintf(`{"launcher":%s,"list":[%s]}`, d.m.Run().ProcessName(e.Process), list))
		}
		d.send(e)
		return
	case tracefmt.Receive:
		d.passOn()
		return
	}
	d.write(&e)
}

func (d *electionDrawer) send(e tracefmt.Event) {
	e.Kind, e.Peer, e.Message = tracefmt.Send, d.process.Draw(d.t, "peer"), tracefmt.MessageID(d.m.Len()+1)
	d.write(&e)
	d.sent = append(d.sent, e)
}

// passOn receives a message, and mostly sends it on.
func (d *electionDrawer) passOn() {
	if len(d.sent) == 0 {
		return
	}
	i := rapid.IntRange(0, len(d.sent)-1).Draw(d.t, "message")
	s := d.sent[i]
	e := tracefmt.Event{
		Kind: tracefmt.Receive, Process: s.Peer, Peer: s.Process, Type: s.Type, Message: s.Message, Cause: s.Seq, Payload: s.Payload,
	}
	d.write(&e)
	if rapid.IntRange(0, 9).Draw(d.t, "again") > 0 {
		d.sent = slices.Delete(d.sent, i, i+1)
	}
	if rapid.IntRange(0, 3).Draw(d.t, "on") > 0 {
		d.send(tracefmt.Event{Process: s.Peer, Type: s.Type, Payload: s.Payload})
	}
}

func (d *electionDrawer) write(e *tracefmt.Event) {
	e.Seq, e.Time = tracefmt.Seq(d.m.Len()+1), tracefmt.Time(d.m.Len())*tracefmt.Unit
	if err := d.m.Write(e); err != nil {
		d.t.Fatal(err)
	}
}
