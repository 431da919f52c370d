// Package property is the library of named properties, one file each. A
// property is examined on the trace alone.
package property

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// all is in the order of the names.
var all = []*analyze.Property{
	&agreement,
	&electionLiveness,
	&electionSafety,
	&electionSafetyAlways,
	&electionSafetyAtAssignment,
	&fifo,
	&messageIntegrity,
	&noStepWhenCrashed,
	&singleLeader,
}

// All returns every property, sorted by name.
func All() []*analyze.Property { return slices.Clone(all) }

// Default returns the properties that are examined when none is named: all but
// the stricter readings.
func Default() []*analyze.Property {
	return slices.DeleteFunc(All(), func(p *analyze.Property) bool { return p.OnRequest })
}

// Lookup returns the properties of these names, in the order given. The error
// suggests the nearest name.
func Lookup(names []string) ([]*analyze.Property, error) {
	var known []string
	for _, p := range all {
		known = append(known, p.Name)
	}
	var found []*analyze.Property
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, tracefmt.Unknown("property", name, known)
		}
		found = append(found, all[i])
	}
	return found, nil
}

const slides = "Slides, CSE 486/586 Distributed Systems, Leader Election, Problem Specification"

// noElection is the reason for properties of the variable elected.
const noElection = "no process has a variable elected"

// atEnd is a monitor that looks at the end of a run only. Where the run ends
// in a loop, its end is every state of the loop.
type atEnd struct {
	check func(r *analyze.Result, s *replay.State, end analyze.Ending)
	// wrong is the outcome for the first state of the loop that violates the
	// property, which is that after the event at.
	wrong *analyze.Result
	at    tracefmt.Seq
	// looked: the first state of the loop was looked at.
	looked bool
}

func (*atEnd) Step(*analyze.Result, *replay.State, *tracefmt.Event) {}

func (m *atEnd) Recur(s *replay.State, e *tracefmt.Event) {
	if m.wrong != nil || m.looked && !changesLeader(e.Kind) {
		return
	}
	m.looked = true
	var r analyze.Result
	if m.check(&r, s, analyze.Ending{LoopTo: s.Seq}); r.Violations > 0 {
		m.wrong, m.at = &r, s.Seq
	}
}

func (m *atEnd) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
		return
	}
	m.check(r, s, end)
	if end.Looping() && r.Violations == 0 && m.wrong != nil {
		r.Violate(func() string {
			return fmt.Sprintf("in the loop in which the run ends, after seq %d: %s", m.at, m.wrong.Explanation)
		}, m.wrong.Witness...)
		r.Violations = m.wrong.Violations
	}
}

// live returns the live processes in ascending order.
func live(s *replay.State) []tracefmt.ProcessID {
	var ps []tracefmt.ProcessID
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); s.Live(p) {
			ps = append(ps, p)
		}
	}
	return ps
}

// rank returns the order of the processes by their election attribute, the
// id: by number if all names are numbers, else in the order of the members.
func rank(run *tracefmt.Run) []int64 {
	rank := make([]int64, len(run.Members)+1)
	numbers := true
	for i, m := range run.Members {
		n, err := strconv.ParseInt(m.Name, 10, 64)
		rank[i+1], numbers = n, numbers && err == nil
	}
	if !numbers {
		for i := range rank {
			rank[i] = int64(i)
		}
	}
	return rank
}

// best returns the live process with the greatest id, 0 if none is live.
func best(s *replay.State) tracefmt.ProcessID {
	order, best := rank(s.Run), tracefmt.ProcessID(0)
	for _, p := range live(s) {
		if best == 0 || order[p] > order[best] {
			best = p
		}
	}
	return best
}

// owe states what is not as it should be at the end of a run that was
// stopped, where the rest of the run might still mend it.
func owe(r *analyze.Result, end analyze.Ending, explain func() string, witness ...tracefmt.Seq) {
	if end.Final() {
		r.Violate(explain, witness...)
	} else {
		r.Owe(explain())
	}
}

// elected is what p has elected, for an explanation.
func elected(s *replay.State, p tracefmt.ProcessID) string {
	if q := s.Process(p).Elected; q > 0 {
		return s.Run.ProcessName(q)
	}
	value, ok := s.Variable(p, "elected")
	if !ok {
		return "nobody"
	}
	return string(value)
}

// sameChoice reports whether p and q have elected the same.
func sameChoice(s *replay.State, p, q tracefmt.ProcessID) bool {
	x, y := s.Process(p).Elected, s.Process(q).Elected
	return x == y && (x != replay.Nobody || elected(s, p) == elected(s, q))
}

// names lists processes for an explanation, at most a handful.
func names(run *tracefmt.Run, ps []tracefmt.ProcessID) string {
	const most = 8
	var list []string
	for i, p := range ps {
		if i == most {
			return strings.Join(list, ", ") + fmt.Sprintf(" and %d more", len(ps)-most)
		}
		list = append(list, run.ProcessName(p))
	}
	return strings.Join(list, ", ")
}
