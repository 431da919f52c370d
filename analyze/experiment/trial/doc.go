// Package trial is one execution of an experiment: a scenario that is run,
// checked and counted ([Run]), or a recording that is ([Examine]), and what can
// be measured of it ([Measure], [Value]). [Workers] make many at a time, and a
// [Runner] many one after the other of which only the counts and verdicts are kept.
package trial
