package property

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var sumPreserved = analyze.Property{
	Name: "sum-preserved",
	Kind: analyze.Safety,
	Doc: `The states and channels of a snapshot add up to what the processes began with.

What a process begins with is the first value of its variable amount, 0 without one; what
it records is state in the payload of its note record. What is in channels is under channels in that of its
note recorded, by sender, or is the difference of what all have sent and received, by process, under sent and
received in their notes record: no process has received more from another one than that one
has sent to it. These are whole numbers, or lists of them, which are added up. It is
examined where each process has recorded its part (see snapshot-complete) that takes part; one of
which the run does not say whether it takes part does if it has an amount or records.
A computation that loses or makes messages up does not preserve the sum: runs that do not state the
traits no-loss and no-duplication are examined if the property is asked for by name. A run
with a Byzantine process is not: it may say that it has any amount.`,
	Needs:        snapshotNeeds + ", with amounts; state events that assign amount",
	Source:       chandyLamport + ", 2: the single-token conservation system",
	WitnessOmits: "the amounts, which are added up",
	Problem:      tracefmt.Snapshot,
	Presumed:     []string{tracefmt.NoLoss, tracefmt.NoDuplicates},
	Convicts:     append(analyze.Facts("note"), amountFact),
	Acquits:      append(analyze.Facts("note"), amountFact),
	Triggers:     append(analyze.Facts("note"), amountFact),
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &sumMonitor{began: make([]tracefmt.Seq, n), inChannel: make(map[link]*big.Int)}
	},
}

var amountFact = tracefmt.StateOf(amountVariable)

type sumMonitor struct {
	snapshot *snapshot
	began    []tracefmt.Seq // by process: where it first had an amount
	// initial is what all began with, and found what the snapshot has.
	initial, found big.Int
	inChannel      map[link]*big.Int // what the one has sent, by its record, without what the other has received
	told           bool              // some process has the variable amount
	unread         bool              // something is no number
}

// link is the way from a process to another one.
type link struct{ from, to tracefmt.ProcessID }

// Follow implements [analyze.Follower].
func (m *sumMonitor) Follow(f *analyze.Folds) { m.snapshot = analyze.Shared(f, newSnapshot) }

func (m *sumMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || m.snapshot.aside[e.Process] {
		return
	}
	if value, ok := assigned(e, amountVariable); ok && m.began[e.Process] == 0 {
		m.told, m.began[e.Process] = true, e.Seq
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

// sumParts are what a note record has of the sum.
var sumParts = []struct {
	key  string
	sign int64
}{{stateKey, 1}, {sentKey, 1}, {receivedKey, -1}}

// add adds all numbers of a value, of an object or a list as well, with a sign.
func (m *sumMonitor) add(r *analyze.Result, e *tracefmt.Event, key string, value []byte, to *big.Int, sign int64) {
	sum, ok := total(value)
	if !ok {
		m.unread = true
		r.Undecided(func() string {
			return fmt.Sprintf("%s at seq %d is %s, expected a whole number, or several in a list or by process", key, e.Seq, short(value))
		})
		return
	}
	to.Add(to, sum.Mul(sum, big.NewInt(sign)))
}

// addToChannels takes in what p has sent to the processes that the value names, or received from them.
func (m *sumMonitor) addToChannels(run *tracefmt.Run, p tracefmt.ProcessID, key string, value []byte) {
	for name, part := range tracefmt.Fields(value) {
		q, known := run.Process(string(name))
		amount, ok := total(part)
		if !known || !ok {
			continue
		}
		at := link{p, q}
		switch key {
		case sentKey:
		case receivedKey:
			at = link{q, p}
			amount.Neg(amount)
		default:
			continue
		}
		if old := m.inChannel[at]; old != nil {
			amount.Add(amount, old)
		}
		m.inChannel[at] = amount
	}
}

// overdrawn are the ways on which more was received than was sent, in order.
func (m *sumMonitor) overdrawn() []link {
	return slices.SortedFunc(func(yield func(link) bool) {
		for at, amount := range m.inChannel {
			if amount.Sign() < 0 && !yield(at) {
				return
			}
		}
	}, func(a, b link) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

// longestNumber is how many digits an amount may have.
const longestNumber = 100

// total is the sum of the whole numbers of a value; null has none.
func total(value []byte) (sum *big.Int, ok bool) {
	sum = new(big.Int)
	add := func(part []byte) bool {
		of, ok := total(part)
		if ok {
			sum.Add(sum, of)
		}
		return ok
	}
	switch {
	case len(value) == 0:
		return sum, false
	case isNull(value):
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
	case len(value) > longestNumber:
		return sum, false
	}
	_, ok = sum.SetString(string(value), 10)
	return sum, ok
}

func (m *sumMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case !m.snapshot.end(r):
		return
	case !m.told:
		r.NotApplicable("no process has a variable " + amountVariable)
		return
	case slices.ContainsFunc(allProcesses(s.Run), func(p tracefmt.ProcessID) bool { return s.Run.Role(p) == tracefmt.Byzantine }):
		r.NotApplicable("a Byzantine process may say that it has any amount")
		return
	}
	last := m.last(s)
	if last == 0 || m.unread {
		return
	}
	r.Examined++
	overdrawn := m.overdrawn()
	switch {
	case m.initial.Cmp(&m.found) != 0:
		r.ViolateUnless(m.rests(s), func() string {
			return fmt.Sprintf("the states and channels of the snapshot, which is complete at seq %d, add up to "+
				"%s, and the processes began with %s", last, &m.found, &m.initial)
		}, m.snapshot.first, last)
	case len(overdrawn) > 0:
		at := overdrawn[0]
		r.ViolateUnless(m.rests(s), func() string {
			return fmt.Sprintf("by the snapshot, which is complete at seq %d, process %s has received %s more "+
				"from process %s than that has sent to it",
				last, s.Run.ProcessName(at.to), new(big.Int).Neg(m.inChannel[at]), s.Run.ProcessName(at.from))
		}, m.snapshot.first, last)
	}
}

// last is where the last part of the snapshot was recorded, 0 if one is missing.
func (m *sumMonitor) last(s *replay.State) (last tracefmt.Seq) {
	for _, p := range allProcesses(s.Run) {
		if m.isMissing(s.Run, p) {
			return 0
		}
		last = max(last, m.snapshot.complete[p])
	}
	return last
}

// isMissing reports whether p takes part and has not recorded its part.
func (m *sumMonitor) isMissing(run *tracefmt.Run, p tracefmt.ProcessID) bool {
	return m.snapshot.complete[p] == 0 && (run.Part(p) == tracefmt.TakesPart || m.began[p] != 0 || m.snapshot.recorded[p] != 0)
}

// rests is on what the sums rest, and that it is all who take part that have recorded.
func (m *sumMonitor) rests(s *replay.State) (needs []analyze.Need) {
	for _, p := range allProcesses(s.Run) {
		if s.Run.Part(p) == tracefmt.StandsBy {
			continue
		}
		needs = append(needs, analyze.Needs(p, 0, m.snapshot.complete[p], noteFacts...)...)
		needs = append(needs, analyze.Needs(p, 0, m.began[p], amountFact)...)
	}
	return needs
}

// Relies implements [analyze.Relying]: the sums, unless the part of a process is certainly missing.
func (m *sumMonitor) Relies(s *replay.State, _ analyze.Ending) []analyze.Need {
	for _, p := range allProcesses(s.Run) {
		if m.isMissing(s.Run, p) && certain(s, analyze.Needs(p, 0, 0, noteFacts...)) {
			return nil
		}
	}
	return m.rests(s)
}
