// Package trial executes the runs of an experiment. [Run] runs, checks and counts a scenario, and [Examination]
// does so with a recording. [Measure] and [Value] are the measures of a run. [Workers] make several trials at a
// time. A [Runner] makes many runs one after the other, and keeps only counts and verdicts.
package trial
