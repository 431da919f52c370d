// Package diff compares two runs by what the processes did, not line by line.
//
// In an asynchronous system the order in which concurrent events were written
// down means nothing. So two runs are compared with each other process by
// process: each must take the same steps in the same order, and each receive
// must be of the message that corresponds. Messages correspond if they are the
// k-th of their type from one process to another in their run; their ids do
// not matter. By Lamport's argument two such runs are the same partial order
// of events, and no process can distinguish them (Lamport, CACM 21(7), 1978).
//
// Processes correspond by their names. Losses are no steps of a process: they
// are compared as a set, and their place in the recorded order and their times as
// those of steps are. Splits and heals of the network, and notes of no
// process, are steps of the network and compared in their order.
//
// Both runs are read side by side, and what is kept is how far one is ahead of
// the other. Only where they differ are they read once more, one after the
// other, to tell what each did, which difference is the cause of which, and
// how the ends differ. The cost is linear in the length of the runs.
package diff
