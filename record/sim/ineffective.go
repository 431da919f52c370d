package sim

import "etrace/tracefmt"

// Ineffective is an action of the plan that had no effect, with the reason.
type Ineffective struct {
	Action
	Why Obstacle
}

// Obstacle is the reason why an action has no effect at its process.
type Obstacle uint8

// The obstacles; the zero value means that there is no obstacle.
const (
	_ Obstacle = iota
	// IsDown: a process that is down cannot start, invoke an operation, or crash.
	IsDown
	// IsUp: a process that is up cannot recover.
	IsUp
	// IsPassive: a passive process takes no step of its own.
	IsPassive
	// NeverStarts: a start of this process never has an effect, see [Protocol.CanStart].
	NeverStarts
	// IsBusy: a start of this process has no effect now, see [Protocol.Busy].
	IsBusy
)

// CanStart reports whether a start of p, of processes 1 to last, ever has an effect.
func (pr *Protocol) CanStart(p, last tracefmt.ProcessID) bool {
	return pr.Start != nil && (pr.Starts == nil || pr.Starts(p, last))
}

// obstacle returns the reason why an action of that kind has no effect at a process; 0 if it has an effect.
func (k *kernel) obstacle(p *Process, kind ActionKind) Obstacle {
	begins := kind == StartProcess || kind == InvokeOperation
	switch {
	case begins && p.passive:
		return IsPassive
	case (begins || kind == CrashProcess) && !p.up:
		return IsDown
	case kind == RecoverProcess && p.up:
		return IsUp
	case kind == StartProcess:
		return k.startObstacle(p)
	}
	return 0
}

// startObstacle returns the reason why a start has no effect at a process that is up; 0 if it has an effect.
func (k *kernel) startObstacle(p *Process) Obstacle {
	switch {
	case !k.protocol.CanStart(p.id, p.Last()):
		return NeverStarts
	case k.protocol.Busy != nil && k.protocol.Busy(p):
		return IsBusy
	}
	return 0
}
