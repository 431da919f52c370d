package shard

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// WriteText describes the plan as text. name is its file.
func (p *Plan) WriteText(w io.Writer, name string) error {
	runs, events, busy := 0, int64(0), map[int]bool{}
	for _, t := range p.Traces {
		for _, r := range t.Runs {
			runs++
			events += r.Events
			busy[r.Shard] = true
		}
	}
	size := text.Counted(runs, "run", "runs")
	if events > 0 { // the header of a stream lacks their number
		size = text.Counted(events, "event", "events") + " of " + size
	}
	lines := []string{fmt.Sprintf("%s: %s in %s", name, size, text.Counted(p.Shards, "shard", "shards"))}
	if p.Mode == Events {
		lines = append(lines, p.splitText()...)
	}
	if empty := p.Shards - len(busy); p.Mode == Runs && empty > 0 {
		lines = append(lines, fmt.Sprintf("  %s without a run", text.Counted(empty, "shard", "shards")))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// splitText describes how the rules are split. Rules that are split in the same way share a line.
func (p *Plan) splitText() (lines []string) {
	rules := slices.DeleteFunc(slices.Clone(p.One.Rules), func(r Rule) bool { return r.Split == Settled })
	if p.Shards > 1 && len(rules) > 0 && !slices.ContainsFunc(rules, func(r Rule) bool { return r.Split == ByKey }) {
		lines = append(lines, "  nothing is split: shard 0 does all, as etrace check without a plan")
	}
	for len(rules) > 0 {
		first := rules[0]
		var names []string
		rules = slices.DeleteFunc(rules, func(r Rule) bool {
			if !first.same(r) {
				return false
			}
			names = append(names, r.Name)
			return true
		})
		lines = append(lines, fmt.Sprintf("  %s: %s", text.Some(names, 8), first.describe()))
	}
	return lines
}
