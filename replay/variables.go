package replay

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
)

// variables holds the variables of a process, by name, as raw JSON. Small items of lists, such as log[17],
// share pages with their neighbours, and equal pages are shared between processes. Without that, logs of five
// replicas take ten times the memory.
type variables struct {
	count int
	// named has an empty value for an absent variable, to reuse its memory.
	named map[string]*[]byte
	// lists is keyed by name, then by index / pageSize.
	lists map[string]map[int64]*page
}

// get returns the value of a variable, nil if absent. It is valid until a variable of the process changes.
func (v *variables) get(name string) []byte {
	if value := v.named[name]; value != nil && len(*value) > 0 {
		return *value
	}
	if list, index, ok := listItem([]byte(name)); ok {
		if p := v.lists[string(list)][index/pageSize]; p != nil {
			return p.get(index % pageSize)
		}
	}
	return nil
}

// forget removes all variables.
func (v *variables) forget() {
	if len(v.named) > maxReused {
		v.named = nil
	}
	for _, value := range v.named {
		*value = emptied(*value)
	}
	v.count, v.lists = 0, nil
}

// set gives a variable its value; null removes it. The pool is shared by all processes.
func (v *variables) set(name, value []byte, pool *pagePool) {
	if string(value) == "null" {
		value = nil
	}
	list, index, ok := listItem(name)
	if !ok {
		v.setNamed(name, value)
		return
	}
	if len(value) > maxPacked {
		v.setItem(list, index, nil, pool)
		v.setNamed(name, value)
		return
	}
	v.setNamed(name, nil)
	v.setItem(list, index, value, pool)
}

// setNamed sets a variable in the map of names; an empty value removes it. It reuses the memory of small maps
// and values.
func (v *variables) setNamed(name, value []byte) {
	old := v.named[string(name)]
	switch {
	case old == nil && len(value) == 0: // clearing a variable without a value changes nothing
	case old == nil:
		if v.named == nil {
			v.named = make(map[string]*[]byte)
		}
		kept := bytes.Clone(value)
		v.named[string(name)] = &kept
		v.count++
	default:
		v.count += min(len(value), 1) - min(len(*old), 1)
		*old = append((*old)[:0], value...)
		if len(value) > 0 {
			return
		}
		*old = emptied(*old)
		if len(v.named) > maxReused {
			delete(v.named, string(name))
		}
	}
}

// emptied returns an empty value that keeps the memory of a small one.
func emptied(value []byte) []byte {
	if cap(value) > maxPacked {
		return nil
	}
	return value[:0]
}

// setItem sets an item of a list in its page; an empty value removes it. It copies a page that is shared
// before changing it.
func (v *variables) setItem(list []byte, index int64, value []byte, pool *pagePool) {
	pages := v.lists[string(list)]
	p := pages[index/pageSize]
	switch {
	case p == nil && len(value) == 0:
		return
	case p == nil:
		if pages == nil {
			pages = make(map[int64]*page)
			if v.lists == nil {
				v.lists = make(map[string]map[int64]*page)
			}
			v.lists[string(list)] = pages
		}
		p = new(page)
	// Other processes use the page, so this process gets its own copy.
	case p.shared:
		p = &page{ends: p.ends, values: bytes.Clone(p.values)}
	}
	v.count += p.set(index%pageSize, value)
	if len(p.values) == 0 {
		delete(pages, index/pageSize)
		return
	}
	pages[index/pageSize] = pool.share(index/pageSize, p)
}

// entries yields the variables in any order. The slices are valid for one step.
func (v *variables) entries() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		var name []byte
		for n, value := range v.named {
			name = append(name[:0], n...)
			if len(*value) > 0 && !yield(name, *value) {
				return
			}
		}
		for list, pages := range v.lists {
			for number, p := range pages {
				for i := range int64(pageSize) {
					// The name of an item is LIST[INDEX].
					name = append(strconv.AppendInt(append(append(name[:0], list...), '['), number*pageSize+i, 10), ']')
					if value := p.get(i); value != nil && !yield(name, value) {
						return
					}
				}
			}
		}
	}
}

// names returns the names of the variables, sorted.
func (v *variables) names() []string {
	if v.count == 0 {
		return nil
	}
	names := make([]string, 0, v.count)
	for name := range v.entries() {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return names
}

// listItem splits the name of an item into the list and the index; ok is false for any other name.
func listItem(name []byte) (list []byte, index int64, ok bool) {
	last := len(name) - 1
	if last < 0 || name[last] != ']' {
		return nil, 0, false
	}
	open := bytes.LastIndexByte(name, '[')
	// Numbers of maxDigits digits fit into an int64.
	const maxDigits = 18
	digits := name[open+1 : last]
	if open < 0 || len(digits) == 0 || len(digits) > maxDigits {
		return nil, 0, false
	}
	// A name with leading zeros is none that etrace writes: two names would mean one item.
	if digits[0] == '0' && len(digits) > 1 {
		return nil, 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return nil, 0, false
		}
		index = 10*index + int64(d-'0')
	}
	return name[:open], index, true
}

const (
	// maxReused is the greatest number of variables in a map whose memory is kept for reuse.
	maxReused = 8
	// pageSize is the number of neighbours in a page.
	pageSize = 8
	// maxPacked is the greatest length of a value in a page: a change moves all values after it.
	maxPacked = 256
)

// page holds the values of the pageSize items of a list that follow each other, in one slice; an empty value
// is absent.
type page struct {
	// ends holds the end of each value in values.
	ends [pageSize]uint16
	// shared is true if several processes use the page: then it must not change.
	shared bool
	values []byte
}

// span returns the bounds in values of the value at a place.
func (p *page) span(place int64) (from, end int) {
	if place > 0 {
		from = int(p.ends[place-1])
	}
	return from, int(p.ends[place])
}

// get returns the value of a place, nil for none.
func (p *page) get(place int64) []byte {
	from, end := p.span(place)
	if from == end {
		return nil
	}
	return p.values[from:end:end]
}

// set sets the value at a place, empty for none. It returns the change of the number of values: -1, 0 or 1.
func (p *page) set(place int64, value []byte) (more int) {
	from, end := p.span(place)
	p.values = slices.Replace(p.values, from, end, value...)
	for i := place; i < pageSize; i++ {
		p.ends[i] += uint16(len(value) - (end - from))
	}
	return min(len(value), 1) - min(end-from, 1)
}

// full reports whether every place of the page has a value.
func (p *page) full() bool {
	for i := range int64(pageSize) {
		if from, end := p.span(i); from == end {
			return false
		}
	}
	return true
}

// pagePool holds the latest full pages of all processes, by number: replicas fill equal pages soon after each
// other.
type pagePool [64]*page

// share returns an equal page of the pool if there is one, else p.
func (pool *pagePool) share(number int64, p *page) *page {
	if !p.full() {
		return p
	}
	slot := &pool[number%int64(len(pool))]
	if q := *slot; q != nil && q.ends == p.ends && bytes.Equal(q.values, p.values) {
		q.shared = q.shared || q != p
		return q
	}
	*slot = p
	return p
}
