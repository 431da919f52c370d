package property

import (
	"fmt"
	"slices"
	"testing"

	"etrace/analyze"
	"etrace/fixtures/growth"
	"etrace/tracefmt"
)

// TestManyProcesses: a check of a run in which only a few of many processes act keeps little for the others: lists
// of missing facts are built only for properties that apply.
func TestManyProcesses(t *testing.T) {
	const n = 100_000
	run := tracefmt.Run{}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint("p", i), Position: i + 1})
	}
	rec := tracefmt.NewMemory(run)
	for i := range 10 {
		e := &tracefmt.Event{Seq: tracefmt.Seq(i + 1), Process: tracefmt.ProcessID(i%7 + 1), Kind: tracefmt.Note, Type: "step"}
		if err := rec.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	properties := slices.DeleteFunc(Builtin().All(), func(p *analyze.Property) bool { return p.OnRequest })
	const perProcess = 3_300 // bytes: the tables of the monitors, and no list of what each process may lack
	growth.Allocates(t, n*perProcess, func() {
		if _, err := analyze.Check(rec, properties, analyze.Options{}); err != nil {
			t.Fatal(err)
		}
	})
}
