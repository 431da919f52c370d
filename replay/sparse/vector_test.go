package sparse_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/replay/sparse"
)

// twin is a vector, and the same as a plain slice.
type twin struct {
	vector sparse.Vector
	plain  []uint64
}

func (t twin) put(i int, x uint64) twin {
	t.plain = slices.Clone(t.plain)
	t.plain[i] = x
	return t
}

func (t twin) join(u twin) twin {
	t.plain = slices.Clone(t.plain)
	for i, x := range u.plain {
		t.plain[i] = max(t.plain[i], x)
	}
	return t
}

// beyond returns the places where t is greater.
func (t twin) beyond(u twin) map[int]uint64 {
	more := map[int]uint64{}
	for i, x := range t.plain {
		if x > u.plain[i] {
			more[i] = x
		}
	}
	return more
}

// TestVectors: vectors with shared pages equal vectors with numbers of their own, and no operation changes an
// older vector.
func TestVectors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "length")
		place, number := rapid.IntRange(0, n-1), rapid.Uint64Range(0, 3)
		space := sparse.NewSpace(n)
		twins := []twin{{plain: make([]uint64, n)}}
		for range rapid.IntRange(0, 30).Draw(t, "operations") {
			v, w := rapid.SampledFrom(twins).Draw(t, "v"), rapid.SampledFrom(twins).Draw(t, "w")
			i, x := place.Draw(t, "place"), number.Draw(t, "number")
			made := v.put(i, x)
			switch rapid.IntRange(0, 2).Draw(t, "operation") {
			case 0:
				made.vector = space.With(v.vector, i, x)
			case 1:
				made = v.join(w)
				made.vector = space.Join(v.vector, w.vector)
			case 2:
				made = v.join(w).put(i, x)
				made.vector = space.JoinWith(v.vector, w.vector, i, x)
			}
			twins = append(twins, made)
		}
		for _, v := range twins {
			for i, x := range v.plain {
				if got := v.vector.At(i); got != x {
					t.Fatalf("at %d: %d, want %d", i, got, x)
				}
			}
			w := rapid.SampledFrom(twins).Draw(t, "beyond")
			if got, want := maps.Collect(v.vector.Beyond(w.vector)), v.beyond(w); !maps.Equal(got, want) {
				t.Fatalf("%v beyond %v: %v, want %v", v.plain, w.plain, got, want)
			}
			if got, want := maps.Collect(v.vector.All()), v.beyond(twins[0]); !maps.Equal(got, want) {
				t.Fatalf("everywhere of %v: %v", v.plain, got)
			}
		}
	})
}

// TestWords: a vector of 200 numbers takes three words for each of its four pages, and its last page has 8 numbers.
// Shared pages count once.
func TestWords(t *testing.T) {
	space := sparse.NewSpace(200)
	v := space.With(sparse.Vector{}, 70, 1)
	w := space.With(v, 199, 2)
	for _, tt := range []struct {
		name    string
		vectors []sparse.Vector
		want    int
	}{
		{"nothing", []sparse.Vector{{}}, 0},
		{"one page", []sparse.Vector{v}, 12 + 64},
		{"itself", []sparse.Vector{v, v, {}}, 12 + 64},
		{"one page of two", []sparse.Vector{v, w}, 12 + 64 + 12 + 8},
		{"a join that is one of them", []sparse.Vector{w, space.Join(v, w), space.Join(w, v)}, 12 + 64 + 8},
	} {
		if got := sparse.Words(slices.Values(tt.vectors)); got != tt.want {
			t.Errorf("%s: %d words, want %d", tt.name, got, tt.want)
		}
	}
	if got, want := space.Made(), 12+64+12+8+2*12; got != want {
		t.Errorf("%d words were made, want %d", got, want)
	}
}

// TestBeyondEnds: whoever has seen enough is shown no more.
func TestBeyondEnds(t *testing.T) {
	space := sparse.NewSpace(200)
	v := space.With(space.With(sparse.Vector{}, 3, 1), 130, 1)
	seen := 0
	for range v.All() {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("seen %d numbers, want 1", seen)
	}
}

// TestRaise: a row that is raised to vectors is their join, with the last mark that
// raised each number.
func TestRaise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "length")
		space := sparse.NewSpace(n)
		var row, marks sparse.Row
		want, wantMarks := make([]uint64, n), make([]uint64, n)
		var v sparse.Vector
		for mark := range rapid.Uint64Range(0, 10).Draw(t, "vectors") {
			plain := make([]uint64, n)
			v = sparse.Vector{}
			for range rapid.IntRange(0, 10).Draw(t, "numbers") {
				i := rapid.IntRange(0, n-1).Draw(t, "place")
				plain[i] = rapid.Uint64Range(0, 5).Draw(t, "number")
				v = space.With(v, i, plain[i])
			}
			row.Raise(v, &marks, mark)
			for i, x := range plain {
				if x > want[i] {
					want[i], wantMarks[i] = x, mark
				}
			}
		}
		more := map[int]uint64{}
		for i := range n {
			if row.At(i) != want[i] || want[i] > 0 && marks.At(i) != wantMarks[i] {
				t.Fatalf("at %d: %d with mark %d, want %d and %d", i, row.At(i), marks.At(i), want[i], wantMarks[i])
			}
			if want[i] > v.At(i) {
				more[i] = want[i]
			}
		}
		if got := maps.Collect(row.Beyond(v)); !maps.Equal(got, more) {
			t.Fatalf("beyond the last vector: %v, want %v", got, more)
		}
	})
}

// TestRowsAndSets: a row has what was put last, and a set what was added and not
// removed.
func TestRowsAndSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 200
		var row sparse.Row
		set, second := sparse.NewSet(n), sparse.NewSet(n)
		numbers, first, out := make([]uint64, n), map[int]bool{}, map[int]bool{}
		for range rapid.IntRange(0, 50).Draw(t, "operations") {
			i := rapid.IntRange(0, n-1).Draw(t, "at")
			numbers[i] = rapid.Uint64Range(0, 2).Draw(t, "number")
			row.Set(i, numbers[i])
			first[i] = rapid.Bool().Draw(t, "in")
			out[i] = rapid.Bool().Draw(t, "other")
			if out[i] {
				second.Add(i)
			} else {
				second.Remove(i)
			}
			if set.Add(i); !first[i] {
				set.Remove(i)
			}
		}
		var members, without []int
		for i := range n {
			if row.At(i) != numbers[i] || set.Has(i) != first[i] {
				t.Fatalf("at %d: %d, %v, want %d, %v", i, row.At(i), set.Has(i), numbers[i], first[i])
			}
			if first[i] {
				members = append(members, i)
			}
			if first[i] && !out[i] {
				without = append(without, i)
			}
		}
		if got := slices.Collect(set.All()); !slices.Equal(got, members) {
			t.Fatalf("everywhere: %v, want %v", got, members)
		}
		if got := slices.Collect(set.Without(second)); !slices.Equal(got, without) {
			t.Fatalf("without: %v, want %v", got, without)
		}
		if sparse.Set(nil).Has(3) {
			t.Fatal("the nil set has something")
		}
	})
}
