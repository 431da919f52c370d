// Package document is the model of a report: headings, paragraphs, lists and tables. Commands fill it, and the
// writers of this package write it as text, Markdown, LaTeX or HTML. Any text may come from a foreign file, so
// each writer escapes it for its form.
package document
