// Package mutex has the algorithms of mutual exclusion: at most one process at a time
// is in the critical section, and whoever asks gets in.
//
// What they share is in section.go: a process that is started waits, enters, stays for
// the time hold, leaves. Each file beside it is one algorithm, and says how a process
// asks and what it does when it leaves. No process crashes in the texts: no algorithm has a
// rule for that, and most stop forever.
package mutex
