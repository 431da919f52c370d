package memory_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/replay"
	"etrace/tracefmt"
)

// hoarder is a monitor that stores marbles; its value is their number.
type hoarder int

func (n hoarder) Step(r *analyze.Result, _ *replay.State, _ *tracefmt.Event) {
	r.Examined++
	if memory.RoomFor(r, int(n), "marbles") != (n <= memory.MostKept) {
		r.Violate(func() string { return "there is room for what is not stored, or none for what is" })
	}
}

func (hoarder) End(*analyze.Result, *replay.State, analyze.Ending) {}

// TestRoomFor: a property that would store more than it may is unknown, with a reason.
func TestRoomFor(t *testing.T) {
	rec := tracefmt.NewMemory(tracefmt.Run{Members: []tracefmt.Member{{Name: "1", Position: 1}}})
	if err := rec.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Process: 1}); err != nil {
		t.Fatal(err)
	}
	if err := rec.Finish(tracefmt.Quiescent); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[hoarder]analyze.Verdict{
		memory.MostKept: analyze.Satisfied, memory.MostKept + 1: analyze.Unknown,
	} {
		p := &analyze.Property{Name: "hoarder", Kind: analyze.Safety, New: func(*tracefmt.Run) analyze.Monitor { return n }}
		report, err := analyze.Check(rec, []*analyze.Property{p}, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := report.Results[0]
		if r.Verdict != want || want == analyze.Unknown && r.Explanation != memory.TooMany("marbles") {
			t.Errorf("%d marbles: %s %q, want %s", n, r.Verdict, r.Explanation, want)
		}
	}
}

// TestFieldsHash: the order of the fields and the notation of a number do not matter, a key and a value do.
func TestFieldsHash(t *testing.T) {
	hash := func(object string) uint64 { return memory.FieldsHash([]byte(object)) }
	original := hash(`{"term":1,"op":"x"}`)
	for _, same := range []string{`{"op":"x","term":1}`, `{"term":1.0,"op":"x"}`} {
		if hash(same) != original {
			t.Errorf("%s has another hash", same)
		}
	}
	for _, differs := range []string{`{"term":2,"op":"x"}`, `{"term":1}`, `{"term":1,"operation":"x"}`, `{}`} {
		if hash(differs) == original {
			t.Errorf("%s has the same hash", differs)
		}
	}
}

// TestIndexedIsAMap: what is set is there until it is removed, nothing else is, and a walk comes by in order. Logs
// that share their full pages are as independent as others.
func TestIndexedIsAMap(t *testing.T) {
	near := rapid.Int64Range(-2, 40)
	index := rapid.OneOf(near, near, rapid.Int64Range(-1<<63, 1<<63-1))
	rapid.Check(t, func(t *rapid.T) {
		var pool memory.IndexedPool[int64]
		logs, want := make([]memory.Indexed[int64], 3), []map[int64]int64{{}, {}, {}}
		logs[1].Pool, logs[2].Pool = &pool, &pool
		for i := range int64(8) { // a full page of each
			for log := range logs {
				logs[log].Set(i, 0)
				want[log][i] = 0
			}
		}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			i, log := index.Draw(t, "index"), rapid.IntRange(0, 2).Draw(t, "log")
			if i < 0 || rapid.Bool().Draw(t, "remove") {
				logs[log].Remove(i)
				delete(want[log], i)
			} else {
				want[log][i] = rapid.Int64Range(0, 1).Draw(t, "thing")
				logs[log].Set(i, want[log][i])
			}
		}
		from, receiver := index.Filter(func(i int64) bool { return i >= 0 }).Draw(t, "from"), index.Draw(t, "to")
		for log := range logs {
			compareIndexed(t, &logs[log], want[log], from, receiver)
		}
	})
}

// TestRemovedFromPool: a log that removes a thing from its full page takes nothing from a log that fills that page later.
func TestRemovedFromPool(t *testing.T) {
	var pool memory.IndexedPool[int64]
	first, second := memory.Indexed[int64]{Pool: &pool}, memory.Indexed[int64]{Pool: &pool}
	for i := range int64(8) {
		first.Set(i, 0)
	}
	first.Remove(3)
	for i := range int64(8) {
		second.Set(i, 0)
	}
	if _, ok := second.Get(3); !ok {
		t.Error("the thing at 3 is missing")
	}
}

// compareIndexed compares a log with a map, and with a walk from one index to another.
func compareIndexed(t *rapid.T, x *memory.Indexed[int64], want map[int64]int64, from, end int64) {
	// The walk, each index, and indexes at the borders of pages can each be wrong where the others are right.
	var walked []int64
	for i, thing := range x.Between(from, end) {
		walked = append(walked, i)
		if thing != want[i] {
			t.Errorf("walking by %d: got %d, want %d", i, thing, want[i])
		}
	}
	passed := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(i int64) bool { return i < from || i > end })
	if !slices.Equal(walked, passed) || x.Length != len(want) {
		t.Errorf("walked by %d of %d from %d to %d, want %d of %d", walked, x.Length, from, end, passed, len(want))
	}
	for i, thing := range want {
		if got, ok := x.Get(i); !ok || got != thing {
			t.Errorf("at %d: got %d, %v, want %d", i, got, ok, thing)
		}
	}
	for _, i := range []int64{-1, -8, -1 << 63, 41} {
		_, set := want[i]
		if _, ok := x.Get(i); ok && !set {
			t.Errorf("there is something at %d", i)
		}
	}
}
