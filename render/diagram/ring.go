package diagram

import (
	"context"

	"etrace/tracefmt"
)

var ringDiagram = Diagram{
	Name:  "ring",
	Doc:   "the processes on a circle in ring order, messages numbered in the order of their sending",
	Build: buildRing,
}

func buildRing(ctx context.Context, rec tracefmt.Recording, o Options) (*Drawing, error) {
	return buildSequence(ctx, rec, o)
}
