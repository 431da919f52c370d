// Package lint examines recordings, not protocols: whether the recorded events are possible, and which are missing.
//
// Its [Rule]s are rows of a table. Each has a property (package analyze), whose monitor finds the breaches of the
// rule. Several are properties of package property, so that a check and lint never implement one condition twice.
// The severity of a [Finding] follows from the run's declared completeness: if an unrecorded event would explain
// the finding, it is a note, even if a breach of the rule is normally an error.
//
// # Lint repeats no other check
//
// A rule of lint is a property with a severity: a property of the catalogue, such as lamport-clocks, a part of
// one (receive-without-send is a part of message-integrity), or one whose monitor is in analyze/lint. The form of
// events is judged by the Validator that also guards imports, and clock skew by the tracefmt.Skews with which
// imports report it. So lint notes what a check leaves undecided for lack of an event: the same needs excuse
// both.
//
// # A repair removes, and invents nothing
//
// If two statements contradict each other, one side may be true, and a repair that chose one would decide
// verdicts by a guess. So neither remains an event, and the header declares less: a gap, or partial completeness.
// The repaired record then fits more runs than before, the true one among them, and the semantics of partial
// recordings handles the rest. The header marks recomputed clocks and order, and properties about these do not
// apply.
package lint
