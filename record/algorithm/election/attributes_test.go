package election_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// comparesIDs are the elections whose ids an attribute may precede: all but itai-rodeh, whose
// processes have none.
func comparesIDs(name string) bool { return name != "itai-rodeh" }

// A run with a best attribute equals the run with ids in the same order, renamed: the same events at the same
// instants, with other names, and with the attributes in its messages.
func TestLawAttributesOnlyRename(t *testing.T) {
	check(t, func(t *rapid.T, s *scenario.Scenario) {
		if !comparesIDs(s.Algorithm) {
			return
		}
		names := rapid.Permutation(sequence(len(s.IDs))).Draw(t, "names") // of the processes 0, 1, ... by rank
		smallest := rapid.Bool().Draw(t, "least")
		ranked := renamed(s, func(id int64) int64 { return int64(names[id]) })
		load := scenario.Attribute{Name: "load"}
		for rank, name := range names {
			value := 3*rank - 5
			if smallest {
				value = -value
			}
			load.Processes, load.Values = append(load.Processes, int64(name)), append(load.Values, strconv.Itoa(value))
		}
		ranked.Attributes, ranked.Best = []scenario.Attribute{load}, scenario.Best{Attribute: "load", Least: smallest}
		compareRenamed(t, ranked, s)
	})
}

// compareRenamed compares a run with attributes with the run of the ids, in which the processes get
// the names of the other before it is made.
func compareRenamed(t *rapid.T, ranked, byID *scenario.Scenario) {
	got := must(t, ranked)
	config, _, err := byID.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	config.Members = slices.Clone(got.Run().Members)
	for i := range config.Members {
		config.Members[i].Attributes = nil
	}
	run := *got.Run()
	run.Members = config.Members
	want := tracefmt.NewMemory(run)
	if _, err := sim.Run(t.Context(), config, want); err != nil {
		t.Fatal(err)
	}
	if got.Len() != want.Len() {
		t.Fatalf("%s: %d events, by ids %d", ranked.JSON(), got.Len(), want.Len())
	}
	for seq := tracefmt.Seq(1); seq <= tracefmt.Seq(got.Len()); seq++ {
		e, w := *got.At(seq), *want.At(seq)
		e.Payload = withoutLoad(t, got.Run(), e.Payload)
		payload := w.Payload
		e2, w2 := e, w
		e2.Payload, w2.Payload = nil, nil
		if !bytes.Equal(e.Payload, payload) || !equalEvents(&e2, &w2) {
			t.Fatalf("%s: seq %d is %+v %s, by ids %+v %s", ranked.JSON(), seq, e2, e.Payload, w2, payload)
		}
	}
}

func equalEvents(e, w *tracefmt.Event) bool {
	return e.Kind == w.Kind && e.Process == w.Process && e.Peer == w.Peer && e.Type == w.Type && e.Message == w.Message &&
		e.Cause == w.Cause && e.Time == w.Time && e.Lamport == w.Lamport
}

// withoutLoad removes the loads of the processes from a message. They must be those of the members, for the
// processes in its fields.
func withoutLoad(t *rapid.T, run *tracefmt.Run, payload []byte) []byte {
	at := bytes.Index(payload, []byte(`,"load":`))
	if at < 0 {
		return payload
	}
	var m struct{ Load map[string]json.RawMessage }
	if err := json.Unmarshal(payload, &m); err != nil || len(m.Load) == 0 {
		t.Fatalf("%s: %v", payload, err)
	}
	tail := append(bytes.Clone(payload[:at]), '}')
	for name, value := range m.Load {
		p, ok := run.Process(name)
		if !ok || !bytes.Contains(run.Members[p-1].Attributes, append([]byte(`"load":`), value...)) {
			t.Fatalf("%s: the load of %s", payload, name)
		}
		if !bytes.Contains(tail, []byte(name)) {
			t.Fatalf("%s: the fields do not name %s", payload, name)
		}
	}
	return tail
}

// renamed returns a drawn scenario with other ids.
func renamed(s *scenario.Scenario, name func(id int64) int64) *scenario.Scenario {
	renamed := func(ids []int64) []int64 {
		ids = slices.Clone(ids)
		for i := range ids {
			ids[i] = name(ids[i])
		}
		return ids
	}
	at := func(list []scenario.At) []scenario.At {
		list = slices.Clone(list)
		for i := range list {
			list[i].Process = name(list[i].Process)
		}
		return list
	}
	renamedID := func(id *int64) *int64 {
		if id == nil {
			return nil
		}
		renamed := name(*id)
		return &renamed
	}
	rules := func(list []scenario.Rule) []scenario.Rule {
		list = slices.Clone(list)
		for i := range list {
			list[i].From, list[i].To = renamedID(list[i].From), renamedID(list[i].To)
		}
		return list
	}
	r := *s
	r.IDs, r.Down, r.Coordinator = renamed(s.IDs), renamed(s.Down), renamedID(s.Coordinator)
	r.Start, r.Crash, r.Recover, r.Drop, r.Slow = at(s.Start), at(s.Crash), at(s.Recover), rules(s.Drop), rules(s.Slow)
	r.Partitions = slices.Clone(s.Partitions)
	for i, p := range r.Partitions {
		r.Partitions[i].Groups = slices.Clone(p.Groups)
		for j, g := range p.Groups {
			r.Partitions[i].Groups[j] = renamed(g)
		}
	}
	// This parameter lists ids, so it is renamed like the others.
	if normal, ok := s.Params["believed-normal"]; ok && normal != "none" {
		ids, _ := scenario.ParseIDs(normal)
		r.Params = map[string]string{}
		for param, value := range s.Params {
			r.Params[param] = value
		}
		list := ""
		for i, id := range renamed(ids) {
			if i > 0 {
				list += ","
			}
			list += strconv.FormatInt(id, 10)
		}
		r.Params["believed-normal"] = list
	}
	return &r
}
