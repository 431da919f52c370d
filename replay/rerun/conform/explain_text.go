package conform

import (
	"fmt"
	"strings"

	"etrace/replay"
	"etrace/replay/printer"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// explanationText lists explanations as a tree. Unrecorded steps are in brackets, alternatives are indented,
// and a branch that joins another one names the point where it does.
type explanationText struct {
	b   *strings.Builder
	run *tracefmt.Run
	x   *Explanations
	// joined holds the points with several incoming steps.
	joined  map[int]bool
	written map[int]bool
}

// maxLines is the greatest number of lines of explanations to write.
const maxLines = 40

// write writes the explanations of a process as text, up to maxLines lines.
func (x *Explanations) write(b *strings.Builder, run *tracefmt.Run, name string) {
	t := &explanationText{b: new(strings.Builder), run: run, x: x, joined: map[int]bool{}, written: map[int]bool{}}
	into := map[int]int{}
	for _, s := range x.Steps {
		into[s.To]++
		t.joined[s.To] = into[s.To] > 1
	}
	supposed := text.Counted(x.Most, "hidden step", "hidden steps")
	if x.Least < x.Most {
		supposed = fmt.Sprintf("%d to %s", x.Least, supposed)
	}
	fmt.Fprintf(b, "  no completion explains it; the longest explanations of %s, which suppose %s:\n", name, supposed)
	roots := x.roots()
	for _, root := range roots {
		indent := "    "
		if len(roots) > 1 {
			fmt.Fprintf(t.b, "    either\n")
			indent += "  "
		}
		t.follow(root, indent)
	}
	lines := strings.SplitAfter(t.b.String(), "\n")
	// SplitAfter returns an empty string after the last line end.
	lines = lines[:len(lines)-1]
	for _, line := range lines[:min(len(lines), maxLines)] {
		b.WriteString(line)
	}
	if more := len(lines) - maxLines; more > 0 {
		fmt.Fprintf(b, "    and %s; --json has them\n", text.Counted(more, "more line", "more lines"))
	}
	if x.LeftOut > 0 {
		fmt.Fprintf(b, "    and %d more\n", x.LeftOut)
	}
}

// follow writes everything after a point. It only names a point that is already written, so the recursion
// ends.
func (t *explanationText) follow(point int, indent string) {
	for {
		if t.written[point] {
			fmt.Fprintf(t.b, "%sas after (%d)\n", indent, point)
			return
		}
		t.written[point] = true
		for _, end := range t.x.Ends {
			if end.Point == point {
				t.end(&end, indent)
			}
		}
		steps := t.x.from(point)
		if len(steps) != 1 {
			for _, s := range steps {
				fmt.Fprintf(t.b, "%seither\n", indent)
				t.step(&s, indent+"  ")
				t.follow(s.To, indent+"  ")
			}
			return
		}
		t.step(&steps[0], indent)
		point = steps[0].To
	}
}

// step writes one step on a line; a point that several steps lead to gets a label.
func (t *explanationText) step(s *ExplainedStep, indent string) {
	label := ""
	if t.joined[s.To] && !t.written[s.To] {
		label = fmt.Sprintf("  (%d)", s.To)
	}
	if s.hidden() {
		fmt.Fprintf(t.b, "%s[%s]%s\n", indent, hiddenSentence(t.run, s.Event), label)
		return
	}
	fmt.Fprintf(t.b, "%s%d: %s%s\n", indent, s.Event.Seq, replay.Sentence(t.run, s.Event), label)
}

// end writes what the algorithm does at an end.
func (t *explanationText) end(end *ExplainedEnd, indent string) {
	if end.Expected == nil {
		fmt.Fprintf(t.b, "%s+ waits\n", indent)
		return
	}
	fmt.Fprintf(t.b, "%s+ %s\n", indent, replay.Sentence(t.run, end.Expected))
}

// hiddenSentence describes an unrecorded step in words.
func hiddenSentence(run *tracefmt.Run, e *tracefmt.Event) string {
	if e.Kind == tracefmt.Start {
		return rerun.Short(run.ProcessName(e.Process)) + " starts of itself"
	}
	return replay.Sentence(run, e)
}

// json returns the graph as an object. Unrecorded events have seq 0.
func (x *Explanations) json(step func(e *tracefmt.Event) *printer.Step) document.Object {
	if x == nil {
		return nil
	}
	return document.Object{
		"least", x.Least,
		"most", x.Most,
		"points", x.Points,
		"steps", document.List(x.Steps, func(s ExplainedStep) document.Object {
			return document.Object{"from", s.From, "to", s.To, "hidden", s.hidden(), "event", step(s.Event)}
		}),
		"ends", document.List(x.Ends, func(end ExplainedEnd) document.Object {
			return document.Object{"point", end.Point, "expected", step(end.Expected)}
		}),
		"left_out?", x.LeftOut,
	}
}
