package interop_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// arrows is a format with three sorts of lines.
var arrows = interop.Format{
	Name:   "arrows",
	Doc:    "lines such as: 0.5 n1 -> n2 PING, 1.5 n2 <- n1 PING, 2 n2 elected = n2",
	Source: "this file",
	Detect: detectArrows,
	Read:   readArrows,
	ReadOptions: []interop.Option{
		{Name: "unit", Arg: "UNIT", Doc: "UNIT of the times", Default: "s", Choices: []string{"ms", "s"}},
	},
}

func detectArrows(head []byte) interop.Confidence {
	if bytes.Contains(head, []byte(" -> ")) {
		return interop.Maybe
	}
	return interop.No
}

func readArrows(r *interop.Reading) error {
	run := r.Build(tracefmt.Run{})
	unit := map[string]float64{"ms": 1e6, "s": 1e9}[r.Value("unit")]
	for n, line := range r.Lines() {
		w := append(strings.Fields(line), "")
		at, err := strconv.ParseFloat(w[0], 64)
		if err != nil || len(w) != 6 {
			run.Skip(n, line)
			continue
		}
		e := interop.Entry{Line: n, Text: line, Process: w[1], Time: time.Unix(0, int64(at*unit))}
		switch w[2] {
		case "->":
			e.Kind, e.Peer, e.Type = tracefmt.Send, w[3], w[4]
		case "<-":
			e.Kind, e.Peer, e.Type = tracefmt.Receive, w[3], w[4]
		default:
			e.Kind, e.Fields = tracefmt.State, []interop.Field{interop.Text(w[2], w[4])}
		}
		run.Add(e)
	}
	return nil
}

// A format of one's own: the contents of the log go to a Builder, which makes a run
// of it.
func Example() {
	log := `0.5 n1 -> n2 PING
1.5 n2 <- n1 PING
2 n2 elected = n2
`
	input, err := interop.NewInput("three.log", strings.NewReader(log))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := interop.Import(context.Background(), arrows, input, tracefmt.NewEncoder(os.Stdout), interop.Settings{Strict: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Runs[0].Counts())
	// Output:
	// {"format":"etrace/1","source":"arrows","time_unit":"ns","members":[{"name":"n1","position":1},{"name":"n2","position":2}],"complete":{"default":"none","kinds":{"receive":"all","send":"all","state.elected":"all"}}}
	// {"seq":1,"time":500000000,"process":"n1","kind":"send","type":"PING","peer":"n2","message":1,"lamport":1,"payload":{"log":{"text":"0.5 n1 -> n2 PING","file":"three.log","line":1}}}
	// {"seq":2,"time":1500000000,"process":"n2","kind":"receive","type":"PING","peer":"n1","message":1,"cause":1,"lamport":2,"payload":{"log":{"text":"1.5 n2 <- n1 PING","file":"three.log","line":2}}}
	// {"seq":3,"time":2000000000,"process":"n2","kind":"state","lamport":3,"payload":{"elected":"n2","log":{"text":"2 n2 elected = n2","file":"three.log","line":3}}}
	// {"end":"stopped","events":3}
	// 2 processes, 3 events, 1 message, 1 edge
}
