// Package shiviz reads and writes logs with vector clocks: those of ShiViz and GoVector,
// and others by a regular expression. The expression is matched in
// windows of a few lines; the log is kept as a whole all the same, at most
// 256 MiB, since the events of its runs share its text.
package shiviz
