package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// loaded are three processes with a load each, and a config in which 1 sends a list with 3 and 2.
func loaded(loads ...string) sim.Config {
	y := newToy()
	y.Protocol.Start = func(p *sim.Process) {
		y.a.Send(p, 2)
		y.list.Send(p, 2, listFields{N: 7, List: sim.ListOf[tracefmt.ProcessID](3, 2, 3)})
	}
	c := sim.Config{
		Protocol: &y.Protocol, Members: membersOf(3), Attribute: "load",
		Actions: []sim.Action{{Kind: sim.StartProcess, Process: 1}},
	}
	for i, load := range loads {
		c.Members[i].Attributes = fmt.Appendf(nil, `{"load":%s}`, load)
	}
	return c
}

// A message carries the attribute of each process that its fields name, once; without such fields it carries
// none. A simulator that goes on with other members takes theirs.
func TestMessagesSayAttributes(t *testing.T) {
	var s sim.Simulator
	for _, loads := range [][]string{{"1", "2.5", "40"}, {"-3", "0", "9"}} {
		c := loaded(loads...)
		rec := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
		if _, err := s.Run(t.Context(), c, rec); err != nil {
			t.Fatal(err)
		}
		var sent []string
		for e := range rec.Events(1) {
			if e.Kind == tracefmt.Send {
				sent = append(sent, string(e.Payload))
			}
		}
		if want := []string{"", fmt.Sprintf(`{"n":7,"list":[3,2,3],"load":{"3":%s,"2":%s}}`, loads[2], loads[1])}; !slices.Equal(sent, want) {
			t.Errorf("sent %s, want %s", sent, want)
		}
	}
}

// An attribute in a message must equal that of its member. A message without attributes comes from a recorder
// that leaves them out.
func TestAttributesOfMessagesAreThoseOfMembers(t *testing.T) {
	for payload, want := range map[string]string{
		`{"id":3}`:                   "",
		`{"id":3,"load":{"3":40}}`:   "",
		`{"id":3,"load":{"3":41}}`:   "the load of process 3 is 41, expected 40, as the member has it",
		`{"id":3,"load":{"4":40}}`:   `load of "4", which is no process`,
		`{"id":3,"load":40}`:         "expected an object of processes",
		`{"id":3,"weight":{"3":40}}`: `unknown field of ID "weight"`,
	} {
		h, err := sim.NewHost(loaded("1", "2.5", "40"), tracefmt.NewMemory(tracefmt.Run{}))
		if err != nil {
			t.Fatal(err)
		}
		err = h.Step(&tracefmt.Event{Seq: 1, Kind: tracefmt.Receive, Process: 1, Peer: 2, Type: "ID", Message: 1, Payload: []byte(payload)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", payload, err, want)
		}
	}
}

// A list of two processes of three has 2 bits of the type (A, B, ID, LIST), 3 of n = 7, 2 each for three
// items, and 2 for their number. The load 40 takes 6 bits, the load 2.5 8 for each of its three characters.
func TestAttributesHaveBits(t *testing.T) {
	c := loaded("1", "2.5", "40")
	got, err := c.Meter().Bits("LIST", []byte(`{"n":7,"list":[3,2,3],"load":{"3":40,"2":2.5}}`))
	if want := int64(2 + 3 + 3*2 + 2 + 6 + 3*8); err != nil || got != want {
		t.Errorf("%d bits, %v, want %d", got, err, want)
	}
}
