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
// Variables and fields are numbers, counters, texts, truth values, processes, terms, words, lists, sets,
// maps, and structs of these. Lists, sets and maps are immutable: a change returns another value, so a
// message in flight is independent of its sender's later steps. [Insert], [Append], [Put], [Add] and [Raise]
// change a variable and return its new value; [Var.Take] and [Var.Clear] empty it.
//
// Time, the order of simultaneous events, and the fates of messages are those of
// [etrace/record/sim/network]. A message is lost if its receiver is down when it arrives. Work inside a
// process takes no time.
//
// The protocol is a function of its inputs. It reads no clock and no random source, and its variables are
// its only memory.
//
// # A protocol has no hidden state
//
// An algorithm declares its variables, messages and timers, and its functions use only these. So the kernel
// can record every change by itself, lose the state at a crash, and encode messages from the declaration. It
// can print the declaration as documentation, and compare global states exactly.
//
// # Loops are proved twice
//
// The kernel keeps the hashes of its first states. If a hash recurs, it simulates the run again up to the
// first step that had it, and compares the global states byte by byte. If they are equal, it ends the run
// with a note that names the two events. So the run ends where its state recurs first. In a longer run the
// state is compared with one saved state (Brent's method). The checker does not trust the note: it folds the
// trace and compares the two states that the trace shows. For a message in flight the trace shows the time
// since its send, not until its arrival, so the kernel compares that, too. With random delays, losses and
// duplicates a recurring state proves nothing, so the search is off.
//
// # Ballots grow, and the run repeats
//
// A protocol may only compare, copy and add variables and fields of type sim.Counter. So after adding d to
// all of them it does the same, with results greater by d. States are compared relative to the first counter
// in them, the hash leaves counters out, and the header names them by path. Kernel and checker both prove a
// loop with a shift. A test of this promise compares a run whose counters begin with d
// (sim.Config.CountFrom) with the run that begins with 0, shifted. Zero must not represent an absent value:
// it would not grow, so its difference to the growing counters would make states differ.
//
// # Randomness is integers
//
// Floating-point logarithms differ between machines, so exponential delays are drawn by von Neumann's method
// of comparisons. The generator is PCG with the run's seed.
//
// # A round is a step of each process
//
// At the beginning of a round the kernel lets each participant take the round step of its protocol, in the
// order of the processes and after the deliveries of the instant. It records a note round before each step,
// as the input for conformance, which follows each process alone. The number of the round is part of the
// global state only after the protocol has asked for it. Otherwise equal rounds would never be proved to
// loop.
//
// # Byzantine behaviour is in the plan, not in the algorithm
//
// A process is silent, lies in fields of what it sends, or sends a forged message; the fields are JSON, read
// by the protocol's declaration. The trace records what is sent, without a mark; the role of the member
// shows that it is Byzantine.
//
// # A mistake of an algorithm is an error of the run
//
// A mistake is a panic, or a send to a process that is no neighbour. One deferred function around the whole
// run turns it into an error that names process, event and scenario. It costs one store per step.
//
// # One process, two backends
//
// The kernel runs all processes of a protocol with a network. A sim.Host runs one process alone, with the
// inputs that a trace records; conformance compares its outputs with the trace.
package sim
