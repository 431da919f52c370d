package mapping

import (
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// life is the last line of a process, and whether the process is down.
type life struct {
	line int
	time time.Time
	down bool // by a crash or halt in the log
}

// seen notes that a process has written a line.
func (l *log) seen(process string, line int, at time.Time) {
	p := l.lives[process]
	if p == nil {
		p = new(life)
		l.lives[process] = p
	}
	p.line, p.time = line, at
}

// live handles a start or another entry of a process. A process that starts again must have been down, although a
// killed process writes no last line. Therefore a crash is inferred. It is placed after the last line of the process,
// but may have happened at any later time. The start then is a recovery.
func (l *log) live(e *interop.Entry) {
	if e.Process == "" || e.Kind == tracefmt.Lose {
		return
	}
	p := l.lives[e.Process]
	switch e.Kind {
	case tracefmt.Start, tracefmt.Recover:
		if p == nil {
			break
		}
		if !p.down {
			l.killed(p, e)
		}
		e.Kind, p.down = tracefmt.Recover, false
	case tracefmt.Crash, tracefmt.Halt:
		defer func() { l.lives[e.Process].down = true }()
	}
	l.seen(e.Process, e.Line, e.Time)
}

// killed adds the crash that must have happened before the process could start again.
func (l *log) killed(p *life, again *interop.Entry) {
	if last, ok := l.wrote[again.Process]; ok && p.line < last.line && last.line < again.Line {
		p.line, p.time = last.line, last.time
	}
	crash := interop.Entry{Line: p.line, Time: p.time, Kind: tracefmt.Crash, Inferred: true, Process: again.Process}
	l.explain.entry(&crash)
	l.builder.Add(crash)
}
