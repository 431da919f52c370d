package trial

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Workers make many trials, several at the same time. The zero value uses every
// processor.
type Workers struct {
	// Number of trials that may run at the same time; 0 means as many as there
	// are processors.
	Number int
	// Progress, unless nil, is called with how many trials are done, one call at
	// a time.
	Progress func(done int)
}

// Each calls do for 0 to n-1, several at a time, and returns when all are done.
// They begin in their order. If the context ends no further ones begin, and
// Each returns when those that have begun are done: so whatever number a do has
// that ends the context, all before it are done in the end.
func (w Workers) Each(ctx context.Context, n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(cmp.Or(w.Number, runtime.GOMAXPROCS(0)))
	var mu sync.Mutex
	done := 0
	for i := 0; i < n && ctx.Err() == nil; i++ {
		group.Go(func() error {
			do(i)
			mu.Lock()
			defer mu.Unlock()
			if done++; w.Progress != nil {
				w.Progress(done)
			}
			return nil
		})
	}
	_ = group.Wait() // no do has an error
}
