package diff_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/replay/diff"
	"etrace/tracefmt"
)

// A run equals itself.
func TestEqualsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		if r := compare(t, run, run); r.Outcome != diff.Equal {
			t.Errorf("a run against itself: %s", r.Outcome)
		}
	})
}

// Any other order of the events that keeps happened-before, with other message
// ids, is the same run up to reordering.
func TestLinearExtension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		copied := drawExtension(t, run)
		r := compare(t, run, copied)
		if r.Outcome == diff.Different {
			t.Errorf("another order of the same events: %+v", r.Divergences)
		}
		if sum(run) != sum(copied) {
			t.Errorf("the digests differ")
		}
		strict, err := diff.Compare(run, copied, diff.Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		if want := sameOrder(run, copied); strict.Same != want {
			t.Errorf("strict: same is %v, want %v", strict.Same, want)
		}
	})
}

// An event that is altered is found at its process and step, and nothing that
// happened before it is called different.
func TestAlteredEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		reordered := tracefmt.NewMemory(*run.Run())
		at := tracefmt.Seq(rapid.IntRange(1, run.Len()).Draw(t, "altered"))
		for e := range events(run) {
			if e.Seq == at {
				e.Payload = []byte(`{"altered":true}`)
			}
			write(reordered, e)
		}
		reordered.Finish(tracefmt.Stopped)
		r := compare(t, run, reordered)
		if run.At(at).Kind == tracefmt.Lose {
			if r.Outcome != diff.Different || r.Losses[0].Count != 1 || r.Losses[1].First != at {
				t.Errorf("loss altered at seq %d: %+v", at, r.Losses)
			}
			return
		}
		want := divergence{processName(run, at), stepNumber(run, at), [2]tracefmt.Seq{at, at}}
		if got := causes(r); !slices.Equal(got, []divergence{want}) {
			t.Errorf("altered seq %d: got %v, want %v", at, got, want)
		}
	})
}

// A dropped state event is found at its process and step. So is an added one, by symmetry.
func TestDroppedEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		var local []tracefmt.Seq
		for e := range events(run) {
			if e.Kind == tracefmt.State {
				local = append(local, e.Seq)
			}
		}
		at := rapid.SampledFrom(local).Draw(t, "dropped")
		order := make([]tracefmt.Seq, 0, run.Len())
		for e := range events(run) {
			if e.Seq != at {
				order = append(order, e.Seq)
			}
		}
		after := reorder(run, order)
		step := stepNumber(run, at)
		for name, r := range map[string]*diff.Report{"dropped": compare(t, run, after), "added": compare(t, after, run)} {
			got := causes(r)
			if len(got) != 1 || got[0].process != processName(run, at) || got[0].step != step {
				t.Errorf("seq %d %s: got %+v, want step %d of %s", at, name, got, step, processName(run, at))
			}
		}
	})
}

// Comparing the other way round gives the same, the other way round.
func TestSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRun(t), drawRun(t)
		ab, ba := compare(t, a, b), compare(t, b, a)
		ba.Runs[0], ba.Runs[1] = ba.Runs[1], ba.Runs[0]
		ba.Events[0], ba.Events[1] = ba.Events[1], ba.Events[0]
		ba.Missing[0], ba.Missing[1] = ba.Missing[1], ba.Missing[0]
		ba.Losses[0], ba.Losses[1] = ba.Losses[1], ba.Losses[0]
		for i := range ba.Divergences {
			d := &ba.Divergences[i]
			d.At[0], d.At[1], d.Before[0], d.Before[1] = d.At[1], d.At[0], d.Before[1], d.Before[0]
			d.Of[0], d.Of[1] = d.Of[1], d.Of[0]
		}
		for i := range ba.Messages {
			m := &ba.Messages[i]
			m.Count[0], m.Count[1] = m.Count[1], m.Count[0]
		}
		for i := range ba.States {
			v := &ba.States[i]
			v.Values[0], v.Values[1] = v.Values[1], v.Values[0]
		}
		if ba.Order != nil {
			ba.Order.At[0], ba.Order.At[1] = ba.Order.At[1], ba.Order.At[0]
		}
		if ba.Times != nil {
			ba.Times.Times[0], ba.Times.Times[1] = ba.Times.Times[1], ba.Times.Times[0]
		}
		if l := ba.LossTimes; l != nil {
			l.At[0], l.At[1], l.Times[0], l.Times[1] = l.At[1], l.At[0], l.Times[1], l.Times[0]
		}
		if diff := cmp.Diff(ab, ba); diff != "" {
			t.Errorf("a, b and b, a (-ab +ba):\n%s", diff)
		}
	})
}

// Traces may contain anything: neither a comparison nor its reports panic.
func TestHostileTraces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var runs [2]*tracefmt.Memory
		for i := range runs {
			runs[i] = tracefmt.NewMemory(tracefmt.Run{
				Members: []tracefmt.Member{{Name: "1"}, {Name: "\x1b[2J"}},
				Source:  rapid.SampledFrom([]string{"simulated", ""}).Draw(t, "source"),
			})
			small := rapid.Int64Range(-1, 4)
			for range rapid.IntRange(0, 12).Draw(t, "events") {
				write(runs[i], &tracefmt.Event{
					Seq: tracefmt.Seq(small.Draw(t, "seq")), Time: tracefmt.Time(rapid.Int64().Draw(t, "time")),
					Kind:    tracefmt.Kind(rapid.Uint8Range(0, 20).Draw(t, "kind")),
					Process: tracefmt.ProcessID(small.Draw(t, "process")), Peer: tracefmt.ProcessID(small.Draw(t, "peer")),
					Type: rapid.SampledFrom([]string{"", "a", "\x1b[31m"}).Draw(t, "type"), Message: tracefmt.MessageID(small.Draw(t, "message")),
					Cause:   tracefmt.Seq(small.Draw(t, "cause")),
					Payload: []byte(rapid.SampledFrom([]string{"", "{", `{"x":1}`, `{"due":"x","causes":[1,9,-1]}`, `[]`}).Draw(t, "payload")),
				})
			}
		}
		r, err := diff.Compare(runs[0], runs[1], diff.Options{Strict: true, Apart: true})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := r.WriteText(&b); err != nil || strings.Contains(b.String(), "\x1b") {
			t.Errorf("text %q (%v)", b.String(), err)
		}
		if err := r.WriteJSON(io.Discard); err != nil {
			t.Error(err)
		}
	})
}

type divergence struct {
	process string
	step    int64
	at      [2]tracefmt.Seq
}

// causes are the divergences that follow no other.
func causes(r *diff.Report) []divergence {
	var list []divergence
	for _, d := range r.Divergences {
		if !d.Follows {
			list = append(list, divergence{d.Process, d.Step, [2]tracefmt.Seq{d.At[0].Seq, d.At[1].Seq}})
		}
	}
	return list
}

func compare(t *rapid.T, a, b tracefmt.Recording) *diff.Report {
	r, err := diff.Compare(a, b, diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func sum(run *tracefmt.Memory) uint64 {
	d := diff.NewDigest(run.Run())
	for e := range events(run) {
		_ = d.Write(e)
	}
	return d.Sum()
}

// drawRun draws a run of two to four processes that change their state, send,
// receive and lose messages. No two events of a process are alike.
func drawRun(t *rapid.T) *tracefmt.Memory {
	n := rapid.IntRange(2, 4).Draw(t, "processes")
	run := tracefmt.Run{TimeUnit: tracefmt.Delays, Source: rapid.SampledFrom([]string{"simulated", "some log"}).Draw(t, "source")}
	for i := range n {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
	}
	rec := tracefmt.NewMemory(run)
	var flight []tracefmt.Seq
	var sent tracefmt.MessageID
	for i := range rapid.IntRange(1, 40).Draw(t, "events") {
		e := &tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i), Kind: tracefmt.State, Payload: fmt.Appendf(nil, `{"x":%d}`, i),
			Process: tracefmt.ProcessID(rapid.IntRange(1, n).Draw(t, "process")),
		}
		switch kind := rapid.SampledFrom([]tracefmt.Kind{
			tracefmt.State, tracefmt.Send, tracefmt.Send, tracefmt.Receive,
			tracefmt.Receive, tracefmt.Lose,
		}).Draw(t, "kind"); {
		case i == 0: // every run has a state event
		case kind == tracefmt.Send:
			sent++
			e.Kind, e.Message, e.Type = kind, sent, rapid.SampledFrom([]string{"ask", "answer"}).Draw(t, "type")
			e.Peer = e.Process%tracefmt.ProcessID(n) + 1
			flight = append(flight, e.Seq)
		case kind != tracefmt.State && len(flight) > 0:
			k := rapid.IntRange(0, len(flight)-1).Draw(t, "message")
			m := rec.At(flight[k])
			flight = slices.Delete(flight, k, k+1)
			e.Kind, e.Process, e.Peer, e.Type, e.Message, e.Cause, e.Payload = kind, m.Peer, m.Process, m.Type, m.Message, m.Seq, nil
		}
		write(rec, e)
	}
	rec.Finish(tracefmt.Stopped)
	return rec
}

// drawExtension draws another order of the events that keeps the order at each
// process and each send before its receive or loss.
func drawExtension(t *rapid.T, run *tracefmt.Memory) *tracefmt.Memory {
	after := make([][]tracefmt.Seq, run.Len()+1) // direct successors
	waits := make([]int, run.Len()+1)
	last := map[tracefmt.ProcessID]tracefmt.Seq{}
	edge := func(from, copied tracefmt.Seq) {
		after[from] = append(after[from], copied)
		waits[copied]++
	}
	for e := range events(run) {
		if e.Cause != 0 {
			edge(e.Cause, e.Seq)
		}
		if e.Kind == tracefmt.Lose {
			continue // no step of the process
		}
		if before := last[e.Process]; before != 0 {
			edge(before, e.Seq)
		}
		last[e.Process] = e.Seq
	}
	var ready, order []tracefmt.Seq
	for seq := tracefmt.Seq(1); int(seq) <= run.Len(); seq++ {
		if waits[seq] == 0 {
			ready = append(ready, seq)
		}
	}
	for len(ready) > 0 {
		k := rapid.IntRange(0, len(ready)-1).Draw(t, "next")
		seq := ready[k]
		ready = slices.Delete(ready, k, k+1)
		order = append(order, seq)
		for _, next := range after[seq] {
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return reorder(run, order)
}

// reorder writes the events in another order, with new seqs and message ids.
func reorder(run *tracefmt.Memory, order []tracefmt.Seq) *tracefmt.Memory {
	target := tracefmt.NewMemory(*run.Run())
	seqs := map[tracefmt.Seq]tracefmt.Seq{0: 0}
	ids := map[tracefmt.MessageID]tracefmt.MessageID{0: 0}
	for i, seq := range order {
		e := run.At(seq).Clone()
		if e.Kind == tracefmt.Send {
			ids[e.Message] = tracefmt.MessageID(len(ids))
		}
		seqs[seq] = tracefmt.Seq(i + 1)
		e.Seq, e.Cause, e.Message = seqs[seq], seqs[e.Cause], ids[e.Message]
		write(target, e)
	}
	target.Finish(tracefmt.Stopped)
	return target
}

// sameOrder reports whether the events, losses included, come in the same order.
func sameOrder(a, b *tracefmt.Memory) bool {
	words := func(m *tracefmt.Memory) (list []string) {
		for e := range events(m) {
			list = append(list, fmt.Sprint(e.Process, e.Kind, e.Peer, e.Type, string(e.Payload), e.Time))
		}
		return list
	}
	return slices.Equal(words(a), words(b))
}

func stepNumber(run *tracefmt.Memory, seq tracefmt.Seq) (n int64) {
	for e := range events(run) {
		if e.Seq <= seq && e.Process == run.At(seq).Process && e.Kind != tracefmt.Lose {
			n++
		}
	}
	return n
}

func processName(run *tracefmt.Memory, seq tracefmt.Seq) string {
	return run.Run().ProcessName(run.At(seq).Process)
}

func events(run *tracefmt.Memory) func(yield func(*tracefmt.Event) bool) {
	return func(yield func(*tracefmt.Event) bool) {
		for e := range run.Events(1) {
			if !yield(e.Clone()) {
				return
			}
		}
	}
}

func write(present *tracefmt.Memory, e *tracefmt.Event) { _ = present.Write(e) }
