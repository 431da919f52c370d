package mapping

import (
	"slices"

	"etrace/tracefmt/text"
)

// A log whose process is named after its file has the ids of that process only. If the file is
// several logs, one after another, they are of one process by its name, and by its ids are not.

// idOf identifies one of the aliases of a process.
type idOf struct {
	process string
	alias   int
}

// ownID is the id that a process uses for itself.
type ownID struct {
	id    string
	place string // the place of the line
	// before are earlier ids.
	before map[string]bool
}

// identify notes the id by which a process calls itself. If an earlier id comes back, or the id changes and the time is
// earlier than the time of the latest line, the file has the logs of several processes.
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
	if known.before[id] {
		return l.reading.Errorf(l.rec.line, "%s calls itself %s again here, and %s at %s: the log is of several processes that are "+
			"named after their file; expected a file for each", subject.process, text.Quote(id), text.Quote(known.id), known.place)
	}
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
	// Lines of two processes alternate where an id comes back.
	if known.before == nil {
		known.before = make(map[string]bool)
	}
	known.before[known.id] = ok
	l.ids[subject] = ownID{id, place, known.before}
	return nil
}

// namedByFile reports whether the name of the file determines the process of the current line.
func (l *log) namedByFile() bool {
	for t := l.process; t != nil; t = t.alternative {
		if _, has := t.alone(l.rec); has {
			return slices.ContainsFunc(t.parts, func(p part) bool {
				return p.slot == l.fileSlot || p.slot >= 0 && l.file != nil && slices.Contains(l.file.groups, p.slot)
			})
		}
	}
	return false
}
