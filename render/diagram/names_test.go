package diagram

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"etrace/render/story"
	"etrace/tracefmt"
)

// TestNamesApart: every diagram shows the ends of names that differ in their ends only. The picture has the common
// beginning once.
func TestNamesApart(t *testing.T) {
	const n = 12
	run := tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("election-service-", i), Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	m.Write(&tracefmt.Event{
		Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Message: 1, Type: "PING",
		Payload: []byte(`{"of":"election-service-1"}`),
	})
	m.Finish(tracefmt.Stopped)
	for _, d := range []Diagram{sequenceDiagram, ringDiagram} {
		seen := map[string]bool{}
		for _, node := range nodes(build(t, d, m, story.Options{})) {
			seen[node.Text] = true
		}
		names := 0
		for text := range seen {
			if number, err := strconv.Atoi(text); err == nil && number < n {
				names++
			}
		}
		if names < n || !seen["Names: all begin with election-service-"] {
			t.Errorf("%s: %d names of %d, among %v", d.Name, names, n, seen)
		}
	}
}

// TestElectedApart: the tags of two leaders whose names differ in the middle only
// differ, and so do the texts of a ring; below, the picture has what the names have in common.
func TestElectedApart(t *testing.T) {
	names := []string{
		"eu-production-1-raft-server-backup", "eu-production-2-raft-server-backup",
		"eu-production-3-raft-server-backup", "eu-production-4-raft-server-backup",
	}
	run := tracefmt.Run{Number: 1, TimeUnit: tracefmt.Delays}
	for i, name := range names {
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	m := tracefmt.NewMemory(run)
	for i := range names {
		payload := fmt.Sprintf(`{"elected":%q}`, names[i%2])
		m.Write(&tracefmt.Event{Seq: tracefmt.Seq(i + 1), Kind: tracefmt.State, Process: tracefmt.ProcessID(i + 1), Payload: []byte(payload)})
	}
	m.Finish(tracefmt.Stopped)
	for _, d := range []Diagram{sequenceDiagram, ringDiagram} {
		tags, list := map[string]int{}, ""
		for _, node := range nodes(build(t, d, m, story.Options{})) {
			list += " " + node.Text
			if strings.HasPrefix(node.Text, "= ") || strings.HasPrefix(node.Text, electedPrefix) {
				tags[node.Text]++
			}
		}
		if common := "all begin with eu-production- and end with -raft-server-backup"; !strings.Contains(list, common) {
			t.Errorf("%s does not say that the names %s", d.Name, common)
		}
		if len(tags) < 2 {
			t.Errorf("%s: the tags are %v, expected two different ones at least", d.Name, tags)
		}
	}
}
