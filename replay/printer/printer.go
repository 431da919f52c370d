package printer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Printer prints runs, one after another: Begin, then Step and State any number of times, or Nothing. End
// closes the last run and flushes the output.
type Printer interface {
	Begin(run *tracefmt.Run) error
	// Step prints an event and the changes that it made. It keeps neither, since the caller reuses both.
	Step(run *tracefmt.Run, e *tracefmt.Event, changes []replay.Change) error
	// State prints the state after the event that the cursor is at.
	State(c *replay.Cursor) error
	// Missing prints what is not recorded, before the events or between them.
	Missing(text string) error
	// Nothing prints why nothing was printed about the run.
	Nothing(reason string) error
	End() error
}

// Stretch is a part of a run, from one seq to another, both included.
type Stretch struct{ From, To tracefmt.Seq }

// ParseStretch reads a stretch: A..B, A.. to the end, ..B from the beginning, or a single seq. It fails
// unless 1 <= A <= B.
func ParseStretch(stretch string) (Stretch, error) {
	first, last, ranged := text.CutRange(stretch)
	if !ranged {
		last = first
	}
	s := Stretch{1, math.MaxInt64}
	for _, end := range []struct {
		text string
		seq  *tracefmt.Seq
	}{{first, &s.From}, {last, &s.To}} {
		if end.text == "" && first != last && strings.Contains(stretch, "..") {
			continue
		}
		n, err := strconv.ParseInt(end.text, 10, 64)
		if err != nil || n < 1 {
			return s, fmt.Errorf("%q: expected seqs from 1 on, A..B, A.., ..B or one alone", stretch)
		}
		*end.seq = tracefmt.Seq(n)
	}
	if s.From > s.To {
		return s, fmt.Errorf("%s: the end lies before the beginning", stretch)
	}
	return s, nil
}

// Steps prints the events of a stretch of the run, with the gaps of the recording between them.
func Steps(p Printer, c *replay.Cursor, s Stretch) error {
	if err := c.Seek(s.From - 1); err != nil {
		return err
	}
	if err := printIncomplete(p, c.Run()); err != nil {
		return err
	}
	missing := newMissing(p, c.Run(), s, 0)
	for c.Seq() < s.To {
		if moved, err := c.Step(); err != nil {
			return err
		} else if !moved {
			break
		}
		if err := missing.printUpTo(c.Seq()); err != nil {
			return err
		}
		if err := p.Step(c.Run(), c.Event(), c.Changes()); err != nil {
			return err
		}
	}
	return missing.remaining()
}

// Find prints every event that matches the pattern, and reports whether any does.
func Find(p Printer, rec tracefmt.Recording, pattern *replay.Pattern) (found bool, err error) {
	for e, err := range rec.Events(1) {
		if err != nil {
			return found, err
		}
		if !pattern.Match(e) {
			continue
		}
		found = true
		if err := p.Step(rec.Run(), e, nil); err != nil {
			return found, err
		}
	}
	return found, nil
}

// Watch prints every change of a variable of a process, or of all processes if process is 0. It reports
// whether there was any.
func Watch(p Printer, rec tracefmt.Recording, variable string, process tracefmt.ProcessID) (changed bool, err error) {
	if err := lacksVariable(p, rec.Run(), variable, process); err != nil {
		return false, err
	}
	missing := newMissing(p, rec.Run(), Stretch{1, math.MaxInt64}, process)
	for m, err := range replay.Watch(rec, variable, process) {
		if err != nil {
			return changed, err
		}
		changed = true
		if err := watched(missing, m); err != nil {
			return changed, err
		}
	}
	return changed, missing.remaining()
}

// Past prints the events of a causal past in recorded order, and first what the recording lacks.
func Past(p Printer, rec tracefmt.Recording, past *replay.Past) error {
	if err := printIncomplete(p, rec.Run()); err != nil {
		return err
	}
	for e, err := range rec.Events(1) {
		if err != nil {
			return err
		}
		if past.Has(e) {
			if err := p.Step(rec.Run(), e, nil); err != nil {
				return err
			}
		}
		if e.Seq == past.Event() {
			break
		}
	}
	return nil
}
