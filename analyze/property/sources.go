package property

// The texts that several properties are from.
const (
	cooperMarzullo      = "Cooper, Marzullo, Consistent Detection of Global Predicates, 1991"
	dijkstra1965        = "Dijkstra, Solution of a Problem in Concurrent Programming Control, 1965"
	garciaMolina        = "Garcia-Molina, Elections in a Distributed Computing System, 1982, the bully algorithm"
	lamport1978         = "Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978"
	raftPaper           = "Ongaro, Ousterhout, In Search of an Understandable Consensus Algorithm, 2014"
	reliableProgramming = "Cachin, Guerraoui, Rodrigues, Introduction to Reliable and Secure Distributed Programming, 2011"
	slides              = "Slides, CSE 486/586 Distributed Systems, Leader Election"
)
