package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// recorders reads what the processes of one execution recorded of themselves, each in a file of its own, as one run.
var recorders = interop.Format{
	Name: "recorders",
	Doc:  "one execution, whose processes recorded themselves with package record, a JSON Lines file for each process: --from recorders",
	Describe: func() string {
		return `Each file has one run. Its recorder numbers the messages that the program sends. A receive from another program has
the stamp of the send, by which etrace joins the two. The declared completeness of a file applies to the processes
whose events the file has.
`
	},
	Source: "package record",
	Detect: func([]byte) interop.Confidence { return interop.No },
	Joins:  true,
	Read:   readRecorders,
}

// readRecorders joins the runs of all files to one run. It fails for a run that no recorder wrote.
func readRecorders(r *interop.Reading) error {
	var j join
	for more := true; more; more = r.Next() {
		dec := tracefmt.NewDecoder(r)
		run, err := dec.NextRun()
		switch {
		case errors.Is(err, io.EOF):
			return r.Errorf(0, "no run, expected what package record has written")
		case err == nil && run.Source != tracefmt.Recorded:
			err = r.Errorf(1, "the run is %s, expected one that a program recorded of itself (\"source\":%q)", sourceOf(run), tracefmt.Recorded)
		case err == nil:
			err = j.add(r, dec, run)
		}
		if err != nil {
			return jsonlError(r, dec, err)
		}
	}
	return nil
}

// sourceOf returns the source of a run for a message.
func sourceOf(run *tracefmt.Run) string {
	if run.Source == "" {
		return "of an unknown source"
	}
	return run.Source
}

// join makes one run of the runs of several recorders.
type join struct {
	builder  *interop.Builder
	complete tracefmt.Completeness
}

// add adds the run of a recorder.
func (j *join) add(r *interop.Reading, dec *tracefmt.Decoder, run *tracefmt.Run) error {
	if j.builder == nil {
		j.complete = tracefmt.Completeness{Processes: map[string]tracefmt.Levels{}}
		j.builder = r.Build(tracefmt.Run{
			Name: run.Name, Problem: run.Problem, Traits: run.Traits, Best: run.Best, Basic: run.Basic, Token: run.Token,
		})
		j.builder.ByTime, j.builder.Completeness = true, &j.complete
	}
	began := time.Unix(0, 0)
	if run.StartedAt != "" {
		at, err := time.Parse(time.RFC3339Nano, run.StartedAt)
		if err != nil {
			return r.Errorf(1, "started_at %q: expected a time such as 2026-05-01T10:00:00Z", run.StartedAt)
		}
		began = at
	}
	for _, m := range run.Members {
		j.builder.Member(m.Name)
	}
	recorded, gaps := map[tracefmt.ProcessID]bool{}, gapsOf(run)
	for {
		e, err := dec.Next()
		switch {
		case errors.Is(err, io.EOF):
			if _, err := dec.NextRun(); !errors.Is(err, io.EOF) {
				return r.Errorf(int(dec.Line()), "the file has more than one run, expected that of one recorder")
			}
			for i := range gaps { // gaps after the last event of their process
				if g := &gaps[i]; g.To == 0 || g.last <= g.To {
					j.gap(g)
				}
			}
			if run.End == "" || run.End == tracefmt.Open {
				r.Note("%s: no end line follows, so that the last events may be missing", r.Place(int(dec.Line())))
				j.builder.Gap("", 0)
			}
			return j.declare(r, run, recorded)
		case err != nil:
			return err
		}
		name := run.ProcessName(e.Process)
		for i := range gaps {
			if g := &gaps[i]; g.Process == name {
				if e.Seq >= g.From && (g.To == 0 || g.last <= g.To) {
					j.gap(g)
				}
				g.last = e.Seq
			}
		}
		if e.Kind != tracefmt.Lose { // the sender records losses
			recorded[e.Process] = true
		}
		j.builder.Add(entry(run, e, began, r.Line(int(dec.Line()))))
	}
}

// gap is a gap that a recorder declares, with the last event of its process so far.
type gap struct {
	tracefmt.Gap
	last tracefmt.Seq
}

// gapsOf returns the gaps that a run declares.
func gapsOf(run *tracefmt.Run) (gaps []gap) {
	if run.Completeness != nil {
		for _, g := range run.Completeness.Gaps {
			gaps = append(gaps, gap{Gap: g})
		}
	}
	return gaps
}

// gap declares a gap before the next event. The number of missing events is declared once, at the first place of
// the gap.
func (j *join) gap(g *gap) {
	j.builder.Gap(g.Process, g.Dropped)
	g.Dropped = 0
}

// declare takes over the completeness of the processes whose events the file has.
func (j *join) declare(r *interop.Reading, run *tracefmt.Run, recorded map[tracefmt.ProcessID]bool) error {
	for p := range recorded {
		if p == 0 || run.Completeness == nil {
			continue
		}
		name := run.ProcessName(p)
		if _, twice := j.complete.Processes[name]; twice {
			return r.Errorf(1, "process %s has events in two files, expected that each process recorded itself", name)
		}
		levels, declared := run.Completeness.Processes[name]
		if !declared {
			levels = run.Completeness.Levels
		}
		j.complete.Processes[name] = levels
	}
	return nil
}

// entry returns an event of a recorder. A message is identified by its sender and the number that the sender
// gave to it.
func entry(run *tracefmt.Run, e *tracefmt.Event, began time.Time, line int) interop.Entry {
	out := interop.Entry{
		Line: line, Kind: e.Kind, Process: run.ProcessName(e.Process), Peer: run.ProcessName(e.Peer), Type: e.Type, Term: e.Term,
		Time: began.Add(time.Duration(e.Time)),
	}
	sender := out.Peer
	if e.Kind == tracefmt.Send {
		sender = out.Process
	}
	if e.Message != 0 && (e.Kind == tracefmt.Send || e.Cause != 0) {
		out.Message = fmt.Sprintf("%s/%d", sender, e.Message)
	}
	for key, value := range tracefmt.Fields(e.Payload) {
		if string(key) == tracefmt.LogKey {
			var log struct{ Message string }
			if json.Unmarshal(value, &log) == nil && log.Message != "" {
				out.Message = log.Message
			}
			continue
		}
		out.Fields = append(out.Fields, interop.JSON(string(key), append([]byte(nil), value...)))
	}
	return out
}
