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
package explain
