package trial_test

import (
	"context"
	"fmt"
	"log"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/analyze/property"
	"etrace/record/scenario"
)

// Run a scenario in memory, check its run and count its messages: in a ring of
// four, 1 notices that the coordinator is gone. Its neighbour 2 has a greater
// id, so each process sends its own, and that of 4 goes round: 1 + 1 + 1 + 4
// messages, and 4 more announce the winner.
func ExampleRun() {
	s, err := scenario.Parse("ring", []byte("{algorithm: chang-roberts, nodes: 4, start: 1}"))
	if err != nil {
		log.Fatal(err)
	}
	properties, err := property.Builtin().Named("election-safety", "election-liveness")
	if err != nil {
		log.Fatal(err)
	}
	t, err := trial.Run(context.Background(), s, properties, analyze.Options{Named: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d messages, leader %s\n", trial.End().Of(t), t.Stats.Messages.Sent, trial.Leader().Of(t))
	for _, r := range t.Report.Results {
		fmt.Printf("%s: %s\n", r.Property.Name, r.Verdict)
	}
	// Output:
	// quiescent after 11 messages, leader 4
	// election-safety: satisfied
	// election-liveness: satisfied
}
