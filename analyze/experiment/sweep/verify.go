package sweep

import (
	"context"
	"fmt"
)

// verifier makes some of the stored runs again and compares them: if an algorithm has changed, its stored
// results are invalid.
type verifier struct {
	maker *maker
	cells int
	last  int // the cell that was verified last, from 1
}

// maxVerified is the number of cells, spread over the grid, whose first run is made again.
const maxVerified = 16

// verify makes the first stored run of some cells again, and fails if it has another outcome: the algorithm
// has changed since.
func (v *verifier) verify(ctx context.Context, o *outcome, value string) error {
	stride := (v.cells + maxVerified - 1) / maxVerified
	if o.cell%stride != 0 || v.last == o.cell+1 {
		return nil
	}
	v.last = o.cell + 1
	again, err := v.maker.outcome(ctx, o.cell, o.run)
	if err != nil {
		return err
	}
	if now := again.value(); now != value {
		return fmt.Errorf(
			"cell %d run %d measured %s, and now measures %s: the algorithms have changed since, expected results of this etrace",
			o.cell, o.run, value, now,
		)
	}
	return nil
}
