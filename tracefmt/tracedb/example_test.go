package tracedb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"etrace/record"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// A program that records itself: two processes, one message. The file can be
// read by others at any time, also if the program dies.
func ExampleOpenLive() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "service.db")

	live, err := tracedb.OpenLive(path, tracedb.LiveOptions{})
	if err != nil {
		panic(err)
	}
	run := &tracefmt.Run{
		Source: "recorded", TimeUnit: tracefmt.Nanoseconds, End: tracefmt.Open,
		Members: []tracefmt.Member{{Name: "client", Position: 1}, {Name: "server", Position: 2}},
	}
	if err := live.Begin(run); err != nil {
		panic(err)
	}
	const client, server = 1, 2
	begun := time.Now()
	now := func() tracefmt.Time { return tracefmt.Time(time.Since(begun)) }

	r := record.New(live, len(run.Members))
	sent := r.Send(now(), client, server, "REQUEST", 0, []byte(`{"key":"x"}`))
	r.Receive(now(), sent, []byte(`{"key":"x"}`)) // sent travels with the message
	if err := r.Err(); err != nil {
		panic(err)
	}
	if err := live.Finish(tracefmt.Stopped); err != nil {
		panic(err)
	}
	if err := live.Close(); err != nil {
		panic(err)
	}

	db, err := tracedb.Open(path)
	if err != nil {
		panic(err)
	}
	defer db.Close()
	rec, err := db.Recording(1)
	if err != nil {
		panic(err)
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			panic(err)
		}
		fmt.Println(e.Seq, rec.Run().ProcessName(e.Process), e.Kind, e.Type, "lamport", e.Lamport, "cause", e.Cause)
	}
	// Output:
	// 1 client send REQUEST lamport 1 cause 0
	// 2 server receive REQUEST lamport 2 cause 1
}
