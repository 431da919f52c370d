package tracefmt

import (
	"context"
	"iter"
)

// Until yields the events of a recording like [Recording.Events], and stops with the error of ctx when ctx is
// done. It tests ctx every 1024 events.
func Until(ctx context.Context, rec Recording, from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		read := 0
		for e, err := range rec.Events(from) {
			read++
			if err == nil && read%1024 == 0 {
				err = ctx.Err()
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Verify reads a recording to its end. This compares the checksums of a database, or validates a text.
func Verify(ctx context.Context, rec Recording) error {
	for _, err := range Until(ctx, rec, 1) {
		if err != nil {
			return err
		}
	}
	return nil
}
