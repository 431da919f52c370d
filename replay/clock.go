package replay

import (
	"iter"
	"slices"

	"etrace/replay/sparse"
	"etrace/tracefmt"
)

// Vector is a vector clock (Fidge 1988, Mattern 1989): the entry at p-1 counts
// the steps of process p that happened before an event or are the event
// itself. Two clocks are comparable if they are of events of one run.
type Vector []int32

// Before reports whether the event of v happened before that of w: no entry
// of v is greater and some entry is less. An event is not before itself.
func (v Vector) Before(w Vector) bool {
	less := false
	for i := range v {
		if v[i] > w[i] {
			return false
		}
		less = less || v[i] < w[i]
	}
	return less
}

// Concurrent reports whether neither event happened before the other and they
// are not the same.
func (v Vector) Concurrent(w Vector) bool {
	return !v.Before(w) && !w.Before(v) && !slices.Equal(v, w)
}

// Clock says of one step which steps of each process happened before it or are the
// step itself. It never changes and may be kept: clocks share with one another
// what their steps know in common, so that one more takes little memory.
type Clock struct {
	seq       tracefmt.Seq
	process   tracefmt.ProcessID
	processes int32  // of the run
	count     uint32 // of the steps of process
	// others is what the process knew of others: at p-1 the latest step of p. It
	// stays the same until the process learns something.
	others sparse.Vector
}

// A known step is kept in one number: its seq, and below it which step of its
// process it is. Both grow together, so that of two steps of one process the
// greater number is the later step.
const (
	countBits = 32
	maxSeq    = 1<<countBits - 1
)

func packed(seq tracefmt.Seq, count uint32) uint64 { return uint64(seq)<<countBits | uint64(count) }

func unpacked(step uint64) (seq tracefmt.Seq, count uint32) {
	return tracefmt.Seq(step >> countBits), uint32(step)
}

// Process returns the process whose step it is.
func (c Clock) Process() tracefmt.ProcessID { return c.process }

// Seq returns the step, 0 for the beginning of a process, before its first.
func (c Clock) Seq() tracefmt.Seq { return c.seq }

// Latest returns the latest step of q that happened before the step or is the
// step, 0 for none.
func (c Clock) Latest(q tracefmt.ProcessID) tracefmt.Seq {
	if q == c.process {
		return c.seq
	}
	seq, _ := unpacked(c.others.At(int(q) - 1))
	return seq
}

// Others yields the other processes of which some step happened before, in
// ascending order, each with the latest such step and how many they are.
func (c Clock) Others() iter.Seq2[tracefmt.ProcessID, Known] {
	return func(yield func(tracefmt.ProcessID, Known) bool) {
		for i, step := range c.others.All() {
			q := tracefmt.ProcessID(i + 1)
			if seq, count := unpacked(step); q != c.process && !yield(q, Known{Latest: seq, Steps: int(count)}) {
				return
			}
		}
	}
}

// Past returns what the process knew of others, at p-1 of p: numbers that grow with
// the steps of each, of which [StepAt] is the seq.
func (c Clock) Past() sparse.Vector { return c.others }

// Own returns the number of the step itself, as those of [Clock.Past].
func (c Clock) Own() uint64 { return packed(c.seq, c.count) }

// StepAt returns the step that a number of a [Clock.Past] is for, 0 for none.
func StepAt(number uint64) tracefmt.Seq {
	seq, _ := unpacked(number)
	return seq
}

// Known is what is known of a process: its latest step, and how many steps it had
// taken with that.
type Known struct {
	Latest tracefmt.Seq
	Steps  int
}

// Cut returns the latest steps of all processes, at p-1 for process p, 0 for none:
// the least consistent cut that holds the step.
func (c Clock) Cut() []tracefmt.Seq {
	cut := make([]tracefmt.Seq, c.processes)
	for q, known := range c.Others() {
		cut[q-1] = known.Latest
	}
	cut[c.process-1] = c.seq
	return cut
}

// Vector returns the numbers of the steps of all processes.
func (c Clock) Vector() Vector {
	v := make(Vector, c.processes)
	for q, known := range c.Others() {
		v[q-1] = int32(known.Steps)
	}
	v[c.process-1] = int32(c.count)
	return v
}

// Words returns how much memory clocks take, in words of 8 bytes. What several
// share counts once.
func Words(clocks iter.Seq[Clock]) int {
	n := 0
	words := sparse.Words(func(yield func(sparse.Vector) bool) {
		for c := range clocks {
			if n++; !yield(c.others) {
				return
			}
		}
	})
	const own = 6 // of a Clock itself
	return words + own*n
}
