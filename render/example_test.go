package render_test

import (
	"context"
	"fmt"
	"os"

	"etrace/render"
	"etrace/tracefmt"
)

// A run of two processes as Mermaid text. With another Format the same call
// writes a picture.
func ExampleRender() {
	run := tracefmt.NewMemory(tracefmt.Run{
		Name: "a ping", TimeUnit: tracefmt.Delays,
		Members: []tracefmt.Member{{Name: "alice", Position: 1}, {Name: "bob", Position: 2}},
	})
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "PING", Message: 1},
		{Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "PING", Message: 1, Cause: 1, Time: 1 * tracefmt.Unit},
		{Kind: tracefmt.Suspect, Process: 1, Peer: 2, Time: 3 * tracefmt.Unit},
		{Kind: tracefmt.Send, Process: 2, Peer: 1, Type: "PONG", Message: 2, Time: 4 * tracefmt.Unit},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		run.Write(&e)
	}
	run.Finish(tracefmt.Stopped)
	if err := render.Render(context.Background(), os.Stdout, run, render.Options{Format: "mermaid"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// sequenceDiagram
	//     title a ping#58; 2 processes
	//     accDescr: A sequence diagram of 2 processes#58; alice and bob. 1 suspicion. 2 messages#58; 1 PING, 1 PONG. The run ends because it was stopped.
	//     participant p1 as alice
	//     participant p2 as bob
	//     p1->>p2: PING
	//     Note over p1: suspects bob
	//     p2-)p1: PONG (in flight or lost)
}
