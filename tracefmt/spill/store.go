package spill

import (
	"fmt"
	"os"
)

// leastPages is how many pages are in memory whatever the budget says, and latest how many of
// them stay for sure: a page that was just asked for, while its caller asks for a few others.
const leastPages, latest = 16, 8

// Store is where the pages of its lists are.
type Store struct {
	budget, used int
	loaded       []frame // in memory
	loads        int     // so far
	hand         int     // of loaded, the next that may have to leave
	file         *os.File
	end          int64 // of what is taken of the file
	err          error
}

// frame is a page as the store sees it.
type frame interface {
	// lastAsked returns after how many loads of the store the page was last asked for.
	lastAsked() int
	// leave drops the page from memory, and returns how many bytes that frees.
	leave() int
}

// New returns a store that keeps about so many bytes in memory.
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
	os.Remove(s.file.Name()) // where an open file could not be removed
	s.file = nil
	s.fail(os.ErrClosed)
	return err
}

func (s *Store) fail(err error) {
	if s.err == nil {
		s.err = fmt.Errorf("temporary file in %s: %w", os.TempDir(), err)
	}
}

// entered takes in that a page is in memory now, with so many bytes.
func (s *Store) entered(f frame, bytes int) {
	s.loads++
	s.loaded = append(s.loaded, f)
	s.grown(bytes)
}

// grown takes in that a page in memory has so many bytes more, and makes room.
func (s *Store) grown(bytes int) {
	for s.used += bytes; s.used > s.budget && len(s.loaded) > leastPages; {
		if !s.makeRoom(len(s.loaded)/2) && !s.makeRoom(latest) {
			return
		}
	}
}

// makeRoom lets a page leave that was not asked for during so many loads, false if there is
// none. It looks at them in a circle.
func (s *Store) makeRoom(loads int) bool {
	for range s.loaded {
		if s.hand++; s.hand >= len(s.loaded) {
			s.hand = 0
		}
		f := s.loaded[s.hand]
		if s.loads-f.lastAsked() < loads {
			continue
		}
		s.used -= f.leave()
		last := len(s.loaded) - 1
		s.loaded[s.hand], s.loaded[last] = s.loaded[last], nil
		s.loaded = s.loaded[:last]
		return true
	}
	return false
}

// write writes a page at its place in the file, or at another one if that has too little
// room, and returns the place and its room.
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
		os.Remove(file.Name()) // so that nothing is left of it if the program is killed
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

// read reads a page from its place. What it cannot read stays zero.
func (s *Store) read(page []byte, at int64) {
	if len(page) == 0 || s.err != nil {
		return
	}
	if _, err := s.file.ReadAt(page, at); err != nil {
		clear(page)
		s.fail(err)
	}
}
