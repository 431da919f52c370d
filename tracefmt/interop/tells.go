package interop

import (
	"maps"
	"slices"

	"etrace/tracefmt"
)

// What a run declares to tell when its Builder is done: of each kind and variable that its
// entries have, all, since the log has what the program logs; of the others nothing, and
// nothing of a process without an entry. Then what the file itself shows to be missing:
//
//   - a send or receive that is half a message has lost its other half, so the process of
//     that one tells some of them;
//   - so do both processes of a clock that has news which no receive explains;
//   - a process whose own clock leaves out values has a gap there.

const (
	// maxVariables is how many variables a declaration names; of more all is told.
	maxVariables = 512
	// maxApart is how many processes are declared one by one, and how many gaps.
	maxApart = 1024
	// maxKeys is how many keys they have together.
	maxKeys = 32 * maxApart
)

// missing is a kind of events of which some of the process are known to be missing.
type missing struct {
	host hostID
	kind tracefmt.Kind
}

// hole is a stretch in which entries of a process are missing: after one event of it and
// before another, noEvent for the ends of its log.
type hole struct {
	host          hostID
	after, before eventID
	dropped       int64
}

// reported is a hole that the reader has reported, before the event at.
type reported struct {
	process string
	at      eventID
	dropped int64
}

// Gap says that entries of a process are missing from the file, after those that were added
// and before those that will be: a buffer ran over, a file was rotated. "" is every process;
// dropped is how many entries, 0 where that is not known.
func (b *Builder) Gap(process string, dropped int64) {
	gap := reported{process, eventID(b.events.Len()), dropped}
	if n := len(b.reported); n > 0 && dropped == 0 && b.reported[n-1] == gap { // as each line of a damaged file says
		return
	}
	b.reported = append(b.reported, gap)
}

// declare completes what the run declares to tell. The processes have their numbers.
func (b *Builder) declare() {
	b.run.Completeness = b.Completeness.Over(b.run.Completeness.Over(b.showing()))
	b.declareMissing()
	declared := *b.run.Completeness
	declared.Gaps = slices.Concat(declared.Gaps, b.gaps())
	b.run.Completeness = &declared
}

// showing is what the entries show to be told.
func (b *Builder) showing() *tracefmt.Completeness {
	t := &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.None, Kinds: make(map[string]tracefmt.Level)}}
	for kind, entries := range b.kinds {
		if kind != tracefmt.State && entries > 0 {
			t.Kinds[kind.String()] = tracefmt.All
		}
	}
	if len(b.variables) > maxVariables {
		t.Kinds[tracefmt.State.String()] = tracefmt.All
	} else {
		for name := range b.variables {
			t.Kinds[tracefmt.StateOf(name).String()] = tracefmt.All
		}
	}
	b.declareApart(t)
	return t
}

// declareApart says in t that of the processes without an entry nothing is told. Where they
// are too many to be named, those that have entries are, and where these are too many, too,
// of each there may be more.
func (b *Builder) declareApart(t *tracefmt.Completeness) {
	var acting, silent []string
	for _, m := range b.run.Members {
		if id, ok := b.hostIndex[m.Name]; ok && b.hosts[id].acts {
			acting = append(acting, m.Name)
		} else {
			silent = append(silent, m.Name)
		}
	}
	switch {
	case len(silent) == 0:
	case len(silent) <= maxApart:
		t.Processes = toEach(silent, tracefmt.Levels{Default: tracefmt.None})
	case len(acting) <= maxApart && len(acting)*len(t.Kinds) <= maxKeys:
		t.Processes = toEach(acting, tracefmt.Levels{Kinds: t.Kinds})
		t.Kinds = maps.Clone(t.Kinds)
		maps.DeleteFunc(t.Kinds, func(key string, _ tracefmt.Level) bool { return !ofNoProcess(key) })
	default:
		for key := range t.Kinds {
			t.Kinds[key] = tracefmt.Some
		}
	}
}

// toEach says the same of each of the processes.
func toEach(names []string, own tracefmt.Levels) map[string]tracefmt.Levels {
	processes := make(map[string]tracefmt.Levels, len(names))
	for _, name := range names {
		processes[name] = own
	}
	return processes
}

// ofNoProcess reports whether events of the kind happen to the network.
func ofNoProcess(kind string) bool {
	k, err := tracefmt.ParseKind(kind)
	return err == nil && k.Info().Process == tracefmt.Absent
}

// declareMissing lowers to some what is declared to be told and is known to be missing.
func (b *Builder) declareMissing() {
	b.addUnexplained()
	coverage := tracefmt.NewCoverage(&b.run)
	some := make(map[string]tracefmt.Levels)
	for m := range b.missing {
		p := b.hosts[m.host].process
		if p == 0 || coverage.Level(p, tracefmt.Fact{Kind: m.kind}) != tracefmt.All {
			continue
		}
		name := b.hosts[m.host].name
		if some[name].Kinds == nil {
			some[name] = tracefmt.Levels{Kinds: make(map[string]tracefmt.Level)}
		}
		some[name].Kinds[m.kind.String()] = tracefmt.Some
	}
	less := new(tracefmt.Completeness)
	if len(some)+len(b.run.Completeness.Processes) > maxApart {
		less.Default, some = tracefmt.Some, nil
	}
	less.Processes = some
	b.run.Completeness = less.Over(b.run.Completeness)
}

// saysAll reports whether somebody has said, in so many words, that all events of the kind are
// told of a process which has a log. What the entries show does not count, nor against it.
func (b *Builder) saysAll(host hostID, kind tracefmt.Kind) bool {
	h := &b.hosts[host]
	level, own := b.Completeness.Over(b.run.Completeness).Says(h.name, tracefmt.Fact{Kind: kind})
	return level == tracefmt.All && (h.acts || own)
}

// lacks takes in that some events of the kind are missing at a process.
func (b *Builder) lacks(host hostID, kind tracefmt.Kind) {
	if host == noHost {
		return
	}
	if b.missing == nil {
		b.missing = make(map[missing]bool)
	}
	b.missing[missing{host, kind}] = true
}

// addUnexplained finds the events whose clocks have news of another process by no message
// of the log, and by no cause that they name.
func (b *Builder) addUnexplained() {
	if len(b.ids) == 0 {
		return
	}
	for _, e := range b.all() {
		for _, parent := range b.causes(e.parents) {
			if e.send() != parent && !slices.Contains(b.causes(e.links), parent) {
				b.lacks(e.host, tracefmt.Receive)
				b.lacks(b.at(parent).host, tracefmt.Send)
			}
		}
	}
}

// lackAtEnd takes in that a clock knows of so many events after the last one of a process.
func (b *Builder) lackAtEnd(host hostID, count int64) {
	last := b.hosts[host].events[len(b.hosts[host].events)-1]
	for i := range b.holes {
		if h := &b.holes[i]; h.host == host && h.before == noEvent {
			h.dropped = max(h.dropped, count)
			return
		}
	}
	b.holes = append(b.holes, hole{host, last, noEvent, count})
}

// gaps are the stretches of which entries are missing.
func (b *Builder) gaps() []tracefmt.Gap {
	var gaps []tracefmt.Gap
	for _, h := range b.holes {
		if b.hosts[h.host].member {
			gaps = append(gaps, b.gap(h))
		}
	}
	if len(gaps) > maxApart {
		return joined(gaps)
	}
	return gaps
}

// gap is the hole between seqs. Where the clocks bring the two events into another order
// than that of the file, it is between them all the same.
func (b *Builder) gap(h hole) tracefmt.Gap {
	g := tracefmt.Gap{Process: b.hosts[h.host].name, Dropped: h.dropped}
	after, before := b.seqOf(h.after), b.seqOf(h.before)
	if before != 0 {
		after, before = min(after, before), max(after, before)
		g.To = max(1, before-1) // 0 would be: to the end
	}
	if after != 0 {
		g.From = after + 1
	}
	return g
}

// seqOf is the seq of an event, 0 for none.
func (b *Builder) seqOf(id eventID) tracefmt.Seq {
	if id == noEvent {
		return 0
	}
	return tracefmt.Seq(b.at(id).seq)
}

// joined makes one gap of those of each process.
func joined(gaps []tracefmt.Gap) []tracefmt.Gap {
	index := make(map[string]int)
	var all []tracefmt.Gap
	for _, g := range gaps {
		i, ok := index[g.Process]
		if !ok {
			index[g.Process] = len(all)
			all = append(all, g)
			continue
		}
		one := &all[i]
		one.From = min(one.From, g.From)
		if one.To != 0 {
			one.To = max(one.To, g.To)
		}
		if g.To == 0 {
			one.To = 0
		}
		one.Dropped += g.Dropped
	}
	return all
}
