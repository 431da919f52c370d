package rerun

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Summary says in one line how far the algorithm explains the run.
func (r *Conformance) Summary() string {
	switch {
	case r.Events == 0:
		return fmt.Sprintf("nothing to compare with %s: no event is a step that an algorithm takes", r.Algorithm)
	case r.Conforms():
		supposed := r.supposition()
		if supposed != "" {
			supposed = ", if " + supposed
		}
		if r.Partial { // what one process supposes another need not have done
			supposed += ", each process by itself"
		}
		return fmt.Sprintf("conforms to %s%s: %s of %s", r.Algorithm, supposed, text.Counted(r.Events, "event", "events"),
			text.Counted(r.compared(), "process", "processes"))
	}
	if open := r.Open(); open != "" {
		return fmt.Sprintf("open whether it conforms to %s: %s", r.Algorithm, open)
	}
	return fmt.Sprintf("does not conform to %s: it explains %d of %d events, and %d of %d processes to the end",
		r.Algorithm, r.Explained, r.Events, r.conforming(), r.compared())
}

// supposition says how many unrecorded steps are supposed, and which: "" for none.
func (r *Conformance) supposition() string {
	counts, total := r.supposed(), int64(0)
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
	return fmt.Sprintf("%s supposed (%s)", text.Counted(total, "hidden step is", "hidden steps are"), strings.Join(kinds, ", "))
}

// mostDeviations is how many processes Text lists.
const mostDeviations = 8

// Text says for people where the processes leave the algorithm, the earliest
// first, and which are not compared with it.
func (r *Conformance) Text() string {
	if r.Open() != "" && r.Mismatch != "" {
		return ""
	}
	var b strings.Builder
	deviating := r.deviating()
	for i, p := range deviating[:min(len(deviating), mostDeviations)] {
		d := p.Deviation
		if d.Step != nil {
			fmt.Fprintf(&b, "    %s\n", line(r.Run, d.Step))
		}
		who := short(r.Run.ProcessName(p.Process))
		if d.Recorded != nil {
			fmt.Fprintf(&b, "  - %s\n", line(r.Run, d.Recorded))
		} else {
			fmt.Fprintf(&b, "  - %-15s %s does nothing more\n", "", who)
		}
		fmt.Fprintf(&b, "  + %-15s %s\n", r.Algorithm+":", d.expectation(r.Run, who))
		if i == 0 && d.Explanations != nil && r.explains(d) {
			d.Explanations.write(&b, r.Run, who)
		}
	}
	if more := len(deviating) - mostDeviations; more > 0 {
		fmt.Fprintf(&b, "  and %d more processes\n", more)
	}
	if names := r.byzantine(); len(names) > 0 {
		fmt.Fprintf(&b, "  not compared, since Byzantine: %s\n", strings.Join(names, ", "))
	}
	return b.String()
}

// explains reports whether explanations say more than the deviation: that something is
// hidden in them, and that what was recorded may come of it. What the algorithm does not know
// at all, such as a type of message, nothing hidden explains.
func (r *Conformance) explains(d *Deviation) bool {
	return d.Reason == "" && slices.ContainsFunc(d.Explanations.Steps, func(s ExplainedStep) bool { return s.hidden() })
}

// deviating returns the processes that leave the algorithm, in the order in
// which they do; who leaves something undone comes last.
func (r *Conformance) deviating() []*ProcessConformance {
	var all []*ProcessConformance
	for i := range r.Processes {
		if r.Processes[i].Deviation != nil {
			all = append(all, &r.Processes[i])
		}
	}
	at := func(p *ProcessConformance) tracefmt.Seq {
		if e := p.Deviation.Recorded; e != nil {
			return e.Seq
		}
		return tracefmt.Seq(r.Run.Events) + 1
	}
	slices.SortStableFunc(all, func(p, q *ProcessConformance) int { return cmp.Compare(at(p), at(q)) })
	return all
}

func (d *Deviation) expectation(run *tracefmt.Run, who string) string {
	switch {
	case d.Expected != nil:
		return replay.Sentence(run, d.Expected)
	case d.Reason != "":
		return short(d.Reason)
	case d.Step == nil:
		return who + " does nothing of itself"
	}
	return who + " does nothing more in this step"
}
