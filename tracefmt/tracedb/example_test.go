package tracedb_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// A run is written to a new trace, and read back as events and by SQL.
func Example() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "trace.db")

	if err := write(path); err != nil {
		log.Fatal(err)
	}
	if err := read(path); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 start a
	// 2 send a
	// 3 receive b
	// PING delivered
}

func write(path string) error {
	a, err := tracedb.OpenAppend(path)
	if err != nil {
		return err
	}
	defer a.Discard() // does nothing after Commit
	run := &tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}}
	if err := a.Begin(run); err != nil {
		return err
	}
	for _, e := range []tracefmt.Event{
		{Seq: 1, Kind: tracefmt.Start, Process: 1},
		{Seq: 2, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "PING", Message: 1},
		{Seq: 3, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "PING", Message: 1, Cause: 2, Time: tracefmt.Unit},
	} {
		if err := a.Write(&e); err != nil {
			return err
		}
	}
	if err := a.Finish(tracefmt.Quiescent); err != nil {
		return err
	}
	return a.Commit()
}

func read(path string) error {
	db, err := tracedb.Open(path)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.Recording(1)
	if err != nil {
		return err
	}
	for e, err := range r.Events(1) {
		if err != nil {
			return err
		}
		fmt.Println(e.Seq, e.Kind, r.Run().ProcessName(e.Process))
	}
	rows, err := db.Query(context.Background(), "SELECT type, fate FROM messages")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Println(rows.Values()...)
	}
	return rows.Err()
}
