package sim

import "etrace/tracefmt"

// Vain is an action of the plan that did nothing, and why.
type Vain struct {
	Action
	Why Hindrance
}

// Hindrance is why an action does nothing at its process.
type Hindrance uint8

// The hindrances; the zero value means that there is no hindrance.
const (
	_ Hindrance = iota
	// IsDown: the process is down, and so does not start, invoke anything, or crash.
	IsDown
	// IsUp: it is up, and so does not recover.
	IsUp
	// IsPassive: it takes no step of its own.
	IsPassive
	// NeverStarts: the protocol has nothing to begin at this process, see [Protocol.CanStart].
	NeverStarts
	// IsBusy: the protocol has nothing to begin at this process now, see [Protocol.Busy].
	IsBusy
)

// CanStart reports whether the protocol ever begins anything at p, of processes 1 to last, when
// it is started.
func (pr *Protocol) CanStart(p, last tracefmt.ProcessID) bool {
	return pr.Start != nil && (pr.Starts == nil || pr.Starts(p, last))
}

// hindrance returns the reason why an action of that kind has no effect at a process; 0 if it has an effect.
func (k *kernel) hindrance(p *Process, kind ActionKind) Hindrance {
	begins := kind == StartProcess || kind == InvokeOperation
	switch {
	case begins && p.passive:
		return IsPassive
	case (begins || kind == CrashProcess) && !p.up:
		return IsDown
	case kind == RecoverProcess && p.up:
		return IsUp
	case kind == StartProcess:
		return k.unstarted(p)
	}
	return 0
}

// unstarted returns the reason why a start has no effect at a process that is up; 0 if it has an effect.
func (k *kernel) unstarted(p *Process) Hindrance {
	switch {
	case !k.protocol.CanStart(p.id, p.Last()):
		return NeverStarts
	case k.protocol.Busy != nil && k.protocol.Busy(p):
		return IsBusy
	}
	return 0
}
