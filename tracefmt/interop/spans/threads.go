package spans

import (
	"cmp"
	"encoding/json"
	"slices"
)

// threads are the threads of all files.
type threads struct {
	list      []thread
	number    map[threadID]int32 // the index in all
	processes []process
	owner     map[processID]int // the index in processes
	names     []string          // by the numbers that name returns
	events    int               // the number of events so far
}

type (
	// processID is the number of a process in its file. file is the name of the file without its ending, "" if there is
	// only one.
	processID struct {
		file string
		pid  word
	}
	// threadID is the number of a thread in its process.
	threadID struct {
		processID
		tid word
	}
)

// process is a process of a file.
type process struct {
	processID
	label label
	name  word // the number of the process, unique among all files
}

// thread is a thread of a file.
type thread struct {
	threadID
	label label
	acts  bool   // it has an event
	first micros // the time of its earliest event
	place int    // the index of that event among the events of all files
}

// label is a name that an event gives, with the time of that event. The latest name counts.
type label struct {
	word
	since micros
	given bool
}

// setName sets the name, if no later event has given one.
func (l *label) setName(name word, at micros) {
	if !l.given || at >= l.since {
		*l = label{name, at, true}
	}
}

func newThreads() threads {
	return threads{number: make(map[threadID]int32), owner: make(map[processID]int)}
}

// add registers an event, and returns the number of its thread.
func (t *threads) add(file string, e *chromeEvent) int32 {
	id := threadID{processID{file, e.PID}, e.TID}
	n, known := t.number[id]
	if !known {
		n = int32(len(t.list))
		t.list, t.number[id] = append(t.list, thread{threadID: id}), n
		if _, known := t.owner[id.processID]; !known {
			t.owner[id.processID] = len(t.processes)
			t.processes = append(t.processes, process{processID: id.processID})
		}
	}
	t.events++
	switch thread := &t.list[n]; {
	case e.Phase != "M":
		if !thread.acts || e.Time < thread.first {
			thread.acts, thread.first, thread.place = true, e.Time, t.events
		}
	case e.Name == "process_name":
		t.processes[t.owner[id.processID]].label.setName(wordOf(e.Args["name"]), e.Time)
	case e.Name == "thread_name":
		thread.label.setName(wordOf(e.Args["name"]), e.Time)
	}
	return n
}

// wordOf returns a JSON value as a word.
func wordOf(value json.RawMessage) (w word) {
	if len(value) > 0 {
		_ = w.UnmarshalJSON(value) // never fails: a word takes any value
	}
	return w
}

// nameProcesses separates the processes of several files. A number with different names, or without a name,
// means a different process in each file.
func (t *threads) nameProcesses() {
	files := make(map[word]int)
	for i := range t.processes {
		files[t.processes[i].pid]++
	}
	for i := range t.processes {
		switch p := &t.processes[i]; {
		case files[p.pid] == 1:
			p.name = p.pid
		case p.label.word != "" && p.file != "":
			p.name = p.label.word + " " + p.pid
		default:
			p.name = word(p.file) + "/" + p.pid
		}
	}
}

// threadIdentity identifies a thread among all files.
type threadIdentity struct{ process, tid word }

func (c threadIdentity) String() string { return string(c.process + "/" + c.tid) }

// identify returns the identity of a thread among all files.
func (t *threads) identify(thread *thread) threadIdentity {
	return threadIdentity{t.processes[t.owner[thread.processID]].name, thread.tid}
}

// nameThreads chooses the names of the threads: the name of their process, followed by their own name if several
// threads of the process have events. It returns for each thread of a file its number in t.names. Threads of several
// files with one identity share the number.
func (t *threads) nameThreads() (number []int32) {
	t.nameProcesses()
	// The latest name of each process and thread counts.
	processes, labels := make(map[word]label), make(map[threadIdentity]label)
	for i := range t.processes {
		if p := &t.processes[i]; p.label.given {
			l := processes[p.name]
			l.setName(p.label.word, p.label.since)
			processes[p.name] = l
		}
	}
	numbers, actingThreads := make(map[threadIdentity]int32), make(map[word]int)
	order := make([]*thread, len(t.list))
	for i := range t.list {
		order[i] = &t.list[i]
	}
	slices.SortFunc(order, func(x, y *thread) int {
		return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.place, y.place))
	})
	for _, thread := range order {
		identity := t.identify(thread)
		if thread.label.given {
			l := labels[identity]
			l.setName(thread.label.word, thread.label.since)
			labels[identity] = l
		}
		if _, known := numbers[identity]; thread.acts && !known {
			numbers[identity] = int32(len(numbers))
			actingThreads[identity.process]++
		}
	}
	t.names = make([]string, len(numbers))
	taken := make(map[string]bool)
	for _, thread := range order {
		identity := t.identify(thread)
		n, acts := numbers[identity]
		if !acts || t.names[n] != "" {
			continue
		}
		name := cmp.Or(string(processes[identity.process].word), string(identity.process))
		if actingThreads[identity.process] > 1 {
			name += "/" + cmp.Or(string(labels[identity].word), string(identity.tid))
		}
		if name == "" || taken[name] {
			name = identity.String()
		}
		t.names[n], taken[name] = name, true
	}
	number = make([]int32, len(t.list))
	for i := range t.list {
		number[i] = numbers[t.identify(&t.list[i])]
	}
	return number
}
