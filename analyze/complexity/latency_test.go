package complexity_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// at returns the event at a time in units.
func at(units float64, e tracefmt.Event) tracefmt.Event {
	e.Time = tracefmt.Time(units * float64(tracefmt.Unit))
	return e
}

// invoke and ret return the ends of an operation.
func invoke(p tracefmt.ProcessID, typ string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Invoke, Process: p, Type: typ}
}

func ret(p tracefmt.ProcessID, payload string) tracefmt.Event {
	return tracefmt.Event{Kind: tracefmt.Return, Process: p, Payload: []byte(payload)}
}

// timed returns a run with the events at their own times.
func timed(n int, events ...tracefmt.Event) *tracefmt.Memory {
	m := newRun(n)
	for i, e := range events {
		e.Seq = tracefmt.Seq(i + 1)
		_ = m.Write(&e) // a Memory takes every event
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// latencies returns the latencies of a run, and the report as text.
func latencies(t *testing.T, m *tracefmt.Memory) (*complexity.Latencies, string) {
	t.Helper()
	s, err := complexity.CountDetailed(m, complexity.Detail{Latency: true})
	if err != nil {
		t.Fatal(err)
	}
	rep := &complexity.Report{}
	if err := rep.Add(s, nil); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := rep.WriteText(&out, complexity.Style{}); err != nil {
		t.Fatal(err)
	}
	return s.Latencies, out.String()
}

// percentilesOf writes percentiles as "count: p50 p90 p99 max".
func percentilesOf(p complexity.Percentiles) string {
	if p.Count == 0 {
		return "none"
	}
	return fmt.Sprintf("%d: %g %g %g %g", p.Count, *p.P50, *p.P90, *p.P99, *p.Max)
}

// TestLatencyOfMessages: a message counts from its send to its first receive. A message that is lost and another
// that is in flight have none; a lost copy of a delivered message changes nothing.
func TestLatencyOfMessages(t *testing.T) {
	l, text := latencies(t, timed(2,
		at(0, send(1, 2, 1, "A")), at(0, send(1, 2, 2, "B")), at(1, receive(1, 2, 1)), at(1, send(2, 1, 3, "A")),
		at(2, lose(1, 2, 2, "dropped")), at(3, receive(1, 2, 1)), at(3, receive(1, 2, 2)), at(3, send(2, 1, 4, "A")),
		at(4, lose(2, 1, 4, "dropped")), at(5, receive(2, 1, 3)), at(5, send(1, 2, 5, "B")),
	))
	if got := percentilesOf(l.Messages.Percentiles); got != "3: 3 4 4 4" {
		t.Errorf("all messages: %s", got)
	}
	if l.Messages.Open != 2 || l.Messages.Uncertain {
		t.Errorf("%d without a receive, uncertain %v", l.Messages.Open, l.Messages.Uncertain)
	}
	for i, want := range []string{"2: 1 4 4 4", "1: 3 3 3 3"} {
		if got := percentilesOf(l.Messages.ByType[i].Percentiles); got != want {
			t.Errorf("type %s: %s, want %s", l.Messages.ByType[i].Type, got, want)
		}
	}
	if want := "latency of messages, from send to first receive (delays); 2 have no receive\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	if strings.Contains(text, "latency of operations") {
		t.Errorf("a table of operations in a run without operations:\n%s", text)
	}
}

// TestLatencyOfOperations: failures are apart; an unknown outcome is no end; ids join operations of one process.
func TestLatencyOfOperations(t *testing.T) {
	l, text := latencies(t, timed(2,
		at(0, invoke(1, "read")), at(2, invoke(2, "read")), at(3, ret(1, `{"outcome":"ok"}`)), at(4, ret(2, `{"outcome":"fail"}`)),
		at(5, invoke(1, "write")), at(6, ret(1, `{"outcome":"unknown"}`)), at(6, ret(2, `{"outcome":"ok"}`)), at(7, invoke(2, "read")),
	))
	o := l.Operations
	if len(o.ByType) != 2 || o.ByType[0].Failed || !o.ByType[1].Failed {
		t.Fatalf("by type: %+v", o.ByType)
	}
	for i, want := range []string{"1: 3 3 3 3", "1: 2 2 2 2"} {
		if got := percentilesOf(o.ByType[i].Percentiles); got != want {
			t.Errorf("operations, %d: %s, want %s", i, got, want)
		}
	}
	if o.Open != 2 || o.Unmatched != 1 {
		t.Errorf("%d open, %d without an invocation; want 2, 1", o.Open, o.Unmatched)
	}
	want := "latency of operations, from call to return (delays); 2 have no return; 1 return has no recorded beginning\n"
	if !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	byID := func(e tracefmt.Event, id string) tracefmt.Event {
		e.Payload = []byte(`{"op":` + id + `}`)
		return e
	}
	l, _ = latencies(t, timed(1,
		at(0, byID(invoke(1, "a"), "1")), at(1, byID(invoke(1, "b"), "2")), at(2, byID(ret(1, ""), "1")), at(7, byID(ret(1, ""), "2")),
	))
	if got := percentilesOf(l.Operations.Percentiles); got != "2: 2 6 6 6" {
		t.Errorf("operations with ids: %s", got)
	}
}

// TestLatencyOfRecordings: a latency that no clock shows is not reported.
func TestLatencyOfRecordings(t *testing.T) {
	exchange := []tracefmt.Event{
		at(1, send(1, 2, 1, "A")), at(3, receive(1, 2, 1)), at(3, send(2, 3, 2, "A")), at(7, receive(2, 3, 2)),
		at(8, invoke(3, "read")), at(9, ret(3, `{}`)),
	}
	back := slices.Clone(exchange)
	back[3].Time = 2 * tracefmt.Unit
	still := slices.Clone(exchange)
	for i := range still {
		still[i].Time = 0
	}
	logged := func(log string, at ...int) []tracefmt.Event {
		events := slices.Clone(exchange)
		for _, i := range at {
			events[i].Payload = []byte(`{"` + tracefmt.LogKey + `":` + log + `}`)
		}
		return events
	}
	declare := func(kinds map[string]tracefmt.Level, clocks *tracefmt.Clocks) func(*tracefmt.Run) {
		return func(r *tracefmt.Run) {
			r.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All, Kinds: kinds}, Clocks: clocks}
		}
	}
	for _, tt := range []struct {
		name                 string
		events               []tracefmt.Event
		set                  func(*tracefmt.Run)
		messages, operations string
		words                string
	}{
		{"one clock", exchange, nil, "2: 2 4 4 4", "1: 1 1 1 1", "receive (s)\n"},
		{"one line", logged(`{"line":4}`, 4, 5), nil, "2: 2 4 4 4", "none", "return (s); 1 begins and ends in one line\n"},
		{"a guess", logged(`{"guess":true}`, 3), nil, "1: 2 2 2 2", "1: 1 1 1 1", "(s); 1 is matched by inference, apart"},
		{"three clocks", exchange, declare(nil, &tracefmt.Clocks{Skew: 1}), "none", "1: 1 1 1 1", "(s); 2 are between two clocks\n"},
		{
			"two clocks", exchange, declare(nil, &tracefmt.Clocks{Skew: 1, Shared: [][]string{{"1", "2"}}}),
			"1: 2 2 2 2", "1: 1 1 1 1", "(s); 1 is between two clocks\n",
		},
		{
			"contradiction", back, nil, "none", "1: 1 1 1 1",
			"; 1 ends before it begins by the clocks; not known: the clocks of the processes contradict each other\n",
		},
		{
			"no clock", exchange, func(r *tracefmt.Run) { r.TimeUnit = tracefmt.Logical },
			"none", "none", "(ticks); not known: the run has no clock\n",
		},
		{"no times", still, nil, "none", "none", "(s); not known: the events have no times\n"},
		{
			"partial", exchange[1:], declare(map[string]tracefmt.Level{"send": tracefmt.Some}, nil),
			"1: 4 4 4 4", "1: 1 1 1 1", "; 1 receive has no recorded beginning, as far as is recorded\n",
		},
	} {
		m := timed(3, tt.events...)
		run := m.Run()
		run.Source, run.TimeUnit = tracefmt.Recorded, tracefmt.Nanoseconds
		declare(nil, nil)(run)
		if tt.set != nil {
			tt.set(run)
		}
		l, text := latencies(t, m)
		if got := percentilesOf(l.Messages.Percentiles); got != tt.messages {
			t.Errorf("%s: messages %s, want %s", tt.name, got, tt.messages)
		}
		if got := percentilesOf(l.Operations.Percentiles); got != tt.operations {
			t.Errorf("%s: operations %s, want %s", tt.name, got, tt.operations)
		}
		if !strings.Contains(text, tt.words) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.words, text)
		}
	}
}

// nearest returns a time in units as the nearest number.
func nearest(t tracefmt.Time) float64 {
	units, _ := big.NewRat(int64(t), int64(tracefmt.Unit)).Float64()
	return units
}

// nearestRank returns the percentile by its definition.
func nearestRank(sorted []tracefmt.Time, percent int) tracefmt.Time {
	for i, d := range sorted {
		if (i+1)*100 >= percent*len(sorted) {
			return d
		}
	}
	return -1
}

// TestLatenciesOfAllTimes: a latency without room in 64 bits is the greatest time, and no message arrives before it was
// sent that did not. The stretches are in order and contain what begins in them.
func TestLatenciesOfAllTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		instant := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 90e9, math.MaxInt64}))
		run := tracefmt.Run{Number: 1, TimeUnit: rapid.SampledFrom([]tracefmt.TimeUnit{tracefmt.Delays, tracefmt.Nanoseconds}).Draw(t, "unit")}
		run.Members = []tracefmt.Member{{Name: "1", Position: 1}, {Name: "2", Position: 2}}
		m := tracefmt.NewMemory(run)
		earliest, latest, longest, backwards := int64(math.MaxInt64), int64(math.MinInt64), int64(0), int64(0)
		n := rapid.IntRange(1, 5).Draw(t, "messages")
		for i := range n {
			sent, received := instant.Draw(t, "sent"), instant.Draw(t, "received")
			s, r := send(1, 2, tracefmt.MessageID(i+1), "A"), receive(1, 2, tracefmt.MessageID(i+1))
			s.Seq, s.Time, r.Seq, r.Time = tracefmt.Seq(2*i+1), tracefmt.Time(sent), tracefmt.Seq(2*i+2), tracefmt.Time(received)
			_, _ = m.Write(&s), m.Write(&r) // a Memory takes every event
			took := new(big.Int).Sub(big.NewInt(received), big.NewInt(sent))
			switch {
			case took.Sign() < 0:
				backwards++
				continue
			case !took.IsInt64():
				longest = math.MaxInt64
			default:
				longest = max(longest, took.Int64())
			}
			first := max(m.At(1).Time, 0) // the stretches may count from it, as far as 64 bits have room
			earliest, latest = min(earliest, max(sent, math.MinInt64+int64(first))), max(latest, sent)
		}
		m.Finish(tracefmt.Stopped)
		s, err := complexity.CountDetailed(m, complexity.Detail{Latency: true})
		if err != nil {
			t.Fatal(err)
		}
		got := s.Latencies.Messages
		if got.Backwards != backwards {
			t.Fatalf("%d messages arrive before they were sent, want %d", got.Backwards, backwards)
		}
		if got.NotKnown != "" {
			return
		}
		if *got.Max != nearest(tracefmt.Time(longest)) || *got.P99 < 0 {
			t.Errorf("the longest latency is %g, want %d ns", *got.Max, longest)
		}
		sum, before := int64(0), math.Inf(-1)
		for _, stretch := range got.OverTime {
			if stretch.Start < before || stretch.End < stretch.Start {
				t.Errorf("stretches are not in order: %+v", got.OverTime)
			}
			sum, before = sum+stretch.Count, stretch.End
		}
		if sum != int64(n) || nearest(tracefmt.Time(earliest)) < got.OverTime[0].Start || nearest(tracefmt.Time(latest)) > before {
			t.Errorf("stretches of %d messages from %d to %d: %+v", n, earliest, latest, got.OverTime)
		}
	})
}

// TestPercentiles compares percentiles with their definition: exact for few different latencies, else within 0.5 %.
// The stretches of time divide the messages.
func TestPercentiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 99, 100, 101, 1000, 3000}).Draw(t, "messages")
		limit := rapid.SampledFrom([]int64{10, 5000, 1e12}).Draw(t, "limit")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var events []tracefmt.Event
		var latencies []tracefmt.Time
		for i := range n {
			sent, took := tracefmt.Time(random.Int64N(1e12)), tracefmt.Time(random.Int64N(limit))
			s, r := send(1, 2, tracefmt.MessageID(i+1), "A"), receive(1, 2, tracefmt.MessageID(i+1))
			s.Time, r.Time = sent, sent+took
			events, latencies = append(events, s, r), append(latencies, took)
		}
		slices.Sort(latencies)
		s, err := complexity.CountDetailed(timed(2, events...), complexity.Detail{Latency: true})
		if err != nil {
			t.Fatal(err)
		}
		got := s.Latencies.Messages
		for percent, value := range map[int]*float64{50: got.P50, 90: got.P90, 99: got.P99, 100: got.Max} {
			want := nearest(nearestRank(latencies, percent))
			off := *value - want
			if exact := !got.Rounded || percent == 100; exact && off != 0 || max(off, -off) > want/200 {
				t.Errorf("p%d of %d latencies: %g, want %g", percent, n, *value, want)
			}
		}
		// The percentiles are exact up to this number of different latencies.
		different := slices.Compact(slices.Clone(latencies))
		if got.Rounded != (len(different) > 1000) {
			t.Errorf("rounded %v with %d different latencies", got.Rounded, len(different))
		}
		sum := int64(0)
		for i, stretch := range got.OverTime {
			sum += stretch.Count
			if i > 0 && stretch.Start < got.OverTime[i-1].End {
				t.Errorf("stretches overlap: %+v", got.OverTime)
			}
			begins := int64(0)
			for _, e := range events {
				if e.Kind == tracefmt.Send && nearest(e.Time) >= stretch.Start && nearest(e.Time) < stretch.End {
					begins++
				}
			}
			if begins != stretch.Count {
				t.Errorf("%d messages in the stretch from %g to %g, want %d", stretch.Count, stretch.Start, stretch.End, begins)
			}
		}
		if sum != int64(n) || len(got.OverTime) > 16 {
			t.Errorf("%d stretches with %d of %d messages", len(got.OverTime), sum, n)
		}
	})
}

// TestShortStretches: the limits of the stretches of a run of 20 microseconds differ, also by a clock that counts
// from 1970, and JSON has the number that is nearest to each.
func TestShortStretches(t *testing.T) {
	const began tracefmt.Time = 1_763_300_000_000_000_000
	m := newRun(2)
	m.Run().TimeUnit, m.Run().Source = tracefmt.Nanoseconds, "log"
	for i := range 4 {
		for j, e := range []tracefmt.Event{send(1, 2, tracefmt.MessageID(i+1), "A"), receive(1, 2, tracefmt.MessageID(i+1))} {
			e.Seq, e.Time = tracefmt.Seq(2*i+j+1), began+tracefmt.Time(5000*i+700*j)
			_ = m.Write(&e) // a Memory takes every event
		}
	}
	m.Finish(tracefmt.Stopped)
	l, text := latencies(t, m)
	for _, limits := range []string{"+0s +0.000001s", "+0.000005s +0.000006s", "+0.00001s +0.000011s", "+0.000015s +0.000016s"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), limits+" 1") {
			t.Errorf("no stretch %s in\n%s", limits, text)
		}
	}
	if got := l.Messages.OverTime[2]; got.Start != 1763300000.00001 || got.End != 1763300000.000011 {
		t.Errorf("the third stretch is from %v to %v", got.Start, got.End)
	}
}
