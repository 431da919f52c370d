// Package logs reads logs of any program by a mapping. The user names a mapping, or the first lines show the signs of a
// ready one. Otherwise the package guesses a mapping from the first lines.
//
// A guess takes each line out of its envelopes, and cuts off the head that most lines share. The processes are the names
// by which the lines call each other. Sentences and fields become rules, and the rules import the lines for a trial. Of
// several guesses, the guess whose events contradict each other least is used.
package logs
