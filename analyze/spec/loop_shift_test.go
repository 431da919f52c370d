package spec_test

import (
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// grows is a run that ends in a loop; each round adds two to the clock of process 1 and in the messages.
const grows = `{"format":"etrace/1","source":"simulated","time_unit":"delay","counters":["clock","A:at.clock"],` +
	`"members":[{"name":"1","position":1},{"name":"2","position":2}]}
{"seq":1,"time":0,"process":"1","kind":"start","payload":{"clock":1,"weight":5}}
{"seq":2,"time":0,"process":"2","kind":"start"}
{"seq":3,"time":0,"process":"1","kind":"send","type":"A","peer":"2","message":1,"payload":{"at":{"clock":1},"weight":5}}
{"seq":4,"time":0,"process":"2","kind":"receive","type":"A","peer":"1","message":1,"cause":3,"payload":{"at":{"clock":1},"weight":5}}
{"seq":5,"time":0,"process":"2","kind":"send","type":"A","peer":"1","message":2,"payload":{"at":{"clock":2},"weight":5}}
{"seq":6,"time":0,"process":"1","kind":"receive","type":"A","peer":"2","message":2,"cause":5,"payload":{"at":{"clock":2},"weight":5}}
{"seq":7,"time":0,"process":"1","kind":"state","payload":{"clock":3}}
{"seq":8,"time":0,"process":"1","kind":"send","type":"A","peer":"2","message":3,"payload":{"at":{"clock":3},"weight":5}}
{"seq":9,"time":0,"kind":"note","type":"loop","payload":{"from":3,"to":8,"shift":2}}
{"end":"stopped","events":9}
`

// TestLoopWithShift: a rule that reads what a loop shifts is not decided by one round of it,
// since others have other values; a rule that reads nothing of it is.
func TestLoopWithShift(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(grows))
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]analyze.Verdict{
		"never receive(at.clock > 100)":                                analyze.HoldsSoFar,
		"never receive(weight > 100)":                                  analyze.Satisfied,
		"eventually receive(at.clock = 100)":                           analyze.Pending,
		"eventually receive(weight = 100)":                             analyze.Violated,
		"eventually exists p in processes(): var(p, \"clock\") = 101":  analyze.Pending,
		"eventually exists p in processes(): var(p, \"weight\") = 101": analyze.Violated,
		"never state(clock > 100)":                                     analyze.HoldsSoFar,
	} {
		properties, err := spec.Parse("test", rule, spec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := analyze.Check(runs[0], properties, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !report.Ending.Looping() || report.Ending.LoopShift != 2 {
			t.Fatalf("%+v, want a loop with a shift of 2", report.Ending)
		}
		if r := report.Results[0]; r.Verdict != want {
			t.Errorf("%s: %v, want %v: %s", rule, r.Verdict, want, r.Explanation)
		}
	}
}
