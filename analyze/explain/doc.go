// Package explain says why a property is violated: which of the events that
// led to the violation matter, and what happens at them, in words.
//
// An event matters for one of two reasons. It led to the witness: a receive is
// there because of its send, a timeout because of the setting of the timer,
// and, in a simulated run, what a process does because of what happened to it last:
// a recording of another program does not say so. Or the property
// needs it: without the crash of a process, say, another would be the best.
// The former are found by following the trace back from the witness. The
// latter are found by trial: as many other events as possible are left out,
// each with all that is there because of it, as long as the property, checked
// again on what is left, is still violated with the same witness.
//
// What was left of them is tried once more, one by one: without it, and what is there
// because of it, the violation with this witness does not show. Another one of the same
// property may; then the explanation says so.
//
// So the events of an explanation need not be a run of the algorithm; they are
// what one would have to take out of the run to take the violation out.
// That processes start, and with which variables, is taken as given.
//
// # An explanation is what the violation needs
//
// From the causal past of the witness, events are left out as long as a check of the rest finds the same
// violation, one with the same witness, and until none can be left out. Removing must keep the run one that
// could have been: a receive needs its send, a timeout its timer, what a process does needs what happened to it
// last, a suspicion or a loss the crash. So what led to the witness always stays, and the list says without
// which events the property is violated all the same, though in another way. The budget is a number of events
// and not time, so that the same run always gives the same explanation.
package explain
