package stdio

import (
	"context"
	"fmt"
	"time"

	"etrace/record"
	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/interop/maelstrom"
)

// schedule schedules the faults and pauses. A fault after the end of the run becomes a note.
func (h *harness) schedule(ctx context.Context) {
	end := tracefmt.Time(h.config.Until)
	tooLate := func(fault string) { h.noEffect(fault, fmt.Sprint("the run ends at ", end)) }
	for i := range h.config.Actions {
		a := &h.config.Actions[i]
		switch {
		case a.At < end:
			h.net.Schedule(a.At, network.Fault, 0, int64(i))
		case a.Kind != sim.HealNetwork:
			// A partition may outlast the run, so a late end of one deserves no remark.
			tooLate(faultText(a))
		}
	}
	for _, p := range h.config.Pauses {
		if p.From >= end {
			tooLate(p.String())
			continue
		}
		n := h.nodes[p.Node-1]
		h.callAfter(time.Duration(p.From), func() { h.suspend(n, p) })
		h.callAfter(time.Duration(p.To), func() { h.resume(ctx, n) })
	}
}

// faultText names an action as the command line does.
func faultText(a *sim.Action) string {
	switch a.Kind {
	case sim.CrashProcess:
		return fmt.Sprintf("crash %d@%v", a.Process, a.At)
	case sim.RecoverProcess:
		return fmt.Sprintf("recover %d@%v", a.Process, a.At)
	}
	return fmt.Sprint("partition at ", a.At)
}

// noteUnmatchedRules adds notes about the rules that matched no message.
func (h *harness) noteUnmatchedRules() {
	star := func(value, zero string) string {
		if value == zero {
			return "*"
		}
		return value
	}
	for _, i := range h.net.Unmet() {
		rule := &h.config.Rules[i]
		text := "slow "
		if rule.Drop {
			text = "drop "
		}
		text += star(rule.Type, "") + ":" + star(fmt.Sprint(rule.From), "0") + ">" + star(fmt.Sprint(rule.To), "0")
		if rule.Occurrence != 0 {
			text += fmt.Sprint("#", rule.Occurrence)
		}
		h.noEffect(text, "no message of the run fits it")
	}
}

// noEffect adds a note about a fault without effect.
func (h *harness) noEffect(fault, reason string) {
	h.notes = append(h.notes, fault+" has no effect: "+reason)
}

// inject makes a fault happen.
func (h *harness) inject(ctx context.Context, a *sim.Action) {
	switch a.Kind {
	case sim.CrashProcess:
		n := h.nodes[a.Process-1]
		if n.proc == nil {
			h.noEffect(faultText(a), n.name+" is down")
			return
		}
		h.kill(n)
		h.write(maelstrom.Line{Ev: "crash", Node: n.name})
	case sim.RecoverProcess:
		switch n := h.nodes[a.Process-1]; {
		case n.proc != nil:
			h.noEffect(faultText(a), n.name+" is up")
		case n.halted:
			h.noEffect(faultText(a), n.name+" has ended by itself")
		default:
			h.start(ctx, n)
		}
	case sim.SplitNetwork:
		h.net.Split(a.Partition, a.Groups)
		h.write(maelstrom.Line{Ev: "partition", Groups: h.groups(a)})
	case sim.HealNetwork: // other partitions may stay active, so the line names the groups
		h.net.Heal(a.Partition)
		h.write(maelstrom.Line{Ev: "heal", Groups: h.groups(a)})
	}
}

// groups returns the groups of an action by name.
func (h *harness) groups(a *sim.Action) [][]string {
	groups := make([][]string, len(a.Groups))
	for i, ids := range a.Groups {
		for _, id := range ids {
			groups[i] = append(groups[i], h.names[id-1])
		}
	}
	return record.PartitionGroups(groups, h.names)
}

// suspend stops a node, which keeps its state.
func (h *harness) suspend(n *node, p Pause) {
	switch {
	case h.closing:
		return
	case n.proc == nil:
		h.noEffect(p.String(), n.name+" is down")
		return
	}
	n.paused = true
	n.proc.pause()
	h.write(maelstrom.Line{Ev: "note", Node: n.name, Label: "pause"})
}

// resume continues a suspended node. In lockstep it delivers the messages that arrived meanwhile one by one.
func (h *harness) resume(ctx context.Context, n *node) {
	if !n.paused {
		return
	}
	n.paused = false
	h.write(maelstrom.Line{Ev: "note", Node: n.name, Label: "resume"})
	n.proc.resume()
	held := n.held
	n.held = nil
	for _, p := range held {
		h.deliver(n, p)
		if n.proc != nil && h.config.Lockstep {
			h.settle(ctx, n)
		}
	}
}
