package interop_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

func assign(at, variable string) interop.Entry {
	return interop.Entry{Kind: tracefmt.State, Process: at, Fields: []interop.Field{interop.Int(variable, 1)}}
}

func elects(at, leader string) interop.Entry {
	return interop.Entry{Kind: tracefmt.State, Process: at, Fields: []interop.Field{interop.Text("elected", leader)}}
}

func clocked(e interop.Entry, text string) interop.Entry {
	for word := range strings.FieldsSeq(text) {
		process, count, _ := strings.Cut(word, ":")
		e.Clock = append(e.Clock, interop.Tick{Process: process, Count: int64(count[0] - '0')})
	}
	return e
}

// The completeness that a Builder declares for its entries.
func TestBuilderTells(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(b *interop.Builder)
		want string
	}{
		{
			"what occurs, of who has entries",
			func(b *interop.Builder) {
				b.Add(send("a", "b", "A"))
				b.Add(assign("a", "log[3]"))
			},
			`{"default":"none","kinds":{"send":"all","state.log":"all"},"processes":{"b":{"default":"none"}}}`,
		},
		{
			"the variables of a start",
			func(b *interop.Builder) {
				b.Add(interop.Entry{Kind: tracefmt.Start, Process: "a", Fields: []interop.Field{interop.Int("x", 1)}})
			},
			`{"default":"none","kinds":{"start":"all","state.x":"all"}}`,
		},
		{
			"a receive without a send",
			func(b *interop.Builder) {
				b.Add(send("a", "b", "A"))
				b.Add(receive("a", "b", "B"))
				b.Add(step("b", "x"))
			},
			`{"default":"none","kinds":{"note":"all","receive":"all","send":"all"},"processes":{"b":{"kinds":{"send":"some"}}}}`,
		},
		{
			"news that no message explains",
			func(b *interop.Builder) {
				b.Add(clocked(send("a", "b", "A"), "a:1"))
				b.Add(clocked(receive("b", "a", "A"), "b:1 a:1"))
				b.Add(clocked(step("b", "x"), "b:2"))
				b.Add(clocked(step("a", "y"), "a:2 b:2"))
			},
			`{"default":"none","kinds":{"note":"all","receive":"all","send":"all"},"processes":{"a":{"kinds":{"receive":"some"}},"b":{"kinds":{"send":"some"}}}}`,
		},
		{
			"a process whose lines are not understood",
			func(b *interop.Builder) {
				b.Add(assign("n1", "x"))
				b.NotUnderstood("n2")
				b.NotUnderstood("client")
			},
			`{"default":"none","kinds":{"state.x":"all"},"processes":{"n2":{"default":"none"}},"not_understood":{"n2":1}}`,
		},
		{
			"a name of no common form whose lines are not understood",
			func(b *interop.Builder) {
				b.Add(assign("ann", "x"))
				b.Add(assign("bob", "x"))
				b.NotUnderstood("eve")
				b.NotUnderstood("systemd")
			},
			`{"default":"none","kinds":{"state.x":"all"},"processes":{"eve":{"default":"none"}},"not_understood":{"eve":1}}`,
		},
		{
			"names with a common beginning",
			func(b *interop.Builder) {
				b.Add(assign("raft-ann", "x"))
				b.Add(assign("raft-bob", "x"))
				b.NotUnderstood("raft-eve")
				b.NotUnderstood("web")
			},
			`{"default":"none","kinds":{"state.x":"all"},"processes":{"raft-eve":{"default":"none"}},"not_understood":{"raft-eve":1}}`,
		},
		{
			"a leader whom others name, where nobody leads",
			func(b *interop.Builder) {
				b.Add(elects("n1", "quartz"))
				b.Add(elects("n2", "quartz"))
			},
			`{"default":"none","kinds":{"state.elected":"all"},"processes":{"quartz":{"default":"none"}}}`,
		},
		{
			"another name of the process that leads",
			func(b *interop.Builder) {
				b.Add(interop.Entry{Kind: tracefmt.State, Process: "n1", Fields: []interop.Field{interop.Text("role", "leader")}})
				b.Add(elects("n2", "quartz"))
			},
			`{"default":"none","kinds":{"state.elected":"all","state.role":"all"}}`,
		},
		{
			"clocks with holes: before b:2, which is seq 2, and after a:1",
			func(b *interop.Builder) {
				b.Add(clocked(step("a", "x"), "a:1"))
				b.Add(clocked(step("b", "y"), "b:2 a:3"))
			},
			`{"default":"none","kinds":{"note":"all"},"gaps":[{"process":"b","from":0,"to":1,"dropped":1},{"process":"a","from":2,"to":0,"dropped":2}]}`,
		},
		{
			"what the reader says goes over it, and over a receive without a send",
			func(b *interop.Builder) {
				b.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
				b.Add(receive("a", "b", "B"))
				b.Add(step("b", "x"))
			},
			`{"default":"all"}`,
		},
		{
			"but what it says of logs is not said of a process that has none",
			func(b *interop.Builder) {
				b.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: map[string]tracefmt.Level{"send": tracefmt.All}}}
				b.Add(receive("a", "b", "B"))
			},
			`{"default":"none","kinds":{"receive":"all","send":"all"},"processes":{"b":{"default":"none","kinds":{"send":"some"}}}}`,
		},
		{
			"nor if it names the process",
			func(b *interop.Builder) {
				b.Completeness = &tracefmt.Completeness{Processes: map[string]tracefmt.Levels{"b": {Kinds: map[string]tracefmt.Level{"send": tracefmt.All}}}}
				b.Add(receive("a", "b", "B"))
			},
			`{"default":"none","kinds":{"receive":"all"},"processes":{"b":{"default":"none","kinds":{"send":"some"}}}}`,
		},
		{
			"and a loss is none of its own",
			func(b *interop.Builder) {
				b.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}
				b.Add(interop.Entry{Kind: tracefmt.Lose, Process: "a", Peer: "b", Type: "B"})
				b.Add(step("b", "x"))
			},
			`{"default":"all","processes":{"b":{"kinds":{"send":"some"}}}}`,
		},
		{
			"gaps of a process and of all",
			func(b *interop.Builder) {
				b.Add(step("a", "x"))
				b.Add(step("b", "x"))
				b.Gap("a", 7)
				b.Add(step("b", "y"))
				b.Add(step("a", "y"))
				b.Gap("", 0)
				b.Add(step("a", "z"))
			},
			`{"default":"none","kinds":{"note":"all"},"gaps":[{"process":"a","from":2,"to":3,"dropped":7},{"process":"a","from":5,"to":4},{"process":"b","from":4,"to":0}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, _, err := build(t, interop.Settings{}, c.add)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(run.Run().Completeness)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("tells (-want +got):\n%s", diff)
			}
		})
	}
}

// The declaration of the user overrides the reader and the file, also of a receive whose
// send is not there.
func TestSettingsTells(t *testing.T) {
	add := func(b *interop.Builder) {
		b.Add(receive("a", "b", "B"))
		b.Add(step("b", "x"))
	}
	said, err := tracefmt.ParseCompleteness("note=some,b:send=none")
	if err != nil {
		t.Fatal(err)
	}
	run, _, err := build(t, interop.Settings{Completeness: said}, add)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(run.Run().Completeness); string(got) != `{"default":"none","kinds":{"note":"some","receive":"all"},"processes":{"b":{"kinds":{"send":"none"}}}}` {
		t.Errorf("the run declares %s", got)
	}
	said.Processes["b"].Kinds["send"] = tracefmt.All
	run, _, err = build(t, interop.Settings{Completeness: said}, add)
	if err != nil {
		t.Fatalf("all sends are told, but one is not there: %v", err)
	}
	if got, _ := json.Marshal(run.Run().Completeness); string(got) != `{"default":"none","kinds":{"note":"some","receive":"all"},"processes":{"b":{"kinds":{"send":"all"}}}}` {
		t.Errorf("the run declares %s", got)
	}
	said.Processes["c"] = tracefmt.Levels{Default: tracefmt.All}
	if _, _, err := build(t, interop.Settings{Completeness: said}, add); err == nil || !strings.Contains(err.Error(), `unknown process "c"`) {
		t.Errorf("there is no process c: %v", err)
	}
}

// Gaps without number become one for each process.
func TestManyGaps(t *testing.T) {
	run, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
		for range 3000 {
			b.Add(step("a", "x"))
			b.Gap("a", 2)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []tracefmt.Gap{{Process: "a", From: 2, To: 0, Dropped: 6000}}
	if diff := cmp.Diff(want, run.Run().Completeness.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

// TestGapsOfMany: if more processes have gaps than a declaration names, every process may lack events.
func TestGapsOfMany(t *testing.T) {
	for _, processes := range []int{1024, 5000} {
		run, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
			for i := range processes {
				b.Add(step(fmt.Sprint("p", i), "x"))
			}
			b.Gap("", 0)
		})
		if err != nil {
			t.Fatal(err)
		}
		coverage := tracefmt.NewCoverage(run.Run())
		for p := range tracefmt.ProcessID(processes) {
			if !coverage.Missing(p+1, tracefmt.Fact{Kind: tracefmt.Note}, tracefmt.Seq(processes), 0) {
				t.Fatalf("%d processes: %s lacks no note after its last event, want that it may", processes, run.Run().ProcessName(p+1))
			}
		}
	}
}

// TestGapsBetween: several reports between two entries of a process are one gap; its number is known if that of each is.
func TestGapsBetween(t *testing.T) {
	run, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
		b.Add(step("a", "x"))
		b.Gap("a", 2)
		b.Add(step("b", "x"))
		b.Gap("", 3)
		b.Add(step("a", "y"))
		b.Gap("a", 2)
		b.Gap("a", 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []tracefmt.Gap{{Process: "a", From: 2, To: 2, Dropped: 5}, {Process: "a", From: 4}, {Process: "b", From: 3, Dropped: 3}}
	if diff := cmp.Diff(want, run.Run().Completeness.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

// Nothing is recorded of processes without an entry, however many; processes with entries are named up to a limit.
func TestManySilent(t *testing.T) {
	for _, c := range []struct {
		acting, silent int
		send           tracefmt.Level // of those that send
	}{
		{1, 3, tracefmt.All}, {1, 1024, tracefmt.All}, {1, 1100, tracefmt.All}, {1024, 1100, tracefmt.All}, {1100, 1100, tracefmt.Some},
	} {
		t.Run(fmt.Sprint(c.acting, " of ", c.acting+c.silent), func(t *testing.T) {
			rec, _, err := build(t, interop.Settings{}, func(b *interop.Builder) {
				for i := range max(c.acting, c.silent) {
					b.Add(send(fmt.Sprint("a", i%c.acting), fmt.Sprint("b", i%c.silent), "A"))
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			run := rec.Run()
			coverage := tracefmt.NewCoverage(run)
			for i, m := range run.Members {
				got := coverage.Declared(tracefmt.ProcessID(i+1), tracefmt.Fact{Kind: tracefmt.Send})
				switch want := c.send; {
				case m.Name[0] == 'a' && got != want:
					t.Fatalf("sends of %s: %v, want %v", m.Name, got, want)
				case m.Name[0] == 'b' && got <= tracefmt.All:
					t.Fatalf("sends of %s, which has no entry: %v", m.Name, got)
				}
				if got := coverage.Declared(tracefmt.ProcessID(i+1), tracefmt.Fact{Kind: tracefmt.Crash}); got != tracefmt.None {
					t.Fatalf("crashes of %s: %v", m.Name, got)
				}
			}
		})
	}
}
