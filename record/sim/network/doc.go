// Package network is virtual time and the space between processes: a queue of future events, and the fate of
// each message. It takes the messages of any processes, those of the simulator's protocols or of other
// programs, since it never reads a payload. The name of a message's type, which rules and choices use, is
// passed beside it. It knows processes by their numbers only.
//
// A [Network] is driven from outside: its user sends, sets timers and plans actions, which all go through one queue,
// and asks for the next event. At one instant events happen in the order of the [Class]es: faults,
// then deliveries in the order of their sends, then the steps of a round, then timers in the order they were
// set, then starts. A channel is FIFO unless the config declares otherwise. A partition takes a message when
// it is sent. A message to a crashed receiver is lost when it arrives; the user decides that.
//
// All is deterministic: equal configs and equal calls give equal results on any machine. The package starts no
// goroutine and reads no clock.
package network
