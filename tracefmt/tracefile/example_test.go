package tracefile_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// A trace is read run by run, and each run event by event.
func Example() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "trace.db")
	if err := writeTrace(path); err != nil {
		log.Fatal(err)
	}

	trace, err := tracefile.Open(path, tracefile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer trace.Close()
	for rec, err := range trace.Recordings(tracefile.Runs{All: true}) {
		if err != nil {
			log.Fatal(err)
		}
		run := rec.Run()
		fmt.Printf("run %d, %s: %d events, %s\n", run.Number, run.Name, run.Events, run.End)
		for e, err := range rec.Events(1) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(e.Seq, run.ProcessName(e.Process), e.Kind, e.Type, run.ProcessName(e.Peer))
		}
	}
	// Output:
	// run 1, greeting: 2 events, stopped
	// 1 a send HELLO b
	// 2 b receive HELLO a
}

// writeTrace makes a trace of one run, event by event. See package record for
// a recorder that numbers events and keeps the clocks.
func writeTrace(path string) error {
	trace, err := tracefile.Create(path)
	if err != nil {
		return err
	}
	defer trace.Discard()
	run := &tracefmt.Run{
		Name: "greeting", TimeUnit: tracefmt.Logical,
		Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
	}
	if err := trace.Begin(run); err != nil {
		return err
	}
	for _, e := range []tracefmt.Event{
		{Seq: 1, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "HELLO", Message: 1, Lamport: 1},
		{Seq: 2, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "HELLO", Message: 1, Cause: 1, Lamport: 2},
	} {
		if err := trace.Write(&e); err != nil {
			return err
		}
	}
	if err := trace.Finish(tracefmt.Stopped); err != nil {
		return err
	}
	return trace.Commit()
}
