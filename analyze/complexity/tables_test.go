package complexity

import (
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestOpenMessagesAreAMap: whatever the ids, and however many stay.
func TestOpenMessagesAreAMap(t *testing.T) {
	var open openMessages
	rapid.Check(t, func(t *rapid.T) {
		open.clear() // what was there before leaves nothing
		model := map[tracefmt.MessageID]message{}
		next := tracefmt.MessageID(1)
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			id := tracefmt.MessageID(rapid.Int64Range(0, int64(next)+2).Draw(t, "id"))
			switch rapid.SampledFrom([]string{"send", "send", "send", "again", "arrive", "arrive", "far", "many"}).Draw(t, "step") {
			case "send":
				open.put(next, message{depth: int64(next), fate: tracefmt.InFlight})
				model[next] = message{depth: int64(next), fate: tracefmt.InFlight}
				next++
			case "again":
				open.put(id, message{depth: int64(id), fate: tracefmt.Lost})
				model[id] = message{depth: int64(id), fate: tracefmt.Lost}
			case "arrive":
				open.remove(id)
				delete(model, id)
			case "far":
				next += 1 << 40
			case "many":
				for range 100 {
					open.put(next, message{depth: 1, fate: tracefmt.InFlight})
					model[next] = message{depth: 1, fate: tracefmt.InFlight}
					next++
				}
			}
			compareOpen(t, &open, model, id)
		}
		for id := range model {
			compareOpen(t, &open, model, id)
		}
	})
}

// TestOpenMessagesThatStay: the map takes messages that the ring cannot hold; every third message is removed.
func TestOpenMessagesThatStay(t *testing.T) {
	var open openMessages
	model := map[tracefmt.MessageID]message{}
	for id := tracefmt.MessageID(1); id < 3*maxRing; id++ {
		open.put(id, message{depth: int64(id), fate: tracefmt.InFlight})
		model[id] = message{depth: int64(id), fate: tracefmt.InFlight}
		if old := id / 2; id%3 == 0 {
			open.remove(old)
			delete(model, old)
		}
	}
	for id := tracefmt.MessageID(1); id < 3*maxRing; id++ {
		compareOpen(t, &open, model, id)
	}
	if len(open.ring) > maxRing {
		t.Errorf("the ring is %d long, want at most %d", len(open.ring), maxRing)
	}
}

func compareOpen(t interface {
	Fatalf(format string, args ...any)
}, open *openMessages, model map[tracefmt.MessageID]message, id tracefmt.MessageID,
) {
	got, ok := open.get(id)
	if want, has := model[id]; ok != has || got != want {
		t.Fatalf("message %d: %v, %t; want %v, %t", id, got, ok, want, has)
	}
}

// TestTablesAreMaps: few types and many, few processes and many.
func TestTablesAreMaps(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 200} {
		var types typeCounts
		var links linkTable
		links.restart(n + 1)
		wantTypes, wantLinks := map[string]int64{}, map[link]int64{}
		for i := range 2000 {
			typ, l := fmt.Sprint("type", i*i%n), link{tracefmt.ProcessID(i*7%n + 1), tracefmt.ProcessID(i*i%n + 1)}
			types.add(typ)
			links.add(l)
			wantTypes[typ]++
			wantLinks[l]++
		}
		if got := types.byName(); !maps.Equal(got, wantTypes) {
			t.Errorf("%d types: %v, want %v", n, got, wantTypes)
		}
		before, got := link{}, map[link]int64{}
		for l, sent := range links.links() {
			if before.compare(l) >= 0 {
				t.Errorf("%v comes after %v", l, before)
			}
			before, got[l] = l, sent
		}
		if !maps.Equal(got, wantLinks) {
			t.Errorf("%d processes: %v, want %v", n, got, wantLinks)
		}
	}
}

// TestLedgerReusesLetters: the memory of delivered messages is reused, so a run needs memory only for its
// messages in transit.
func TestLedgerReusesLetters(t *testing.T) {
	run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}}
	c := newDetailed(run, Detail{})
	message := func() {
		id := tracefmt.MessageID(c.counter.stats.Messages.Sent + 1)
		for _, e := range []*tracefmt.Event{
			{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: id, Type: "M"},
			{Seq: 2, Kind: tracefmt.Receive, Process: 2, Peer: 1, Message: id, Cause: 1},
		} {
			if err := c.write(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 100 {
		message()
	}
	if n := len(c.counter.ledger.free); n != 1 {
		t.Errorf("%d letters for messages that come one after the other, want 1", n)
	}
	if n := testing.AllocsPerRun(100, message); n > 2 { // the two events
		t.Errorf("%v allocations for a message", n)
	}
	if got := c.counter.ledger.total.bytes; got != 0 || c.stats().Messages.Delivered != 201 {
		t.Errorf("%d bytes, %d delivered, want 0 and 201", got, c.stats().Messages.Delivered)
	}
}
