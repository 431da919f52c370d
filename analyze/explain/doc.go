// Package explain explains a violation: it lists the events that matter for it, and describes them in words.
//
// An event matters for one of two reasons. Either it led to the witness: the cause of a receive is its send,
// that of a timeout the setting of the timer. In a simulated run, the cause of a process's action is its last
// input; the recording of another program does not have this information. Or the property needs the event: for
// example, without the crash of a process, another process would be the best. The events of the first kind are
// found by following the trace back from the witness. Those of the second kind are found by trial. As many
// other events as possible are removed, each with all its consequences, as long as the property is still
// violated with the same witness.
//
// Then each remaining event is tried once more. Without it and its consequences, this violation does not show.
// Another violation of the same property may, and the explanation mentions it.
//
// So the events of an explanation need not be a run of the algorithm: they are the events that one would have
// to remove to avoid the violation. The starts of processes with their initial variables are taken as given.
//
// # An explanation is minimal
//
// Events of the causal past of the witness are removed as long as a check of the rest finds the same violation,
// one with the same witness, until no event can be removed. The rest must be a possible run: a receive needs
// its send, a timeout its timer, an action its last input, a suspicion or a loss the crash. So the events that
// led to the witness always stay, and the explanation lists the events without which the property is violated
// in another way. The budget counts events instead of time, so the same run always has the same explanation.
package explain
