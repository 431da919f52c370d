// Package document is the model of a report: headings, paragraphs, lists and tables. A command says what its
// report contains; the writers of this package say how that looks as text, Markdown, LaTeX or HTML. All text may come
// from a foreign file: each writer escapes it for its form.
package document
