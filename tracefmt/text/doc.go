// Package text has the common ways to write text for people. It makes text of any origin harmless ([Printable])
// and short ([Short], [Quote]). It writes numbers with nouns ([Counted]), lists ([And], [Or], [Some]),
// documentation ([FirstSentence], [Indent]), and the error for an unknown name ([Unknown], [Nearest]).
// [Registry] is the type of all lists of named things that callers may extend: algorithms, properties, formats,
// diagrams.
//
// It imports the standard library only.
package text
