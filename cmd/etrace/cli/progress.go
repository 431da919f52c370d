package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"etrace/tracefmt"
)

// The progress appears after a second, and is drawn at most ten times a second.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// progress shows the progress of a long task in a line on stderr, if that is a terminal. The line vanishes when the
// task is done.
type progress struct {
	a     *app
	task  string
	total int64 // 0 if unknown
	begun time.Time

	mu    sync.Mutex
	drawn time.Time // the time of the last drawing
	turns int       // the number of drawings
	width int       // characters of the drawn line
	ended bool
}

// progress starts the progress of a task; total is the amount of work, 0 if unknown.
func (a *app) progress(task string, total int64) *progress {
	p := &progress{a: a, task: task, total: total, begun: time.Now()}
	a.shown.Store(p)
	return p
}

// update draws the line, if it is time for it; done is the finished amount of work.
func (p *progress) update(done int64) {
	if p.a.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.ended || now.Sub(p.begun) < progressAfter || now.Sub(p.drawn) < progressEvery || !isTerminal(p.a.err) {
		return
	}
	p.drawn = now
	p.turns++
	p.show(p.line(done, now.Sub(p.begun), cmp.Or(terminalWidth(p.a.err), 80)))
}

// setTask changes the name and the amount of work of the task.
func (p *progress) setTask(task string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.task, p.total = task, total
}

// Write implements [tracefmt.Writer]; the seq of an event measures the progress.
func (p *progress) Write(e *tracefmt.Event) error {
	if e.Seq%10_000 == 0 {
		p.update(int64(e.Seq))
	}
	return nil
}

// done removes the line. Later updates draw nothing.
func (p *progress) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.width > 0 {
		p.show("")
	}
}

// show replaces the drawn line by the text.
func (p *progress) show(text string) {
	width := utf8.RuneCountInString(text)
	line := "\r" + text + strings.Repeat(" ", max(p.width-width, 0))
	if width == 0 {
		line += "\r"
	}
	p.width = width
	_, _ = io.WriteString(p.a.err, line) // a line that cannot be drawn is no reason to stop
}

// barWidth is the greatest length of the bar in characters.
const barWidth = 40

// line returns the text of the progress after the time spent. It is shorter than the terminal is wide, because a
// wrapped line could not be removed.
func (p *progress) line(done int64, spent time.Duration, columns int) string {
	if p.total <= 0 {
		return firstCharacters(fmt.Sprintf("%c %s (%d/-)", `|/-\`[p.turns%4], p.task, done), columns-1)
	}
	part := min(float64(done)/float64(p.total), 1)
	head := fmt.Sprintf("%s %3.0f%% |", p.task, 100*part)
	tail := fmt.Sprintf("| (%d/%d) [%v:%v]", done, p.total, spent.Round(time.Second), remainingTime(part, spent).Round(time.Second))
	room := max(min(barWidth, columns-1-utf8.RuneCountInString(head+tail)), 0)
	full := int(part * float64(room))
	return firstCharacters(head+strings.Repeat("█", full)+strings.Repeat(" ", room-full)+tail, columns-1)
}

// remainingTime returns the expected remaining time if this part of the work, from 0 to 1, took the time spent.
func remainingTime(part float64, spent time.Duration) time.Duration {
	if part == 0 {
		return 0
	}
	return time.Duration(float64(spent) * (1 - part) / part)
}

// firstCharacters returns the first n characters of the text.
func firstCharacters(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(max(n, 0), len(runes))])
}
