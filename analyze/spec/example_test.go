package spec_test

import (
	"fmt"
	"strings"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// A server gets two requests and answers one of them.
const twoRequests = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"client"},{"name":"server"}]}
{"seq":1,"time":0,"process":"client","kind":"send","type":"REQUEST","peer":"server","message":1,"lamport":1,"payload":{"id":7}}
{"seq":2,"time":0,"process":"client","kind":"send","type":"REQUEST","peer":"server","message":2,"lamport":2,"payload":{"id":8}}
{"seq":3,"time":1,"process":"server","kind":"receive","type":"REQUEST","peer":"client","message":1,"cause":1,"lamport":2,"payload":{"id":7}}
{"seq":4,"time":1,"process":"server","kind":"receive","type":"REQUEST","peer":"client","message":2,"cause":2,"lamport":3,"payload":{"id":8}}
{"seq":5,"time":1,"process":"server","kind":"send","type":"REPLY","peer":"client","message":3,"lamport":4,"payload":{"id":7}}
{"seq":6,"time":2,"process":"client","kind":"receive","type":"REPLY","peer":"server","message":3,"cause":5,"lamport":5,"payload":{"id":7}}
{"end":"quiescent","events":6}
`

// A rule of your own, checked over a recorded run: it names the event that shows
// the violation.
func Example() {
	rules, err := spec.Parse("rules", `
		rule answered "Every request is answered.":
		  each q: receive(type = "REQUEST")
		    leads to send(type = "REPLY", process = q.process, id = q.id)

		rule asked "Nothing is answered that was not asked.":
		  each a: send(type = "REPLY")
		    was preceded by receive(type = "REQUEST", process = a.process, id = a.id)
	`, spec.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	runs, err := tracefmt.ReadMemory(strings.NewReader(twoRequests))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := analyze.Check(runs[0], rules, analyze.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results {
		fmt.Println(r.Property.Name, r.Verdict, r.Witness)
	}
	// Output:
	// answered violated [4]
	// asked satisfied []
}
