package spill_test

import (
	"bytes"
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"etrace/tracefmt/spill"
)

type pair struct {
	A int64
	B int32
}

// Whatever the budget, a list holds what was written to it last, in whatever order.
func TestListHoldsWhatWasWritten(t *testing.T) {
	for _, budget := range []int{0, 1 << 20, 1 << 30} {
		s := spill.New(budget)
		defer s.Close()
		list, texts := spill.NewList[pair](s), spill.NewTexts(s)
		const n = 50_000
		var places []spill.Place
		for i := range n {
			list.Add(pair{A: int64(i)})
			places = append(places, texts.Add(bytes.Repeat([]byte{byte(i)}, i%40)))
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range n / 5 {
			list.Edit(random.IntN(n)).B++
		}
		random = rand.New(rand.NewPCG(1, 2))
		want := make([]int32, n)
		for range n / 5 {
			want[random.IntN(n)]++
		}
		for i := range n {
			if got := *list.At(i); got != (pair{int64(i), want[i]}) {
				t.Fatalf("budget %d: value %d is %v, want %d, %d", budget, i, got, i, want[i])
			}
			if got := texts.At(places[i]); !bytes.Equal(got, bytes.Repeat([]byte{byte(i)}, i%40)) {
				t.Fatalf("budget %d: text %d is %v", budget, i, got)
			}
		}
		if s.Err() != nil || (s.OnDisk() > 0) != (budget < 1<<30) {
			t.Errorf("budget %d: %d bytes on disk, %v", budget, s.OnDisk(), s.Err())
		}
	}
}

// Texts that are longer than a page count with their length: only 16 of them stay in memory.
func TestLongTexts(t *testing.T) {
	const texts, length = 60, 200 << 10
	s := spill.New(1 << 20)
	defer s.Close()
	list := spill.NewTexts(s)
	for range texts {
		list.Add(make([]byte, length))
	}
	if s.OnDisk() < (texts-20)*length {
		t.Errorf("%d bytes are on disk of %d texts with %d bytes", s.OnDisk(), texts, length)
	}
}

// Two values of different pages may be changed side by side.
func TestTwoAtATime(t *testing.T) {
	s := spill.New(0)
	defer s.Close()
	list := spill.NewList[pair](s)
	const n = 500_000
	for range n {
		list.Add(pair{})
	}
	for i := range n / 2 {
		first, second := list.Edit(i), list.Edit(n-1-i)
		first.A, second.A = 1, 2
	}
	for i := range n {
		if want := int64(1 + 2*i/n); list.At(i).A != want {
			t.Fatalf("value %d is %d, want %d", i, list.At(i).A, want)
		}
	}
}

// Without a place for the file there is an error, and no panic.
func TestNoFile(t *testing.T) {
	t.Setenv("TMPDIR", "/does/not/exist")
	s := spill.New(0)
	list := spill.NewList[pair](s)
	for i := range 200_000 {
		list.Add(pair{A: int64(i)})
	}
	for i := range list.Len() {
		list.At(i)
	}
	if !errors.Is(s.Err(), os.ErrNotExist) {
		t.Errorf("got %v, want an error about the folder", s.Err())
	}
}

func TestPointersAreRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a list of strings was made")
		}
	}()
	spill.NewList[struct{ s [2]string }](spill.New(0))
}

func TestSorterSorts(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 16, 300_000} {
		s := spill.New(0)
		defer s.Close()
		sorter := spill.NewSorter(s, func(a, b pair) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
		random := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			sorter.Add(pair{random.Int64N(1000), int32(i)})
		}
		count, last := 0, pair{-1, 0}
		for v := range sorter.All() {
			count++
			if v.A < last.A || v.A == last.A && v.B <= last.B {
				t.Fatalf("%v comes after %v", v, last)
			}
			last = v
		}
		if count != n {
			t.Errorf("%d values of %d", count, n)
		}
	}
}
