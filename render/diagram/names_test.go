package diagram

import (
	"fmt"
	"testing"

	"etrace/render/story"
	"etrace/tracefmt"
)

// TestNamesApart: processes whose names differ in their ends only are told apart
// in every diagram, also where there is little room for a name.
func TestNamesApart(t *testing.T) {
	const n = 12
	run := tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("election-service-", i), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	m.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1, Type: "PING", Payload: []byte(`{"of":"election-service-1"}`)})
	m.Finish(tracefmt.Stopped)
	for _, d := range []Diagram{sequenceDiagram, ringDiagram} {
		seen := map[string]bool{}
		for _, node := range nodes(build(t, d, m, story.Options{})) {
			seen[node.Text] = true
		}
		names := 0
		for text := range seen {
			if len(text) < 24 && len(text) > 2 && text[0] == 'e' {
				names++
			}
		}
		if names < n {
			t.Errorf("%s: %d names of %d, among %v", d.Name, names, n, seen)
		}
	}
}
