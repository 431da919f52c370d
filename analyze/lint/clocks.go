package lint

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// ownEntries is the fold of the vector clocks that a log carried. It has, for each process, the own entry of
// its last event, and the greatest entry for it in a clock of another process.
type ownEntries struct {
	ids           map[string]tracefmt.ProcessID
	last, claimed []ownEntry // by process
	// before and current are the own entries of the previous and the current event of the process. unknown is a
	// name in the current clock that is no process of the run, "" for none.
	before, current ownEntry
	unknown         string
	clocked         bool // the current event has a clock
}

// ownEntry is an entry of a clock and its event.
type ownEntry struct {
	entry int64
	seq   tracefmt.Seq
}

// sharedEntries returns the fold that all monitors of a check share.
func sharedEntries(f *analyze.Folds) *ownEntries {
	return analyze.Shared(f, func(run *tracefmt.Run) *ownEntries {
		n := len(run.Members) + 1
		entries := &ownEntries{
			ids: make(map[string]tracefmt.ProcessID, n), last: make([]ownEntry, n),
			claimed: make([]ownEntry, n),
		}
		for i := range run.Members {
			entries.ids[run.Members[i].Name] = tracefmt.ProcessID(i + 1)
		}
		return entries
	})
}

// Step implements [analyze.Fold].
func (f *ownEntries) Step(_ *replay.State, e *tracefmt.Event) {
	clock := e.LoggedClock()
	f.clocked = clock != nil && e.Process != 0
	f.unknown = ""
	if !f.clocked {
		return
	}
	f.before, f.current = f.last[e.Process], ownEntry{0, e.Seq}
	for name, value := range tracefmt.Fields(clock) {
		entry, _ := tracefmt.ParseInteger(value)
		p := f.ids[string(name)]
		switch {
		case p == 0:
			f.unknown = string(name)
		case p == e.Process:
			f.current.entry = entry
		case entry > f.claimed[p].entry:
			f.claimed[p] = ownEntry{entry, e.Seq}
		}
	}
	f.last[e.Process] = f.current
}

// ownSequence is the monitor of own-sequence.
type ownSequence struct {
	quiet
	entries *ownEntries
}

func newOwnSequence(*tracefmt.Run) analyze.Monitor { return &ownSequence{} }

// Follow implements [analyze.Follower].
func (m *ownSequence) Follow(f *analyze.Folds) { m.entries = sharedEntries(f) }

// Step implements [analyze.Monitor].
func (m *ownSequence) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.entries.clocked {
		return
	}
	r.Examined++
	before, current := m.entries.before, m.entries.current
	if current.entry == before.entry+1 {
		return
	}
	r.ViolateUnless(partlyDeclared(s, e.Process, before.seq, e.Seq), func() string {
		return fmt.Sprintf("the own entry of process %s in its clocks goes from %d to %d at seq %d, expected %d",
			s.Run.ProcessName(e.Process), before.entry, current.entry, e.Seq, before.entry+1)
	}, before.seq, e.Seq)
}

// partlyDeclared returns a need for each kind of event that the run declares partly recorded at p. A gap is
// no excuse, since an import declares the gaps that clocks show.
func partlyDeclared(s *replay.State, p tracefmt.ProcessID, from, end tracefmt.Seq) []analyze.Need {
	var needs []analyze.Need
	for _, k := range tracefmt.Kinds() {
		if f := (tracefmt.Fact{Kind: k}); k.Info().Process != tracefmt.Absent &&
			s.Coverage().Declared(p, f) == tracefmt.Some {
			needs = append(needs, analyze.Need{Process: p, Fact: f, From: from, To: end})
		}
	}
	return needs
}

// knownEvents is the monitor of known-events.
type knownEvents struct{ entries *ownEntries }

func newKnownEvents(*tracefmt.Run) analyze.Monitor { return &knownEvents{} }

// Follow implements [analyze.Follower].
func (m *knownEvents) Follow(f *analyze.Folds) { m.entries = sharedEntries(f) }

// Step implements [analyze.Monitor].
func (m *knownEvents) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.entries.clocked {
		return
	}
	r.Examined++
	if name := m.entries.unknown; name != "" {
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("the clock of process %s at seq %d has an entry for %s, which the run does not "+
				"have, expected processes of the run", s.Run.ProcessName(e.Process), e.Seq, text.Quote(name))
		}, e.Seq)
	}
}

// End implements [analyze.Monitor].
func (m *knownEvents) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	for i, claim := range m.entries.claimed {
		p, last := tracefmt.ProcessID(i), m.entries.last[i]
		if claim.entry <= last.entry {
			continue
		}
		r.ViolateUnless(partlyDeclared(s, p, last.seq, 0), func() string {
			limit := "which has no events with a clock"
			if last.seq != 0 {
				limit = fmt.Sprintf("whose last is event %d, at seq %d", last.entry, last.seq)
			}
			return fmt.Sprintf("the clock at seq %d knows of event %d of process %s, %s, expected at most %d",
				claim.seq, claim.entry, s.Run.ProcessName(p), limit, last.entry)
		}, last.seq, claim.seq)
	}
}

// unknownHost is the monitor of unknown-host.
type unknownHost struct {
	acted []bool         // by process: it has an event of its own
	named []tracefmt.Seq // by process: the first event of another process that names it
}

func newUnknownHost(run *tracefmt.Run) analyze.Monitor {
	return &unknownHost{make([]bool, len(run.Members)+1), make([]tracefmt.Seq, len(run.Members)+1)}
}

// wordsForNone are the words of logs for no process.
var wordsForNone = []string{"", "0", "-1", "none", "None"}

// Step implements [analyze.Monitor].
func (m *unknownHost) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	r.Examined++
	if e.Kind != tracefmt.Lose {
		m.acted[e.Process] = true
	}
	if m.named[e.Peer] == 0 {
		m.named[e.Peer] = e.Seq
	}
	if e.Process == 0 || s.Process(e.Process).Elected != replay.Nobody || s.Process(e.Process).ElectedAt != e.Seq {
		return
	}
	value, _ := e.Field("elected")
	var name string
	if json.Unmarshal(value, &name) != nil {
		name = string(value)
	}
	if slices.Contains(wordsForNone, name) {
		return
	}
	r.ViolateUnless(nil, func() string {
		return fmt.Sprintf("process %s has elected %s at seq %d, which the run does not have",
			s.Run.ProcessName(e.Process), text.Quote(name), e.Seq)
	}, e.Seq)
}

// End implements [analyze.Monitor]. In a complete recording a process may do nothing.
func (m *unknownHost) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if s.Coverage().Complete() {
		return
	}
	for i := 1; i < len(m.acted); i++ {
		p := tracefmt.ProcessID(i)
		if m.acted[p] || m.named[p] == 0 || s.Coverage().NothingRecorded(p) {
			continue
		}
		r.ViolateUnless(partlyDeclared(s, p, 0, 0), func() string {
			return fmt.Sprintf("process %s is named at seq %d and has no event of its own, expected its events, "+
				"or that the run declares it as none", s.Run.ProcessName(p), m.named[p])
		}, m.named[p])
	}
}
