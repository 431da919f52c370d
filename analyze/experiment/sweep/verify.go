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

// mostVerified is the number of cells, spread over the grid, whose first run is made again.
const mostVerified = 16

func (v *verifier) verify(ctx context.Context, o *outcome, value string) error {
	stride := (v.cells + mostVerified - 1) / mostVerified
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
