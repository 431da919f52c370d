package sim

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// RoundNote is the type of the note before the step of a process at the beginning of a round: {"number": 3}.
// Rounds count from 1.
const RoundNote = "round"

// rounds is the state of the rounds of a synchronous protocol.
type rounds struct {
	number int64 // the present round
	// counted is true if the protocol has asked for the number of a round, so that no two rounds are equal.
	counted bool
}

// Round returns the number of the round that is beginning, from 1. A protocol
// that asks for it is never proved to loop, since its rounds differ.
func (p *Process) Round() int64 {
	p.k.rounds.counted = true
	return p.k.rounds.number
}

// roundTimer represents the next round in the running hash.
const roundTimer = Timer(1<<timerNumberShift - 1)

// scheduleRound schedules the next round of a process that participates in rounds, and cancels that of any other
// process.
func (k *kernel) scheduleRound(p *Process) {
	participates := p.up && !p.passive && (k.protocol.InRounds == nil || k.protocol.InRounds(p))
	if participates == (p.round.order != 0) {
		return
	}
	k.hash ^= hashTimer(p.id, roundTimer)
	if !participates {
		p.round = timer{}
		return
	}
	// The next multiple of the length of a round, now if the present instant is one.
	due := (k.net.Now() + k.RoundLength - 1) / k.RoundLength * k.RoundLength
	if due == p.lastRound { // the process has taken its step in this round
		due += k.RoundLength
	}
	p.round = timer{k.net.Schedule(due, network.Round, p.id, 0), due}
}

// scheduleRounds calls enroll for every process.
func (k *kernel) scheduleRounds() {
	if k.protocol.Round == nil {
		return
	}
	for i := range k.processes[1:] {
		k.stepping = &k.processes[i+1]
		k.scheduleRound(k.stepping)
	}
}

// takeRound makes a process take its step at the beginning of a round.
func (k *kernel) takeRound(p *Process, number int64) {
	p.round, p.lastRound = timer{}, k.net.Now()
	k.hash ^= hashTimer(p.id, roundTimer)
	k.rounds.number = number
	k.buf = append(strconv.AppendInt(append(k.buf[:0], `{"number":`...), number, 10), '}')
	k.rec.Local(k.net.Now(), tracefmt.Note, p.id, 0, RoundNote, k.buf)
	k.stepping = p
	k.protocol.Round(p)
	p.flush()
}

// appendRounds appends the part of the global state that belongs to rounds: the time since the present round
// began, the processes that have taken their step, and the number of the round if the protocol uses it.
func (k *kernel) appendRounds(b []byte) []byte {
	if k.protocol.Round == nil {
		return b
	}
	b = binary.AppendVarint(b, int64(k.net.Now()%k.RoundLength))
	if k.rounds.counted {
		b = binary.AppendVarint(b, k.rounds.number)
	}
	for i := range k.processes[1:] {
		taken := byte(0)
		if k.processes[i+1].lastRound == k.net.Now() {
			taken = 1
		}
		b = append(b, taken)
	}
	return b
}

// round applies the beginning of a round, with the number in the trace.
func (h *Host) round(p *Process, e *tracefmt.Event) error {
	value, _ := e.Field("number")
	number, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || number < 1 {
		return fmt.Errorf("a round without a number, expected a payload such as {\"number\": 3}")
	}
	p.lastNumber = number
	h.k.takeRound(p, number)
	return nil
}
