package render

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"etrace/analyze/spec"
	"etrace/render/story"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// NoCut in the place of a cut keeps a picture from having one.
const NoCut = "none"

// cutsOf are the cuts of the runs of a problem: each process is in the cut up to its first such event.
var cutsOf = []struct{ problem, event string }{
	{tracefmt.Snapshot, `note(type = "record")`},
}

// cut finds the last event of each process in the cut that was asked for, or in that of the problem of the run
// if the picture can show one.
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
	return cutThrough(ctx, rec, event)
}

// seqList reads numbers of events with commas between, and reports whether the text is such a list.
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

// cutAfter is the cut whose last events are listed, one of a process.
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
			return nil, fmt.Errorf("cut after %d and %d: both are events of process %s, expected one of each", cut[p], seq, text.Printable(run.ProcessName(p)))
		}
		cut[p] = seq
	}
	return cut, nil
}

// processAt is the process of an event, 0 if there is none.
func processAt(rec tracefmt.Recording, seq tracefmt.Seq) (tracefmt.ProcessID, error) {
	for e, err := range rec.Events(seq) {
		if err != nil || e.Seq != seq {
			return 0, err
		}
		return e.Process, nil
	}
	return 0, nil
}

// cutThrough is the cut up to the first event of that kind of each process, nil if there is none.
func cutThrough(ctx context.Context, rec tracefmt.Recording, event string) (story.Cut, error) {
	of, err := spec.Event(event)
	if err != nil {
		return nil, fmt.Errorf("cut: %w", err)
	}
	return story.CutThrough(ctx, rec, of.Moments(rec.Run()))
}

// cutRemark says that the cut that was asked for is nowhere, "" if that is not so.
func (o *Options) cutRemark(s *story.Story) string {
	if _, listed := seqList(o.CutAt); listed || o.CutAt == "" || o.CutAt == NoCut || len(s.Options.Cut) > 0 {
		return ""
	}
	return fmt.Sprintf("no process has an event %s, so that there is no cut to draw", text.Quote(o.CutAt))
}
