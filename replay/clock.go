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

// Clock holds, for one step, which steps of each process happened before it or are the step itself. It is
// immutable. Clocks share the knowledge that their steps have in common, so one more takes little memory.
type Clock struct {
	seq     tracefmt.Seq
	process tracefmt.ProcessID
	// processes is the number of processes of the run.
	processes int32
	// count is the number of the step among those of the process.
	count uint32
	// known holds, at p-1, the packed latest step of each other process p that happened before. Consecutive
	// steps share it until the process receives news.
	known sparse.Vector
}

// A known step is packed into one number: its seq, and below it its number among the steps of its process.
// Both grow together, so the greater number is the later step.
const (
	countBits = 32
	maxSeq    = 1<<countBits - 1
)

// packed returns the seq and number of a step as one number.
func packed(seq tracefmt.Seq, count uint32) uint64 { return uint64(seq)<<countBits | uint64(count) }

// unpacked returns the seq and number of a packed step.
func unpacked(step uint64) (seq tracefmt.Seq, count uint32) {
	return tracefmt.Seq(step >> countBits), uint32(step)
}

// Process returns the process that took the step.
func (c Clock) Process() tracefmt.ProcessID { return c.process }

// Seq returns the step; 0 for the beginning of a process, before its first step.
func (c Clock) Seq() tracefmt.Seq { return c.seq }

// Latest returns the latest step of q that happened before the step or is the step; 0 if none exists.
func (c Clock) Latest(q tracefmt.ProcessID) tracefmt.Seq {
	if q == c.process {
		return c.seq
	}
	seq, _ := unpacked(c.known.At(int(q) - 1))
	return seq
}

// Others yields each other process with a step that happened before, in ascending order, with the latest such
// step and their number.
func (c Clock) Others() iter.Seq2[tracefmt.ProcessID, Known] {
	return func(yield func(tracefmt.ProcessID, Known) bool) {
		for i, step := range c.known.All() {
			q := tracefmt.ProcessID(i + 1)
			if seq, count := unpacked(step); q != c.process && !yield(q, Known{Latest: seq, Steps: int(count)}) {
				return
			}
		}
	}
}

// Past returns the process's knowledge of others, at p-1 for process p, as numbers that grow with the steps;
// [StepAt] returns the seq of a number.
func (c Clock) Past() sparse.Vector { return c.known }

// Own returns the number of the step itself, comparable with those of [Clock.Past].
func (c Clock) Own() uint64 { return packed(c.seq, c.count) }

// StepAt returns the seq in a number of a [Clock.Past]; 0 for none.
func StepAt(number uint64) tracefmt.Seq {
	seq, _ := unpacked(number)
	return seq
}

// Known is the latest known step of a process, and the number of its steps up to there.
type Known struct {
	Latest tracefmt.Seq
	Steps  int
}

// Cut returns the latest steps of all processes, at p-1 for process p, 0 for none: the least consistent cut
// that contains the step.
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

// Words returns the memory of clocks, in words of 8 bytes. Shared memory counts once.
func Words(clocks iter.Seq[Clock]) int {
	n := 0
	words := sparse.Words(func(yield func(sparse.Vector) bool) {
		for c := range clocks {
			if n++; !yield(c.known) {
				return
			}
		}
	})
	// A Clock itself takes 6 words.
	const clockWords = 6
	return words + clockWords*n
}
