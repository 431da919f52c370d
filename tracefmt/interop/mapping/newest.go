package mapping

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"time"

	"etrace/tracefmt/interop"
)

// Viewers of logs export the newest line first. Such a file is read from its end, record by
// record; each keeps its line number.

const (
	// fewestFalls is how often the time must fall between the first lines. manyFalls is how many times more often it
	// must fall than rise, since single steps back are normal.
	fewestFalls, manyFalls = 3, 4
)

// newestFirst reports whether the first lines of the current file go back in time, so that the newest line comes
// first. It overwrites rec.
func (m *Map) newestFirst(r *interop.Reading, rec *record) bool {
	if m.time == nil {
		return false
	}
	var first, before time.Time
	falls, rises := 0, 0
	for range m.firstRecords(r.Head(), rec) {
		at, err := m.time.at(rec)
		switch {
		case err != nil || at.IsZero():
			continue
		case first.IsZero():
			first = at
		case at.Before(before):
			falls++
		case at.After(before):
			rises++
		}
		before = at
	}
	return falls >= fewestFalls && falls >= manyFalls*rises && before.Before(first)
}

// firstRecords returns the records of the first lines of a file, except the last line, which may be incomplete. It
// ignores that a record may have several lines, since further lines have no time.
func (m *Map) firstRecords(head []byte, rec *record) iter.Seq[bool] {
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	return func(yield func(bool) bool) {
		if m.form.line == nil {
			for row := range m.rows(bytes.NewReader(head), true) {
				row.into(rec)
				if m.cutFields(rec); !yield(true) {
					return
				}
			}
			return
		}
		peel := m.layers.Peeler()
		for n, line := range strings.Split(strings.ToValidUTF8(string(head), "\uFFFD"), "\n") {
			out := peel(strings.TrimSuffix(line, "\r"))
			if m.open(n+1, plain{Line: out}, rec); out.Fence {
				continue
			}
			if !m.form.line(m, rec.text, rec) {
				continue
			}
			if m.cutFields(rec); !yield(true) {
				return
			}
		}
	}
}

// backward returns a sequence in reverse order.
func backward[K, V any](sequence iter.Seq2[K, V]) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		type pair struct {
			k K
			v V
		}
		var pairs []pair
		for k, v := range sequence {
			pairs = append(pairs, pair{k, v})
		}
		for _, p := range slices.Backward(pairs) {
			if !yield(p.k, p.v) {
				return
			}
		}
	}
}
