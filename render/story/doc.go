// Package story reads a run once and prepares what a picture of it shows: the events of a window as
// steps, with their texts, each message matched with what became of it; the conditions of the
// processes at the borders of the window, and the spans in which they are up or down; the figures of
// the whole run and its summary in words. Diagrams and notations take it from here: they read no
// events.
//
// All texts of a [Step] are fit to be drawn: one line, short, without control
// characters. Formats and notations escape these texts for their languages.
package story
