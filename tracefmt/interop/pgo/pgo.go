package pgo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/modelcheck"
)

// Format reads traces of PGo.
var Format = interop.Format{
	Name:     "pgo",
	Doc:      "traces of programs compiled by PGo: JSON lines with archetypeName, clock and csElements",
	Describe: func() string { return description },
	Source:   "DistCompiler/pgo at ed456dbd7710, its tracing of critical sections",
	Detect:   detect,
	Joins:    true,
	Read:     read,
	ReadOptions: []interop.Option{
		{Name: "archetypes", Default: "false", Doc: "each archetype is a process"},
	},
}

const description = `Each archetype has a file; the command needs all files. A line is an atomic step. It has the vector clock
after the step, the variables that the step reads and writes (csElements), and whether the step was aborted
and had no effect.

The server of an archetype is the index with which it reads the network or, if it does not read the network,
most of its variables. All archetypes of a server are one process, named after the index. An archetype
without a server is a process NAME(self). With --archetypes each archetype is a process.

  write of net or network with an index   a send to that index
  read of net or network                  a receive, of the oldest equal value that its clock includes
  write of another variable               a state event; hasLock becomes a note enter or exit. A run with
                                          currentTerm is a run of Raft: state becomes role, currentTerm
                                          term, leader elected, commitIndex commit, log log[1], log[2], ...
  the step                                a note with its label, or abort if it was aborted

A variable with the index of another process is called INDEX.NAME. If several archetypes are one process,
a variable without an index has the name of its archetype as a prefix.
`

// detect recognises a file whose beginning has the keys of a step.
func detect(head []byte) interop.Confidence {
	for _, key := range []string{`"archetypeName"`, `"csElements"`, `"clock"`} {
		if !bytes.Contains(head, []byte(key)) {
			return interop.No
		}
	}
	return interop.Sure
}

// section is an atomic step.
type section struct {
	line      int
	archetype *archetype
	step      int64  // the entry of the archetype in its own clock
	clock     []tick // the entries for other archetypes
	time      time.Time
	began     string
	aborted   bool
	label     string // the label of the program counter before the step
	elements  []element

	number, next int   // number is its index in the archetype, next the next cause to visit
	placed       bool  // it has its place in trace.order
	last         int64 // the number of its last event in the process
}

// archetype is an instance of an archetype, with its steps in order.
type archetype struct {
	id
	sections []*section
	known    int64  // the greatest entry for it in a clock
	index    string // the index of its server, "" if unknown
	process  *process
}

// id identifies an instance of an archetype in clocks.
type id struct{ name, self string }

func (i id) String() string { return i.name + "(" + i.self + ")" }

// tick is an entry of a clock.
type tick struct {
	archetype id
	count     int64
}

// UnmarshalJSON reads [["name","self"],count].
func (t *tick) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	var parts []string
	if err := json.Unmarshal(data, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf(`the entry %.40s of a clock, expected [["NAME","SELF"],COUNT]`, data)
	}
	if json.Unmarshal(pair[0], &parts) != nil || len(parts) != 2 || json.Unmarshal(pair[1], &t.count) != nil || t.count < 0 {
		return fmt.Errorf(`the entry %.40s of a clock, expected [["NAME","SELF"],COUNT]`, data)
	}
	t.archetype = id{parts[0], parts[1]}
	return nil
}

// element is a variable that a step reads or writes.
type element struct {
	Tag  string
	Name struct {
		Name, Prefix string
	}
	Indices         []string
	Value, OldValue *string
}

// networks are the names of variables that are networks.
var networks = map[string]bool{"net": true, "network": true}

// isMessage reports whether the element is an end of a message.
func (e *element) isMessage() bool { return networks[e.Name.Name] && len(e.Indices) == 1 }

// index returns the index of a variable with one index, "" for a variable without an index.
func (e *element) index() string {
	if len(e.Indices) == 0 {
		return ""
	}
	return e.Indices[0]
}

// json returns the value; false without a value.
func (e *element) json() ([]byte, bool) {
	switch {
	case e.Value == nil:
		return nil, false
	case *e.Value == "defaultInitValue":
		return []byte("null"), true
	}
	return modelcheck.JSONOfTLA(*e.Value), true
}

// parse reads a line.
func parse(n int, text string) (*section, id, error) {
	var raw struct {
		ArchetypeName, Self string
		Clock               []tick
		CsElements          []element
		IsAbort             bool
		StartTime           string
		EndTime             time.Time
	}
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, id{}, err
	}
	self := id{raw.ArchetypeName, raw.Self}
	s := &section{line: n, time: raw.EndTime, began: raw.StartTime, aborted: raw.IsAbort, elements: raw.CsElements}
	for _, t := range raw.Clock {
		if t.archetype == self {
			s.step = t.count
		} else {
			s.clock = append(s.clock, t)
		}
	}
	if s.step == 0 || self.name == "" {
		return nil, self, fmt.Errorf("expected archetypeName, self, and an entry of the clock for it")
	}
	s.label = s.at()
	return s, self, nil
}

// at returns the label of the step, which is the value of its program counter.
func (s *section) at() string {
	for i := range s.elements {
		if e := &s.elements[i]; e.Name.Name == ".pc" && e.Tag == "read" && e.Value != nil {
			return strings.Trim(*e.Value, `"`)
		}
	}
	return "step"
}

// read reads all files, and makes one run of their steps.
func read(r *interop.Reading) error {
	t := &trace{reading: r, archetypes: make(map[id]*archetype)}
	var damaged interop.RunReport
	for more := true; more; more = r.Next() {
		for n, line := range r.Lines() {
			if strings.TrimSpace(line) == "" {
				continue
			}
			s, self, err := parse(n, line)
			if err != nil {
				damaged.Skip(n, line)
				continue
			}
			t.add(s, self)
		}
	}
	t.groupArchetypes(r.On("archetypes"))
	var run tracefmt.Run
	t.raft = t.writes("currentTerm")
	if t.raft {
		run.Problem = tracefmt.Raft
	}
	t.Builder = r.Build(run)
	t.ByTime = true
	t.Completeness = &tracefmt.Completeness{Levels: tracefmt.Levels{Kinds: map[string]tracefmt.Level{"state": tracefmt.All}}}
	t.Skipped = damaged.Skipped
	if t.Skipped.Lines > 0 {
		t.Gap("", 0)
	}
	t.sort()
	t.joinMessages()
	for _, s := range t.order {
		t.emit(s)
	}
	t.addFinalGaps()
	return nil
}
