package sim_test

import (
	"strconv"
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// widths has a field of each type.
type widths struct {
	Who   tracefmt.ProcessID
	Flag  bool
	Word  opinion
	Count int64
	Size  uint8
	Term  sim.Term
	Text  string
	List  sim.List[tracefmt.ProcessID]
	Set   sim.Set[int64]
	Table sim.Map[tracefmt.ProcessID, opinion]
	Pair  struct{ A, B bool }
}

// emptyWidths is the payload of a message whose fields are all zero.
const emptyWidths = `{"who":null,"flag":false,"word":"good","count":0,"size":0,"term":0,"text":"",` +
	`"list":[],"set":[],"table":{},"pair":{"a":false,"b":false}}`

func membersOf(n int) (list []tracefmt.Member) {
	for i := range n {
		list = append(list, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	return list
}

// TestMeter: the sums follow the convention in WidthWords.
func TestMeter(t *testing.T) {
	pr := &sim.Protocol{}
	sim.DeclareMessage[widths](pr, "WIDE", "")
	sim.DeclareMessage[struct{ Who tracefmt.ProcessID }](pr, "ID", "")
	sim.DeclareMessage[struct{ N int64 }](pr, "NUMBER", "")
	pr.Signal("SIGNAL", "")
	pr.Signal("FIFTH", "") // one of five types: 3 bits
	const tag = 3
	for _, tt := range []struct {
		typ, payload string
		n            int
		want         int64
	}{
		{"SIGNAL", "", 8, tag},
		{"ID", `{"who":3}`, 8, tag + 3},
		{"ID", `{"who":3}`, 9, tag + 4}, // one id more than 3 bits can distinguish
		{"ID", `{"who":null}`, 8, tag + 3},
		{"ID", `{"who":1}`, 1, tag}, // there is no other
		{"NUMBER", `{"n":0}`, 8, tag + 1},
		{"NUMBER", `{"n":1}`, 8, tag + 1},
		{"NUMBER", `{"n":7}`, 8, tag + 3},
		{"NUMBER", `{"n":8}`, 8, tag + 4},
		{"NUMBER", `{"n":-8}`, 8, tag + 5},
		{"NUMBER", `{"n":-9223372036854775808}`, 8, tag + 65},
		// who 3, flag 1, word 1, count, size and term 1 each, three empty collections 1 each, pair 2.
		{"WIDE", emptyWidths, 8, tag + 3 + 1 + 1 + 3 + 0 + 3 + 2},
		// count 5: 3; size 255: 8; term 4: 3; text of 3 bytes: 24; list: 2 items is 2, and 2*3;
		// set of 1 (1 bit) with 6 (3 bits); table of one: 1, 3 and 1.
		{
			"WIDE",
			`{"who":1,"flag":true,"word":"bad","count":5,"size":255,"term":4,"text":"aé","list":[1,2],"set":[6],"table":{"3":"bad"},"pair":{"a":true,"b":true}}`,
			8, tag + 3 + 1 + 1 + 3 + 8 + 3 + 24 + (2 + 6) + (1 + 3) + (1 + 3 + 1) + 2,
		},
	} {
		got, err := (&sim.Config{Protocol: pr, Members: membersOf(tt.n)}).Meter().Bits(tt.typ, []byte(tt.payload))
		if err != nil || got != tt.want {
			t.Errorf("%s %s of %d processes: %d bits, %v, want %d", tt.typ, tt.payload, tt.n, got, err, tt.want)
		}
	}
}

// TestMeterOfOne: the only type of a protocol needs no bits.
func TestMeterOfOne(t *testing.T) {
	pr := &sim.Protocol{}
	pr.Signal("ONLY", "")
	if got, err := (&sim.Config{Protocol: pr, Members: membersOf(4)}).Meter().Bits("ONLY", nil); err != nil || got != 0 {
		t.Errorf("%d bits, %v, want 0", got, err)
	}
}

// TestMeterUndeclared: what is not as it was declared has no width, and what a trace adds to
// a payload is no part of the message.
func TestMeterUndeclared(t *testing.T) {
	pr := &sim.Protocol{}
	sim.DeclareMessage[struct{ Who tracefmt.ProcessID }](pr, "ID", "")
	m := (&sim.Config{Protocol: pr, Members: membersOf(4)}).Meter()
	for _, tt := range []struct{ typ, payload string }{
		{"OTHER", ""}, {"ID", ""}, {"ID", `{}`}, {"ID", `{"who":5}`}, {"ID", `{"who":1,"more":2}`}, {"ID", `{`},
	} {
		if got, err := m.Bits(tt.typ, []byte(tt.payload)); err == nil {
			t.Errorf("%s %s has %d bits, expected an error", tt.typ, tt.payload, got)
		}
	}
	if got, err := m.Bits("ID", []byte(`{"who":1,"log":{"x":1}}`)); err != nil || got != 2 {
		t.Errorf("%d bits, %v, want 2", got, err)
	}
}
