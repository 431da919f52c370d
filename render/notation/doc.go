// Package notation writes stories in languages that describe what happened and leave the drawing to other programs,
// such as Mermaid, which many sites draw.
//
// Texts of a run come from anywhere. A notation writes them such that they are
// read as texts, and cannot act in the language or on a page that shows them.
package notation
