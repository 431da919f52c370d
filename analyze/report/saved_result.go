package report

import (
	"errors"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// savedResult is the result of a property. The property is known by the place of the result.
type savedResult struct {
	Verdict     analyze.Verdict  `json:"verdict"`
	Explanation string           `json:"explanation,omitempty"`
	Violations  int              `json:"violations,omitempty"`
	Witness     []tracefmt.Seq   `json:"witness,omitempty"`
	Cut         []tracefmt.Seq   `json:"cut,omitempty"`
	Open        []string         `json:"open,omitempty"`
	Needs       []savedNeed      `json:"needs,omitempty"`
	LogNext     []savedWanted    `json:"log_next,omitempty"`
	Named       bool             `json:"named,omitempty"`
	Counts      bool             `json:"counts,omitempty"`
	Examined    int              `json:"examined,omitempty"`
	MaxSteps    int64            `json:"max_steps,omitempty"`
	Skew        tracefmt.Time    `json:"skew,omitempty"`
	Kept        []savedViolation `json:"kept,omitempty"`
	Excused     int              `json:"excused,omitempty"`
}

// savedNeed is a need.
type savedNeed struct {
	Process  tracefmt.ProcessID `json:"process,omitempty"`
	Kind     string             `json:"kind,omitempty"`
	Variable string             `json:"variable,omitempty"`
	From     tracefmt.Seq       `json:"from,omitempty"`
	To       tracefmt.Seq       `json:"to,omitempty"`
	Anew     bool               `json:"anew,omitempty"`
	Dropped  int64              `json:"dropped,omitempty"`
}

// savedWanted is a list of what to log next.
type savedWanted struct {
	Logs          []tracefmt.ProcessID `json:"logs,omitempty"`
	Facts         []savedNeed          `json:"facts,omitempty"`
	Gaps          []savedNeed          `json:"gaps,omitempty"`
	Inferred      []savedNeed          `json:"inferred,omitempty"`
	OnlyViolation bool                 `json:"violation_only,omitempty"`
	Complete      string               `json:"complete,omitempty"`
}

// savedViolation is a kept violation.
type savedViolation struct {
	Witness     []tracefmt.Seq `json:"witness"`
	Explanation string         `json:"explanation"`
	Excuses     []savedNeed    `json:"excuses,omitempty"`
}

// saveResult returns a result in its saved form.
func saveResult(p *analyze.Result) savedResult {
	out := savedResult{
		Verdict: p.Verdict, Explanation: p.Explanation, Violations: p.Violations, Witness: p.Witness, Cut: p.Cut,
		Open:  p.Open,
		Needs: saveNeeds(p.Needs), Named: p.Named, Counts: p.Counts, Examined: p.Examined, MaxSteps: p.MaxSteps,
		Skew: p.Skew, Excused: p.Excused,
	}
	for _, w := range p.LogNext {
		out.LogNext = append(out.LogNext, savedWanted{
			Logs: w.Logs, Facts: saveNeeds(w.Facts), Gaps: saveNeeds(w.Gaps), Inferred: saveNeeds(w.Inferred),
			OnlyViolation: w.OnlyViolation, Complete: w.Complete,
		})
	}
	for _, v := range p.Kept {
		out.Kept = append(out.Kept, savedViolation{v.Witness, v.Explanation, saveNeeds(v.Excuses)})
	}
	return out
}

// saveNeeds returns needs in their saved form.
func saveNeeds(needs []analyze.Need) (out []savedNeed) {
	for _, n := range needs {
		kind := ""
		if n.Fact.Kind != 0 { // else it is a gap
			kind = n.Fact.Kind.String()
		}
		out = append(out, savedNeed{
			Process: n.Process, Kind: kind, Variable: n.Fact.Variable, From: n.From,
			To: n.To, Anew: n.Anew, Dropped: n.Dropped,
		})
	}
	return out
}

// result returns the result of the property. It fails for values that no check produces, since a file may be
// hostile.
func (s *savedResult) result(property *analyze.Property) (*analyze.Result, error) {
	p := &analyze.Result{
		Property: property, Verdict: s.Verdict, Explanation: s.Explanation, Violations: s.Violations,
		Witness: s.Witness, Cut: s.Cut, Open: s.Open,
		Named: s.Named, Counts: s.Counts, Examined: s.Examined, MaxSteps: s.MaxSteps, Skew: s.Skew, Excused: s.Excused,
	}
	// A summary may be hostile: counts and seqs below 0 would index before the beginning of a slice.
	if !isVerdict(s.Verdict) || min(s.Violations, s.Examined, s.Excused) < 0 ||
		s.MaxSteps < 0 || s.Skew < 0 || anyNegative(s.Witness) || anyNegative(s.Cut) {
		return nil, errSaved
	}
	var err error
	if p.Needs, err = restoreNeeds(s.Needs); err != nil {
		return nil, err
	}
	for _, w := range s.LogNext {
		if slices.ContainsFunc(w.Logs, func(p tracefmt.ProcessID) bool { return p < 0 }) {
			return nil, errSaved
		}
		wanted := analyze.Wanted{Logs: w.Logs, OnlyViolation: w.OnlyViolation, Complete: w.Complete}
		var errs [3]error
		wanted.Facts, errs[0] = restoreNeeds(w.Facts)
		wanted.Gaps, errs[1] = restoreNeeds(w.Gaps)
		wanted.Inferred, errs[2] = restoreNeeds(w.Inferred)
		if err := errors.Join(errs[:]...); err != nil {
			return nil, err
		}
		p.LogNext = append(p.LogNext, wanted)
	}
	for _, v := range s.Kept {
		if anyNegative(v.Witness) {
			return nil, errSaved
		}
		excuses, err := restoreNeeds(v.Excuses)
		if err != nil {
			return nil, err
		}
		p.Kept = append(p.Kept, analyze.Violation{Witness: v.Witness, Explanation: v.Explanation, Excuses: excuses})
	}
	return p, nil
}

func anyNegative(seqs []tracefmt.Seq) bool {
	return slices.ContainsFunc(seqs, func(seq tracefmt.Seq) bool { return seq < 0 })
}

// isVerdict reports whether the verdict exists.
func isVerdict(v analyze.Verdict) bool {
	_, ok := outcomes[v]
	return ok
}

// restoreNeeds returns saved needs. It fails for values that no check produces.
func restoreNeeds(saved []savedNeed) (needs []analyze.Need, err error) {
	for _, n := range saved {
		if n.Process < min(analyze.AnyProcess, analyze.EveryProcess) || min(n.From, n.To) < 0 || n.Dropped < 0 {
			return nil, errSaved
		}
		var kind tracefmt.Kind
		if n.Kind != "" {
			kind, err = tracefmt.ParseKind(n.Kind)
			if err != nil {
				return nil, err
			}
		}
		needs = append(needs, analyze.Need{
			Process: n.Process, Fact: tracefmt.Fact{Kind: kind, Variable: n.Variable}, From: n.From, To: n.To,
			Anew: n.Anew, Dropped: n.Dropped,
		})
	}
	return needs, nil
}
