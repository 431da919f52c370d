// Package sparse has vectors, rows and sets of numbers for runs of many processes. Most processes know few
// others, and processes that exchange messages know much the same.
//
// A [Vector] never changes. A vector made from others shares the pages that are equal, and a page of zeros
// takes no memory, so its cost follows what is new in it. If each of thousands of processes has heard of three
// others, a vector takes about three pages instead of a number for each pair of processes.
// Numbers only grow when vectors are joined, so a page that two vectors share need not be compared. This is a
// persistent data structure, two levels deep (Driscoll, Sarnak, Sleator, Tarjan, Making Data Structures
// Persistent, 1989).
package sparse
