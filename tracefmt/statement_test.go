package tracefmt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

const statementRun = `{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"},{"name":"b"}],"complete":{"default":"all","kinds":{"crash":"none"},"gaps":[{"process":"b","from":3,"to":4}]}}
{"seq":1,"time":1000000000,"process":"a","kind":"send","peer":"b","message":1}
{"seq":2,"time":2000000000,"process":"b","kind":"receive","peer":"a","message":1}
{"seq":3,"time":3000000000,"process":"b","kind":"note","payload":{"causes":[1,2],"n":1}}
{"seq":4,"time":2000000000,"process":"a","kind":"note","type":"loop","cause":3,"payload":{"from":1,"to":3}}
{"end":"stopped","events":4}
`

func statement(t *testing.T, crashes ...string) (s tracefmt.Statement) {
	t.Helper()
	for _, text := range crashes {
		c, err := tracefmt.ParseStatedCrash(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Crashes = append(s.Crashes, c)
	}
	return s
}

// Crashes come before what is later, but after what the process did before.
func TestStatementWrite(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(statementRun))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		crashes []string
		want    string
	}{
		{
			[]string{"b@2.5"},
			`{"seq":1,send} {"seq":2,receive,1} {"seq":3,crash} {"seq":4,note,{"causes":[1,2],"n":1}} {"seq":5,note,4,{"from":1,"to":4}} 4-5`,
		},
		{
			[]string{"a@2"},
			`{"seq":1,send} {"seq":2,receive,1} {"seq":3,note,{"causes":[1,2],"n":1}} {"seq":4,note,3,{"from":1,"to":3}} {"seq":5,crash} 3-5`,
		},
		{
			[]string{"b@1", "b@1.2s"},
			`{"seq":1,send} {"seq":2,crash} {"seq":3,crash} {"seq":4,receive,1} ` +
				`{"seq":5,note,{"causes":[1,4],"n":1}} {"seq":6,note,5,{"from":1,"to":5}} 5-6`,
		},
	} {
		var collected tracefmt.Collector
		if err := statement(t, c.crashes...).Write(&collected, runs[0]); err != nil {
			t.Fatal(err)
		}
		if err := tracefmt.Validate(collected.Runs[0]); err != nil {
			t.Fatal(err)
		}
		var got []string
		for e := range collected.Runs[0].Events(1) {
			text := fmt.Sprintf(`{"seq":%d,%v`, e.Seq, e.Kind)
			if e.Cause != 0 {
				text += fmt.Sprintf(",%d", e.Cause)
			}
			if e.Payload != nil && e.Kind == tracefmt.Note {
				text += "," + string(e.Payload)
			}
			got = append(got, text+"}")
		}
		gap := collected.Runs[0].Run().Completeness.Gaps[0]
		if diff := cmp.Diff(c.want, strings.Join(got, " ")+fmt.Sprintf(" %d-%d", gap.From, gap.To)); diff != "" {
			t.Errorf("%v (-want +got)\n%s", c.crashes, diff)
		}
	}
}

// Over a recording, crashes have no seqs of their own, wherever one begins to read.
func TestStatementOver(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(statementRun))
	if err != nil {
		t.Fatal(err)
	}
	s := statement(t, "b@2.5")
	s.End = tracefmt.Quiescent
	rec, err := s.Over(runs[0])
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[tracefmt.Seq]string{
		1: "1 send 2 receive 2 crash 3 note 4 note", 2: "2 receive 2 crash 3 note 4 note",
		3: "3 note 4 note",
	} {
		var got []string
		for e := range rec.Events(from) {
			got = append(got, fmt.Sprintf("%d %v", e.Seq, e.Kind))
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("from %d (-want +got)\n%s", from, diff)
		}
	}
	if run := rec.Run(); run != rec.Run() || run.End != tracefmt.Quiescent ||
		run.Completeness.Processes["b"].Kinds["crash"] != tracefmt.Some ||
		runs[0].Run().End != tracefmt.Stopped {
		t.Errorf("the run ends %s and tells %+v", run.End, run.Completeness)
	}
}

// A stated crash of one process does not affect the others: without a declaration for them, the recorded events
// decide.
func TestStatementOfOne(t *testing.T) {
	crash := tracefmt.Fact{Kind: tracefmt.Crash}
	for _, tt := range []struct {
		recorded string
		want     tracefmt.Level
	}{{"note", tracefmt.None}, {"crash", tracefmt.All}} {
		runs, err := tracefmt.ReadMemory(strings.NewReader(`{"format":"etrace/1","time_unit":"delay","members":[{"name":"a"},{"name":"b"}]}
{"seq":1,"time":1000000000,"process":"b","kind":"` + tt.recorded + `"}
`))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := statement(t, "a@1").Over(runs[0])
		if err != nil {
			t.Fatal(err)
		}
		c := tracefmt.NewCoverage(rec.Run())
		for e := range rec.Events(1) {
			c.Show(e)
		}
		if a, b := c.Level(1, crash), c.Level(2, crash); a != tracefmt.Some || b != tt.want {
			t.Errorf("%s: crashes: %v of a, %v of b, want some and %v", tt.recorded, a, b, tt.want)
		}
	}
}

// The same crash is stated once.
func TestStatedTwice(t *testing.T) {
	runs, err := tracefmt.ReadMemory(strings.NewReader(statementRun))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := statement(t, "b@1", "a@1", "b@1s").Over(runs[0]); err == nil || err.Error() != "b@1s is stated twice" {
		t.Errorf("got %v", err)
	}
}
