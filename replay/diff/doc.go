// Package diff compares two runs by what the processes did, not line by line.
//
// In an asynchronous system the recorded order of concurrent events has no meaning. So two runs are compared
// process by process: each must take the same steps in the same order, and each receive must be of the
// corresponding message. Messages correspond if they are the k-th of their type from one process to another in
// their run; their ids are ignored. By Lamport's argument two such runs are the same partial order of events,
// and no process can distinguish them (Lamport, CACM 21(7), 1978).
//
// Processes correspond by their names. Losses are no steps of a process: they are compared as a set, their
// places and times like those of steps. Splits and heals of the network, and notes of no process, are steps of
// the network and compared in their order.
//
// Both runs are read side by side, and memory holds only the lead of one over the other. Where they differ,
// they are read once more, one after the other, to find what each did, which difference causes which, and how
// the ends differ. The time is linear in the length of the runs.
package diff
