// Package lint examines recordings, not protocols: whether what is recorded can have
// happened at all, and what of it is missing.
//
// Its [Rule]s are rows of a table. Each has a property (package analyze), whose monitor
// finds what breaks the rule; several are properties of package property, so that a check
// and lint never say the same in two ways. How grave a [Finding] is follows from what the
// run says to tell: what an event that is not recorded would explain is a note, also where
// the rule itself is one whose breach is an error.
//
// # Lint says nothing twice
//
// A rule of lint is a property with a severity: that of the catalogue where there is one, such as
// lamport-clocks, a part of one (receive-without-send is of message-integrity), or one whose monitor is in
// analyze/lint. The form of events is judged by the Validator that also guards imports, and how far clocks are
// apart by the tracefmt.Skews with which imports report it. So what a check would leave undecided for want of an
// event is what lint notes: the same needs excuse both.
//
// # A repair takes back, it does not invent
//
// Of what contradicts itself one side may be true, and a repair that picked one would convict or acquit by a
// guess. So neither remains an event, or the header tells less: a gap, some. The damaged record is then of more
// runs than before, the true one among them, and the semantics of partial recordings does the rest. What is
// computed anew, clocks and order, is marked in the header, and properties of that name do not apply.
package lint
