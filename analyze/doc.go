// Package analyze decides properties of runs after the fact. It makes one
// pass over the events of a run, keeps the state that they tell (package
// replay), and asks each property in turn. It knows nothing of the algorithm
// that made the run.
//
// # A verdict is one of all completions
//
// A recording stands for all its completions, the runs that would have been recorded so, and a verdict is one of
// all of them. No check enumerates them. tracefmt.Coverage answers one question, whether a fact (a kind of
// event, or the assignments of a variable) may have happened at a process between two events without being
// recorded; the header says it, or, where it is silent, the events that occur. A monitor finds what it always
// found, in what is recorded, and says with it which unrecorded facts would undo the finding
// (Result.ViolateUnless, OweUnless) and on which facts its silence rests (Relying, else all that
// Property.Convicts lists). What may be missing of these makes the verdict unknown, and is what it needs. A
// property that names a fact too many is unknown more often than it must; one that names a fact too few is
// wrong. Where the run declares nothing, a kind that never occurs is not recorded: a crash, say, so that it
// neither convicts a leader nor excuses one until --complete crash=all says that there was none. That a run is
// quiescent is the header's word on its completions, too: it is believed unless what is recorded, and cannot be
// undone by what is not, refutes it.
package analyze
