package interop_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/growth"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// How much of it is in memory changes neither a run nor its report.
func TestRunDoesNotDependOnMemory(t *testing.T) {
	for seed := range uint64(4) {
		add := func(b *interop.Builder) {
			random := rand.New(rand.NewPCG(seed, 1))
			b.ByTime, b.SkipRepeats = seed&1 != 0, seed&2 != 0
			var sent []interop.Entry
			for line := range 30_000 {
				if line%9000 == 8999 {
					b.Gap([]string{"", "n1"}[random.IntN(2)], int64(line))
				}
				b.Add(anyEntry(random, line+1, &sent))
			}
			b.Alias("n1", "n7", 1)
		}
		want, said, err := build(t, interop.Settings{}, add)
		if err != nil {
			t.Fatal(err)
		}
		got, again, err := build(t, interop.Settings{Memory: 1}, add)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(said, again); diff != "" {
			t.Errorf("seed %d: the reports differ: %s", seed, diff)
		}
		if jsonLines(t, &tracefmt.Collector{Runs: []*tracefmt.Memory{want}}) != jsonLines(t, &tracefmt.Collector{Runs: []*tracefmt.Memory{got}}) {
			t.Errorf("seed %d: the runs differ", seed)
		}
		if said.FindingCount < 20 || said.Messages < 5000 || said.Receives < 2000 {
			t.Errorf("seed %d: the log shows too little: %+v", seed, said)
		}
	}
}

// TestPairsDoNotDependOnMemory: so does not the pairing of messages that all have names, which is done in groups: of sends,
// broadcasts, duplicates, losses, and receives without a send.
func TestPairsDoNotDependOnMemory(t *testing.T) {
	add := func(b *interop.Builder) {
		random := rand.New(rand.NewPCG(5, 1))
		name := func() string { return fmt.Sprintf("n%d", random.IntN(8)) }
		var sent []interop.Entry
		for line := range 30_000 {
			e := interop.Entry{Line: line + 1, Kind: tracefmt.Send, Process: name(), Peer: name(), Type: "M", Message: fmt.Sprint("m", line)}
			switch random.IntN(20) {
			case 0:
				e.Kind = tracefmt.Receive // without a send
			case 1:
				e.Peer = "" // the receive names the receiver
				sent = append(sent, e)
			case 2, 3, 4, 5, 6, 7, 8, 9:
				if len(sent) == 0 {
					continue
				}
				old := sent[len(sent)-1-random.IntN(min(len(sent), 100))]
				e.Kind, e.Process, e.Peer, e.Message = tracefmt.Receive, old.Peer, old.Process, old.Message
				if e.Process == "" {
					e.Process = name()
				}
				if random.IntN(20) == 0 {
					e.Kind = tracefmt.Lose
				}
			default:
				sent = append(sent, e)
			}
			b.Add(e)
		}
	}
	want, said, err := build(t, interop.Settings{}, add)
	if err != nil {
		t.Fatal(err)
	}
	got, again, err := build(t, interop.Settings{Memory: 1}, add)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(said, again); diff != "" {
		t.Error("the reports differ: ", diff)
	}
	if jsonLines(t, &tracefmt.Collector{Runs: []*tracefmt.Memory{want}}) != jsonLines(t, &tracefmt.Collector{Runs: []*tracefmt.Memory{got}}) {
		t.Error("the runs differ")
	}
	if said.FindingCount > 0 || said.Messages < 10_000 || said.Receives < 5000 {
		t.Errorf("the log is not what the test is about: %+v", said)
	}
}

// anyEntry returns an entry of a log with many gaps and some errors; sent are the
// sends of messages with names so far.
func anyEntry(random *rand.Rand, line int, sent *[]interop.Entry) interop.Entry {
	// Few processes and contents make ambiguous pairs likely.
	name := func() string { return fmt.Sprintf("n%d", random.IntN(8)) }
	e := interop.Entry{Kind: tracefmt.Note, Process: name(), Type: "step", Line: line, Text: fmt.Sprint("line ", line)}
	if random.IntN(3) > 0 {
		e.Time = time.Unix(int64(line), 0)
	}
	switch random.IntN(12) {
	case 0, 1, 2, 3:
		e.Kind, e.Peer, e.Type = tracefmt.Send, name(), "M"
	case 4, 5, 6, 7:
		e.Kind, e.Peer, e.Type = tracefmt.Receive, name(), "M"
	case 8:
		e.Kind, e.Peer, e.Type = tracefmt.Lose, name(), "M"
	case 9:
		e.Kind, e.Type = tracefmt.State, ""
		e.Fields = []interop.Field{interop.Text("elected", name())}
	}
	if e.Kind == tracefmt.Send || e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose {
		switch random.IntN(3) {
		case 0:
			e.Message = fmt.Sprint("m", line)
			switch again := len(*sent) > 0 && random.IntN(9) > 0; {
			case e.Kind == tracefmt.Send && again && random.IntN(9) == 0:
				old := (*sent)[random.IntN(len(*sent))]
				e.Process, e.Peer, e.Message = old.Process, old.Peer, old.Message
			case e.Kind == tracefmt.Send:
				*sent = append(*sent, e)
			case again:
				old := (*sent)[random.IntN(len(*sent))]
				e.Peer, e.Message = old.Process, old.Message
				if random.IntN(9) > 0 {
					e.Process = old.Peer
				}
			}
		case 1:
			e.Content = fmt.Sprint("word ", random.IntN(50))
		}
		if e.Kind != tracefmt.Send && random.IntN(4) == 0 {
			e.Peer = ""
		}
	}
	return e
}

// TestLimitsOfBuilder: beyond its processes and runs a file is refused, and the rest of the file takes no memory.
func TestLimitsOfBuilder(t *testing.T) {
	for _, test := range []struct {
		read func(r *interop.Reading) error
		want string
	}{
		{func(r *interop.Reading) error {
			b := r.Build(tracefmt.Run{})
			for i := range 1 << 20 {
				b.Change(interop.Entry{Process: strconv.Itoa(i), Fields: []interop.Field{{Key: "x", Value: []byte("1")}}})
			}
			return nil
		}, "m.log: the log names more than 65536 processes, the most that are read from one"},
		{func(r *interop.Reading) error {
			r.Build(tracefmt.Run{Members: make([]tracefmt.Member, 1<<16+1)})
			return nil
		}, "m.log: the log names more than 65536 processes, the most that are read from one"},
		{func(r *interop.Reading) error {
			for range 1 << 18 {
				r.Build(tracefmt.Run{})
			}
			return nil
		}, "m.log: the file has more than 10000 runs, the most that are read from one; split it"},
		{func(r *interop.Reading) error {
			r.Build(tracefmt.Run{}).Add(interop.Entry{Line: 3, Kind: tracefmt.State, Process: "a", Fields: make([]interop.Field, 1<<17+1)})
			return nil
		}, "m.log:3: the entry has more than 131072 fields, the most that are read of one"},
	} {
		growth.Allocates(t, 512<<20, func() {
			f := interop.Format{Name: "m", Read: test.read}
			if _, _, err := importText(t, f, "", interop.Settings{}); err == nil || err.Error() != test.want {
				t.Errorf("%v, want %s", err, test.want)
			}
		})
	}
}
