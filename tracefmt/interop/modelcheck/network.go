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

// flight has the messages in flight. In a network that is a set, it has for each message, as JSON, the ids of its
// copies, oldest first. With inboxes, it has the messages in the inbox of each process, oldest first.
type flight struct {
	count   int // the number of messages so far
	set     map[string][]message
	boxes   map[string][]message
	senders map[string]string // by id
}

// newFlight returns an empty network.
func newFlight() flight {
	return flight{set: make(map[string][]message), boxes: make(map[string][]message), senders: make(map[string]string)}
}

// most bounds the equal messages that a step may send.
const most = 1024

// step is the transition between two states.
type step struct {
	*state
	*behaviour
	now     snapshot
	changes changes
	// actor is the process that takes the step, "" if it is not known.
	actor string
	// noted is the key of the note of the action.
	noted string
	sent  []message
	gone  []message
	// owners maps the ids of messages in inboxes to the owners of the inboxes.
	owners map[string]string
}

// findMessages determines which messages appear and which disappear in the step.
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

// compareSets compares the network with that of the former state. In a map, the value of a message is the number of
// its copies.
func (s *step) compareSets() error {
	now := make(map[string]int)
	values := make(map[string]value)
	for i, k := range s.now.network.keys() {
		k = messageOfKey(k)
		count, err := strconv.Atoi(s.now.network.items()[i].text)
		if err != nil || count > maxCopies {
			return fmt.Errorf("a message is there %s times, expected at most %d", s.now.network.items()[i].json(), maxCopies)
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

// ofText parses a message that is the key of a JSON object, which must be a text.
func ofText(k value) value {
	if plain := k.plain(); k.isText() && plain != "" && strings.Contains("[<", plain[:1]) {
		return parseTLA(plain)
	}
	return k
}

// next returns a message with a new id.
func (f *flight) next(v value) message {
	f.count++
	return message{strconv.Itoa(f.count), v}
}

// compareInbox compares the inbox of a process in the two states. Usually the oldest messages are taken and others
// are added at the end. Otherwise, or if the inbox is a set, the messages that only one state has are compared.
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

// begins reports whether the values begin with the given messages.
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

// common returns the messages before that are also in the list now, and the values of the list without them.
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

// without returns the messages of a list that are not in another.
func without(all, some []message) (rest []message) {
	for _, m := range all {
		if !slices.ContainsFunc(some, func(other message) bool { return other.id == m.id }) {
			rest = append(rest, m)
		}
	}
	return rest
}
