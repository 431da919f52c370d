// Package story reads a run once and makes ready what there is to show of it:
// the events of a window as steps, with their texts, each message matched with
// what became of it; the conditions of the processes at the borders of the
// window, and the spans in which they are up or down; the figures of the whole
// run and what it says in words. Diagrams and notations take it from here: they
// read no events.
//
// All texts of a [Step] are fit to be drawn: one line, short, without control
// characters. What they mean in the language of a picture is for formats and
// notations to care about.
package story
