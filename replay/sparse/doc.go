// Package sparse has vectors, rows and sets of numbers for runs of many processes, of which most
// know of few others, and those that talk to each other know much the same.
//
// A [Vector] never changes. One that is made from others has the pages of theirs
// that it has in common with them, and a page of zeros takes nothing, so that what
// a vector costs follows what is new in it: a run of thousands of processes of
// which each has heard of three takes a page or three for each, not a number for
// each two processes. Numbers only grow when vectors are joined, so that of a page
// which two vectors share nothing need be compared. This is the structure of
// persistent data (Driscoll, Sarnak, Sleator, Tarjan, Making Data Structures
// Persistent, 1989), two levels deep.
package sparse
