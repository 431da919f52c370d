// Package stepper shows a run on a terminal, full-screen, one event at a time,
// forth and back: lifelines, the event in words, the state of every process
// with what the event changed, the messages in flight, and the violated
// properties with the events that show them.
//
// Its model turns key presses into moves of a replay.Cursor, and the state
// into a screen of characters; it is a function of the messages that it is
// given. Long work, such as a pass over a long run, happens in a command of
// the framework; while the cursor moves there, the model leaves it
// alone.
package stepper
