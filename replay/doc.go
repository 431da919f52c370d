// Package replay folds the events of a run into the state of its processes
// and channels. It is pure: it knows what the trace says and nothing of the
// algorithm that made it.
//
// A [State] goes forward, event by event. A [Cursor] stands at an event of a
// recording and goes back, too, by checkpoints: to a seq, a time, or the next
// event that fits a [Pattern]; it knows what the event changed, and the vector
// clocks of all processes ([Clocks]). [Sentence] tells an event in words.
package replay
