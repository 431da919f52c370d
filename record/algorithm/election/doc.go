// Package election holds the election algorithms that etrace simulates, one file each. The rules are those of
// the source texts, read as literally as possible. Where a text is silent or ambiguous, a parameter selects
// the reading.
//
// Process numbers are in ascending order of the ids: a greater number is a better process. When a process
// sends to several others, it does so in ascending order.
package election
