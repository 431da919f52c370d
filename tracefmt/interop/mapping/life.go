package mapping

import (
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// life is what is known of a process whether it is up, and when that was last seen.
type life struct {
	line int
	time time.Time
	down bool // by a crash or halt in the log
}

// seen takes in that a process has written a line.
func (l *log) seen(process string, line int, at time.Time) {
	p := l.lives[process]
	if p == nil {
		p = new(life)
		l.lives[process] = p
	}
	p.line, p.time = line, at
}

// live takes in that a process has an entry. A process that starts again has been down: a killed process writes no
// last line. So a crash is inferred, which is
// placed after its last line and may have been at any moment from there on, and the start is
// a recovery.
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

// killed adds the crash without which the process could not start again.
func (l *log) killed(p *life, again *interop.Entry) {
	if last, ok := l.wrote[again.Process]; ok && p.line < last.line && last.line < again.Line {
		p.line, p.time = last.line, last.time
	}
	crash := interop.Entry{Line: p.line, Time: p.time, Kind: tracefmt.Crash, Inferred: true, Process: again.Process}
	l.explain.entry(&crash)
	l.builder.Add(crash)
}
