// Package replay folds the events of a run into the state of its processes and channels. The state depends on
// the trace alone, not on the algorithm that made it.
//
// A [State] goes forward, event by event. A [Cursor] is at an event of a recording and moves in both
// directions, by checkpoints: to a seq, a time, or the next event that matches a [Pattern]. It knows the
// changes of the event and the vector clocks of all processes ([Clocks]). [Sentence] describes an event in
// words.
package replay
