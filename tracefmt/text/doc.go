// Package text holds what etrace says things with to people, once for all
// packages: text of any origin made harmless ([Printable]) and short ([Short],
// [Quote]), numbers with their nouns ([Counted]), lists ([And], [Or], [Some]),
// documentation ([FirstSentence], [Indent]), and the one error for a name that
// is not known ([Unknown], [Nearest]). [Registry] is the one idiom for lists of
// named things that callers may extend: algorithms, properties, formats,
// diagrams.
//
// It imports the standard library only.
package text
