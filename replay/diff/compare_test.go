package diff_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"etrace/replay/diff"
	"etrace/tracefmt"
)

// TestCompare runs testdata/compare. A run is written one event a line, behind
// "A:" or "B:" with its processes and, if it is not stopped, its end; an event is
//
//	[TIME:] PROCESS KIND [TYPE] [>RECEIVER] [mID] [{PAYLOAD}] [cause SEQ]
//
// where a receive or lose needs the message only.
func TestCompare(t *testing.T) {
	datadriven.RunTest(t, "testdata/compare", func(t *testing.T, d *datadriven.TestData) string {
		var runs []*tracefmt.Memory
		for line := range strings.Lines(d.Input) {
			if head, ok := strings.CutPrefix(line, "A:"); ok {
				runs = append(runs, newRun(head))
			} else if head, ok := strings.CutPrefix(line, "B:"); ok {
				runs = append(runs, newRun(head))
			} else if err := addEvent(runs[len(runs)-1], strings.Fields(line)); err != nil {
				d.Fatalf(t, "%s: %v", line, err)
			}
		}
		o := diff.Options{Strict: d.HasArg("strict")}
		if d.HasArg("ignore") {
			i := slices.IndexFunc(d.CmdArgs, func(a datadriven.CmdArg) bool { return a.Key == "ignore" })
			o.Ignore = d.CmdArgs[i].Vals
		}
		r, err := diff.Compare(runs[0], runs[1], o)
		if err != nil {
			return err.Error() + "\n"
		}
		var b strings.Builder
		if err := r.WriteText(&b); err != nil {
			d.Fatalf(t, "%v", err)
		}
		_, text, _ := strings.Cut(b.String(), "\nB:")
		_, text, _ = strings.Cut(text, "\n") // without what the runs are
		return text + fmt.Sprintf("same: %v\n", r.Same)
	})
}

func newRun(head string) *tracefmt.Memory {
	run := tracefmt.Run{TimeUnit: tracefmt.Delays, Source: "some log", End: tracefmt.Stopped}
	for i, name := range strings.Fields(head) {
		if end, err := tracefmt.ParseEnd(name); err == nil {
			run.End = end
			continue
		}
		run.Members = append(run.Members, tracefmt.Member{Name: name, Position: i + 1})
	}
	return tracefmt.NewMemory(run)
}

func addEvent(target *tracefmt.Memory, words []string) (err error) {
	run := target.Run()
	e := &tracefmt.Event{Seq: tracefmt.Seq(target.Len() + 1)}
	if at, ok := strings.CutSuffix(words[0], ":"); ok {
		if e.Time, err = tracefmt.ParseTime(at); err != nil {
			return err
		}
		words = words[1:]
	}
	e.Process, _ = run.Process(words[0])
	if e.Kind, err = tracefmt.ParseKind(words[1]); err != nil {
		return err
	}
	for i := 2; i < len(words); i++ {
		switch w := words[i]; {
		case w == "cause":
			n, _ := strconv.Atoi(words[i+1])
			e.Cause = tracefmt.Seq(n)
			i++
		case w[0] == '>':
			e.Peer, _ = run.Process(w[1:])
		case w[0] == '{':
			e.Payload = []byte(w)
		case w[0] == 'm' && len(w) > 1 && w[1] <= '9':
			n, _ := strconv.Atoi(w[1:])
			e.Message = tracefmt.MessageID(n)
		default:
			e.Type = w
		}
	}
	if e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose {
		for s := range target.Events(1) {
			if s.Kind == tracefmt.Send && s.Message == e.Message {
				e.Cause, e.Peer, e.Type = s.Seq, s.Process, s.Type
			}
		}
	}
	err = target.Write(e)
	target.Finish(run.End)
	return err
}
