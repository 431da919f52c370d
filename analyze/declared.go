package analyze

import (
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// declared collects contradictions between a run's declaration and its events, a sentence each.
type declared struct {
	kinds          []uint32        // by process, the kinds that occur
	refuted        []tracefmt.Fact // facts that occur although the run declares none
	first          string          // the first such event
	contradictions []string
}

// maxOdd is the number of remarks of one sort.
const maxOdd = 8

// step finds a kind of event that occurs although its process declares that none is recorded. It also finds
// misspelt marks of unlogged events.
func (d *declared) step(s *replay.State, e *tracefmt.Event) {
	if e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt {
		d.marks(s.Run, e)
	}
	if s.Run.Completeness == nil || e.Kind == tracefmt.State {
		return
	}
	if d.kinds == nil {
		d.kinds = make([]uint32, len(s.Run.Members)+1)
	}
	if d.kinds[e.Process]&(1<<e.Kind) != 0 || e.Mark() != "" {
		return
	}
	d.kinds[e.Process] |= 1 << e.Kind
	if f := (tracefmt.Fact{Kind: e.Kind}); s.Coverage().Declared(e.Process, f) == tracefmt.None {
		d.refute(s.Run, e.Process, f, e.Seq)
	}
}

// refute notes that a fact occurs although the run declares that it records none.
func (d *declared) refute(run *tracefmt.Run, p tracefmt.ProcessID, f tracefmt.Fact, at tracefmt.Seq) {
	if len(d.refuted) == 0 {
		d.first = fmt.Sprintf("seq %d%s", at, ofProcess(run, p))
	}
	if !slices.Contains(d.refuted, f) {
		d.refuted = append(d.refuted, f)
	}
}

// ofProcess returns " of process NAME"; "" for an event of no process.
func ofProcess(run *tracefmt.Run, p tracefmt.ProcessID) string {
	if p == 0 {
		return ""
	}
	return " of process " + run.ProcessName(p)
}

// marks notes keys of a crash or halt that resemble the marks of unlogged events, or have another value than
// true.
func (d *declared) marks(run *tracefmt.Run, e *tracefmt.Event) {
	for name, value := range tracefmt.Fields(e.Payload) {
		problem := ""
		switch near := text.Nearest(string(name), []string{tracefmt.InferredKey, tracefmt.StatedKey}); {
		case tracefmt.IsMark(e.Kind, name) && string(value) != "true":
			problem = fmt.Sprintf("%q is %s, expected true", name, text.Short(string(value), 41))
		case !tracefmt.IsMark(e.Kind, name) && near != "":
			problem = fmt.Sprintf("%s means nothing, did you mean %q?", text.Quote(string(name)), near)
		}
		if problem != "" && len(d.contradictions) < maxOdd {
			d.contradictions = append(d.contradictions,
				fmt.Sprintf("the %s%s at seq %d is taken for recorded: %s", e.Kind, ofProcess(run, e.Process),
					e.Seq, problem))
		}
	}
}

// remarks returns all contradictions, a sentence each. It must be called at the end of the run.
func (d *declared) remarks(s *replay.State, results []*Result) []string {
	if s.Run.Completeness == nil {
		return d.contradictions
	}
	assigned := s.Coverage().Variables()
	for _, name := range assigned {
		if p := assignedBy(s, name); p != 0 {
			d.refute(s.Run, p, tracefmt.StateOf(name), s.AssignedAt(p, name))
		}
	}
	if len(d.refuted) > 0 {
		var names []string
		for _, f := range d.refuted {
			names = append(names, factText(f))
		}
		d.contradictions = append(d.contradictions,
			fmt.Sprintf("the run declares %s as none, but has some, as at %s", text.Or(text.Few(names, 8)), d.first))
	}
	return slices.Concat(d.contradictions, oddVariables(s, append(assigned, readBy(results)...)), oddGaps(s))
}

// oddVariables describes variables that only the declaration of completeness names, and whose names resemble
// a known one.
func oddVariables(s *replay.State, known []string) (list []string) {
	for _, name := range s.Run.Completeness.Variables() {
		if near := text.Nearest(name, known); near != "" && !slices.Contains(known, name) && len(list) < maxOdd {
			list = append(list, fmt.Sprintf("no event assigns the variable of %s, which the run declares: did you mean %q?",
				factText(tracefmt.StateOf(name)), tracefmt.StateOf(near).String()))
		}
	}
	return list
}

// maxSearched is the number of processes in which assignedBy looks for an assignment.
const maxSearched = 1 << 10

// assignedBy returns a process that has the variable although it declares that no assignment is recorded; 0
// if all processes keep their declarations.
func assignedBy(s *replay.State, name string) tracefmt.ProcessID {
	for i := range min(len(s.Run.Members), maxSearched) {
		p := tracefmt.ProcessID(i + 1)
		if s.Coverage().Declared(p, tracefmt.StateOf(name)) != tracefmt.None {
			continue
		}
		if _, assigned := s.Variable(p, name); assigned {
			return p
		}
	}
	return 0
}

// readBy returns the variables that the properties read.
func readBy(results []*Result) (names []string) {
	for _, r := range results {
		for _, f := range slices.Concat(r.Property.ViolatedBy, r.Property.ExcusedBy, r.Property.Triggers) {
			if f.Variable != "" {
				names = append(names, f.Variable)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// oddGaps describes declared gaps that begin or end beyond the last event.
func oddGaps(s *replay.State) (list []string) {
	for _, g := range s.Run.Completeness.Gaps {
		if max(g.From, g.To) <= s.Seq+1 || len(list) == maxOdd {
			continue
		}
		end := "on"
		if g.To != 0 {
			end = fmt.Sprintf("to %d", g.To)
		}
		list = append(list, fmt.Sprintf("the gap of process %s from seq %d %s reaches beyond the last event, seq %d",
			g.Process, g.From, end, s.Seq))
	}
	return list
}
