package interop

import (
	"container/heap"

	"etrace/tracefmt"
	"etrace/tracefmt/spill"
)

// Ends of messages with equal names are in one group, by the digests of their names. The groups are paired one after another,
// or by several tasks, and their pairs are joined in the order of the entries: to edit the events of each group would read and
// write all events once for each group.

// endPair is an end of a message, and its send or, for half of a message, the first of its receiving ends.
type endPair struct {
	end, first eventID
	half       bool
}

// groupedEnd is what the pairing of an end with a name needs.
type groupedEnd struct {
	id, life   int32
	host, peer hostID
	kind       tracefmt.Kind
	name       digest
}

// event returns the end as an event.
func (g *groupedEnd) event() event {
	return event{
		kind: g.kind, host: g.host, peer: g.peer, life: g.life, name: g.name, named: true,
		previous: noEvent, partner: noEvent, first: noEvent,
	}
}

// pairInGroups pairs the ends of messages in groups, and reports whether the pairs are certain. Otherwise nothing is paired:
// some message has no name, or several possible pairs of ends.
func (b *Builder) pairInGroups(count int) bool {
	groups := make([]*spill.List[groupedEnd], count)
	for i := range groups {
		groups[i] = spill.NewList[groupedEnd](b.r.store)
	}
	for id, e := range b.entries() {
		switch {
		case e.kind != tracefmt.Send && !e.isEnd(), !e.named && e.clock.len() > 0:
		case !e.named:
			return false
		default:
			groups[e.name[0]%uint64(count)].Add(groupedEnd{int32(id), e.life, e.host, e.peer, e.kind, e.name})
		}
	}
	var streams pairStreams
	for _, group := range groups {
		pairs := spill.NewList[endPair](b.r.store)
		if !b.pairGroup(group, pairs) {
			return false
		}
		next := 0
		streams.add(func() (endPair, bool) {
			if next == pairs.Len() {
				return endPair{}, false
			}
			next++
			return *pairs.At(next - 1), true
		})
	}
	b.joinPairs(streams)
	return true
}

// pairGroup adds the pairs of a group to the list, unless they are not certain.
func (b *Builder) pairGroup(group *spill.List[groupedEnd], pairs *spill.List[endPair]) (certain bool) {
	store := spill.New(b.r.settings.Memory) // a group fits into memory, so that it needs no file
	defer store.Close()
	ends := &Builder{
		RunReport: new(RunReport), r: b.r, hosts: b.hosts, kinds: make(map[tracefmt.Kind]int64),
		events: spill.NewList[event](store), words: spill.NewTexts(store),
	}
	for i := range group.Len() {
		ends.events.Add(group.At(i).event())
	}
	return ends.certainPairs(store, func(p endPair) {
		pairs.Add(endPair{eventID(group.At(int(p.end)).id), eventID(group.At(int(p.first)).id), p.half})
	})
}

// certainPairs pairs all ends, and yields the pairs in the order of their ends. It returns false without pairs if some are
// not certain.
func (b *Builder) certainPairs(store *spill.Store, yield func(endPair)) bool {
	c := b.newChooser()
	group := &ends{b, spill.NewList[eventID](store)}
	for id := range eventID(b.events.Len()) {
		group.ids.Add(id)
	}
	c.pair(group)
	if c.needed || len(c.named)+len(c.nameless)+b.FindingCount > 0 {
		return false
	}
	for id, e := range b.entries() {
		switch {
		case !e.isEnd():
		case e.partner != noEvent:
			yield(endPair{id, e.partner, false})
		case e.first != noEvent:
			yield(endPair{id, e.first, true})
		}
	}
	return true
}

// joinPairs joins the pairs of all groups.
func (b *Builder) joinPairs(streams pairStreams) {
	heap.Init(&streams)
	for len(streams) > 0 {
		p := streams[0].pair
		end := b.edit(p.end)
		if p.half {
			end.first = p.first
		} else {
			send := b.edit(p.first)
			end.peer, end.partner = send.host, p.first
			if send.peer == noHost {
				send.peer = end.host
			}
			if send.partner == noEvent {
				send.partner = p.end
			}
		}
		if streams[0].advance() {
			heap.Fix(&streams, 0)
		} else {
			heap.Pop(&streams)
		}
	}
}

// pairStream yields the pairs of a group in the order of their ends. pair is the next one.
type pairStream struct {
	pair endPair
	next func() (endPair, bool)
}

func (s *pairStream) advance() (more bool) {
	s.pair, more = s.next()
	return more
}

// pairStreams is a heap of streams by their next ends.
type pairStreams []*pairStream

// add adds a stream, unless it is empty.
func (s *pairStreams) add(next func() (endPair, bool)) {
	if stream := (&pairStream{next: next}); stream.advance() {
		*s = append(*s, stream)
	}
}

func (s pairStreams) Len() int           { return len(s) }
func (s pairStreams) Less(i, j int) bool { return s[i].pair.end < s[j].pair.end }
func (s pairStreams) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *pairStreams) Push(x any)        { *s = append(*s, x.(*pairStream)) }
func (s *pairStreams) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}
