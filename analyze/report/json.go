package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"etrace/analyze"
	"etrace/analyze/explain"
	"etrace/tracefmt"
)

// JSONVersion is the version mark of the JSON report.
const JSONVersion = "etrace.check/1"

var jsonFormat = Format{
	Name:  "json",
	Doc:   "one JSON object for programs, version " + JSONVersion,
	Write: writeJSON,
}

type jsonReport struct {
	Format  string          `json:"format"`
	Verdict analyze.Verdict `json:"verdict"`
	Runs    []jsonRun       `json:"runs"`
	// Inapplicable is what was named in vain; it is there where there is some.
	Inapplicable []jsonInVain `json:"inapplicable,omitempty"`
	jsonUnread
}

// jsonUnread is what a report on traces lacks, where it lacks something.
type jsonUnread struct {
	Failures []string `json:"failures,omitempty"`
	LeftOut  []string `json:"left_out,omitempty"`
	// Unexamined is of a check alone.
	Unexamined []string `json:"unexamined,omitempty"`
}

// jsonHead names a run of a report on traces.
type jsonHead struct {
	Trace string `json:"trace,omitempty"` // where there are several
	Run   int    `json:"run"`
	Name  string `json:"name,omitempty"`
	// Repaired is how many changes a repair has made, by rule of lint.
	Repaired map[string]int64 `json:"repaired,omitempty"`
}

func headJSON(traces []string, trace string, run *tracefmt.Run) jsonHead {
	if len(traces) < 2 {
		trace = ""
	}
	return jsonHead{trace, run.Number, run.Name, run.Repaired}
}

type jsonInVain struct {
	Trace    string `json:"trace,omitempty"` // where there are several
	Property string `json:"property"`
	Why      string `json:"why"`
}

type jsonRun struct {
	jsonHead
	Algorithm  string          `json:"algorithm,omitempty"`
	End        tracefmt.End    `json:"end"`
	Doubt      string          `json:"doubt,omitempty"`
	Remarks    []string        `json:"remarks,omitempty"`
	Assumed    string          `json:"assumed,omitempty"`
	Loop       []tracefmt.Seq  `json:"loop,omitempty"`
	LoopShift  int64           `json:"loop_shift,omitempty"`
	Verdict    analyze.Verdict `json:"verdict"`
	Properties []jsonProperty  `json:"properties"`
}

type jsonProperty struct {
	Name        string          `json:"name"`
	Kind        analyze.Kind    `json:"kind"`
	Verdict     analyze.Verdict `json:"verdict"`
	Violations  int             `json:"violations"`
	Witness     []tracefmt.Seq  `json:"witness"`
	Origins     []jsonOrigin    `json:"origins,omitempty"`
	Explanation string          `json:"explanation"`
	Cut         []tracefmt.Seq  `json:"cut,omitempty"`
	Obligations []string        `json:"obligations,omitempty"`
	Needs       []jsonNeed      `json:"needs,omitempty"`
	LogNext     []jsonWanted    `json:"log_next,omitempty"`
	Past        *jsonPast       `json:"past,omitempty"`
}

// jsonNeed is a fact whose record would decide, between two events; without a process it
// is that of any, 0 for from is the beginning, for to the end.
type jsonNeed struct {
	Process  string       `json:"process,omitempty"`
	Kind     string       `json:"kind"`
	Variable string       `json:"variable,omitempty"`
	From     tracefmt.Seq `json:"from"`
	To       tracefmt.Seq `json:"to"`
	Dropped  int64        `json:"dropped,omitempty"`
}

// jsonWanted are facts that would have to be recorded to decide.
type jsonWanted struct {
	Facts    []jsonFact `json:"facts"`
	Gaps     []jsonGap  `json:"gaps,omitempty"`
	Inferred []jsonNeed `json:"inferred,omitempty"`
	Convicts bool       `json:"convicts,omitempty"`
	Tells    string     `json:"tells,omitempty"`
}

// jsonGap is a stretch of the record of a process that lacks what would decide.
type jsonGap struct {
	Process string       `json:"process"`
	From    tracefmt.Seq `json:"from"`
	To      tracefmt.Seq `json:"to"`
	Dropped int64        `json:"dropped,omitempty"`
}

// jsonFact is a fact of a process, without one that of every process.
type jsonFact struct {
	Process  string `json:"process,omitempty"`
	Kind     string `json:"kind"`
	Variable string `json:"variable,omitempty"`
}

func wanted(run *tracefmt.Run, all []analyze.Wanted) (out []jsonWanted) {
	for _, w := range all {
		list := jsonWanted{Facts: []jsonFact{}, Inferred: needs(run, w.Inferred), Convicts: w.Convicts, Tells: w.Complete}
		for _, g := range w.Gaps {
			list.Gaps = append(list.Gaps, jsonGap{run.ProcessName(g.Process), g.From, g.To, g.Dropped})
		}
		for _, n := range w.Facts {
			list.Facts = append(list.Facts, jsonFact{run.ProcessName(n.Process), n.Fact.Kind.String(), n.Fact.Variable})
		}
		out = append(out, list)
	}
	return out
}

func needs(run *tracefmt.Run, all []analyze.Need) (out []jsonNeed) {
	for _, n := range all {
		out = append(out, jsonNeed{run.ProcessName(n.Process), n.Fact.Kind.String(), n.Fact.Variable, n.From, n.To, n.Dropped})
	}
	return out
}

// jsonPast is what led to a violation.
type jsonPast struct {
	Recorded bool           `json:"recorded,omitempty"`
	Minimal  bool           `json:"minimal"`
	Others   []tracefmt.Seq `json:"others,omitempty"`
	Note     string         `json:"note,omitempty"`
	Events   []jsonStep     `json:"events"`
}

type jsonStep struct {
	Seq     tracefmt.Seq `json:"seq"`
	Process string       `json:"process,omitempty"`
	Text    string       `json:"text"`
	jsonLine
}

// jsonLine is the line of a log from which an event was imported, where it was.
type jsonLine struct {
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
}

// jsonOrigin is the place of a log from which an event was imported.
type jsonOrigin struct {
	Seq  tracefmt.Seq `json:"seq"`
	File string       `json:"file,omitempty"`
	Line int64        `json:"line"`
}

func origins(run Run, witness []tracefmt.Seq) (out []jsonOrigin) {
	for _, seq := range witness {
		if o, ok := run.Origins[seq]; ok {
			out = append(out, jsonOrigin{seq, o.File, o.Line})
		}
	}
	return out
}

// writeJSON writes the runs one by one, since there may be many.
func writeJSON(w io.Writer, r *Report, _ Style) error {
	out := jsonReport{Format: JSONVersion, Verdict: r.Overall(), Runs: []jsonRun{}, jsonUnread: jsonUnread{r.Failures, r.LeftOut, r.Unexamined()}}
	for _, v := range r.InVain() {
		j := jsonInVain{Property: v.Property, Why: v.Why}
		if len(r.Traces) > 1 {
			j.Trace = v.Trace
		}
		out.Inapplicable = append(out.Inapplicable, j)
	}
	var frame bytes.Buffer
	if err := tracefmt.WriteJSON(&frame, out); err != nil {
		return err
	}
	const none = `"runs": []`
	before, after, _ := strings.Cut(frame.String(), none)
	if len(r.Runs) == 0 {
		after = none + after
	} else {
		before, after = before+`"runs": [`, "\n  ]"+after
	}
	b := bufio.NewWriter(w)
	b.WriteString(before)
	for i, run := range r.Runs {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeElement(b, r.runJSON(run)); err != nil {
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

func (r *Report) runJSON(run Run) jsonRun {
	j := jsonRun{
		jsonHead: headJSON(r.Traces, run.Trace, run.Run), Algorithm: run.Run.Algorithm, End: run.Run.End, Doubt: run.Ending.Doubt, Remarks: run.Remarks, Assumed: run.Assumed,
		Verdict: run.Verdict, Properties: []jsonProperty{},
	}
	if run.Ending.Looping() {
		j.Loop, j.LoopShift = []tracefmt.Seq{run.Ending.LoopFrom, run.Ending.LoopTo}, run.Ending.LoopShift
	}
	for _, p := range run.Results {
		witness := p.Witness
		if witness == nil {
			witness = []tracefmt.Seq{}
		}
		j.Properties = append(j.Properties, jsonProperty{
			Name: p.Property.Name, Kind: p.Property.Kind, Verdict: p.Verdict, Violations: p.Violations,
			Witness: witness, Origins: origins(run, witness), Explanation: p.Explanation, Cut: p.Cut, Obligations: p.Open,
			Needs: needs(run.Run, p.Needs), LogNext: wanted(run.Run, r.LogNext[p]), Past: past(r.Explanations[p]),
		})
	}
	return j
}

func past(e *explain.Explanation) *jsonPast {
	if e == nil {
		return nil
	}
	p := &jsonPast{Recorded: e.Recorded, Minimal: e.Minimal, Others: e.Others, Note: e.Note, Events: []jsonStep{}}
	for _, s := range e.Steps {
		p.Events = append(p.Events, jsonStep{s.Seq, s.Process, s.Text, jsonLine(s.Origin)})
	}
	return p
}
