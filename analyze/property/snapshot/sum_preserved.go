package snapshot

import (
	"cmp"
	"fmt"
	"iter"
	"math/big"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var sumPreserved = analyze.Property{
	Name: "sum-preserved",
	Kind: analyze.Safety,
	Doc: `The states and channels of a snapshot add up to the initial amounts of the processes.

The initial amount of a process is the first value of its variable amount, 0 without one; its recorded amount is the
field "state" of its note "record". The field "channels" of its note "recorded" has the amounts in channels, by
sender. In place of channels, the note "record" may have the fields "sent" and "received": the sums sent to and
received from each other process. Each channel then holds the difference, and a negative difference is a violation.
Amounts are whole numbers, or lists of them, which are added up. The property is examined if each participant has
recorded its part (see snapshot-complete); if the run does not state whether a process participates, it participates
if it has an amount or records. A computation that loses or creates messages does not preserve the sum: runs without
the traits no-loss and no-duplication are examined only if the property is named. A run with a Byzantine process is
not examined, since that process may record any amount.`,
	Needs:        snapshotNeeds + ", with amounts; state events that assign amount",
	Source:       paper.ChandyLamport + ", 2: the single-token conservation system",
	WitnessOmits: "the amounts, which are added up",
	Problem:      tracefmt.Snapshot,
	Presumed:     []string{tracefmt.NoLoss, tracefmt.NoDuplicates},
	ViolatedBy:   append(analyze.Facts("note"), amountFact),
	ExcusedBy:    append(analyze.Facts("note"), amountFact),
	Triggers:     append(analyze.Facts("note"), amountFact),
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &sumMonitor{began: make([]tracefmt.Seq, n), inChannel: make(map[link]*big.Int)}
	},
}

var amountFact = tracefmt.StateOf(amountVariable)

// sumMonitor compares the sum of the initial amounts with the sum of all parts of the snapshot.
type sumMonitor struct {
	snapshot *snapshot
	began    []tracefmt.Seq // by process: its first record of an amount
	// initial is the sum of the initial amounts, and found the sum of the snapshot.
	initial, found big.Int
	inChannel      map[link]*big.Int // the amount sent by the first minus the amount received by the second, by their records
	hasAmounts     bool              // some process has the variable amount
	unread         bool              // some amount is no number
}

// link is the channel from a process to another one.
type link struct{ from, receiver tracefmt.ProcessID }

// Follow implements [analyze.Follower].
func (m *sumMonitor) Follow(f *analyze.Folds) { m.snapshot = analyze.Shared(f, newSnapshot) }

// Step adds an initial amount, or the amounts of a recorded part.
func (m *sumMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || m.snapshot.nonParticipants[e.Process] {
		return
	}
	if value, ok := members.Assigned(e, amountVariable); ok && m.began[e.Process] == 0 {
		m.hasAmounts, m.began[e.Process] = true, e.Seq
		m.add(r, e, amountVariable, value, &m.initial, 1)
	}
	if e.Kind != tracefmt.Note {
		return
	}
	if m.snapshot.records(e) {
		for _, part := range sumParts {
			if value, ok := e.Field(part.key); ok {
				m.add(r, e, part.key, value, &m.found, part.sign)
				m.addToChannels(s.Run, e.Process, part.key, value)
			}
		}
	}
	if m.snapshot.completes(e) {
		if value, ok := e.Field(channelsKey); ok {
			m.add(r, e, channelsKey, value, &m.found, 1)
		}
	}
}

// sumParts are the parts of the sum in a note record.
var sumParts = []struct {
	key  string
	sign int64
}{{stateKey, 1}, {sentKey, 1}, {receivedKey, -1}}

// add adds all numbers of a value, of an object or a list as well, with a sign.
func (m *sumMonitor) add(
	r *analyze.Result, e *tracefmt.Event, key string, value []byte, receiver *big.Int, sign int64,
) {
	sum, ok := total(value)
	if !ok {
		m.unread = true
		r.Undecided(func() string {
			return fmt.Sprintf("%s at seq %d is %s, expected a whole number, or several in a list or by process",
				key, e.Seq, members.Short(value))
		})
		return
	}
	receiver.Add(receiver, sum.Mul(sum, big.NewInt(sign)))
}

// addToChannels adds the amounts that p has sent to the processes in the value, or received from them.
func (m *sumMonitor) addToChannels(run *tracefmt.Run, p tracefmt.ProcessID, key string, value []byte) {
	for name, part := range tracefmt.Fields(value) {
		q, known := run.Process(string(name))
		amount, ok := total(part)
		if !known || !ok {
			continue
		}
		channel := link{p, q}
		switch key {
		case sentKey: // the channel from p to q
		case receivedKey:
			channel = link{q, p}
			amount.Neg(amount)
		default:
			continue
		}
		if old := m.inChannel[channel]; old != nil {
			amount.Add(amount, old)
		}
		m.inChannel[channel] = amount
	}
}

// overdrawn returns the channels on which more was received than sent, in order.
func (m *sumMonitor) overdrawn() []link {
	return slices.SortedFunc(func(yield func(link) bool) {
		for at, amount := range m.inChannel {
			if amount.Sign() < 0 && !yield(at) {
				return
			}
		}
	}, func(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.receiver, b.receiver)) })
}

// longestNumber bounds the digits of an amount.
const longestNumber = 100

// total returns the sum of the whole numbers of a value, 0 for null.
func total(value []byte) (sum *big.Int, ok bool) {
	sum = new(big.Int)
	add := func(part []byte) bool {
		partSum, ok := total(part)
		if ok {
			sum.Add(sum, partSum)
		}
		return ok
	}
	switch {
	case len(value) == 0:
		return sum, false
	case members.IsNull(value):
		return sum, true
	case value[0] == '{':
		for _, part := range tracefmt.Fields(value) {
			if !add(part) {
				return sum, false
			}
		}
		return sum, true
	case value[0] == '[':
		for part := range tracefmt.Items(value) {
			if !add(part) {
				return sum, false
			}
		}
		return sum, true
	// A hostile trace may have numbers of any length.
	case len(value) > longestNumber:
		return sum, false
	}
	_, ok = sum.SetString(string(value), 10)
	return sum, ok
}

// End compares the sums of a complete snapshot. It also reports a channel on which more was received than sent.
func (m *sumMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case !m.snapshot.end(r):
		return
	case !m.hasAmounts:
		r.NotApplicable("no process has a variable " + amountVariable)
		return
	case slices.ContainsFunc(members.All(s.Run), func(p tracefmt.ProcessID) bool { return s.Run.Role(p) == tracefmt.Byzantine }):
		r.NotApplicable("a Byzantine process may record any amount")
		return
	}
	last := m.completedAt(s)
	if last == 0 || m.unread {
		return
	}
	r.Examined++
	overdrawn := m.overdrawn()
	switch {
	case m.initial.Cmp(&m.found) != 0:
		r.ViolateUnless(m.restsOn(s), func() string {
			return fmt.Sprintf("the states and channels of the snapshot, which is complete at seq %d, add up to "+
				"%s, and the processes began with %s", last, &m.found, &m.initial)
		}, m.snapshot.first, last)
	case len(overdrawn) > 0:
		at := overdrawn[0]
		r.ViolateUnless(m.restsOn(s), func() string {
			return fmt.Sprintf("by the snapshot, which is complete at seq %d, process %s has received %s more "+
				"from process %s than that has sent to it",
				last, s.Run.ProcessName(at.receiver), new(big.Int).Neg(m.inChannel[at]), s.Run.ProcessName(at.from))
		}, m.snapshot.first, last)
	}
}

// completedAt returns the event that completed the snapshot, 0 if a part is missing.
func (m *sumMonitor) completedAt(s *replay.State) (last tracefmt.Seq) {
	for _, p := range members.All(s.Run) {
		if m.isMissing(s.Run, p) {
			return 0
		}
		last = max(last, m.snapshot.complete[p])
	}
	return last
}

// isMissing reports whether p takes part in the snapshot, and its part is not complete. It takes part by its role, by an
// amount, or by the beginning of its record.
func (m *sumMonitor) isMissing(run *tracefmt.Run, p tracefmt.ProcessID) bool {
	return m.snapshot.complete[p] == 0 && (run.Part(p) == tracefmt.TakesPart || m.began[p] != 0 ||
		m.snapshot.recorded[p] != 0)
}

// restsOn returns the facts on which the sums rest, and the completeness of the participants' records.
func (m *sumMonitor) restsOn(s *replay.State) (needs []analyze.Need) {
	for _, p := range members.All(s.Run) {
		if s.Run.Part(p) == tracefmt.Bystander {
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, m.snapshot.complete[p], unrecorded.NoteFacts...)...)
		needs = append(needs, analyze.Needs(p, 0, m.began[p], amountFact)...)
	}
	return needs
}

// Relies implements [analyze.Relying]: the sums, unless the part of a process is certainly missing.
func (m *sumMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	for _, p := range members.All(s.Run) {
		if m.isMissing(s.Run, p) && unrecorded.None(s, analyze.Needs(p, 0, 0, unrecorded.NoteFacts...)) {
			return nil
		}
	}
	return slices.Values(m.restsOn(s))
}
