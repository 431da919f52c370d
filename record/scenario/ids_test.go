package scenario

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Written ids are read as the same ids, whatever they are.
func TestLawIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.Int64Range(0, 9), rapid.Int64Range(math.MaxInt64-9, math.MaxInt64))
		ids := rapid.SliceOfN(id, 1, 20).Draw(t, "ids")
		again, err := ParseIDs(FormatIDs(ids))
		if err != nil || !slices.Equal(again, ids) {
			t.Fatalf("%v are written %s and read %v (%v)", ids, FormatIDs(ids), again, err)
		}
	})
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]string{
		"32-29": "32,31,30,29", "0-2": "0,1,2", "3-3": "3", "5-3,1": "5,4,3,1",
	} {
		ids, err := ParseIDs(text)
		list := ""
		for i, id := range ids {
			if i > 0 {
				list += ","
			}
			list += strconv.FormatInt(id, 10)
		}
		if err != nil || list != want {
			t.Errorf("%s is %s (%v), want %s", text, list, err, want)
		}
	}
	for text, want := range map[string]string{"4-2": "4,3,2", "0-2": "0-2", "1,2": "1,2", "1,2,3,2,1": "1-3,2,1"} {
		ids, _ := ParseIDs(text)
		if got := FormatIDs(ids); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

// ring is the order of the processes of the run.
func ring(t *testing.T, s *Scenario) []string {
	t.Helper()
	s.Algorithm = "chang-roberts"
	_, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(run.Members))
	for _, m := range run.Members {
		names[m.Position-1] = m.Name
	}
	return names
}

// A drawn ring has the processes that it is asked for, the same for a seed,
// whatever order they were listed in, and goes through every form of a scenario.
func TestShuffle(t *testing.T) {
	orders := map[string]int{}
	for seed := range int64(6000) {
		s := &Scenario{Seed: seed}
		if err := s.setIDs("shuffle(3)"); err != nil {
			t.Fatal(err)
		}
		order := ring(t, s)
		orders[order[0]+order[1]+order[2]]++
	}
	for _, order := range []string{"123", "132", "213", "231", "312", "321"} {
		// 1000 are expected, with a standard deviation of 29.
		if n := orders[order]; n < 850 || n > 1150 {
			t.Errorf("of 6000 rings, %d are %s, want about 1000", n, order)
		}
	}
	for text, written := range map[string]string{
		"shuffle(8)": "shuffle(8)", "shuffle(1-8)": "shuffle(8)", "shuffle( 2 )": "shuffle(1,2)", "shuffle(0-7)": "shuffle(0-7)",
		"shuffle(33,17,4)": "shuffle(33,17,4)", "shuffle(5-5)": "shuffle(5-5)", "shuffle(1)": "shuffle(1-1)",
	} {
		s := &Scenario{Seed: 7}
		if err := s.setIDs(text); err != nil {
			t.Fatal(err)
		}
		if got := s.formatIDs()[0]; got != written {
			t.Errorf("%s is written %s, want %s", text, got, written)
		}
		yaml, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("", yaml)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, want := ring(t, again), ring(t, s); !slices.Equal(got, want) {
			t.Errorf("%s: the ring %v became %v", text, want, got)
		}
	}
	a, b := &Scenario{IDs: []int64{1, 2, 3, 4}, Shuffle: true}, &Scenario{IDs: []int64{4, 2, 1, 3}, Shuffle: true}
	if !slices.Equal(a.Ring(), b.Ring()) {
		t.Errorf("the ring depends on the order of the list: %v, %v", a.Ring(), b.Ring())
	}
}

// The ring does not depend on what the network draws, and the other way round.
func TestShuffleLeavesDelays(t *testing.T) {
	times := func(shuffle bool) []tracefmt.Time {
		s := mustParse(t, "{algorithm: bully, ids: 1-4, down: 4, start: 1, seed: 5, delay: exponential(1)}")
		s.Shuffle = shuffle
		c, run, err := s.Simulation()
		if err != nil {
			t.Fatal(err)
		}
		m := tracefmt.NewMemory(*run)
		if _, err := sim.Run(t.Context(), c, m); err != nil {
			t.Fatal(err)
		}
		var list []tracefmt.Time
		for e := range m.Events(1) {
			list = append(list, e.Time)
		}
		return list
	}
	if a, b := times(false), times(true); !slices.Equal(a, b) {
		t.Errorf("bully, which knows no ring, takes other times with a drawn one:\n%v\n%v", a, b)
	}
}
