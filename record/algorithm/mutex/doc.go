// Package mutex has the algorithms of mutual exclusion: at most one process at a time is in the critical
// section, and each process that asks enters in the end.
//
// The common part is in section.go: a started process waits, enters, stays for the time hold, leaves. Each
// other file is one algorithm: how a process asks and what it does when it leaves. The papers assume no
// crashes, so no algorithm has a rule for them, and most stop forever.
package mutex
