// Package termination has the algorithms that detect the end of a computation: a
// detector announces it, not before all are passive and none of its messages is on its way,
// and in the end.
//
// The computation that is watched is the same for all, in work.go: jobs that make
// further jobs. Each file beside it is one detector, and says what it does when the
// computation sends, receives, or a process has nothing left to do. No process
// crashes in the texts, and no message is lost: no detector has a rule for that.
package termination
