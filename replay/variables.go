package replay

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
)

// variables are those of a process, by name, as raw JSON. Small items of lists,
// such as log[17], lie in pages with their neighbours, and processes that have the
// same page share it: by name, logs of five replicas take ten times the memory.
type variables struct {
	count int
	named map[string]*[]byte         // an empty value is none
	lists map[string]map[int64]*page // by name, and by index / pageSize
}

// get returns the value of a variable, nil for none. It is good until a variable
// of the process changes.
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

// forget takes all variables away.
func (v *variables) forget() {
	if len(v.named) > mostReused {
		v.named = nil
	}
	for _, value := range v.named {
		*value = emptied(*value)
	}
	v.count, v.lists = 0, nil
}

// set gives a variable its value; null takes it away. The pool is that of all
// processes.
func (v *variables) set(name, value []byte, pool *pagePool) {
	if string(value) == "null" {
		value = nil
	}
	list, index, ok := listItem(name)
	if !ok {
		v.setNamed(name, value)
		return
	}
	if len(value) > mostPacked {
		v.setItem(list, index, nil, pool)
		v.setNamed(name, value)
		return
	}
	v.setNamed(name, nil)
	v.setItem(list, index, value, pool)
}

func (v *variables) setNamed(name, value []byte) {
	old := v.named[string(name)]
	switch {
	case old == nil && len(value) == 0:
	case old == nil:
		if v.named == nil {
			v.named = make(map[string]*[]byte)
		}
		kept := bytes.Clone(value)
		v.named[string(name)] = &kept
		v.count++
	default:
		v.count += min(len(value), 1) - min(len(*old), 1)
		if *old = append((*old)[:0], value...); len(value) > 0 {
			return
		}
		if *old = emptied(*old); len(v.named) > mostReused {
			delete(v.named, string(name))
		}
	}
}

// emptied is no value, with the memory of a small one.
func emptied(value []byte) []byte {
	if cap(value) > mostPacked {
		return nil
	}
	return value[:0]
}

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

// all yields the variables in any order. What it yields is good for one step.
func (v *variables) all() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		var name []byte
		for n, value := range v.named {
			if name = append(name[:0], n...); len(*value) > 0 && !yield(name, *value) {
				return
			}
		}
		for list, pages := range v.lists {
			for number, p := range pages {
				for i := range int64(pageSize) {
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
	for name := range v.all() {
		names = append(names, string(name))
	}
	slices.Sort(names)
	return names
}

// listItem splits the name of an item into that of its list and its index; ok is
// false for every other name.
func listItem(name []byte) (list []byte, index int64, ok bool) {
	last := len(name) - 1
	if last < 0 || name[last] != ']' {
		return nil, 0, false
	}
	open := bytes.LastIndexByte(name, '[')
	const mostDigits = 18 // of what an int64 can be in any case
	digits := name[open+1 : last]
	if open < 0 || len(digits) == 0 || len(digits) > mostDigits || digits[0] == '0' && len(digits) > 1 {
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
	// mostReused is how many a map may hold whose memory is kept for those that come after.
	mostReused = 8
	// pageSize is how many neighbours lie together.
	pageSize = 8
	// mostPacked is how long a value may be that lies in a page: to change one
	// moves those after it.
	mostPacked = 256
)

// page holds the values of neighbours, one after the other; one that is empty is
// not there.
type page struct {
	ends   [pageSize]uint16
	shared bool // so that it never changes any more
	values []byte
}

// span returns where the value of a place is.
func (p *page) span(place int64) (from, to int) {
	if place > 0 {
		from = int(p.ends[place-1])
	}
	return from, int(p.ends[place])
}

// get returns the value of a place, nil for none.
func (p *page) get(place int64) []byte {
	from, to := p.span(place)
	if from == to {
		return nil
	}
	return p.values[from:to:to]
}

// set gives a place its value, empty for none, and returns by how many the values
// are more than before.
func (p *page) set(place int64, value []byte) (more int) {
	from, to := p.span(place)
	p.values = slices.Replace(p.values, from, to, value...)
	for i := place; i < pageSize; i++ {
		p.ends[i] += uint16(len(value) - (to - from))
	}
	return min(len(value), 1) - min(to-from, 1)
}

func (p *page) full() bool {
	for i := range int64(pageSize) {
		if from, to := p.span(i); from == to {
			return false
		}
	}
	return true
}

// pagePool has full pages that processes have got lately, by number: replicas
// get the same ones soon after each other.
type pagePool [64]*page

// share returns a page with the same values as p, which is p unless some process
// has one already.
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
