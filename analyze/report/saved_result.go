package report

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// savedResult is the outcome of a property on a run. Which property it is says its place.
type savedResult struct {
	Verdict     analyze.Verdict  `json:"verdict"`
	Explanation string           `json:"explanation,omitempty"`
	Violations  int              `json:"violations,omitempty"`
	Witness     []tracefmt.Seq   `json:"witness,omitempty"`
	Cut         []tracefmt.Seq   `json:"cut,omitempty"`
	Open        []string         `json:"open,omitempty"`
	Needs       []savedNeed      `json:"needs,omitempty"`
	Named       bool             `json:"named,omitempty"`
	Counts      bool             `json:"counts,omitempty"`
	NotRecorded []savedNeed      `json:"not_recorded,omitempty"`
	Examined    int              `json:"examined,omitempty"`
	MaxSteps    int64            `json:"max_steps,omitempty"`
	Skew        tracefmt.Time    `json:"skew,omitempty"`
	Kept        []savedViolation `json:"kept,omitempty"`
	Excused     int              `json:"excused,omitempty"`
}

// savedNeed is a need; the process is its number.
type savedNeed struct {
	Process  tracefmt.ProcessID `json:"process,omitempty"`
	Kind     string             `json:"kind"`
	Variable string             `json:"variable,omitempty"`
	From     tracefmt.Seq       `json:"from,omitempty"`
	To       tracefmt.Seq       `json:"to,omitempty"`
	Anew     bool               `json:"anew,omitempty"`
	Dropped  int64              `json:"dropped,omitempty"`
}

type savedViolation struct {
	Witness     []tracefmt.Seq `json:"witness"`
	Explanation string         `json:"explanation"`
	Excuses     []savedNeed    `json:"excuses,omitempty"`
}

func saveResult(p *analyze.Result) savedResult {
	out := savedResult{
		Verdict: p.Verdict, Explanation: p.Explanation, Violations: p.Violations, Witness: p.Witness, Cut: p.Cut, Open: p.Open,
		Needs: saveNeeds(p.Needs), Named: p.Named, Counts: p.Counts, Examined: p.Examined, MaxSteps: p.MaxSteps, Skew: p.Skew, Excused: p.Excused,
	}
	for _, f := range p.NotRecorded {
		out.NotRecorded = append(out.NotRecorded, savedNeed{Kind: f.Kind.String(), Variable: f.Variable})
	}
	for _, v := range p.Kept {
		out.Kept = append(out.Kept, savedViolation{v.Witness, v.Explanation, saveNeeds(v.Excuses)})
	}
	return out
}

func saveNeeds(needs []analyze.Need) (out []savedNeed) {
	for _, n := range needs {
		out = append(out, savedNeed{n.Process, n.Fact.Kind.String(), n.Fact.Variable, n.From, n.To, n.Anew, n.Dropped})
	}
	return out
}

func (s *savedResult) result(of *analyze.Property) (*analyze.Result, error) {
	p := &analyze.Result{
		Property: of, Verdict: s.Verdict, Explanation: s.Explanation, Violations: s.Violations, Witness: s.Witness, Cut: s.Cut, Open: s.Open,
		Named: s.Named, Counts: s.Counts, Examined: s.Examined, MaxSteps: s.MaxSteps, Skew: s.Skew, Excused: s.Excused,
	}
	if !known(s.Verdict) || min(s.Violations, s.Examined, s.Excused) < 0 || s.MaxSteps < 0 || s.Skew < 0 || anyNegative(s.Witness) || anyNegative(s.Cut) {
		return nil, errSaved
	}
	var err error
	if p.Needs, err = restoreNeeds(s.Needs); err != nil {
		return nil, err
	}
	missing, err := restoreNeeds(s.NotRecorded)
	if err != nil {
		return nil, err
	}
	for _, n := range missing {
		p.NotRecorded = append(p.NotRecorded, n.Fact)
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

// known reports whether it is a verdict.
func known(v analyze.Verdict) bool {
	_, ok := outcomes[v]
	return ok
}

func restoreNeeds(saved []savedNeed) (needs []analyze.Need, err error) {
	for _, n := range saved {
		if n.Process < min(analyze.AnyProcess, analyze.EveryProcess) || min(n.From, n.To) < 0 || n.Dropped < 0 {
			return nil, errSaved
		}
		kind, err := tracefmt.ParseKind(n.Kind)
		if err != nil {
			return nil, err
		}
		needs = append(needs, analyze.Need{Process: n.Process, Fact: tracefmt.Fact{Kind: kind, Variable: n.Variable}, From: n.From, To: n.To, Anew: n.Anew, Dropped: n.Dropped})
	}
	return needs, nil
}
