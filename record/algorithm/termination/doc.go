// Package termination has the algorithms that detect the end of a computation. A detector announces the end
// some time after all processes are passive and no message of the computation is in flight, and not before.
//
// The base computation is the same for all, in work.go: jobs that make further jobs. Each other file is one
// detector: what it does when the computation sends, receives, or a process has nothing left to do. The papers
// assume no crashes and no losses, so no detector has a rule for these.
package termination
