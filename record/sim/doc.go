// Package sim runs a protocol in simulated time, deterministically: equal
// configs give equal events, byte for byte, on any machine.
//
// A [Protocol] is declared data: variables, messages, timers, notes and
// operations, each with a Go type, and a function for each thing that can happen
// at a process. So an algorithm reads as in a textbook. Here is one of a
// population that agrees on the greatest number:
//
//	type number struct{ value int64 } // recorded as {"value": 7}
//
//	pr := &sim.Protocol{}
//	greatest := sim.Declare[int64](pr, "greatest", "the greatest number heard of")
//	heard := sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "heard", "who has sent one")
//	news := sim.DeclareMessage[number](pr, "NEWS", "the greatest number that the sender knows")
//
//	pr.Start = func(p *sim.Process) {
//		greatest.Set(p, 10*int64(p.ID()))
//		news.Broadcast(p, number{greatest.Get(p)})
//	}
//	news.On(func(p *sim.Process, from tracefmt.ProcessID, m number) {
//		sim.Insert(p, heard, from)
//		if m.value > greatest.Get(p) {
//			greatest.Set(p, m.value)
//			news.Broadcast(p, m)
//		}
//	})
//
// Variables and fields are numbers, counters, texts, truth values, processes, terms, words,
// lists, sets, maps, and structs of these. Lists, sets and maps never change;
// what would change one returns another, so that nothing on its way is touched
// by what its sender does afterwards. [Insert], [Append], [Put], [Add] and [Raise]
// change a variable and return what it then holds; [Var.Take] and [Var.Clear]
// empty it.
//
// Time, the order of what happens at one instant, and what becomes of messages
// are those of [etrace/record/sim/network]. Whether a message finds its receiver
// up is judged when it arrives. Work inside a process takes no time.
//
// The protocol is a function of its inputs. It reads no clock and draws no
// random number; and it remembers nothing but in its variables.
//
// # A protocol keeps nothing to itself
//
// An algorithm declares its variables, messages and timers, and its functions work on these alone. So the kernel
// records every change without being told, loses the state at a crash, encodes messages from the declaration,
// prints the declaration as documentation, and can compare global states exactly.
//
// # Loops are proved twice
//
// The kernel keeps the hashes of its first states. Where one recurs, it simulates the run again up to the step
// that had it, compares the global states byte by byte, and ends the run with a note that names the two events.
// So the run ends where its state recurs first. In a longer run the state is compared with one saved state
// (Brent's method). The checker believes no note: it folds the trace and compares the two states that the trace
// shows. Of a message on its way that is the time since its send, not until its arrival, so the kernel compares
// that, too. Random delays, losses and duplicates switch the search off, since a state that recurs then proves
// nothing.
//
// # Ballots grow, and the run repeats
//
// A variable or field of the type sim.Counter is one with which a protocol does nothing but compare, copy and
// add; so it does the same from a state with d added to all of them, d later. States are compared relative to
// the first counter in them, the hash leaves counters out, the header names them by path, and both kernel and
// checker prove a loop with a shift. The promise is tested: a run whose counters begin with d
// (sim.Config.CountFrom) must be the run that begins with 0, shifted. Zero is no word for none: it would not
// grow, and the difference to what does is a difference of states.
//
// # Randomness is integers
//
// Floating-point logarithms differ between machines, so exponential delays are drawn by von Neumann's method of
// comparisons. The generator is PCG with the run's seed.
//
// # A round is a step of each process
//
// At the beginning of a round the kernel has each process that takes part do what its protocol says, in the
// order of the processes and after the deliveries of the instant, and records a note round before each step:
// that is the input that conformance gives to a process alone. The number of the round counts as part of the
// global state only once the protocol has asked for it, so that rounds which are all alike are proved to loop.
//
// # Byzantine behaviour is in the plan, not in the algorithm
//
// A process is silent, lies in fields of what it sends, or sends a forged message; the fields are JSON, read by
// the protocol's declaration. The trace records what is sent and does not mark it; the member's role says who is
// Byzantine.
//
// # A mistake of an algorithm is an error of the run
//
// It panics, or sends to a process that is no neighbour. One deferred function around the whole run makes an
// error of it that names process, event and scenario; a step costs one store for it.
//
// # One process, two backends
//
// The kernel runs all processes of a protocol with a network; a sim.Host runs one process alone, fed with the
// inputs that a trace records, and compares its outputs: that is conformance.
package sim
