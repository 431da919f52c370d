package hunt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Fault is a kind of fault that a hunt can add to a scenario.
type Fault struct {
	Name, Doc string
	// Harm orders the faults: less harmful ones are tried first. Faults below Unreliable leave channels
	// reliable, and are the default, since most algorithms require reliable channels.
	Harm int
	// add draws a fault of this kind and adds it; it reports whether one was possible.
	add func(d *draw) bool
}

// Unreliable is the harm of faults that lose or duplicate messages.
const Unreliable = 3

// Key is the fault's name; see [text.Named].
func (f *Fault) Key() string { return f.Name }

var faults = text.NewRegistry("fault",
	&Fault{Name: "crash", Doc: "a process crashes", Harm: 1, add: (*draw).crash},
	&Fault{Name: "drop", Doc: "a message is lost", Harm: Unreliable, add: (*draw).drop},
	&Fault{Name: "duplicate", Doc: "a message arrives twice", Harm: Unreliable, add: (*draw).duplicate},
	&Fault{Name: "partition", Doc: "the network splits for a while", Harm: Unreliable, add: (*draw).partition},
	&Fault{Name: "recover", Doc: "a process that is down comes back", Harm: 2, add: (*draw).recover},
	&Fault{Name: "slow", Doc: "a message takes longer", add: (*draw).slow},
	&Fault{Name: "start", Doc: "a further process starts", add: (*draw).start},
)

// Faults returns the registry of all faults.
func Faults() text.Registry[*Fault] { return faults }

// Default returns the names of the default faults of a hunt: the faults that leave channels reliable.
func Default() []string {
	var names []string
	for _, f := range faults.All() {
		if f.Harm < Unreliable {
			names = append(names, f.Name)
		}
	}
	return names
}

// lookup returns the faults with the given names; nil means the default.
func lookup(names []string) ([]*Fault, error) {
	switch {
	case names == nil:
		names = Default()
	// Without faults the walks would never end.
	case len(names) == 0:
		return nil, fmt.Errorf("no faults to hunt with, expected some of: %s", strings.Join(faults.Names(), ", "))
	}
	var found []*Fault
	for _, name := range names {
		f, err := faults.Lookup(name)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
	return found, nil
}

// byHarm returns the faults of at most each degree of harm, by rising harm, without repetitions.
func byHarm(faults []*Fault) [][]*Fault {
	var sets [][]*Fault
	for harm := range Unreliable + 1 {
		set := slices.DeleteFunc(slices.Clone(faults), func(f *Fault) bool { return f.Harm > harm })
		if len(set) > 0 && (len(sets) == 0 || len(set) > len(sets[len(sets)-1])) {
			sets = append(sets, set)
		}
	}
	return sets
}

// draw draws faults for a scenario from the events of its run.
type draw struct {
	*rand.Rand
	scenario *scenario.Scenario
	rec      *tracefmt.Memory
}

// fault adds a fault of one of the kinds, if one is possible.
func (d *draw) fault(kinds []*Fault) bool {
	for _, i := range d.Perm(len(kinds)) {
		if kinds[i].add(d) {
			return true
		}
	}
	return false
}

// half is the grid of fault times. On this grid faults come before the events of an instant, or between two
// instants.
const half = tracefmt.Unit / 2

// instant draws a time at an event, or shortly after it.
func (d *draw) instant() tracefmt.Time {
	at := tracefmt.Time(0)
	if n := d.rec.Len(); n > 0 {
		at = d.rec.At(tracefmt.Seq(d.IntN(n) + 1)).Time
	}
	return at/half*half + half*tracefmt.Time(d.IntN(2))
}

// liveProcess draws a process that the plan does not crash.
func (d *draw) liveProcess() (id int64, ok bool) {
	down := d.crashedProcesses()
	up := slices.DeleteFunc(slices.Clone(d.scenario.IDs), func(id int64) bool { return slices.Contains(down, id) })
	if len(up) == 0 {
		return 0, false
	}
	return up[d.IntN(len(up))], true
}

// crashedProcesses lists the processes that the plan takes down at some time.
func (d *draw) crashedProcesses() []int64 {
	down := slices.Clone(d.scenario.Down)
	for _, a := range d.scenario.Crash {
		down = append(down, a.Process)
	}
	return down
}

// crash adds a crash of a process, at a time near an event.
func (d *draw) crash() bool {
	id, ok := d.liveProcess()
	if ok {
		d.scenario.Crash = append(d.scenario.Crash, scenario.At{Process: id, Time: d.instant()})
	}
	return ok
}

// recover adds a recovery of a process, after its crashes.
func (d *draw) recover() bool {
	down := d.crashedProcesses()
	if len(down) == 0 {
		return false
	}
	id, instant := down[d.IntN(len(down))], d.instant()
	for _, a := range d.scenario.Crash {
		if a.Process == id {
			instant = max(instant, a.Time+half)
		}
	}
	d.scenario.Recover = append(d.scenario.Recover, scenario.At{Process: id, Time: instant})
	return true
}

// start adds a start of a process.
func (d *draw) start() bool {
	id, ok := d.liveProcess()
	if ok {
		d.scenario.Start = append(d.scenario.Start, scenario.At{Process: id, Time: d.instant()})
	}
	return ok
}

// slow adds a delay of one message.
func (d *draw) slow() bool {
	r, ok := d.message()
	if !ok || contains(d.scenario.Slow, r) {
		return false
	}
	r.Delay = tracefmt.Time(2+d.IntN(12)) * tracefmt.Unit
	d.scenario.Slow = append(d.scenario.Slow, r)
	return true
}

// drop adds the loss of one message.
func (d *draw) drop() bool {
	r, ok := d.message()
	if !ok || contains(d.scenario.Drop, r) {
		return false
	}
	d.scenario.Drop = append(d.scenario.Drop, r)
	return true
}

// duplicate adds a second delivery of one message.
func (d *draw) duplicate() bool {
	sends := d.sends()
	if len(sends) == 0 {
		return false
	}
	e, err := scenario.ParseEdit(fmt.Sprintf("duplicate m%d", sends[d.IntN(len(sends))].Message))
	if err != nil || slices.Contains(d.scenario.Edits, e) {
		return false
	}
	d.scenario.Edits = append(d.scenario.Edits, e)
	return true
}

// partition adds a split of the network into two groups, for some time.
func (d *draw) partition() bool {
	from := d.instant()
	p := scenario.Partition{
		Groups: make([][]int64, 2), From: from,
		To: from + tracefmt.Time(1+d.IntN(10))*tracefmt.Unit,
	}
	for _, id := range d.scenario.IDs {
		g := d.IntN(2)
		p.Groups[g] = append(p.Groups[g], id)
	}
	if len(p.Groups[0]) == 0 || len(p.Groups[1]) == 0 {
		return false
	}
	d.scenario.Partitions = append(d.scenario.Partitions, p)
	return true
}

// sends returns copies of the send events of the run.
func (d *draw) sends() []*tracefmt.Event {
	var sends []*tracefmt.Event
	for e := range d.rec.Events(1) {
		if e.Kind == tracefmt.Send {
			sends = append(sends, e.Clone())
		}
	}
	return sends
}

// message draws a rule that matches one message of the run.
func (d *draw) message() (scenario.Rule, bool) {
	sends := d.sends()
	if len(sends) == 0 {
		return scenario.Rule{}, false
	}
	m := sends[d.IntN(len(sends))]
	r := scenario.Rule{Type: m.Type, From: d.id(m.Process), To: d.id(m.Peer)}
	for _, e := range sends {
		if e.Seq <= m.Seq && e.Type == m.Type && e.Process == m.Process && e.Peer == m.Peer {
			r.Occurrence++
		}
	}
	return r, true
}

// id returns the id of a process, which is its name.
func (d *draw) id(p tracefmt.ProcessID) *int64 {
	id, err := strconv.ParseInt(d.rec.Run().ProcessName(p), 10, 64)
	if err != nil {
		return nil
	}
	return &id
}

// contains reports whether a rule is among the rules.
func contains(rules []scenario.Rule, r scenario.Rule) bool {
	return slices.ContainsFunc(rules, func(o scenario.Rule) bool { return o.String() == r.String() })
}
