// Package analyze decides properties of runs after the fact. It makes one pass over the events of a run, updates
// the state (package replay), and passes both to each property's monitor. It knows nothing of the algorithm that
// made the run.
//
// # A verdict holds in all completions
//
// A recording represents all its completions, the runs that could have been recorded so, and a verdict is about
// all of them. No check enumerates them. tracefmt.Coverage answers one question: may a fact (a kind of event, or
// the assignments of a variable) have happened unrecorded at a process between two events? The header declares it
// or, without a declaration, the events that occur decide. A monitor examines the record. With each finding it
// names the unrecorded facts that would undo the finding (Result.ViolateUnless, OweUnless), and the facts on
// which the absence of a finding rests (Relying, by default all of Property.ViolatedBy). If some of these may be
// missing, the verdict is unknown, and they are its needs. A property that names a fact too many is unknown more
// often than necessary; a property that names a fact too few is wrong. Without a declaration, a kind that never
// occurs is not recorded. An example are crashes: they neither show a violation nor explain one until --complete
// crash=all declares that all crashes are in the log. The header also declares that a run is quiescent: that is
// believed unless the record refutes it.
package analyze
