// Package experiment is the place of what makes many executions and judges
// each. Its rooms are the only part of analyze that knows how runs are made:
// they join the algorithms of record, and what replay/rerun executes again,
// with the checkers, which know nothing of either.
//
//   - trial: one execution, checked and counted; the measures of a run; the pool
//     of workers.
//   - suite: files of cases, each a scenario with what its run must come to.
//   - hunt: the search for a run that violates a property, and the smallest plan
//     of faults that leads to it.
//   - orders: every order in which a small run may happen.
//   - adversary: the run in which a measure is greatest or least, over schedules and
//     orders of the ring, with a proof where there is one.
//   - whatif: a run that was changed, beside the run that it was made from.
package experiment
