package report

import (
	"errors"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// SavedVersion is the version mark of saved outcomes.
const SavedVersion = "etrace.runs/1"

// Saved holds the outcomes of runs in the form of a JSON file. Reports of saved outcomes equal those of the
// original ones, except for explanations. Equal parts of runs are stored once.
type Saved struct {
	Format string `json:"format"`
	// Properties are the names of what was examined, in the order of results.
	Properties []string `json:"properties"`
	Traces     []string `json:"traces"`
	// Heads are the common parts of the descriptions of runs, Plain the plain results, which many runs share.
	Heads []savedHead   `json:"heads"`
	Plain []savedResult `json:"plain"`
	List  []savedRun    `json:"runs"`
}

// savedRun is the outcome for a run.
type savedRun struct {
	Trace int `json:"trace"` // index into Traces
	savedOwn
	Verdict analyze.Verdict `json:"verdict"`
	Ending  analyze.Ending  `json:"ending,omitzero"`
	Remarks []string        `json:"remarks,omitempty"`
	Assumed string          `json:"assumed,omitempty"`
	Advice  *analyze.Advice `json:"advice,omitempty"`
	// Results are indices into Plain; the value own refers to the next item of Own.
	Results []int         `json:"results"`
	Own     []savedResult `json:"own,omitempty"`
	Origins []savedOrigin `json:"origins,omitempty"`
}

// storedIndex is the index of a result that is stored with its run.
const storedIndex = -1

// savedOrigin is the line of the log that an event was imported from.
type savedOrigin struct {
	Seq  tracefmt.Seq `json:"seq"`
	File string       `json:"file,omitempty"`
	Line int64        `json:"line"`
}

// Save returns the outcomes as a value. All runs were examined for the same properties.
func Save(runs []Run) (*Saved, error) {
	s := &saver{Saved: Saved{
		Format: SavedVersion, Properties: []string{}, Traces: []string{}, Heads: []savedHead{},
		Plain: []savedResult{}, List: []savedRun{},
	}}
	for _, run := range runs {
		if err := s.appendRun(run); err != nil {
			return nil, err
		}
	}
	return &s.Saved, nil
}

// saver builds a Saved; the maps find parts that are stored already.
type saver struct {
	Saved
	heads    map[string]int
	plain    map[*analyze.Result]int
	plainKey map[plainKey]int
}

// appendRun appends the outcome of a run. It fails if the run was examined for other properties than the runs
// before.
func (s *saver) appendRun(run Run) error {
	names := make([]string, len(run.Results))
	for i, p := range run.Results {
		names[i] = p.Property.Name
	}
	switch {
	case len(s.List) == 0:
		s.Properties = names
	case !slices.Equal(s.Properties, names):
		return fmt.Errorf("run %d: examined for other properties than the runs before", run.Run.Number)
	}
	head, err := s.head(run.Run)
	if err != nil {
		return err
	}
	out := savedRun{
		Trace: s.trace(run.Trace), savedOwn: ownOf(run.Run, head), Verdict: run.Verdict, Remarks: run.Remarks,
		Assumed: run.Assumed, Advice: run.Advice,
		Ending: run.Ending, Results: make([]int, len(run.Results)),
	}
	for i, p := range run.Results {
		if out.Results[i] = s.result(p); out.Results[i] == storedIndex {
			out.Own = append(out.Own, saveResult(p))
		}
	}
	for seq, o := range run.Origins {
		out.Origins = append(out.Origins, savedOrigin{seq, o.File, o.Line})
	}
	slices.SortFunc(out.Origins, func(a, b savedOrigin) int { return int(a.Seq - b.Seq) })
	s.List = append(s.List, out)
	return nil
}

// trace returns the index of a trace's name, and adds a new name.
func (s *saver) trace(name string) int {
	if last := len(s.Traces) - 1; last >= 0 && s.Traces[last] == name {
		return last
	}
	if i := slices.Index(s.Traces, name); i >= 0 {
		return i
	}
	s.Traces = append(s.Traces, name)
	return len(s.Traces) - 1
}

// result returns the index of a plain result, and adds a new one; own for any other result.
func (s *saver) result(p *analyze.Result) int {
	if !plainResult(p) {
		return storedIndex
	}
	if i, known := s.plain[p]; known {
		return i
	}
	key := plainKeyOf(p)
	key.property = nil // the place in the list identifies the property
	i, known := s.plainKey[key]
	if !known {
		if s.plainKey == nil {
			s.plainKey, s.plain = make(map[plainKey]int), make(map[*analyze.Result]int)
		}
		i = len(s.Plain)
		s.Plain = append(s.Plain, saveResult(p))
		s.plainKey[key] = i
	}
	s.plain[p] = i
	return i
}

// errSaved is the error for saved outcomes that are damaged or forged.
var errSaved = errors.New("not the outcomes of runs, or not whole")

// Runs returns the saved outcomes. The properties are the examined properties in their order.
func (s *Saved) Runs(properties []*analyze.Property) ([]Run, error) {
	if s.Format != SavedVersion {
		return nil, fmt.Errorf("outcomes of runs in the format %q, expected %s", s.Format, SavedVersion)
	}
	if len(s.List) > 0 && !slices.EqualFunc(s.Properties, properties,
		func(name string, p *analyze.Property) bool { return name == p.Name }) {
		return nil, errors.New("outcomes of runs for other properties than are examined")
	}
	r := &restorer{Saved: s, properties: properties, plain: make(map[[2]int]*analyze.Result)}
	runs := make([]Run, len(s.List))
	for i := range s.List {
		run, err := r.restoreRun(&s.List[i])
		if err != nil {
			return nil, err
		}
		runs[i] = run
	}
	return runs, nil
}

// restorer turns a Saved back into outcomes.
type restorer struct {
	*Saved
	properties []*analyze.Property
	plain      map[[2]int]*analyze.Result // by number and property
}

// restoreRun returns the outcome of a run. It fails if an index or count is out of range.
func (r *restorer) restoreRun(saved *savedRun) (run Run, err error) {
	// A summary may be hostile: each index is compared with its table before its use.
	if saved.Trace < 0 || saved.Trace >= len(r.Traces) || saved.Head < 0 || saved.Head >= len(r.Heads) ||
		len(saved.Results) != len(r.properties) || !isVerdict(saved.Verdict) || saved.Number < 0 || saved.Events < 0 {
		return run, errSaved
	}
	run = Run{Trace: r.Traces[saved.Trace], RunReport: &analyze.RunReport{
		Verdict: saved.Verdict, Remarks: saved.Remarks, Assumed: saved.Assumed, Advice: saved.Advice,
		Ending: saved.Ending, Run: saved.run(&r.Heads[saved.Head]),
	}}
	ownResults := saved.Own
	for i, number := range saved.Results {
		var p *analyze.Result
		switch {
		case number == storedIndex && len(ownResults) > 0:
			p, err = ownResults[0].result(r.properties[i])
			ownResults = ownResults[1:]
		case number >= 0 && number < len(r.Plain):
			p, err = r.plainResult(number, i)
		default:
			err = errSaved
		}
		if err != nil {
			return run, err
		}
		run.Results = append(run.Results, p)
	}
	for _, o := range saved.Origins {
		if o.Seq < 0 || o.Line < 0 {
			return run, errSaved
		}
		if run.Origins == nil {
			run.Origins = make(map[tracefmt.Seq]tracefmt.Origin, len(saved.Origins))
		}
		run.Origins[o.Seq] = tracefmt.Origin{File: o.File, Line: o.Line}
	}
	return run, nil
}

// plainResult returns a plain result as that of a property.
func (r *restorer) plainResult(number, property int) (*analyze.Result, error) {
	key := [2]int{number, property}
	if p := r.plain[key]; p != nil {
		return p, nil
	}
	p, err := r.Plain[number].result(r.properties[property])
	r.plain[key] = p
	return p, err
}
