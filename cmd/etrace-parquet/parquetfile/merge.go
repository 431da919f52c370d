package parquetfile

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"io"
	"iter"
	"slices"

	"etrace/tracefmt"
)

// Merge returns the runs of the files in the order of their first occurrence. It joins the parts of a run that a [Folder]
// has split. It fails if a part is missing.
func Merge(files []*File) ([]tracefmt.Recording, error) {
	var all []tracefmt.Recording
	var parted []*parts
	for _, f := range files {
		for i, run := range f.runs {
			entry := &f.footer.Runs[i]
			if entry.Rows == entry.Events {
				all = append(all, run)
				continue
			}
			at := slices.IndexFunc(parted, func(p *parts) bool { return p.lacks(entry) })
			if at < 0 {
				at = len(parted)
				parted = append(parted, &parts{entry: entry})
				all = append(all, parted[at])
			}
			parted[at].rows += entry.Rows
			parted[at].runs = append(parted[at].runs, run)
		}
	}
	for _, p := range parted {
		if p.rows != p.entry.Events {
			return nil, fmt.Errorf("run %d: the files have %d of its %d events, expected all of its parts", p.entry.Run, p.rows, p.entry.Events)
		}
	}
	return all, nil
}

// parts is a run that was split into several files, as a [tracefmt.Recording].
type parts struct {
	entry *fileRun
	rows  int64
	runs  []*Run
}

// lacks reports whether a part in a file may be a missing part of this run.
func (p *parts) lacks(r *fileRun) bool {
	return p.rows < p.entry.Events && r.Run == p.entry.Run && r.End == p.entry.End && r.Events == p.entry.Events && bytes.Equal(r.Header, p.entry.Header)
}

// Run implements [tracefmt.Recording].
func (p *parts) Run() *tracefmt.Run { return p.runs[0].run }

// Events implements [tracefmt.Recording].
func (p *parts) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		var open cursors
		defer func() {
			for _, c := range open {
				c.close()
			}
		}()
		for _, run := range p.runs {
			c := run.cursor(0)
			if _, err := c.next(); err != nil && err != io.EOF {
				yield(nil, err)
				return
			} else if err == nil {
				open = append(open, c)
			}
		}
		heap.Init(&open)
		for len(open) > 0 {
			first := open[0]
			if e := &first.event; e.Seq >= from && !yield(e, nil) {
				return
			}
			switch _, err := first.next(); {
			case err == io.EOF:
				heap.Pop(&open)
			case err != nil:
				yield(nil, err)
				return
			default:
				heap.Fix(&open, 0)
			}
		}
	}
}

// cursors are the cursors of the parts, a heap by the seq of their current events.
type cursors []*cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return cmp.Less(c[i].event.Seq, c[j].event.Seq) }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push implements [heap.Interface].
func (c *cursors) Push(x any) { *c = append(*c, x.(*cursor)) }

// Pop implements [heap.Interface].
func (c *cursors) Pop() any {
	last := len(*c) - 1
	popped := (*c)[last]
	*c = (*c)[:last]
	return popped
}
