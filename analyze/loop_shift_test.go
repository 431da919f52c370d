package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// growing is a message that goes to and fro with a clock, which both ends keep; a round adds
// two to it.
func growing(t *testing.T, header, note string) *tracefmt.Memory {
	t.Helper()
	lines := []string{
		/* 1 */ `"process":"1","kind":"start","payload":{"log[1]":{"clock":1},"by":{"2":0}}`,
		/* 2 */ `"process":"2","kind":"start","payload":{"by":{"1":1}}`,
		/* 3 */ `"process":"1","kind":"send","type":"A","peer":"2","message":1,"payload":{"at":{"clock":1},"weight":5}`,
		/* 4 */ `"process":"2","kind":"receive","type":"A","peer":"1","message":1,"cause":3,"payload":{"at":{"clock":1},"weight":5}`,
		/* 5 */ `"process":"2","kind":"state","payload":{"by":{"1":3}}`,
		/* 6 */ `"process":"2","kind":"send","type":"A","peer":"1","message":2,"payload":{"at":{"clock":2},"weight":5}`,
		/* 7 */ `"process":"1","kind":"receive","type":"A","peer":"2","message":2,"cause":6,"payload":{"at":{"clock":2},"weight":5}`,
		/* 8 */ `"process":"1","kind":"state","payload":{"log[1]":{"clock":3},"by":{"2":2}}`,
		/* 9 */ `"process":"1","kind":"send","type":"A","peer":"2","message":3,"payload":{"at":{"clock":3},"weight":5}`,
		/* 10 */ `"kind":"note","type":"loop","payload":` + note,
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		`{"format":"etrace/1","source":"simulated","time_unit":"delay",%s"members":[{"name":"1","position":1},{"name":"2","position":2}]}`+"\n",
		header)
	for i, line := range lines {
		fmt.Fprintf(&b, `{"seq":%d,"time":0,%s}`+"\n", i+1, line)
	}
	fmt.Fprintf(&b, `{"end":"stopped","events":%d}`+"\n", len(lines))
	runs, err := tracefmt.ReadMemory(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

const allCounters = `"counters":["log[].clock","by[]","A:at.clock"],`

// TestLoopWithShift: a claim that the state recurs, apart from counters, is believed where the
// header names them, and all of them grow by as much.
func TestLoopWithShift(t *testing.T) {
	const differ = "the states after these events differ in more than counters that are shifted by "
	for _, tt := range []struct{ name, header, note, doubt string }{
		{"all grow by two", allCounters, `{"from":3,"to":9,"shift":2}`, ""},
		{"the shift is another", allCounters, `{"from":3,"to":9,"shift":3}`, differ + "3"},
		{"half a round", allCounters, `{"from":3,"to":6,"shift":1}`, differ + "1"},
		{"no shift is claimed", allCounters, `{"from":3,"to":9}`, "the states after these events differ"},
		{"one is not declared", `"counters":["log[].clock","by[]"],`, `{"from":3,"to":9,"shift":2}`, differ + "2"},
		{
			"one more is declared, which stays", `"counters":["log[].clock","by[]","A:at.clock","A:weight"],`,
			`{"from":3,"to":9,"shift":2}`, differ + "2",
		},
		{"none is declared", "", `{"from":3,"to":9,"shift":2}`, "the run has no counters that could be shifted by 2"},
		{
			"a lie puts a value into messages", `"scenario":{"lie":["1@0 A:weight=5"]},` + allCounters,
			`{"from":3,"to":9,"shift":2}`, "the scenario puts values into messages that are not shifted (lie)",
		},
		{"chance", `"scenario":{"loss":0.5},` + allCounters, `{"from":3,"to":9,"shift":2}`, "the scenario leaves to chance what repeats (loss)"},
	} {
		end := check(t, growing(t, tt.header, tt.note)).Ending
		switch {
		case tt.doubt == "" && (!end.Looping() || end.LoopShift != 2):
			t.Errorf("%s: %+v, want a loop with a shift of 2", tt.name, end)
		case tt.doubt != "" && (end.Looping() || !strings.HasSuffix(end.Doubt, ", but "+tt.doubt)):
			t.Errorf("%s: %+v, want the doubt that %s", tt.name, end, tt.doubt)
		}
	}
}

// loopSeer remembers whether the run ended in a loop to it.
type loopSeer struct{ loops *bool }

func (loopSeer) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

func (m loopSeer) End(_ *analyze.Result, _ *replay.State, end analyze.Ending) {
	*m.loops = end.Looping()
}

// TestShiftable: a loop that shifts counters is a loop for a property that reads none of them, or merely compares them.
func TestShiftable(t *testing.T) {
	for _, tt := range []struct {
		reads     string
		shiftable bool
		loops     bool
	}{{"name", false, true}, {"log", false, false}, {"log", true, true}} {
		loops := false
		p := &analyze.Property{
			Name: "seer", ViolatedBy: []tracefmt.Fact{tracefmt.StateOf(tt.reads)}, Shiftable: tt.shiftable,
			New: func(*tracefmt.Run) analyze.Monitor { return loopSeer{&loops} },
		}
		run := growing(t, allCounters, `{"from":3,"to":9,"shift":2}`)
		if _, err := analyze.Check(run, []*analyze.Property{p}, analyze.Options{Named: true}); err != nil {
			t.Fatal(err)
		}
		if loops != tt.loops {
			t.Errorf("reads %s, shiftable %t: a loop %t, want %t", tt.reads, tt.shiftable, loops, tt.loops)
		}
	}
}
