package record_test

import (
	"fmt"
	"log"
	"log/slog"
	"os"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/record"
	"etrace/tracefmt"
)

// A program records itself while it runs. Two processes believe that they lead in term 1; the check of the recording
// names the events that show it.
func Example() {
	run := tracefmt.Run{Name: "two leaders", Problem: tracefmt.Election}
	rec, err := record.NewLive(run, record.Everything(), record.Limit{})
	if err != nil {
		log.Fatal(err)
	}
	a, b := rec.Process("a"), rec.Process("b")
	a.Start()
	b.Start()
	stamp := a.Send("b", "ELECTION", slog.Int("term", 1)) // travels with the message
	b.Receive(stamp, slog.Int("term", 1))
	a.State(slog.String("role", "leader"), slog.Int("term", 1))
	b.State(slog.String("role", "leader"), slog.Int("term", 1))

	memory := new(tracefmt.Memory) // or a file: package tracefile
	if err := rec.Dump(memory, tracefmt.Stopped); err != nil {
		log.Fatal(err)
	}
	report, err := analyze.Check(memory, property.Builtin().Default(), analyze.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Verdict == analyze.Violated {
			fmt.Printf("%s %v: %s\n", r.Property.Name, r.Verdict, r.Explanation)
		}
	}
	// Output:
	// single-leader violated: process a leads since seq 5, and process b, too, since seq 6, both in term 1
	// unique-leader-per-term violated: process b leads in term 1 at seq 6, in which process a leads since seq 5
}

// ExampleRecorder has a program that numbers its events itself: a sends to b, which crashes before the second
// message arrives. What b must know of a send to record its receive, a
// record.Sent, travels with the message.
func ExampleRecorder() {
	to := tracefmt.NewEncoder(os.Stdout) // or what package tracefile creates
	err := to.Begin(&tracefmt.Run{
		Name: "greeting", TimeUnit: tracefmt.Nanoseconds,
		Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
	})
	if err != nil {
		log.Fatal(err)
	}
	const a, b = 1, 2
	r := record.New(to, 2)
	r.Local(0, tracefmt.Start, a, 0, "", nil)
	r.Local(0, tracefmt.Start, b, 0, "", nil)
	first := r.Send(10, a, b, "HELLO", 0, []byte(`{"n":1}`))
	r.Receive(20, first, []byte(`{"n":1}`))
	second := r.Send(30, a, b, "HELLO", 0, []byte(`{"n":2}`))
	r.Local(35, tracefmt.Crash, b, 0, "", nil)
	r.Lose(40, second, tracefmt.ReceiverCrashed.String())
	if r.Err() != nil {
		log.Fatal(r.Err())
	}
	if err := to.Finish(tracefmt.Stopped); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Messages(), "messages")
	// Output:
	// {"format":"etrace/1","name":"greeting","time_unit":"ns","members":[{"name":"a","position":1},{"name":"b","position":2}]}
	// {"seq":1,"time":0,"process":"a","kind":"start","lamport":1}
	// {"seq":2,"time":0,"process":"b","kind":"start","lamport":1}
	// {"seq":3,"time":10,"process":"a","kind":"send","type":"HELLO","peer":"b","message":1,"lamport":2,"payload":{"n":1}}
	// {"seq":4,"time":20,"process":"b","kind":"receive","type":"HELLO","peer":"a","message":1,"cause":3,"lamport":3,"payload":{"n":1}}
	// {"seq":5,"time":30,"process":"a","kind":"send","type":"HELLO","peer":"b","message":2,"lamport":3,"payload":{"n":2}}
	// {"seq":6,"time":35,"process":"b","kind":"crash","lamport":4}
	// {"seq":7,"time":40,"process":"b","kind":"lose","type":"HELLO","peer":"a","message":2,"cause":5,"lamport":4,"payload":{"reason":"receiver crashed"}}
	// {"end":"stopped","events":7}
	// 2 messages
}

// A program declares the completeness of its record: here all of what happens at a, but of b, which
// cannot be changed, only what arrives from it. Sends of b are not recorded, so a receive
// has only the contents of the message.
func ExampleRecorder_complete() {
	to := tracefmt.NewEncoder(os.Stdout)
	err := to.Begin(&tracefmt.Run{
		TimeUnit: tracefmt.Nanoseconds, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
		Completeness: &tracefmt.Completeness{
			Levels:    tracefmt.Levels{Default: tracefmt.All},
			Processes: map[string]tracefmt.Levels{"b": {Default: tracefmt.None}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	const a, b = 1, 2
	r := record.New(to, 2)
	r.Local(0, tracefmt.Start, a, 0, "", nil)
	r.Receive(20, record.Sent{From: b, To: a, Type: "HELLO"}, nil)
	r.Local(30, tracefmt.State, a, 0, "", []byte(`{"greeted":true}`))
	if r.Err() != nil {
		log.Fatal(r.Err())
	}
	if err := to.Finish(tracefmt.Stopped); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"format":"etrace/1","time_unit":"ns","members":[{"name":"a","position":1},{"name":"b","position":2}],"complete":{"default":"all","processes":{"b":{"default":"none"}}}}
	// {"seq":1,"time":0,"process":"a","kind":"start","lamport":1}
	// {"seq":2,"time":20,"process":"a","kind":"receive","type":"HELLO","peer":"b","message":1,"cause":null,"lamport":2}
	// {"seq":3,"time":30,"process":"a","kind":"state","lamport":3,"payload":{"greeted":true}}
	// {"end":"stopped","events":3}
}
