package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
	"etrace/tracefmt/text/document"
)

// JSONVersion is the version mark of the JSON report.
const JSONVersion = "etrace.check/1"

var jsonFormat = Format{
	Name:  "json",
	Doc:   "one JSON object for programs, version " + JSONVersion,
	Write: writeJSON,
}

// unreadJSON returns the fields that list what was not examined.
func unreadJSON(failures, leftOut []string) document.Object {
	return document.Object{"failures?", failures, "left_out?", leftOut}
}

// headJSON returns the fields that identify a run; the name of its trace only if there are several.
func headJSON(traces []string, trace string, run *tracefmt.Run) document.Object {
	if len(traces) < 2 {
		trace = ""
	}
	return document.Object{"trace?", trace, "run", run.Number, "name?", run.Name, "repaired?", run.Repaired}
}

// factJSON returns the fields of a fact. Without a process it is a fact of any process.
func factJSON(run *tracefmt.Run, n analyze.Need) document.Object {
	return document.Object{
		"process?", run.ProcessName(n.Process), "kind", n.Fact.Kind.String(), "variable?",
		n.Fact.Variable,
	}
}

// needs returns the facts whose record would decide, each with its stretch of the run.
func needs(run *tracefmt.Run, facts []analyze.Need) []document.Object {
	return document.List(facts, func(n analyze.Need) document.Object {
		return append(factJSON(run, n), "from", n.From, "to", n.To, "dropped?", n.Dropped)
	})
}

// logNextObjects returns the lists of what to log next.
func logNextObjects(run *tracefmt.Run, lists []analyze.Wanted) []document.Object {
	return document.List(lists, func(w analyze.Wanted) document.Object {
		var logs []string
		for _, p := range w.Logs {
			logs = append(logs, run.ProcessName(p))
		}
		return document.Object{
			"logs?", logs,
			"facts", document.List(w.Facts, func(n analyze.Need) document.Object { return factJSON(run, n) }),
			"gaps?", document.List(w.Gaps, func(n analyze.Need) document.Object {
				return document.Object{
					"process", run.ProcessName(n.Process), "from", n.From, "to", n.To,
					"dropped?", n.Dropped,
				}
			}),
			"inferred?", needs(run, w.Inferred),
			"violation_only?", w.OnlyViolation, "convicts?", w.OnlyViolation, // the former name, for one version
			"complete?", w.Complete, "tells?", w.Complete, // the former name, for one version
		}
	})
}

// pastJSON returns the explanation of a violation; nil for none.
func pastJSON(e *explain.Explanation) document.Object {
	if e == nil {
		return nil
	}
	return document.Object{
		"recorded?", e.Recorded, "minimal", e.Minimal, "others?", e.Others, "note?", e.Note, "events",
		stepsJSON(e.Steps),
		"led?", stepsJSON(e.Led), "led_count?", e.LedCount,
	}
}

func stepsJSON(steps []explain.Step) []document.Object {
	return document.List(steps, func(s explain.Step) document.Object {
		return append(document.Object{"seq", s.Seq, "process?", s.Process, "text", s.Text}, lineJSON(s.Origin)...)
	})
}

// lineJSON returns the fields of a line of a log.
func lineJSON(o tracefmt.Origin) document.Object {
	return document.Object{"file?", o.File, "line?", o.Line}
}

// originsJSON returns the lines of the log that the events of a witness were imported from.
func originsJSON(run Run, witness []tracefmt.Seq) (out []document.Object) {
	for _, seq := range witness {
		if o, ok := run.Origins[seq]; ok {
			out = append(out, document.Object{"seq", seq, "file?", o.File, "line", o.Line})
		}
	}
	return out
}

// writeJSON writes the report. It encodes the runs one by one, since there may be many.
func writeJSON(w io.Writer, r *Report, s Style) error {
	inapplicable := document.List(r.InVain(), func(v InVain) document.Object {
		if len(r.Traces) < 2 {
			v.Trace = ""
		}
		return document.Object{"trace?", v.Trace, "property", v.Property, "why", v.Why}
	})
	out := append(
		document.Object{"format", JSONVersion, "verdict", r.Overall(), "runs", []Run{}, "inapplicable?", inapplicable},
		unreadJSON(r.Failures, r.LeftOut)...,
	)
	var frame bytes.Buffer
	if err := tracefmt.WriteJSON(&frame, append(out, "unexamined?", r.Unexamined())); err != nil {
		return err
	}
	const emptyRuns = `"runs": []`
	before, after, _ := strings.Cut(frame.String(), emptyRuns)
	if len(r.Runs) == 0 {
		after = emptyRuns + after
	} else {
		before, after = before+`"runs": [`, "\n  ]"+after
	}
	b := bufio.NewWriter(w)
	b.WriteString(before)
	for i, run := range r.Runs {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeElement(b, r.runJSON(run, s)); err != nil {
			return err
		}
	}
	b.WriteString(after)
	return b.Flush()
}

// writeElement writes an element of a list of the report, on lines of its own.
func writeElement(w *bufio.Writer, v any) error {
	const indent = "    "
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	w.WriteString("\n" + indent)
	_, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

// runJSON returns the object of a run. A quiet report only counts the properties that do not apply.
func (r *Report) runJSON(run Run, s Style) document.Object {
	results, omitted := run.Results, 0
	if s.Quiet {
		results = slices.DeleteFunc(slices.Clone(results),
			func(p *analyze.Result) bool { return p.Verdict == analyze.NotApplicable && !p.Named })
		omitted = len(run.Results) - len(results)
	}
	var loop []tracefmt.Seq
	if run.Ending.Looping() {
		loop = []tracefmt.Seq{run.Ending.LoopFrom, run.Ending.LoopTo}
	}
	return append(headJSON(r.Traces, run.Trace, run.Run),
		"algorithm?", run.Run.Algorithm,
		"end", run.Run.End,
		"doubt?", run.Ending.Doubt,
		"remarks?", run.Remarks,
		"assumed?", run.Assumed,
		"loop?", loop,
		"loop_shift?", run.Ending.LoopShift,
		"verdict", run.Verdict,
		"not_applicable?", omitted,
		"properties", document.List(results, func(p *analyze.Result) document.Object { return r.resultJSON(run, p) }),
	)
}

// resultJSON returns the object of a result.
func (r *Report) resultJSON(run Run, p *analyze.Result) document.Object {
	return document.Object{
		"name", p.Property.Name,
		"kind", p.Property.Kind,
		"verdict", p.Verdict,
		"violations", p.Violations,
		"witness", append([]tracefmt.Seq{}, p.Witness...),
		"origins?", originsJSON(run, p.Witness),
		"explanation", p.Explanation,
		"cut?", p.Cut,
		"obligations?", p.Open,
		"counts?", p.Counts,
		"skew?", p.Skew,
		"needs?", needs(run.Run, p.Needs),
		"log_next?", logNextObjects(run.Run, r.LogNext[p]),
		"past?", pastJSON(r.Explanations[p]),
	}
}
