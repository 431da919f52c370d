package adversary_test

import (
	"context"
	"fmt"
	"log"

	"etrace/analyze/experiment/adversary"
	"etrace/record/scenario"
)

// Search proves how much an algorithm costs at most on a ring of six: over all 5! orders of
// the ring, and all schedules. Franklin's bound, 2n*floor(log2 n) + 3n, is reached.
func ExampleSearch() {
	s, err := scenario.Parse("ring", []byte("{algorithm: franklin, nodes: 6, start: all}"))
	if err != nil {
		log.Fatal(err)
	}
	r, err := adversary.Search(context.Background(), s, adversary.Options{Measure: "messages", Orders: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at most %d messages, %s, over %d orders of the ring\n", r.Value, r.Known(), r.Rings)
	// Output:
	// at most 42 messages, proven, over 120 orders of the ring
}
