package report_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"etrace/analyze"
	builtin "etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// A record of all that happened: of two processes each hears too late of the other, and elects itself.
const twoLeaders = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"},{"name":"b"}],"complete":{"default":"all"}}
{"seq":1,"time":0,"process":"a","kind":"start","lamport":1}
{"seq":2,"time":0,"process":"b","kind":"start","lamport":1}
{"seq":3,"time":1,"process":"a","kind":"state","lamport":2,"payload":{"elected":"a"}}
{"seq":4,"time":2,"process":"b","kind":"state","lamport":2,"payload":{"elected":"b"}}
{"end":"quiescent","events":4}
`

// Check a recorded run, explain what is violated, and write a report.
func Example() {
	runs, err := tracefmt.ReadMemory(strings.NewReader(twoLeaders))
	if err != nil {
		fmt.Println(err)
		return
	}
	properties, err := builtin.Builtin().Named("single-leader", "no-step-when-crashed")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &report.Report{Traces: []string{"two.jsonl"}}
	run, err := analyze.Check(runs[0], properties, analyze.Options{Named: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Runs = append(r.Runs, report.Run{Trace: "two.jsonl", RunReport: run})
	if err := r.Explain(context.Background(), runs[0], run); err != nil {
		fmt.Println(err)
		return
	}
	format, err := report.Formats().Lookup("text")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := format.Write(os.Stdout, r, report.Style{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Verdict())
	// Output:
	// run 1: 2 processes, 4 events, quiescent
	//   single-leader         violated        process a leads since seq 3, and process b, too, since seq 4 (seq 3, 4)
	//       minimal witness, 2 events:
	//       * seq 3  a elects itself
	//       * seq 4  b elects itself
	//   no-step-when-crashed  vacuous
	//
	// 1 run: 1 violated
	// violated
}
