package sim_test

import (
	"container/heap"
	"context"
	"fmt"
	"testing"
	"time"

	"etrace/fixtures/size"
	"etrace/record"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// counting is a sink that keeps nothing, as cheap as a sink can be.
type counting struct{ events int64 }

func (c *counting) Write(*tracefmt.Event) error {
	c.events++
	return nil
}

// courier is the load of the benchmarks: every process sends a token with an
// id round the ring until maxEvents ends the run, as chang-roberts does with
// all starting and none dropping. A step is a receive and a send.
func courier(processes int, maxEvents int64) sim.Config {
	y := newToy()
	y.Start = func(p *sim.Process) { y.id.SendNext(p, idFields{p.ID()}) }
	y.Receive = func(p *sim.Process, m arrived) { y.id.SendNext(p, idFields{m.ID}) }
	c := y.config(processes)
	for p := 1; p <= processes; p++ {
		c.Actions = append(c.Actions, start(p, 0))
	}
	c.MaxEvents = maxEvents
	c.Actions = append(c.Actions, crash(1, 1e6)) // a fault to come: no search for loops
	return c
}

// BenchmarkStep is simulate + record, per step of two events. The goal is 100 ns
// and no allocation per event. "naive" is the same load on container/heap with
// closures, recorded the same way; "x naive" is its time over the kernel's.
func BenchmarkStep(b *testing.B) {
	size.Processes(b, func(b *testing.B, processes int) {
		b.Run("count", func(b *testing.B) {
			ratio := naiveTime(processes, b.N)
			benchmarkSteps(b, courier(processes, 2*int64(b.N)), &counting{}, ratio)
		})
		b.Run("memory", func(b *testing.B) {
			benchmarkSteps(b, courier(processes, 2*int64(b.N)), tracefmt.NewMemory(tracefmt.Run{}), 0)
		})
		b.Run("naive", func(b *testing.B) {
			b.ReportAllocs()
			naive(processes, b.N, &counting{})
		})
	})
	b.Run("lasso/n=8", func(b *testing.B) { // searching, in a run that does not repeat
		c := counter(8, 2*int64(b.N))
		benchmarkSteps(b, c, &counting{}, 0)
	})
}

func benchmarkSteps(b *testing.B, c sim.Config, sink tracefmt.Writer, naive time.Duration) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := sim.Run(context.Background(), c, sink); err != nil {
		b.Fatal(err)
	}
	if naive > 0 {
		b.ReportMetric(float64(naive)/float64(b.Elapsed()), "x-naive")
	}
}

// counter is the courier with a number that counts up, so that no state repeats.
func counter(processes int, maxEvents int64) sim.Config {
	y := newToy()
	y.Start = func(p *sim.Process) { y.list.SendNext(p, listFields{N: 0}) }
	y.Receive = func(p *sim.Process, m arrived) { y.list.SendNext(p, listFields{N: m.N + 1}) }
	c := y.config(processes, start(1, 0))
	c.MaxEvents = maxEvents
	return c
}

// TestSteadyStateAllocatesNothing: 50,000 more steps make no more allocations, except for the growth of the
// queue.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	allocations := func(events int64) float64 {
		c := courier(16, events)
		return testing.AllocsPerRun(3, func() {
			if _, err := sim.Run(context.Background(), c, &counting{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if short, long := allocations(10_000), allocations(110_000); long > short+10 {
		t.Errorf("%v allocations for 10,000 events, %v for 110,000", short, long)
	}
}

// The naive simulator, for comparison.

type naiveSimulator struct {
	now   tracefmt.Time
	order int
	queue naiveQueue
	rec   *record.Recorder
	names []string
	n     int
}

type naiveItem struct {
	at    tracefmt.Time
	order int
	do    func()
}

type naiveQueue []*naiveItem

func (q naiveQueue) Len() int { return len(q) }
func (q naiveQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q naiveQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *naiveQueue) Push(x any)   { *q = append(*q, x.(*naiveItem)) }
func (q *naiveQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

func (s *naiveSimulator) pass(from int, id int) {
	receiver := from%s.n + 1
	payload := fmt.Appendf(nil, `{"id":%s}`, s.names[id])
	sent := s.rec.Send(s.now, tracefmt.ProcessID(from), tracefmt.ProcessID(receiver), "ID", 0, payload)
	s.order++
	heap.Push(&s.queue, &naiveItem{s.now + tracefmt.Unit, s.order, func() {
		s.rec.Receive(s.now, sent, payload)
		s.pass(receiver, id)
	}})
}

func naive(processes, steps int, sink tracefmt.Writer) {
	s := &naiveSimulator{n: processes, rec: record.New(sink, processes)}
	for p := range processes + 1 {
		s.names = append(s.names, fmt.Sprint(p))
	}
	for p := 1; p <= processes; p++ {
		s.pass(p, p)
	}
	for range steps {
		item := heap.Pop(&s.queue).(*naiveItem)
		s.now = item.at
		item.do()
	}
}

func naiveTime(processes, steps int) time.Duration {
	begin := time.Now()
	naive(processes, steps, &counting{})
	return time.Since(begin)
}
