// Package network is virtual time and what lies between processes: a queue of
// what will happen, and what becomes of each message that is sent. It takes the
// messages of any processes, those of the simulator's protocols or programs of
// their own, since it never looks into a payload: what rules and choices go by,
// the name of a message's type, is passed beside it. It knows processes by
// their numbers only.
//
// A [Network] is driven from outside: its user sends, sets timers and plans
// actions, all of which go through one queue, and asks for what happens next.
// At one instant things happen in the order of the [Class]es: faults, then
// deliveries in the order of their sends, then the steps of a round, then timers
// in the order they were set, then starts. A channel is FIFO unless the config says otherwise.
// Whether a partition takes a message is judged when it is sent, whether its
// receiver is up when it arrives; the latter is up to the user.
//
// All is deterministic: equal configs and equal calls give equal results on
// any machine. The package starts no goroutine and reads no clock.
package network
