package mapping

import (
	"slices"
	"time"

	"etrace/tracefmt/text"
)

// A log whose process is named after its file has the ids of that process only. If the file is
// several logs, one after another, they are of one process by its name, and by its ids are not.

// idOf is which of the aliases of a process.
type idOf struct {
	process string
	alias   int
}

// ownID is what a process called itself.
type ownID struct {
	id    string
	place string // of the line
}

// identify takes in by which id a process calls itself. Where it is another than before, and the
// time is before what the process has written, its file has the logs of several.
func (l *log) identify(subject idOf, id string) error {
	if !l.namedByFile() {
		return nil
	}
	known, ok := l.ids[subject]
	if ok && known.id == id {
		return nil
	}
	if l.ids == nil {
		l.ids = make(map[idOf]ownID)
	}
	at, err := l.timeOf()
	if err != nil {
		return err
	}
	place := l.reading.Place(l.rec.line)
	if latest, timed := l.latest[subject.process]; ok && timed && !at.IsZero() && at.Before(latest) {
		return l.reading.Errorf(l.rec.line,
			"%s calls itself %s here, and %s at %s, in lines up to %v later: the log is of several processes, one after "+
				"another, that are named after their files; expected a file for each",
			subject.process, text.Quote(id), text.Quote(known.id), known.place, latest.Sub(at))
	}
	if ok {
		l.builder.Note(
			"%s calls itself %s from %s on, and %s at %s: if these are two processes, give each a file",
			subject.process, text.Quote(id), place, text.Quote(known.id), known.place,
		)
	}
	l.ids[subject] = ownID{id: id, place: place}
	return nil
}

// namedByFile reports whether it is the file that names the process of a line.
func (l *log) namedByFile() bool {
	return l.process != nil && slices.ContainsFunc(l.process.parts, func(p part) bool {
		return p.slot == l.fileSlot || p.slot >= 0 && l.file != nil && slices.Contains(l.file.groups, p.slot)
	})
}

// block is a part of a file whose lines are of one process by its name, in the order of their times.
type block struct {
	first, last time.Time
	number      int // of the blocks of that name
}

// follows finds that a process goes back in time to where it began, by more than half of what it has written: its file has the
// logs of several programs, one after another, that have one name. From there on it is another process.
func (l *log) follows() error {
	if l.time == nil || l.process == nil || l.again {
		return nil
	}
	name := l.word("process", l.process)
	at, err := l.timeOf()
	if name == "" || err != nil || at.IsZero() {
		return nil // errors of the time are reported where they matter
	}
	b := l.blocks[name]
	if b == nil {
		if l.blocks == nil {
			l.blocks = make(map[string]*block)
		}
		b = &block{first: at, last: at, number: 1}
		l.blocks[name] = b
	}
	took, back, apart := b.last.Sub(b.first), b.last.Sub(at), at.Sub(b.first).Abs()
	if back >= time.Second && back > took/2 && apart < took/2 && (at.Year() != 0 || back < 12*time.Hour) && !l.reading.Joined() {
		b.number++
		l.builder.Note("%s goes back in time by %v at %s, to where it began: it has the logs of several programs, one "+
			"after another. From there on the process is called %s~%d; if it is the same, give each log a file",
			text.Printable(name), back, l.reading.Place(l.rec.line), text.Printable(name), b.number)
		b.first, b.last = at, at
	}
	if at.After(b.last) {
		b.last = at
	}
	return nil
}
