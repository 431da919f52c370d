// Package experiment holds the packages that make many executions and judge each of them. No other part of
// analyze knows how runs are made: these packages join the algorithms of record, and the replays of
// replay/rerun, with the checkers, which know neither.
//
//   - trial: one execution, checked and counted; the measures of a run; the pool of workers.
//   - suite: files of cases; a case is a scenario and the expected results of its run.
//   - hunt: searches for a run that violates a property, and for the smallest fault plan that leads to
//     it.
//   - orders: every order in which a small run can happen.
//   - adversary: the run with the maximum or minimum of a measure, over schedules and orders of the ring,
//     with a proof where one was found.
//   - whatif: a changed run beside the run from which it was made.
package experiment
