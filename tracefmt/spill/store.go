package spill

import (
	"fmt"
	"os"
)

const (
	// minPages is the minimum number of pages in memory, regardless of the budget.
	minPages = 16
	// pinnedPages is the number of the last loads whose pages are never evicted: callers may hold a page while they request
	// a few others.
	pinnedPages = 8
)

// Store holds the pages of its lists.
type Store struct {
	budget, used int     // memory in bytes
	loaded       []frame // the pages in memory
	loads        int     // the number of loads so far
	hand         int     // index into loaded of the next candidate for eviction
	file         *os.File
	end          int64 // the end of the used part of the file
	err          error
}

// frame is a page from the store's view.
type frame interface {
	// lastRequested returns the number of loads of the store at the last request for the page.
	lastRequested() int
	// evict drops the page from memory, and returns the number of freed bytes.
	evict() int
}

// New returns a store that keeps about budget bytes in memory.
func New(budget int) *Store { return &Store{budget: budget} }

// Err returns the first error of the temporary file.
func (s *Store) Err() error { return s.err }

// OnDisk returns the size of the temporary file in bytes.
func (s *Store) OnDisk() int64 { return s.end }

// Close removes the temporary file.
func (s *Store) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	os.Remove(s.file.Name()) // for systems that cannot remove an open file
	s.file = nil
	s.fail(os.ErrClosed)
	return err
}

// fail keeps the first error.
func (s *Store) fail(err error) {
	if s.err == nil {
		s.err = fmt.Errorf("temporary file in %s: %w", os.TempDir(), err)
	}
}

// addLoaded registers a page that was loaded, with its size in memory.
func (s *Store) addLoaded(f frame, bytes int) {
	s.loads++
	s.loaded = append(s.loaded, f)
	s.addUsed(bytes)
}

// addUsed adds to the size in memory, and evicts pages if necessary.
func (s *Store) addUsed(bytes int) {
	for s.used += bytes; s.used > s.budget && len(s.loaded) > minPages; {
		// A page that was not requested for long leaves first. Without one, any page that callers no longer hold leaves.
		if !s.evict(len(s.loaded)/2) && !s.evict(pinnedPages) {
			return
		}
	}
}

// evict drops a page that was not requested during the given number of loads. It returns false without such a
// page. It searches in a circle (the clock algorithm).
func (s *Store) evict(loads int) bool {
	for range s.loaded {
		s.hand++
		if s.hand >= len(s.loaded) {
			s.hand = 0
		}
		f := s.loaded[s.hand]
		if s.loads-f.lastRequested() < loads {
			continue
		}
		s.used -= f.evict()
		last := len(s.loaded) - 1
		s.loaded[s.hand], s.loaded[last] = s.loaded[last], nil
		s.loaded = s.loaded[:last]
		return true
	}
	return false
}

// write writes a page to its place in the file, or to another place if that is too small, and returns the place
// and its size.
func (s *Store) write(page []byte, at int64, room int) (int64, int) {
	if s.err != nil {
		return at, room
	}
	if s.file == nil {
		file, err := os.CreateTemp("", "etrace-*")
		if err != nil {
			s.fail(err)
			return at, room
		}
		os.Remove(file.Name()) // nothing remains if the program is killed
		s.file = file
	}
	if len(page) > room {
		at, room = s.end, len(page)
		s.end += int64(room)
	}
	if _, err := s.file.WriteAt(page, at); err != nil {
		s.fail(err)
	}
	return at, room
}

// read reads a page from its place. Unreadable bytes stay zero.
func (s *Store) read(page []byte, at int64) {
	if s.err != nil {
		clear(page)
	}
	if len(page) == 0 || s.err != nil {
		return
	}
	if _, err := s.file.ReadAt(page, at); err != nil {
		clear(page)
		s.fail(err)
	}
}
