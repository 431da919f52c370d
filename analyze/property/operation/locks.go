package operation

import (
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// lockOrder decides the history of a lock whose processes have at most one open operation.
//
// A process holds the lock at least from the end of its acquire until it invokes its release, and at most from
// the invocation of the acquire to the end of the release. An order of all operations exists if and only if three
// conditions hold. No two processes hold the lock at least at the same time. Only processes that hold it release
// it. And while an acquire is refused, some process holds the lock at most, since a holder may have released it
// just before the next one acquired it.
type lockOrder struct {
	busy   map[tracefmt.ProcessID]bool       // it has an open operation
	inside map[tracefmt.ProcessID]*operation // the acquire of each process inside, until its release has ended
	// holder is the acquire of the process that certainly holds the lock. releasing is the release that it invoked,
	// until that ends or the next process certainly holds the lock. last is the former release.
	holder, releasing, last *operation
	waiting                 []*operation // acquires; the first one is open
	// refused is the first acquire after last that was refused while no process held the lock: a waiting acquire
	// must have got it then.
	refused *operation
}

// newLockOrder returns the judge of a lock; from is the operation that left its present state, nil at first.
func newLockOrder(from *operation) *lockOrder {
	l := &lockOrder{busy: map[tracefmt.ProcessID]bool{}, inside: map[tracefmt.ProcessID]*operation{}}
	switch {
	case from == nil:
	case from.name == "acquire":
		l.holder, l.inside[from.process] = from, from
	default:
		l.last = from
	}
	return l
}

// invoke handles an invocation, and reports whether the order is still decided.
func (l *lockOrder) invoke(op *operation) bool {
	p := op.process
	if l.busy[p] {
		return false
	}
	l.busy[p] = true
	switch {
	case op.name == "acquire":
		l.waiting = append(l.waiting, op)
	case l.inside[p] != nil:
		l.holder, l.releasing = nil, op
	}
	return true
}

// end handles the end of an operation. A failure after a possible effect is not decided.
func (l *lockOrder) end(op *operation) (reason *conflict, decided bool) {
	if op.failed {
		return nil, !l.busy[op.process]
	}
	delete(l.busy, op.process)
	reason, decided = l.succeed(op), true
	if reason != nil {
		reason.mayBeResolved = len(l.busy) > 0
	}
	return reason, decided
}

// succeed handles an operation that was granted or refused.
func (l *lockOrder) succeed(op *operation) *conflict {
	switch acquire, acquired := op.name == "acquire", l.inside[op.process]; {
	case acquire && !op.refused():
		return l.granted(op)
	// A process that holds the lock cannot acquire it again: its refusal needs no other holder.
	case acquire && acquired == nil:
		return l.refuse(op)
	case acquire:
		return l.unmet(op)
	case op.refused() && acquired != nil:
		return heldBy(op, acquired)
	case !op.refused() && acquired == nil:
		return &conflict{
			op: op, soleOwner: op.process, unless: "acquire",
			because: func(*replay.State) string { return "the process did not hold it" },
		}
	case !op.refused():
		delete(l.inside, op.process)
		if l.releasing == op {
			l.releasing, l.last = nil, op
		}
	}
	return nil
}

// granted handles the end of an acquire that got the lock.
func (l *lockOrder) granted(op *operation) *conflict {
	switch {
	case l.holder != nil:
		return heldBy(op, l.holder)
	case l.refused != nil && op.called > l.refused.ended:
		return notHeld(op, l.refused, l.last)
	}
	l.refused, l.releasing = nil, nil
	l.holder, l.inside[op.process] = op, op
	return nil
}

// refuse handles the end of an acquire that did not get the lock.
func (l *lockOrder) refuse(op *operation) *conflict {
	// The lock was held at some moment of the acquire, or may have been.
	held := l.holder != nil || l.releasing != nil || l.last != nil && l.last.ended > op.called
	if !held && l.refused == nil {
		l.refused = op
	}
	return l.unmet(op)
}

// unmet returns the conflict of an acquire that was refused although, since the end of an acquire, no process
// held the lock or waited for it; nil for none.
func (l *lockOrder) unmet(op *operation) *conflict {
	for len(l.waiting) > 0 && l.waiting[0].ended != 0 && l.waiting[0].ended <= op.ended {
		l.waiting = l.waiting[1:]
	}
	if l.refused == nil || len(l.waiting) > 0 && l.waiting[0].called < l.refused.ended {
		return nil
	}
	return notHeld(op, l.refused, l.last)
}

// heldBy returns the conflict of an operation that succeeds only if the lock is free or held by its own process, while
// another process certainly held the lock.
func heldBy(op, acquire *operation) *conflict {
	return &conflict{
		op: op, soleOwner: acquire.process, unless: "release", ops: []*operation{acquire},
		because: func(s *replay.State) string {
			return fmt.Sprintf("process %s held it, whose acquire ended at seq %d",
				s.Run.ProcessName(acquire.process), acquire.ended)
		},
	}
}

// notHeld returns the conflict of the acquire refused, which was refused although no process had held the lock since the
// operation last. The conflict shows at the end of op, which is refused or a later operation.
func notHeld(op, refused, last *operation) *conflict {
	return &conflict{
		op: op, unless: "acquire", ops: []*operation{refused, last},
		because: func(s *replay.State) string {
			free := "at first"
			if last != nil {
				free = fmt.Sprintf("from seq %d on", last.ended)
			}
			text := fmt.Sprintf("it was free %s, when the acquire of process %s, %s, was refused at seq %d",
				free, s.Run.ProcessName(refused.process), refused.begun(), refused.ended)
			switch {
			case op == refused:
				return text
			case op.refused():
				return text + "; so an acquire that was open then got the lock, but none succeeded, and none is open"
			}
			return text + "; so an acquire that was open then got the lock, and it has not ended"
		},
	}
}

// dropOld drops nothing, since the memory is bounded by the number of processes.
func (l *lockOrder) dropOld(*searchBudget) {}

// drop has nothing to subtract.
func (l *lockOrder) drop(*searchBudget) {}
