package shard_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/analyze/shard"
	"etrace/tracefmt"
)

// fuzzed is a plan with two runs, and the properties that it examines.
func fuzzed(t interface{ Fatal(...any) }) (*shard.Plan, []*analyze.Property) {
	properties, err := property.Builtin().Named("single-leader", "agreement")
	if err != nil {
		t.Fatal(err)
	}
	return planOf(t, 2, 4, 4), properties
}

const fuzzedRun = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"},{"name":"b"}],"problem":"election"}
{"seq":1,"process":"a","kind":"state","payload":{"elected":"a"}}
{"seq":2,"process":"b","kind":"state","payload":{"elected":"b"}}
{"end":"quiescent","events":2}
`

// FuzzRunsReport: any summaries lead to a report or to an error.
func FuzzRunsReport(f *testing.F) {
	p, properties := fuzzed(f)
	runs, err := tracefmt.ReadMemory(strings.NewReader(fuzzedRun))
	if err != nil {
		f.Fatal(err)
	}
	var buffer bytes.Buffer
	for _, planned := range p.Traces[0].Runs {
		runs[0].Run().Number = planned.Number
		checked, err := analyze.Check(runs[0], properties, analyze.Options{Named: true})
		if err != nil {
			f.Fatal(err)
		}
		outcomes, err := report.Save([]report.Run{{Trace: "runs.db", RunReport: checked}})
		if err != nil {
			f.Fatal(err)
		}
		if err := summaryOf(f, p, planned.Shard, &shard.RunsFound{Outcomes: outcomes}).WriteJSON(&buffer); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(buffer.Bytes())
	f.Add([]byte(`{"format":"etrace.shard/1"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		summaries, err := p.ReadSummaries(bytes.NewReader(text), "x")
		if err != nil {
			return
		}
		s, err := shard.Join(p, summaries...)
		if err != nil || s.Whole(p) != nil {
			return
		}
		r, err := p.RunsReport(s, properties)
		if err != nil {
			return
		}
		for _, format := range report.Formats().All() {
			if err := format.Write(io.Discard, r, report.Style{Width: 60, Applicable: true, Reasons: true}); err != nil {
				t.Errorf("%s: %v", format.Name, err)
			}
		}
	})
}
