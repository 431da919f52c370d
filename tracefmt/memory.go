package tracefmt

import (
	"errors"
	"io"
	"iter"
	"sort"
)

// Memory is a run in memory: a [Recording] for small runs, tests and simulations, and the [Sink] of one run.
// Its zero value is an empty run without processes.
type Memory struct {
	run Run
	// chunks hold the events. A single slice would be copied again and again while it grows, and the garbage
	// collector would scan the old copies.
	chunks [][]Event
	// payloads holds the bytes of many payloads in few allocations.
	payloads []byte
}

// chunkSize is the number of events of a chunk.
const chunkSize = 1 << 12

// NewMemory returns an empty recording of the run.
func NewMemory(run Run) *Memory { return &Memory{run: run} }

// ReadMemory reads all runs of a small text trace. It fails like the [Decoder], and then also returns the runs
// before the error.
func ReadMemory(r io.Reader) (runs []*Memory, err error) {
	for d := NewDecoder(r); ; {
		run, err := d.NextRun()
		if errors.Is(err, io.EOF) {
			return runs, nil
		}
		if err != nil {
			return runs, err
		}
		m := NewMemory(*run)
		for e, err := d.Next(); !errors.Is(err, io.EOF); e, err = d.Next() {
			if err != nil {
				return runs, err
			}
			_ = m.Write(e)
		}
		_ = m.Finish(run.End)
		m.run.Number = len(runs) + 1
		runs = append(runs, m)
	}
}

// Run returns the description; the caller may complete it.
func (m *Memory) Run() *Run { return &m.run }

// Len returns the number of events.
func (m *Memory) Len() int {
	if len(m.chunks) == 0 {
		return 0
	}
	last := len(m.chunks) - 1
	return last*chunkSize + len(m.chunks[last])
}

// Begin makes m an empty recording of another run.
func (m *Memory) Begin(run *Run) error {
	*m = Memory{run: *run}
	return nil
}

// Write appends a copy of the event. It never fails.
func (m *Memory) Write(e *Event) error {
	last := len(m.chunks) - 1
	if last < 0 || len(m.chunks[last]) == chunkSize {
		size := chunkSize
		if last < 0 {
			size = 16 // most runs in tests are small, so the first chunk grows
		}
		m.chunks = append(m.chunks, make([]Event, 0, size))
		last++
	}
	m.chunks[last] = append(m.chunks[last], *e)
	if len(e.Payload) > 0 {
		chunk := m.chunks[last]
		chunk[len(chunk)-1].Payload = m.keep(e.Payload)
	}
	return nil
}

// keep copies a payload into a block of many.
func (m *Memory) keep(payload []byte) []byte {
	if cap(m.payloads)-len(m.payloads) < len(payload) {
		// Blocks double up to 64 KB: most runs are short, and one large block for each of them costs more than the run.
		m.payloads = make([]byte, 0, max(min(2*cap(m.payloads), 64<<10), 1<<10, len(payload)))
	}
	start := len(m.payloads)
	m.payloads = append(m.payloads, payload...)
	return m.payloads[start:len(m.payloads):len(m.payloads)]
}

// Finish states how the run ended. It never fails.
func (m *Memory) Finish(end End) error {
	m.run.End = end
	m.run.Events = int64(m.Len())
	return nil
}

// At returns the event with the given seq, which must be in 1..Len; for a slice, the event with this index. It
// is valid until the next Begin.
func (m *Memory) At(seq Seq) *Event {
	i := int(seq - 1)
	return &m.chunks[i/chunkSize][i%chunkSize]
}

// place returns the index, from 1, of the first event with seq >= from.
func (m *Memory) place(from Seq) Seq {
	if m.run.Slice && from > 1 {
		return 1 + Seq(sort.Search(m.Len(), func(i int) bool { return m.At(Seq(i+1)).Seq >= from }))
	}
	return max(from, 1)
}

// Events implements [Recording]. Like a reader of files it overwrites each event with the next, and clears it
// after the last, so that code which keeps the pointer also fails on small runs.
func (m *Memory) Events(from Seq) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		var e Event
		var payload []byte
		for at := m.place(from); int(at) <= m.Len(); at++ {
			e = *m.At(at)
			if e.Payload != nil {
				clear(payload)
				payload = append(payload[:0], e.Payload...)
				e.Payload = payload[:len(payload):len(payload)]
			}
			if !yield(&e, nil) {
				return
			}
		}
		clear(payload[:cap(payload)])
		e = Event{}
	}
}
