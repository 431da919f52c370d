package mapping

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// A log may contain several runs at once, such as the Raft groups of a server. The mapping names the value
// that separates their lines: runs. A line without this value belongs to all runs in which its process has
// lines, also to runs that begin later.

// course is a run that is being read.
type course struct {
	builder *interop.Builder
	carried map[string][]field // by process
	lives   map[string]*life
	members map[string]bool // the processes with lines of this run
}

// newCourse begins a run.
func (l *log) newCourse(name string) *course {
	run := l.run
	run.Name = name
	c := &course{
		builder: l.reading.Build(run), carried: make(map[string][]field), lives: make(map[string]*life),
		members: make(map[string]bool),
	}
	c.builder.End, c.builder.Completeness, c.builder.ByTime = l.end, l.run.Completeness, l.time != nil &&
		(l.reading.Joined() || l.runs != nil) // lines of all runs are added late
	for _, name := range slices.Sorted(maps.Keys(l.roles)) {
		c.builder.Role(name, l.roles[name])
	}
	c.builder.MayBeBlocks, c.builder.Collected = l.time != nil, l.layers.Collects()
	return c
}

// begin begins an execution. It becomes one run, or several runs if its lines name runs.
func (l *log) begin(name string) error {
	l.pasts, l.numbers = nil, nil
	if l.runs == nil {
		l.course = l.newCourse(name)
		return nil
	}
	err := l.close()
	l.execution = name
	return err
}

// close ends an execution. If no line names a run, all lines are one run.
func (l *log) close() error {
	if len(l.courses) == 0 && len(l.shared) > 0 {
		l.courses = append(l.courses, l.newCourse(l.execution))
		for _, k := range l.shared {
			if err := l.replay(l.courses[0], k); err != nil {
				return err
			}
		}
	}
	left := 0
	for _, k := range l.shared {
		if k.said {
			continue
		}
		left++
		// Each run may lack the events of the line.
		l.restore(k)
		if i := l.rule(); i >= 0 && k.understood && l.rules[i].ofOneRun() {
			for _, c := range l.courses {
				l.unplace(&l.rules[i], c)
			}
		}
	}
	if left > 0 {
		l.reading.Note("%s of processes that have none of any run, left out", text.Counted(left, "line is", "lines are"))
	}
	l.courses, l.named, l.shared, l.wrote = nil, make(map[string]*course), nil, make(map[string]life)
	return nil
}

// maxRuns is the greatest number of runs in one execution.
const maxRuns = 1 << 12

// common is a line without the name of a run. It belongs to all runs of its process.
type common struct {
	record
	understood, matters bool
	process             string
	// said is true if the line was already reported for another run. unnamed is true if it names no run.
	said, unnamed bool
}

// toRuns adds the current record to the run of its cluster. A record that names no cluster belongs to every run in which
// its process takes part. It shows there that the process is up.
func (l *log) toRuns(understood bool) error {
	process, err := l.writer(understood)
	if err != nil {
		return err
	}
	if name, ok := l.runs.text(l.rec); ok && l.clusters.find(name) != "" {
		err = l.toRun(l.clusters.find(name), process, understood)
	} else {
		err = l.toEach(process, understood)
	}
	if process != "" {
		l.wrote[process] = life{line: l.rec.line, time: l.writtenAt}
	}
	return err
}

// writer returns the process that wrote the current record, or "", and notes the time of the record.
func (l *log) writer(understood bool) (process string, err error) {
	if !understood {
		return "", nil
	}
	l.writtenAt, err = l.timeOf()
	return l.word("process", l.process), err
}

// toEach adds the current record, which names no run, to all runs of its process.
func (l *log) toEach(process string, understood bool) error {
	k := l.keep(process, understood)
	k.unnamed = true
	if k.matters || len(l.courses) == 0 {
		l.shared = append(l.shared, k)
	}
	for i, c := range l.courses {
		if !c.members[process] && (k.matters && process != "" || i > 0) {
			continue
		}
		if err := l.replay(c, k); err != nil {
			return err
		}
	}
	return nil
}

// toRun adds the current record to the run with this name.
func (l *log) toRun(name, process string, understood bool) error {
	c := l.named[name]
	if c != nil && c.members[process] {
		return l.within(c, false, understood)
	}
	now := l.keep(process, understood)
	if c == nil {
		if len(l.courses) == maxRuns {
			return l.reading.Errorf(l.rec.line, "the log has more than %d runs, by what runs of the mapping says", maxRuns)
		}
		c = l.newCourse(strings.TrimSpace(l.execution + " " + name))
		l.courses, l.named[name] = append(l.courses, c), c
		if err := l.dismiss(); err != nil {
			return err
		}
	}
	if err := l.join(c, process); err != nil {
		return err
	}
	return l.replay(c, now)
}

// dismiss reports lines without events, which had to wait for the first run.
func (l *log) dismiss() error {
	for _, k := range l.shared {
		if k.matters || k.said {
			continue
		}
		if err := l.replay(l.courses[0], k); err != nil {
			return err
		}
	}
	l.shared = slices.DeleteFunc(l.shared, func(k *common) bool { return !k.matters })
	return nil
}

// join adds a process to a run, with the earlier lines of the process that belong to all runs.
func (l *log) join(c *course, process string) error {
	l.several = l.several || slices.ContainsFunc(l.courses, func(c *course) bool { return c.members[process] })
	c.members[process] = true
	for _, k := range l.shared {
		if k.process != process {
			continue
		}
		if err := l.replay(c, k); err != nil {
			return err
		}
	}
	return nil
}

// replay adds a stored line to a run. The line is reported only once.
func (l *log) replay(c *course, k *common) error {
	l.restore(k)
	again := k.said
	k.said, l.unnamed = true, k.unnamed
	defer func() { l.unnamed = false }()
	return l.within(c, again, k.understood)
}

// within adds the current record to a run. If again is true, the line was already reported.
func (l *log) within(c *course, again, understood bool) error {
	l.course, l.again = c, again
	explain := l.explain
	if again {
		l.explain.writer = nil
	}
	err := l.understand(understood)
	l.explain, l.again = explain, false
	return err
}

// keep returns a copy of the current record.
func (l *log) keep(process string, understood bool) *common {
	k := &common{record: *l.rec, process: process, understood: understood}
	k.fields, k.read = slices.Clone(l.rec.fields), l.rec.read.clone()
	k.matters = understood && l.rule() >= 0 || l.hasGap(!understood)
	l.restore(k)
	return k
}

// restore makes a stored line the current record again.
func (l *log) restore(k *common) {
	l.rec.line, l.rec.text, l.rec.source, l.rec.read = k.line, k.text, k.source, k.read
	copy(l.rec.fields, k.fields)
}
