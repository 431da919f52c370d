package modelcheck

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// message is a message in flight.
type message struct {
	id    string
	value value
}

// flight is what is under way: for each message as JSON the ids of its copies, oldest first,
// and by process what is in its inbox, oldest first.
type flight struct {
	count   int
	set     map[string][]message
	boxes   map[string][]message
	senders map[string]string // by id
}

func newFlight() flight {
	return flight{set: make(map[string][]message), boxes: make(map[string][]message), senders: make(map[string]string)}
}

// most is how many equal messages a step may send.
const most = 1024

// step is what happens between two states.
type step struct {
	*state
	*behaviour
	now     snapshot
	changes changes
	actor   string // who takes it, "" if that is not known
	noted   string // the key of the note of the action
	sent    []message
	gone    []message
	owners  map[string]string // of inboxes, by the ids of messages in them
}

// findMessages finds out which messages appear and disappear.
func (s *step) findMessages() error {
	n := s.meaning.network
	switch {
	case n == nil:
		return nil
	case n.set != "":
		return s.compareSets()
	}
	s.owners = make(map[string]string)
	names := slices.Concat(slices.Collect(maps.Keys(s.now.inboxes)), slices.Collect(maps.Keys(s.flight.boxes)))
	slices.Sort(names)
	for _, owner := range slices.Compact(names) {
		s.compareInbox(owner)
	}
	return nil
}

// compareSets compares the network with that of the state before. Members of a map are how
// often a message is there.
func (s *step) compareSets() error {
	now := make(map[string]int)
	values := make(map[string]value)
	for i, k := range s.now.network.keys() {
		k = ofText(k)
		count, err := strconv.Atoi(s.now.network.items()[i].text)
		if err != nil || count > most {
			return fmt.Errorf("a message is there %s times, expected at most %d", s.now.network.items()[i].json(), most)
		}
		now[k.json()], values[k.json()] = count, k
	}
	if len(s.now.network.keys()) == 0 {
		for _, m := range s.now.network.items() {
			now[m.json()], values[m.json()] = 1, m
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.flight.set)) {
		for queue := s.flight.set[key]; len(queue) > now[key]; queue = s.flight.set[key] {
			s.gone = append(s.gone, queue[0])
			s.flight.set[key] = queue[1:]
		}
		if len(s.flight.set[key]) == 0 {
			delete(s.flight.set, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		for range now[key] - len(s.flight.set[key]) {
			m := s.flight.next(values[key])
			s.sent = append(s.sent, m)
			s.flight.set[key] = append(s.flight.set[key], m)
		}
	}
	return nil
}

// ofText is a message that is the name of a key, where JSON allows none but texts.
func ofText(k value) value {
	if plain := k.plain(); k.isText() && plain != "" && strings.Contains("[<", plain[:1]) {
		return parseTLA(plain)
	}
	return k
}

func (f *flight) next(v value) message {
	f.count++
	return message{strconv.Itoa(f.count), v}
}

// compareInbox compares the messages to a process: the oldest are taken, others are
// added at the end. Where that is not how the two lists differ, or they are sets, what is in
// one only counts.
func (s *step) compareInbox(owner string) {
	box := s.now.inboxes[owner]
	before, now := s.flight.boxes[owner], box.items()
	taken := 0
	for taken < len(before) && !begins(now, before[taken:]) {
		taken++
	}
	kept := before[taken:]
	if box.sort == set || taken == len(before) && taken > 1 {
		var left []value
		kept, left = common(before, now)
		s.gone = append(s.gone, without(before, kept)...)
		now = left
	} else {
		s.gone = append(s.gone, before[:taken]...)
		now = now[len(kept):]
	}
	kept = slices.Clone(kept)
	for _, v := range now {
		m := s.flight.next(v)
		s.sent, kept = append(s.sent, m), append(kept, m)
		s.owners[m.id] = owner
	}
	for _, m := range before {
		s.owners[m.id] = owner
	}
	s.flight.boxes[owner] = kept
}

// begins reports whether a list begins with messages.
func begins(all []value, with []message) bool {
	if len(all) < len(with) {
		return false
	}
	for i := range with {
		if with[i].value.json() != all[i].json() {
			return false
		}
	}
	return true
}

// common are the messages that are in the list, too, and what else is in it.
func common(before []message, now []value) (kept []message, left []value) {
	counts := make(map[string]int)
	for i := range now {
		counts[now[i].json()]++
	}
	for _, m := range before {
		if key := m.value.json(); counts[key] > 0 {
			counts[key]--
			kept = append(kept, m)
		}
	}
	for i := len(now) - 1; i >= 0; i-- { // the last of equal ones are new
		if key := now[i].json(); counts[key] > 0 {
			counts[key]--
			left = append(left, now[i])
		}
	}
	slices.Reverse(left)
	return kept, left
}

func without(all, some []message) (rest []message) {
	for _, m := range all {
		if !slices.ContainsFunc(some, func(other message) bool { return other.id == m.id }) {
			rest = append(rest, m)
		}
	}
	return rest
}
