package mapping

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// The files of an execution: which files are parts of one rotated log, in which order they are read, and which
// files are not logs.

// rotated matches the names of parts of a rotated log, such as n1.log.1 and n1.log.2.gz.
var rotated = text.Pattern(`^(.+)\.\d{1,3}(\.gz)?$`)

// logName returns the name of the log that a file is a part of, if the log has other parts. Otherwise it returns the
// name of the file.
func logName(name string, files []string) string {
	logOf := func(name string) string {
		if at := rotated().FindStringSubmatch(name); at != nil {
			return at[1]
		}
		return strings.TrimSuffix(name, ".gz")
	}
	log := logOf(name)
	if log != name && slices.ContainsFunc(files, func(file string) bool { return file != name && logOf(file) == log }) {
		return log
	}
	return name
}

// nameIn returns the name of a file without folder and extension. If another file has the same name, it includes the
// folders that differ. For stdin it is "stdin". All parts of one log have the same name.
func nameIn(name string, files []string) string {
	short := func(name string) string {
		if name == "-" {
			return "stdin"
		}
		name = filepath.Base(name)
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	name = logName(name, files)
	for _, next := range files {
		next = logName(next, files)
		if next != name && short(next) == short(name) {
			return strings.TrimSuffix(name, filepath.Ext(name))
		}
	}
	return short(name)
}

// doubt rejects a name of a process that several files of the same time or several sources share, since their lines
// then come from several processes. The next alternative of the mapping names the process instead, such as ${file}.
func (l *log) doubt() {
	if !l.ready || l.process == nil || l.process.alternative == nil || l.time == nil {
		return
	}
	type span struct{ first, last time.Time }
	spans, ofSources := make(map[string]*span), false
	shared := ""
	for file, head := range l.reading.Heads() {
		for range l.firstRecords(head, l.rec) {
			name, ok := l.process.alone(l.rec)
			at, err := l.time.at(l.rec)
			if !ok || err != nil || at.IsZero() || l.rule() < 0 {
				continue
			}
			shared = cmp.Or(shared, name)
			if name != shared {
				return
			}
			source := cmp.Or(l.rec.source, file)
			ofSources = ofSources || l.rec.source != ""
			if spans[source] == nil {
				spans[source] = &span{first: at}
			}
			spans[source].last = at
		}
	}
	if len(spans) < 2 || !ofSources && len(spans) < len(l.reading.Input.FirstBytes()) {
		return
	}
	for _, s := range spans {
		for _, t := range spans {
			if !ofSources && s.last.Before(t.first) {
				return // parts of one log
			}
		}
	}
	l.process = l.process.alternative
	l.reading.Note("several files or sources have lines by %s, so that name is no process: it is left out", text.Printable(shared))
}

// opening describes the first lines of a file: the processes that wrote them, and the earliest and latest time.
type opening struct {
	file        string
	processes   map[string]bool
	started     map[string]bool // the processes whose start the lines show
	first, last time.Time
}

// earlier reports whether a file begins before another. If times without a date differ by more than half a day, they
// are from two days.
func (o *opening) earlier(later *opening) bool {
	took := later.first.Sub(o.first)
	if o.first.Year() == 0 && (took > 12*time.Hour || took < -12*time.Hour) {
		took = -took
	}
	return took > 0
}

// arrange sorts files with lines of the same process by time. It returns what it knows of the files, in their new order.
func (l *log) arrange() (openings []*opening) {
	if !l.reading.Joined() {
		return nil
	}
	for file, head := range l.reading.Heads() {
		openings = append(openings, l.open(file, head))
	}
	l.takeTurns(openings)
	if l.time == nil {
		return openings
	}
	shared := slices.Clone(openings)
	for i, o := range openings {
		if o.first.IsZero() || !slices.ContainsFunc(openings, func(later *opening) bool {
			return later != openings[i] && !later.first.IsZero() && o.meets(later) != ""
		}) {
			shared[i] = nil
		}
	}
	sorted := slices.DeleteFunc(slices.Clone(shared), func(o *opening) bool { return o == nil })
	slices.SortStableFunc(sorted, func(a, later *opening) int {
		switch {
		case a.earlier(later):
			return -1
		case later.earlier(a):
			return 1
		}
		return 0
	})
	// Only files that share a process change places, among the places that these files have.
	order, moved := make([]int, len(openings)), ""
	for i := range openings {
		order[i] = i
		if shared[i] == nil {
			continue
		}
		order[i] = slices.Index(openings, sorted[0])
		if order[i] != i && moved == "" {
			moved = sorted[0].file + " before " + openings[i].file
		}
		sorted = sorted[1:]
	}
	if moved != "" {
		l.reading.Arrange(order)
		l.reading.Note("files with lines of one process are read in the order of their times: %s", moved)
	}
	arranged := make([]*opening, len(order))
	for i, n := range order {
		arranged[i] = openings[n]
	}
	return arranged
}

// takeTurns finds out whether all files have lines of the same processes. Then they are parts of one log, logs of
// several executions, or logs that the processes write at the same time.
func (l *log) takeTurns(openings []*opening) {
	// One common process may be a client or a name by chance; two are the members of one system.
	l.inTurn = true
	for i, o := range openings {
		for _, later := range openings[:i] {
			l.inTurn = l.inTurn && o.common(later) > 1
		}
	}
	if !l.inTurn || l.divides() {
		return
	}
	for i, o := range openings {
		for _, later := range openings[:i] {
			if l.time != nil && !o.first.IsZero() && !later.first.IsZero() && !o.last.Before(later.first) && !later.last.Before(o.first) {
				if l.startApart(openings) {
					l.apart = true
					l.reading.Note("%s and %s have lines of the same processes at the same time, and each process starts in each file: "+
						"each file is read as an execution of its own", later.file, o.file)
					return
				}
				l.reading.Caution(fmt.Sprintf("%s and %s have lines of the same processes at the same time", later.file, o.file),
					"they are read as one execution; if they are two, read each alone")
				return
			}
		}
	}
}

// startApart reports whether each file shows the start of each process that it shares with another file. These are
// then different executions, because a process starts once, even if it writes several logs.
func (l *log) startApart(openings []*opening) bool {
	for i, o := range openings {
		for j, later := range openings {
			for process := range o.processes {
				if i != j && later.processes[process] && !o.started[process] {
					return false
				}
			}
		}
	}
	return true
}

// starts reports whether the current record shows the start of its process.
func (l *log) starts() bool {
	for i := range l.rules {
		if hold(l.rules[i].when, l.rec) {
			return slices.ContainsFunc(l.rules[i].events, func(h happening) bool { return h.kind == tracefmt.Start })
		}
	}
	return false
}

// open examines the first lines of a file. It overwrites the current record.
func (l *log) open(file string, head []byte) *opening {
	o := &opening{file: file, processes: make(map[string]bool), started: make(map[string]bool)}
	name := nameIn(file, l.reading.Names())
	for range l.firstRecords(head, l.rec) {
		l.ofFile(name)
		if process := l.word("process", l.process); process != "" {
			o.processes[process] = true
			if l.starts() {
				o.started[process] = true
			}
		}
		if l.time == nil {
			continue
		}
		at, err := l.time.at(l.rec)
		if err != nil || at.IsZero() {
			continue
		}
		if o.first.IsZero() || at.Before(o.first) && at.Year() != 0 {
			o.first = at
		}
		if at.After(o.last) {
			o.last = at
		}
	}
	return o
}

// common counts the processes with lines in both files.
func (o *opening) common(later *opening) (n int) {
	for process := range o.processes {
		if later.processes[process] {
			n++
		}
	}
	return n
}

// meets returns a process with lines in both files, or "".
func (o *opening) meets(later *opening) string {
	for process := range o.processes {
		if later.processes[process] {
			return process
		}
	}
	return ""
}

// ofFile adds to the current record the fields that the mapping takes from the file name.
func (l *log) ofFile(name string) {
	name = cmp.Or(l.rec.source, name)
	l.rec.set(l.fileSlot, name)
	if l.file != nil {
		l.file.capture(name, l.rec)
	}
}

// contents summarises the lines of a file, to recognise copies.
type contents struct {
	file, name string
	lines      int
	// text and writer are hashes of the lines and of their processes.
	text, writer uint64
	// events is the number of events before the file.
	events int
	// byFile is true if the process has the name of the file.
	byFile bool
}

// contentHash returns a hash of a text, equal in all tasks of an import.
func contentHash(text string) uint64 {
	b := []byte(text)
	return uint64(crc32.Checksum(b, castagnoli))<<32 | uint64(crc32.ChecksumIEEE(b))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// beginFile begins the next file.
func (l *log) beginFile() error {
	if l.apart && len(l.contents) > 0 {
		if err := l.begin(""); err != nil {
			return err
		}
		l.builder.Begins = "with " + l.reading.Name() + ", in which each process starts anew at the same time"
	}
	l.name = nameIn(l.reading.Name(), l.reading.Names())
	l.headed = nil
	l.contents = append(l.contents, contents{file: l.reading.Name(), name: l.name, events: l.tried.events})
	return nil
}

// seeLine adds the current record to the summary of the file.
func (l *log) seeLine() {
	if !l.reading.Joined() && len(l.reading.Copies()) == 0 {
		return
	}
	c := &l.contents[len(l.contents)-1]
	writer := l.name
	if l.process != nil {
		writer = l.word("process", l.process)
	}
	c.byFile = c.byFile || writer == l.name
	c.lines++
	c.text = c.text*31 + contentHash(l.rec.text)
	c.writer = c.writer*31 + contentHash(writer)
}

// endFile refuses a file that is a copy of an earlier one. It also notes a file without events.
func (l *log) endFile() error {
	if !l.reading.Joined() {
		return nil
	}
	c := l.contents[len(l.contents)-1]
	if err := l.compareFile(); err != nil {
		return err
	}
	if l.tried.events == c.events && l.fall == nil {
		l.silent(c)
	}
	return nil
}

// compareFile compares the lines of the last file with those of the files before.
func (l *log) compareFile() error {
	last := len(l.contents) - 1
	c := l.contents[last]
	for _, later := range l.contents[:last] {
		switch {
		case c.lines == 0 || later.text != c.text || later.lines != c.lines:
		case later.writer == c.writer && l.reading.Divided():
			l.reading.AtOnce("%s has the lines of %s", c.file, later.file)
		case later.writer == c.writer:
			return l.reading.Errorf(0, "the same lines of the same processes as %s, expected each log once", text.Printable(later.file))
		case l.timed:
			l.reading.Note("%s has the same lines as %s, times included: is it a copy?", c.file, later.file)
		}
	}
	return nil
}

// doubtCopies handles files that are left out as copies, if processes have the names of their files. Such a process
// may have logged the same as another, so it becomes a member without a record. If the lines name the members, no
// member is added.
func (l *log) doubtCopies() {
	if l.builder.NamesOthers() || !slices.ContainsFunc(l.contents, func(c contents) bool { return c.byFile }) {
		return
	}
	for _, file := range l.reading.Copies() {
		name := nameIn(file, append(l.reading.Names(), l.reading.Copies()...))
		l.builder.Member(l.builder.Called(name))
		l.reading.Note("%s: nothing is read of the member %s, whose log may be a copy", file, name)
	}
}

// silent notes a file without events. If its name contains the name of a process, this process is a member.
func (l *log) silent(c contents) {
	l.rec.clear(0, "")
	l.ofFile(l.name)
	process := l.word("process", l.process)
	if process == "" || l.runs != nil {
		if l.runs == nil {
			l.builder.NotUnderstood(l.name)
		}
		l.reading.Note("%s: no event; a process of which this is the log is no member of the run, unless other files name it", c.file)
		return
	}
	l.builder.Member(l.builder.Called(process))
	l.reading.Note("%s: no event; %s is a member of which nothing is recorded", c.file, process)
}
