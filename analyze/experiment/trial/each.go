package trial

import (
	"cmp"
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Workers make many trials, several at a time. The zero value uses every processor.
type Workers struct {
	// Number is the number of concurrent trials; 0 means one for each processor.
	Number int
	// Progress, unless nil, is called with the number of finished trials, one call at a time.
	Progress func(done int)
}

// Each calls do for 0 to n-1, several at a time, and returns when all calls have returned. The calls begin in
// order. After the context ends, no further call begins. So if do(i) ends the context, do(0) to do(i-1) still
// run to their end.
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
	// No call returns an error.
	_ = group.Wait()
}
