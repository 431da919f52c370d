package shard

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// WriteText describes the plan for people; name is its file.
func (p *Plan) WriteText(w io.Writer, name string) error {
	runs, events, busy := 0, int64(0), map[int]bool{}
	for _, t := range p.Traces {
		for _, r := range t.Runs {
			runs++
			events += r.Events
			busy[r.Shard] = true
		}
	}
	lines := []string{
		fmt.Sprintf(
			"%s: %s of %s in %s", name, text.Counted(events, "event", "events"),
			text.Counted(runs, "run", "runs"), text.Counted(p.Shards, "shard", "shards"),
		),
	}
	if p.Mode == Events {
		if p.Shards > 1 && len(p.One.Groups) > 0 && !slices.ContainsFunc(p.One.Groups, func(g Group) bool { return g.Split == ByKey }) {
			lines = append(lines, "  nothing is split: shard 0 does all, as etrace check without a plan")
		}
		for _, g := range p.One.Groups {
			lines = append(lines, fmt.Sprintf("  %s: %s", text.Some(g.Rules, 8), g.Text()))
			if common := g.All.Events; common > 0 {
				lines = append(lines, fmt.Sprintf("    %s for all shards", text.Counted(common, "event", "events")))
			}
		}
	}
	if empty := p.Shards - len(busy); p.Mode == Runs && empty > 0 {
		lines = append(lines, fmt.Sprintf("  %s without a run", text.Counted(empty, "shard", "shards")))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
