package stdio

import (
	"context"

	"etrace/record"
	"etrace/record/sim"
	"etrace/tracefmt/interop/maelstrom"
)

// inject lets a fault happen.
func (h *harness) inject(ctx context.Context, a *sim.Action) {
	switch a.Kind {
	case sim.CrashProcess:
		if n := h.nodes[a.Process-1]; n.proc != nil {
			h.stop(n)
			h.write(maelstrom.Line{Ev: "crash", Node: n.name})
		}
	case sim.RecoverProcess:
		if n := h.nodes[a.Process-1]; n.proc == nil && !n.halted {
			h.start(ctx, n)
		}
	case sim.SplitNetwork:
		h.net.Split(a.Partition, a.Groups)
		h.write(maelstrom.Line{Ev: "partition", Groups: h.groups(a)})
	case sim.HealNetwork: // other splits may go on, so the line names the groups
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

// suspend stops a node, which keeps what it has.
func (h *harness) suspend(n *node) {
	if n.proc == nil || h.closing {
		return
	}
	n.paused = true
	n.proc.pause()
	h.write(maelstrom.Line{Ev: "note", Node: n.name, Label: "pause"})
}

// resume lets a node that was suspended go on. In lockstep it reads message by message what has come meanwhile.
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
		if h.deliver(n, p); n.proc != nil && h.config.Lockstep {
			h.settle(ctx, n)
		}
	}
}
