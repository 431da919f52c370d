// Package overlap finds a condition that holds at two processes at the same time: in the recorded order, in some
// consistent cut, or on every path through the cuts.
package overlap
