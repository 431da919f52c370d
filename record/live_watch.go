package record

import (
	"context"
	"fmt"

	"etrace/tracefmt"
)

// Watch writes the events to w in order while the program runs, from the oldest kept event on. When ctx ends it
// writes the remaining events and returns. It should run in its own goroutine: w does not delay the program, and
// may call the recorder, for example to dump when a rule is violated. Watch returns the first error of w, or an
// error if events were dropped before they were written.
func (r *Live) Watch(ctx context.Context, w tracefmt.Writer) error {
	if r == nil {
		<-ctx.Done()
		return nil
	}
	wake := make(chan struct{}, 1)
	r.mu.Lock()
	r.watchers = append(r.watchers, wake)
	r.mu.Unlock()
	defer r.removeWatcher(wake)
	next := tracefmt.Seq(0)
	for ended := false; ; {
		r.mu.Lock()
		fresh := r.events.since(next)
		r.mu.Unlock()
		if next > 0 && fresh.from > next {
			return fmt.Errorf("record: %d events were forgotten before they were watched, expected a greater limit", fresh.from-next)
		}
		for e, seq := range fresh.events {
			e.Seq, next = seq, seq+1
			if err := w.Write(e); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		select {
		case <-ctx.Done():
			ended = true
		case <-wake:
		}
	}
}

// removeWatcher removes the channel of a watcher.
func (r *Live) removeWatcher(wake chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, w := range r.watchers {
		if w == wake {
			r.watchers = append(r.watchers[:i], r.watchers[i+1:]...)
			return
		}
	}
}

// notify wakes the watchers.
func (r *Live) notify() {
	for _, w := range r.watchers {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// since returns the events from a seq on, or from the oldest kept event if that is later.
func (b *buffer) since(from tracefmt.Seq) *snapshot {
	s := &snapshot{from: from, next: b.next + 1}
	for _, c := range b.chunks {
		if c.last >= from {
			c.shared = true
			s.chunks = append(s.chunks, *c)
		}
	}
	if len(s.chunks) > 0 {
		s.from = max(from, s.chunks[0].first)
	}
	return s
}
