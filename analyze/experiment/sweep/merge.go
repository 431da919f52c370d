package sweep

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// Merge makes the table of the results in several stores, and copies the results into one more store unless
// that is nil. The runs may be distributed among the stores in any way, and may repeat. Merge fails if two
// stores have different results of a run.
func (p *Plan) Merge(ctx context.Context, parts []Store, into Store) (*Table, error) {
	r := &running{plan: p, options: Options{Store: into}, table: p.table(), done: newDoneSet(p)}
	heads := make([]*head, len(parts))
	for i, part := range parts {
		heads[i] = openHead(p, part)
		defer heads[i].stop()
	}
	for {
		first, err := earliest(heads)
		if err != nil {
			return nil, err
		}
		if first == nil {
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// Merging by the order of cells and runs needs only one result of each store in memory. The loop ends,
		// since skip advances at least the head that is first.
		o := first.outcome
		if err := skipEqual(heads, first); err != nil {
			return nil, err
		}
		r.table.Cells[o.cell].add(&o)
		r.done.set(o.cell, o.run)
		if into != nil {
			r.unstored = append(r.unstored, o)
			if len(r.unstored) == keptAtOnce {
				if err := r.store(); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := r.store(); err != nil {
		return nil, err
	}
	if !r.table.Whole() {
		r.table.shards = r.done.missingShards(p)
	}
	p.finish(r.table)
	return r.table, nil
}

// keptAtOnce is the number of results that are stored at a time.
const keptAtOnce = 10_000

// head is a position in a store: the next result to merge.
type head struct {
	outcome
	name, value string
	ended       bool
	err         error
	next        func() (row, error, bool)
	stop        func()
}

// row is a stored result.
type row struct {
	outcome
	value string
}

// errStop ends the reading of a store when no more results are wanted.
var errStop = errors.New("no more is wanted")

// openHead opens a store at its first result. Its stop must be called.
func openHead(p *Plan, part Store) *head {
	h := &head{name: part.Path()}
	h.next, h.stop = iter.Pull2(func(yield func(row, error) bool) {
		err := part.Each(func(cell int, run int64, value string) error {
			o, err := p.row(cell, run, value)
			if err != nil {
				return fmt.Errorf("%s: %w", part.Path(), err)
			}
			if !yield(row{o, value}, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(row{}, err)
		}
	})
	h.advance()
	return h
}

// advance moves to the next result.
func (h *head) advance() {
	next, err, ok := h.next()
	h.outcome, h.value, h.err, h.ended = next.outcome, next.value, err, !ok
}

// earliest returns the head whose result comes first, by cell and run; nil if all stores have ended.
func earliest(heads []*head) (first *head, err error) {
	for _, h := range heads {
		switch {
		case h.err != nil:
			return nil, h.err
		case h.ended:
		case first == nil || h.cell < first.cell || h.cell == first.cell && h.run < first.run:
			first = h
		}
	}
	return first, nil
}

// skipEqual advances all heads that are at the same result as first. It fails if their values differ.
func skipEqual(heads []*head, first *head) error {
	name, cell, run, value := first.name, first.cell, first.run, first.value
	for _, h := range heads {
		if h.ended || h.cell != cell || h.run != run {
			continue
		}
		if h.value != value {
			return fmt.Errorf("%s: cell %d run %d came to %s, and in %s to %s, expected the same", h.name, cell,
				run, h.value, name, value)
		}
		h.advance()
		if h.err != nil {
			return h.err
		}
	}
	return nil
}
