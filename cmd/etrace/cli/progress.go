package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"

	"etrace/tracefmt"
)

// progress shows on a terminal's stderr how far long work has come. It
// appears after a second and vanishes when the work is done.
type progress struct {
	a     *app
	what  string
	total int64 // 0 if unknown
	begun time.Time
	bar   *progressbar.ProgressBar
}

func (a *app) progress(what string, total int64) *progress {
	return &progress{a: a, what: what, total: total, begun: time.Now()}
}

// at states how much is done.
func (p *progress) at(done int64) {
	if p.bar == nil {
		if p.a.quiet || !terminal(p.a.err) || time.Since(p.begun) < time.Second {
			return
		}
		total := p.total
		if total == 0 {
			total = -1
		}
		p.bar = progressbar.NewOptions64(total, progressbar.OptionSetWriter(p.a.err), progressbar.OptionSetDescription(p.what),
			progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(false))
	}
	_ = p.bar.Set64(done) // a bar that cannot be drawn is no reason to stop
}

// Write makes it a [tracefmt.Writer], for which the seqs say how much is done.
func (p *progress) Write(e *tracefmt.Event) error {
	if e.Seq%10_000 == 0 {
		p.at(int64(e.Seq))
	}
	return nil
}

func (p *progress) done() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
