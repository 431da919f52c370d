// Package trial is one execution of an experiment: a scenario that is run,
// checked and counted ([Run]), or a recording that is ([Examine]), and what can
// be measured of it ([Measure], [Value]). [Each] makes many at a time.
package trial
