package sim_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/sim"
)

// ballot is a record, whose order is that of its fields.
type ballot struct {
	n    int64
	step string
}

func TestList(t *testing.T) {
	queue := sim.ListOf(3, 1, 4, 1, 5)
	for _, test := range []struct {
		name string
		list sim.List[int]
		want []int
	}{
		{"append", queue.Append(9, 2), []int{3, 1, 4, 1, 5, 9, 2}},
		{"append nothing", queue.Append(), []int{3, 1, 4, 1, 5}},
		{"slice", queue.Slice(1, 3), []int{1, 4}},
		{"from", queue.From(3), []int{1, 5}},
		{"from the end", queue.From(5), nil},
		{"first", queue.First(2), []int{3, 1}},
		{"first of too few", queue.First(9), []int{3, 1, 4, 1, 5}},
		{"the first none", queue.First(0), nil},
		{"without", queue.Without(1), []int{3, 4, 5}},
		{"without what is not there", queue.Without(7), []int{3, 1, 4, 1, 5}},
		{"the list itself", queue, []int{3, 1, 4, 1, 5}},
	} {
		if got := slices.Collect(test.list.Values()); !slices.Equal(got, test.want) || test.list.Len() != len(test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if !queue.Contains(4) || queue.Contains(2) || queue.At(0) != 3 || queue.Last() != 5 {
		t.Errorf("%v", queue)
	}
	if last := queue.First(0).Last(); last != 0 {
		t.Errorf("the last of none is %d", last)
	}
	nested := sim.ListOf(sim.ListOf(1), sim.ListOf[int]())
	if !nested.Contains(sim.ListOf(1, 2).Slice(0, 1)) || !nested.Contains(sim.ListOf(1).Without(1)) || nested.Contains(sim.ListOf(2)) {
		t.Error("lists of lists are not compared by their items")
	}
}

// Two lists that grow from one do not see each other's items.
func TestListsDoNotShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.Int(), 1, 9).Draw(t, "items")
		cut := rapid.IntRange(0, len(items)).Draw(t, "cut")
		list := sim.ListOf(items...)
		first, second := list.Slice(0, cut).Append(-1), list.Slice(0, cut).Append(-2)
		if first.Last() != -1 || second.Last() != -2 || !slices.Equal(slices.Collect(list.Values()), items) {
			t.Errorf("%v, %v, %v", list, first, second)
		}
	})
}

// A set has each item once, in ascending order, in whatever order they came.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.IntRange(-5, 5)).Draw(t, "items")
		gone := rapid.IntRange(-5, 5).Draw(t, "gone")
		set := sim.SetOf(items...)
		want := slices.Compact(slices.Sorted(slices.Values(items)))
		if got := slices.Collect(set.Values()); !slices.Equal(got, want) || set.Len() != len(want) {
			t.Fatalf("%v, want %v", got, want)
		}
		without := set.Without(gone)
		if without.Has(gone) || set.Has(gone) != slices.Contains(items, gone) || without.With(gone).Len() != set.With(gone).Len() {
			t.Fatalf("%v without %d is %v", set, gone, without)
		}
		if union := without.Union(set); !slices.Equal(slices.Collect(union.Values()), want) {
			t.Fatalf("%v and %v are %v", without, set, union)
		}
	})
}

func TestSetOfRecords(t *testing.T) {
	set := sim.SetOf(ballot{2, "a"}, ballot{1, "b"}, ballot{1, "a"}, ballot{1, "b"})
	want := []ballot{{1, "a"}, {1, "b"}, {2, "a"}}
	if got := slices.Collect(set.Values()); !slices.Equal(got, want) || set.At(0) != want[0] {
		t.Errorf("%v, want %v", got, want)
	}
	if set := sim.SetOf(true, false, true); set.Len() != 2 || set.At(0) {
		t.Errorf("%v", set)
	}
	if set := sim.SetOf[uint8](200, 7); set.At(0) != 7 {
		t.Errorf("%v", set)
	}
}

// TestLess: a record comes before another by the first field that differs.
func TestLess(t *testing.T) {
	ascending := []ballot{{1, "a"}, {1, "b"}, {2, "a"}}
	for i, x := range ascending {
		for j, y := range ascending {
			if sim.Less(x, y) != (i < j) {
				t.Errorf("%v before %v: %v", x, y, sim.Less(x, y))
			}
		}
	}
}

// The pairs of a map come in the order of the keys, in whatever order they went
// in, and of two for one key the later stays.
func TestMapOf(t *testing.T) {
	pairs := func(keys ...int) sim.Map[int, int] {
		return sim.MapOf(func(yield func(int, int) bool) {
			for i, key := range keys {
				if !yield(key, i) {
					return
				}
			}
		})
	}
	for _, test := range []struct{ keys, want []int }{
		{nil, nil},
		{[]int{1, 2, 3}, []int{1, 0, 2, 1, 3, 2}},
		{[]int{3, 1, 2}, []int{1, 1, 2, 2, 3, 0}},
		{[]int{1, 2, 2, 1}, []int{1, 3, 2, 2}},
	} {
		var got []int
		for key, value := range pairs(test.keys...).All() {
			got = append(got, key, value)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: %v, want %v", test.keys, got, test.want)
		}
	}
}

// A map does what Go's does, and leaves the map it came from as it was.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m sim.Map[string, int]
		model := map[string]int{}
		for i := range rapid.IntRange(0, 20).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
			before, was := m, maps.Clone(model)
			if rapid.Bool().Draw(t, "with") {
				m, model[key] = m.With(key, i), i
			} else {
				m = m.Without(key)
				delete(model, key)
			}
			if got := maps.Collect(before.All()); !maps.Equal(got, was) {
				t.Fatalf("the former map is %v, was %v", got, was)
			}
			even := func(value int) bool { return value%2 == 0 }
			count := 0
			for _, value := range model {
				if even(value) {
					count++
				}
			}
			if m.Count(even) != count {
				t.Fatalf("%v: %d are even, want %d", m, m.Count(even), count)
			}
			value, has := model[key]
			if m.Get(key) != value || m.Has(key) != has || m.Len() != len(model) || !maps.Equal(maps.Collect(m.All()), model) {
				t.Fatalf("%v, want %v", m, model)
			}
		}
	})
}
