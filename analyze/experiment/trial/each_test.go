package trial_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/experiment/trial"
)

// TestEach: Each calls do once for every number, respects the limit, and counts progress up by one.
func TestEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, number := rapid.IntRange(0, 50).Draw(t, "n"), rapid.IntRange(0, 9).Draw(t, "workers")
		var progress []int
		var running atomic.Int64
		done := make([]int, n)
		w := trial.Workers{Number: number, Progress: func(done int) { progress = append(progress, done) }}
		w.Each(context.Background(), n, func(i int) {
			if now := running.Add(1); number > 0 && now > int64(number) {
				t.Errorf("%d run at the same time, want at most %d", now, number)
			}
			done[i]++
			running.Add(-1)
		})
		for i, times := range done {
			if times != 1 || progress[i] != i+1 {
				t.Fatalf("%d of %d was done %d times; progress %v", i, n, times, progress)
			}
		}
	})
}

// TestEachStops: if a call ends the context, all earlier calls finish, and calls that have not begun never
// begin.
func TestEachStops(t *testing.T) {
	for _, number := range []int{1, 2, 7} {
		const n, last = 1000, 20
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		var done []int
		trial.Workers{Number: number}.Each(ctx, n, func(i int) {
			switch {
			case i == last:
				cancel()
			case i > last:
				<-ctx.Done()
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, i)
		})
		slices.Sort(done)
		for i := range last + 1 {
			if i >= len(done) || done[i] != i {
				t.Fatalf("%d workers: %d is not done, only %v", number, i, done)
			}
		}
		if len(done) > last+1+number {
			t.Errorf("%d workers: %d are done after the context ended at %d", number, len(done), last)
		}
	}
}
