package render

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/spec"
	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// NoCut in the place of a cut keeps a picture from having one.
const NoCut = "none"

// cutsOf has, by problem, the event that ends each process's part of the cut: the first such event of the process.
var cutsOf = []struct{ problem, event string }{
	{tracefmt.Snapshot, `note(type = "record")`},
}

// cut returns the last event of each process in the cut that the user selected. By default it is the cut of the run's
// problem, if the picture can show one.
func (o *Options) cut(ctx context.Context, rec tracefmt.Recording, can bool) (story.Cut, error) {
	switch seqs, listed := seqList(o.CutAt); {
	case o.CutAt == NoCut:
		return nil, nil
	case listed:
		return cutAfter(rec, seqs)
	case o.CutAt == "" && len(o.Cut) > 0:
		return cutAfter(rec, o.Cut)
	}
	event := o.CutAt
	for _, row := range cutsOf {
		if event == "" && can && rec.Run().Solves(row.problem) {
			event = row.event
		}
	}
	if event == "" {
		return nil, nil
	}
	return o.cutThrough(ctx, rec, event)
}

// seqList parses event numbers with commas between, and reports whether the text is such a list.
func seqList(list string) (seqs []tracefmt.Seq, ok bool) {
	for part := range strings.SplitSeq(list, ",") {
		seq, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil {
			return nil, false
		}
		seqs = append(seqs, tracefmt.Seq(seq))
	}
	return seqs, true
}

// cutAfter returns the cut with the listed last events, at most one of each process.
func cutAfter(rec tracefmt.Recording, seqs []tracefmt.Seq) (story.Cut, error) {
	run := rec.Run()
	cut := make(story.Cut, len(run.Members)+1)
	for _, seq := range seqs {
		p, err := processAt(rec, seq)
		switch {
		case err != nil:
			return nil, err
		case p == 0:
			return nil, fmt.Errorf("cut after %d: expected the seq of an event of a process", seq)
		case cut[p] != 0:
			return nil, fmt.Errorf("cut after %d and %d: both are events of process %s, expected one of each", cut[p], seq,
				text.Printable(run.ProcessName(p)))
		}
		cut[p] = seq
	}
	return cut, nil
}

// processAt returns the process of an event, 0 if there is no such event.
func processAt(rec tracefmt.Recording, seq tracefmt.Seq) (tracefmt.ProcessID, error) {
	for e, err := range rec.Events(seq) {
		if err != nil || e.Seq != seq {
			return 0, err
		}
		return e.Process, nil
	}
	return 0, nil
}

// cutThrough returns the cut in which each process ends with its first event of a kind.
func (o *Options) cutThrough(ctx context.Context, rec tracefmt.Recording, event string) (story.Cut, error) {
	matches, err := spec.Event(event)
	if err != nil {
		return nil, fmt.Errorf("cut: %w", err)
	}
	cut, err := story.CutThrough(ctx, rec, matches.Moments(rec.Run()))
	if err == nil && cut == nil && o.CutAt != "" {
		err = noCut(ctx, rec, event)
	}
	return cut, err
}

// noCut is the error for an event that no process has, which names the nearest that one has.
func noCut(ctx context.Context, rec tracefmt.Recording, event string) error {
	known := []string{NoCut}
	for e, err := range tracefmt.Until(ctx, rec, 1) {
		if err != nil {
			return err
		}
		if e.Process == 0 {
			continue
		}
		for _, name := range [...]string{e.Kind.String(), e.Type} {
			if name != "" && !slices.Contains(known, name) && len(known) < mostNames {
				known = append(known, name)
			}
		}
	}
	err := fmt.Errorf("cut: no process has an event %s", text.Quote(event))
	if near := text.Nearest(event, known); near != "" {
		err = fmt.Errorf("%w, did you mean %s?", err, text.Quote(near))
	}
	return err
}

// mostNames bounds the names of events that are compared with an unknown name.
const mostNames = 100

// cutRemark names the processes that a cut of listed events leaves out, "" if none.
func (o *Options) cutRemark(s *story.Story) string {
	if _, listed := seqList(o.CutAt); !listed {
		return ""
	}
	const limit = 6
	var names []string
	for _, p := range s.Order {
		if s.Options.Cut.Last(p) == 0 {
			names = append(names, text.Printable(s.FullName(p)))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("the cut names no event of process %s, which is cut at its beginning", names[0])
	}
	return fmt.Sprintf("the cut names no event of processes %s, which are cut at their beginning", text.And(text.Few(names, limit)))
}
