// Package lint examines recordings, not protocols: whether what is recorded can have
// happened at all, and what of it is missing.
//
// Its [Rule]s are rows of a table. Each has a property (package analyze), whose monitor
// finds what breaks the rule; several are properties of package property, so that a check
// and lint never say the same in two ways. How grave a [Finding] is follows from what the
// run says to tell: what an event that is not recorded would explain is a note, also where
// the rule itself is one whose breach is an error.
package lint
