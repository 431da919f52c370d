package mapping

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/sealed"
)

// The files of an execution can be read by several tasks, because the lines of a process do not change what the lines of
// another mean. So files with lines of one process belong together. A task may find that other files matter all the same;
// then [interop.Reading.AtOnce] has the reason.

// fileAccount is what a task has found in its files beside the entries.
type fileAccount struct {
	Map           partMap         `json:"map"`
	Took          []int           `json:"took"` // the rules that have taken a line
	Had           []string        `json:"had"`  // the fields that a line had
	Lines         []string        `json:"lines"`
	Columns       []string        `json:"columns,omitempty"`
	Events        int             `json:"events"`
	Omissions     int             `json:"omissions,omitempty"`
	Omission      string          `json:"omission,omitempty"`
	Skipped       int             `json:"skipped,omitempty"`
	SkipPlace     string          `json:"skip_place,omitempty"`
	Timeless      []string        `json:"timeless,omitempty"`
	TimelessCount int             `json:"timeless_count,omitempty"`
	Timed         bool            `json:"timed,omitempty"`
	Doubt         string          `json:"doubt,omitempty"`
	Contents      []sharedContent `json:"contents"`
}

// sharedContent are the contents of a file.
type sharedContent struct {
	File   string `json:"file"`
	Name   string `json:"name"`
	Lines  int    `json:"lines"`
	Text   uint64 `json:"text"`
	Writer uint64 `json:"writer"`
	Events int    `json:"events"`
	ByFile bool   `json:"by_file,omitempty"`
}

// divide chooses the files of the task, if it reads a share.
func (l *log) divide(openings []*opening) {
	if !l.reading.Sharing() {
		return
	}
	tied := make([]bool, len(l.reading.Names()))
	for i := range openings {
		tied[i] = slices.ContainsFunc(openings[:i], func(before *opening) bool {
			return slices.ContainsFunc(openings[i:], func(o *opening) bool { return o.meets(before) != "" })
		})
	}
	l.reading.Divide(tied)
	switch {
	case !l.reading.Joined():
		l.reading.AtOnce("there is one file")
	case l.runs != nil:
		l.reading.AtOnce("the lines name several runs")
	case l.apart:
		l.reading.AtOnce("each file is an execution of its own")
	}
	if l.time != nil {
		l.layoutsKnown = len(l.time.layouts)
	}
}

// writeAccount hands over what the task has found.
func (l *log) writeAccount() error {
	a := &fileAccount{
		Map: partMap{l.source, l.ready, l.Text}, Took: []int{}, Had: []string{}, Lines: append([]string{}, l.unused.lines...),
		Columns: l.columns, Events: l.tried.events, Omissions: l.omissions, Omission: l.omission,
		Skipped: l.skipped, SkipPlace: l.skipPlace, Timeless: l.timeless, TimelessCount: l.timelessCount, Timed: l.timed,
		Contents: []sharedContent{},
	}
	for i, took := range l.unused.took {
		if took {
			a.Took = append(a.Took, i)
		}
	}
	for slot, had := range l.rec.had {
		if had {
			a.Had = append(a.Had, l.slots.names[slot])
		}
	}
	for _, c := range l.contents {
		a.Contents = append(a.Contents, sharedContent{c.file, c.name, c.lines, c.text, c.writer, c.events, c.byFile})
	}
	if l.time != nil {
		a.Doubt = l.time.doubt
		if len(l.time.layouts) != l.layoutsKnown && l.reading.Joined() {
			l.reading.AtOnce("times are written in a way that the first lines of the files do not show")
		}
	}
	if l.reading.Runs() > 1 {
		l.reading.AtOnce("the files have several executions")
	}
	written, err := sealed.Marshal(a)
	l.reading.SetReader(written)
	return err
}

// absorb takes in the files of a task when the first of them is at hand; found is nil at the others.
func (l *log) absorb(found json.RawMessage) error {
	if found == nil {
		return nil
	}
	var a fileAccount
	if err := sealed.Unmarshal(found, &a); err != nil {
		return err
	}
	if a.Map != (partMap{l.source, l.ready, l.Text}) {
		return fmt.Errorf("%s: read by another mapping than the first file, expected shares of one import", l.reading.Name())
	}
	if err := l.builder.Absorb(); err != nil {
		return err
	}
	// The reports at the end are about all files, so that they need what each task has found.
	for _, i := range a.Took {
		if 0 <= i && i < len(l.unused.took) {
			l.unused.took[i] = true
		}
	}
	for _, name := range a.Had {
		if slot, ok := l.slots.index[name]; ok {
			l.rec.had[slot] = true
		}
	}
	for _, line := range a.Lines {
		l.unused.see(line)
	}
	if a.Columns != nil {
		l.columns = a.Columns
	}
	if l.omissions == 0 {
		l.omission = a.Omission
	}
	if l.skipped == 0 {
		l.skipPlace = a.SkipPlace
	}
	l.omissions, l.skipped, l.timelessCount = l.omissions+a.Omissions, l.skipped+a.Skipped, l.timelessCount+a.TimelessCount
	l.timeless = append(l.timeless, a.Timeless[:min(len(a.Timeless), maxTimeless-len(l.timeless))]...)
	l.timed = l.timed || a.Timed
	if l.time != nil && l.time.doubt == "" {
		l.time.doubt = a.Doubt
	}
	for _, c := range a.Contents {
		l.contents = append(l.contents, contents{c.File, c.Name, c.Lines, c.Text, c.Writer, l.tried.events + c.Events, c.ByFile})
		if l.reading.Joined() {
			if err := l.compareFile(); err != nil {
				return err
			}
		}
	}
	l.tried.events += a.Events
	return nil
}

// JoinShares implements [interop.Slicer].
func JoinShares(shares *interop.Shares) (*interop.Joined, error) {
	found := shares.Reader()
	var a fileAccount
	if err := sealed.Unmarshal(found, &a); err != nil {
		return nil, err
	}
	m, err := a.Map.parse()
	if err != nil {
		return nil, err
	}
	joined := &interop.Joined{Format: interop.Format{Name: tracefmt.Mapped, Joins: true, Read: m.Read}}
	joined.Inputs, err = shares.Inputs()
	for _, input := range joined.Inputs {
		joined.Files = append(joined.Files, input.Name())
	}
	return joined, err
}
