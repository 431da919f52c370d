// Package snapshot has the algorithms that record a global state while the computation
// goes on: states of the processes and what is in flight between them, such that the
// run may have been in that state.
//
// The computation whose state is recorded is the same for all, in payments.go: processes
// that pay each other, so that the sum of all that there is never changes. Each file
// beside it is one algorithm. No process crashes in the texts: no algorithm has a rule for that.
package snapshot
