package network

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestQueue: after any pushes, removals and drops, the queue equals a sorted list, in its order: messages in
// line, and messages that overtake earlier ones.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var list []Item
		order := uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				order++
				item := Item{
					At:    tracefmt.Time(rapid.IntRange(0, 9).Draw(t, "at")),
					Class: rapid.SampledFrom([]Class{Fault, Delivery, Delivery, Delivery, Timer, Start}).Draw(t, "class"),
					Order: order,
				}
				q.push(item)
				list = append(list, item)
				slices.SortFunc(list, compareTime)
			},
			"drop": func(t *rapid.T) {
				if len(list) == 0 {
					return
				}
				if top := *q.top(); top != list[0] {
					t.Fatalf("the first is %+v, want %+v", top, list[0])
				}
				q.drop()
				list = slices.Delete(list, 0, 1)
			},
			"remove": func(t *rapid.T) {
				class := rapid.SampledFrom([]Class{Delivery, Timer}).Draw(t, "class")
				even := func(x Item) bool { return x.Class == class && x.Order%2 == 0 }
				q.remove(even)
				list = slices.DeleteFunc(list, even)
				if q.contains(even) {
					t.Fatal("what was removed is there")
				}
			},
			"clear": func(*rapid.T) {
				q.clear()
				list = nil
			},
			"": func(t *rapid.T) {
				for _, x := range list {
					if !q.contains(func(y Item) bool { return x == y }) {
						t.Fatalf("%+v is not found", x)
					}
				}
				if got := q.sorted(); q.len() != len(list) || !slices.Equal(got, list) {
					t.Fatalf("%d items, %+v, want %+v", q.len(), got, list)
				}
			},
		})
	})
}
