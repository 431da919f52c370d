package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Summary describes in one line how far the algorithm explains the run.
func (r *Conformance) Summary() string {
	switch {
	case r.Events == 0:
		return fmt.Sprintf("nothing to compare with %s: no event is a step that an algorithm takes", r.Algorithm)
	case r.Conforms():
		supposed := r.assumptionText()
		if supposed != "" {
			supposed = ", if " + supposed
		}
		// An unrecorded step assumed for one process need not agree with those of another.
		if r.Partial {
			supposed += ", each process by itself"
		}
		return fmt.Sprintf("conforms to %s%s: %s of %s", r.Algorithm, supposed,
			text.Counted(r.Events, "event", "events"),
			text.Counted(r.compared(), "process", "processes"))
	}
	if open := r.Open(); open != "" {
		return fmt.Sprintf("open whether it conforms to %s: %s", r.Algorithm, open)
	}
	return fmt.Sprintf("does not conform to %s: it explains %d of %d events, and %d of %d processes to the end",
		r.Algorithm, r.Explained, r.Events, r.conforming(), r.compared())
}

// assumptionText counts the assumed unrecorded steps by kind, in words; "" for none.
func (r *Conformance) assumptionText() string {
	counts, total := r.assumedSteps(), int64(0)
	var kinds []string
	for _, k := range tracefmt.Kinds() {
		if n := counts[k]; n > 0 {
			total += n
			kinds = append(kinds, fmt.Sprintf("%d %s", n, k))
		}
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%s supposed (%s)", text.Counted(total, "hidden step is", "hidden steps are"),
		strings.Join(kinds, ", "))
}

// maxDeviations is the number of processes that Text lists.
const maxDeviations = 8

// Text describes where the processes leave the algorithm, the earliest first, and lists the processes that are
// not compared.
func (r *Conformance) Text() string {
	if r.Open() != "" && r.Mismatch != "" {
		return ""
	}
	var b strings.Builder
	deviating := r.deviating()
	for i, p := range deviating[:min(len(deviating), maxDeviations)] {
		d := p.Deviation
		if d.Step != nil {
			fmt.Fprintf(&b, "    %s\n", rerun.Line(r.Run, d.Step))
		}
		name := rerun.Short(r.Run.ProcessName(p.Process))
		if d.Recorded != nil {
			fmt.Fprintf(&b, "  - %s\n", rerun.Line(r.Run, d.Recorded))
		} else {
			fmt.Fprintf(&b, "  - %-15s %s does nothing more\n", "", name)
		}
		fmt.Fprintf(&b, "  + %-15s %s\n", r.Algorithm+":", d.expectation(r.Run, name))
		if i == 0 && d.Explanations != nil && r.explains(d) {
			d.Explanations.write(&b, r.Run, name)
		}
	}
	if more := len(deviating) - maxDeviations; more > 0 {
		fmt.Fprintf(&b, "  and %d more processes\n", more)
	}
	if names := r.byzantine(); len(names) > 0 {
		fmt.Fprintf(&b, "  not compared, since Byzantine: %s\n", strings.Join(names, ", "))
	}
	return b.String()
}

// explains reports whether explanations add to the deviation: they contain unrecorded steps, and the algorithm
// could make the recorded event. No unrecorded step explains what the algorithm does not know at all, such as
// a type of message.
func (r *Conformance) explains(d *Deviation) bool {
	return d.Reason == "" && slices.ContainsFunc(d.Explanations.Steps, func(s ExplainedStep) bool { return s.hidden() })
}

// deviating returns the processes that leave the algorithm, in the order of their deviations. A process that
// omits something at the end comes last.
func (r *Conformance) deviating() []*ProcessConformance {
	var deviating []*ProcessConformance
	for i := range r.Processes {
		if r.Processes[i].Deviation != nil {
			deviating = append(deviating, &r.Processes[i])
		}
	}
	at := func(p *ProcessConformance) tracefmt.Seq {
		if e := p.Deviation.Recorded; e != nil {
			return e.Seq
		}
		return tracefmt.Seq(r.Run.Events) + 1
	}
	slices.SortStableFunc(deviating, func(p, q *ProcessConformance) int { return cmp.Compare(at(p), at(q)) })
	return deviating
}

// expectation describes what the algorithm does in place of the recorded event.
func (d *Deviation) expectation(run *tracefmt.Run, name string) string {
	switch {
	case d.Expected != nil:
		return replay.Sentence(run, d.Expected)
	case d.Reason != "":
		return rerun.Short(d.Reason)
	case d.Step == nil:
		return name + " does nothing of itself"
	}
	return name + " does nothing more in this step"
}
