// Package paper has the sources of several properties.
package paper

// The sources of several properties.
const (
	ChandyLamport       = "Chandy, Lamport, Distributed snapshots: determining global states of distributed systems, 1985"
	CooperMarzullo      = "Cooper, Marzullo, Consistent Detection of Global Predicates, 1991"
	Dijkstra1965        = "Dijkstra, Solution of a Problem in Concurrent Programming Control, 1965"
	Gray                = "Gray, Notes on data base operating systems, 1978"
	DijkstraScholten    = "Dijkstra, Scholten, Termination detection for diffusing computations, 1980"
	garciaMolina        = "Garcia-Molina, Elections in a Distributed Computing System, 1982, the bully algorithm"
	Lamport1978         = "Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978"
	Raft                = "Ongaro, Ousterhout, In Search of an Understandable Consensus Algorithm, 2014"
	ReliableProgramming = "Cachin, Guerraoui, Rodrigues, Introduction to Reliable and Secure Distributed Programming, 2011"
	Slides              = "Slides, CSE 486/586 Distributed Systems, Leader Election"
	SuzukiKasami        = "Suzuki, Kasami, A distributed mutual exclusion algorithm, 1985"
	Tel                 = "Tel, Introduction to Distributed Algorithms, 2000"
	Zab                 = "Junqueira, Reed, Serafini, Zab: High-performance broadcast for primary-backup systems, 2011"
	ZabPractice         = "Medeiros, ZooKeeper's atomic broadcast protocol: Theory and practice, 2012"
)
