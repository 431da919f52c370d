// Package stepper shows a run on a terminal, full-screen, one event at a time, forward and back. The screen has lifelines,
// the event in words, the state of every process with the changes of the event, the messages in flight, and the violations.
//
// The model turns key presses into moves of a replay.Cursor, and the state into a screen of characters. It is a function of
// the messages that it receives. Long work, such as a pass over a long run, runs in a command of the framework. While such a
// command moves the cursor, the model does not read the cursor.
package stepper
