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
package sim
