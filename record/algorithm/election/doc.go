// Package election holds the election algorithms that etrace simulates, one
// file each. The rules are those of the source texts, read as literally as they
// can be; where a text is silent or its readings differ, a parameter says which
// reading is taken.
//
// Process numbers stand for the processes in ascending order of their ids: a
// greater number is a better process. When a process sends to several others,
// it does so in ascending order.
package election
