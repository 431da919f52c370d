package property_test

import (
	"slices"

	"etrace/tracefmt"
)

// ofEachLock counts the oracle's findings for each lock, in the run without the notes of other locks.
func ofEachLock(quantify func(oracle) (wrong, examined int)) func(oracle) (wrong, examined int) {
	return func(o oracle) (wrong, examined int) {
		locks := map[string]bool{}
		for _, e := range o.events {
			locks[string(field(e, "lock"))] = true
		}
		for lock := range locks {
			state := oracle{o.run, slices.Clone(o.events)}
			for i, e := range state.events {
				if e.Kind == tracefmt.Note && acts(e) && string(field(e, "lock")) != lock {
					state.events[i].Kind = tracefmt.Invoke // a step all the same
				}
			}
			w, x := quantify(state)
			wrong, examined = wrong+w, examined+x
		}
		return wrong, examined
	}
}

func (o oracle) isNote(k int, label string) bool {
	e := o.events[k]
	return e.Kind == tracefmt.Note && e.Type == label && o.live(e.Process, k+1)
}

// counts: the event at k is such a note, and not of a liar.
func (o oracle) counts(k int, label string) bool {
	return o.isNote(k, label) && o.attribute(o.events[k].Process, "role") != `"byzantine"`
}

// comesBack: what p does next after the event at k is to start or recover, so that it may
// have been down at k, unless all crashes are recorded.
func (o oracle) comesBack(p tracefmt.ProcessID, k int) bool {
	coverage := tracefmt.NewCoverage(o.run)
	for i := range o.events {
		coverage.Show(&o.events[i])
	}
	if coverage.Level(p, tracefmt.Fact{Kind: tracefmt.Crash}) == tracefmt.All && len(coverage.Gaps(p)) == 0 {
		return false
	}
	for _, e := range o.events[k+1:] {
		switch {
		case e.Process != p:
		case acts(e), e.Kind == tracefmt.Crash, e.Kind == tracefmt.Halt:
			return false
		case e.Kind == tracefmt.Start, e.Kind == tracefmt.Recover:
			return true
		}
	}
	return false
}

// leaves: with the event at k, p is no longer where it was.
func (o oracle) leaves(p tracefmt.ProcessID, k int) bool {
	e := o.events[k]
	return e.Process == p && (e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt || e.Kind == tracefmt.Recover || e.Kind == tracefmt.Start)
}

// inside: p is in the critical section after the first k events.
func (o oracle) inside(p tracefmt.ProcessID, k int) bool {
	for j := range k {
		if o.events[j].Process != p || !o.counts(j, "enter") {
			continue
		}
		out := false
		for i := j + 1; i < k; i++ {
			out = out || o.leaves(p, i) || o.events[i].Process == p && o.events[i].Kind == tracefmt.Note && o.events[i].Type == "exit"
		}
		if !out {
			return true
		}
	}
	return false
}

func (o oracle) enters(p tracefmt.ProcessID, k int) bool { return o.inside(p, k+1) && !o.inside(p, k) }

// waits returns the place of the request since which p waits after the first k
// events, -1 if it does not.
func (o oracle) waits(p tracefmt.ProcessID, k int) int {
	for j := range k {
		if o.events[j].Process != p || !o.counts(j, "request") || o.inside(p, j) {
			continue
		}
		over := false
		for i := j + 1; i < k; i++ {
			over = over || o.leaves(p, i) || o.enters(p, i)
		}
		if !over {
			return j
		}
	}
	return -1
}

func (o oracle) exclusion() (wrong, examined int) {
	for k := range o.events {
		for _, p := range o.processes() {
			if !o.enters(p, k) {
				continue
			}
			examined++
			for _, q := range o.processes() {
				if q != p && o.inside(q, k+1) && !o.comesBack(q, k) {
					wrong++
				}
			}
		}
	}
	return wrong, examined
}

// requests calls f for each request with which a process begins to wait.
func (o oracle) requests(f func(p tracefmt.ProcessID, j int)) {
	for j := range o.events {
		for _, p := range o.processes() {
			if o.waits(p, j+1) == j {
				f(p, j)
			}
		}
	}
}

func (o oracle) starvation() (wrong, examined int) {
	o.requests(func(p tracefmt.ProcessID, j int) {
		examined++
		if o.waits(p, len(o.events)) == j {
			wrong++
		}
	})
	return wrong, examined
}

func (o oracle) bypass() (wrong, examined int) {
	o.requests(func(p tracefmt.ProcessID, j int) {
		examined++
		rivals := 0
		for k := range o.events {
			for _, q := range o.processes() {
				if q != p && o.enters(q, k) && o.waits(p, k+1) == j {
					if rivals++; rivals == 2 && !o.comesBack(p, k) {
						wrong++
					}
				}
			}
		}
	})
	return wrong, examined
}

// before: the event at i happened before that at j.
func (o oracle) before(i, j int) bool {
	if i >= j {
		return false
	}
	for m := range j {
		d, e := o.events[m], o.events[j]
		if d.Process == e.Process || e.Kind == tracefmt.Receive && e.Cause == d.Seq {
			if m == i || o.before(i, m) {
				return true
			}
		}
	}
	return false
}

func (o oracle) requestOrder() (wrong, examined int) {
	for k := range o.events {
		for _, q := range o.processes() {
			j := o.waits(q, k)
			if !o.enters(q, k) || j < 0 {
				continue
			}
			examined++
			for _, p := range o.processes() {
				if i := o.waits(p, k+1); p != q && i >= 0 && o.before(i, j) && !o.comesBack(p, k) {
					wrong++
				}
			}
		}
	}
	return wrong, examined
}

// decisions calls f for each event with which a process decides a value.
func (o oracle) decisions(f func(k int, value string)) {
	for k, e := range o.events {
		if value, ok := o.assignments(k)["decided"]; ok && value != "null" && !o.aside(e.Process) {
			f(k, value)
		}
	}
}

// repeats: the value that the process decides at event k is what it decided last.
func (o oracle) repeats(k int, value string) bool {
	had := "null"
	for i := range k {
		if v, ok := o.assignments(i)["decided"]; ok && o.events[i].Process == o.events[k].Process && v != "null" {
			had = v
		}
	}
	return had == value
}

func (o oracle) consensusAgreement() (wrong, examined int) {
	return o.disagree(o.decisions)
}

// disagree counts the decisions that another process has made otherwise before.
func (o oracle) disagree(decisions func(f func(k int, value string))) (wrong, examined int) {
	before := map[string]map[tracefmt.ProcessID]bool{} // by value: who
	decisions(func(k int, value string) {
		examined++
		p, differs := o.events[k].Process, false
		for second, process := range before {
			for q := range process {
				differs = differs || second != value && q != p
			}
		}
		if differs {
			wrong++
		}
		if before[value] == nil {
			before[value] = map[tracefmt.ProcessID]bool{}
		}
		before[value][p] = true
	})
	return wrong, examined
}

func (o oracle) consensusIntegrity() (wrong, examined int) {
	for _, p := range o.processes() {
		if o.aside(p) {
			continue
		}
		had, holds := "null", false
		for k, e := range o.events {
			if e.Process != p {
				continue
			}
			if slices.Contains([]tracefmt.Kind{tracefmt.Start, tracefmt.Recover, tracefmt.Crash, tracefmt.Halt}, e.Kind) {
				holds = false
			}
			switch value, ok := o.assignments(k)["decided"]; {
			case !ok:
			// A restart loses the decision, so null after it takes nothing back.
			case value == "null" && holds:
				wrong++
				examined++
				holds = false
			case value != "null":
				if value != had {
					examined++
				}
				if value != had && had != "null" {
					wrong++
				}
				had, holds = value, true
			}
		}
	}
	return wrong, examined
}

func (o oracle) consensusValidity() (wrong, examined int) {
	o.decisions(func(k int, value string) {
		examined++
		proposed := false
		for i := range k + 1 {
			proposed = proposed || o.assignments(i)["proposed"] == value
		}
		if !proposed {
			wrong++
		}
	})
	return wrong, examined
}

func (o oracle) consensusTermination() (wrong, examined int) {
	return o.allDecide("proposed", isProposal, isProposal, o.decisions)
}

func (o oracle) commitTermination() (wrong, examined int) {
	return o.allDecide("vote", isBallot, isOutcome, o.outcomes)
}

func (o oracle) consensusTerminationOpen() bool {
	wrong, _ := o.consensusTermination()
	return o.asked("proposed", isProposal) && o.possiblyCorrect(wrong, o.recordsSome("proposed", isProposal, isProposal))
}

func (o oracle) commitTerminationOpen() bool {
	wrong, _ := o.commitTermination()
	return o.asked("vote", isBallot) && o.possiblyCorrect(wrong, o.recordsSome("vote", isBallot, isOutcome))
}

func isProposal(value string) bool { return value != "null" }

func isBallot(value string) bool { return value == `"yes"` || value == `"no"` }

func isOutcome(value string) bool { return value == `"commit"` || value == `"abort"` }

// asked reports whether some process has assigned the variable a value that calls for decisions.
func (o oracle) asked(variable string, calls func(value string) bool) bool {
	for k := range o.events {
		if value, ok := o.assignments(k)[variable]; ok && calls(value) {
			return true
		}
	}
	return false
}

// recordsSome returns what reports whether an event assigns the variable, or decided, a value that counts.
func (o oracle) recordsSome(variable string, calls, decides func(value string) bool) func(k int) bool {
	return func(k int) bool {
		value, ok := o.assignments(k)[variable]
		decided, has := o.assignments(k)["decided"]
		return ok && calls(value) || has && decides(decided)
	}
}

// allDecide: once some process has assigned the variable such a value, each correct one decides.
func (o oracle) allDecide(variable string, calls, decides func(value string) bool,
	decisions func(func(k int, value string)),
) (wrong, examined int) {
	if !o.asked(variable, calls) {
		return 0, 0
	}
	for _, p := range o.correct(o.recordsSome(variable, calls, decides)) {
		examined++
		decided := false
		decisions(func(k int, _ string) { decided = decided || o.events[k].Process == p })
		if !decided {
			wrong++
		}
	}
	return wrong, examined
}
