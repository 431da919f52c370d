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

// flight has the messages in flight. set has, by message as JSON, its copies; boxes has, by process, the
// messages in its inbox. Both begin with the oldest.
type flight struct {
	count   int // the number of messages so far
	set     map[string][]message
	boxes   map[string][]message
	senders map[string]string // by id
}

func newFlight() flight {
	return flight{set: make(map[string][]message), boxes: make(map[string][]message), senders: make(map[string]string)}
}

// maxCopies bounds the copies of a message in flight.
const maxCopies = 1024

// step is a step of the behaviour from one state to the next.
type step struct {
	*state
	*behaviour
	now         snapshot
	changes     changes
	actor       string // the process that takes the step, "" if unknown
	noteKey     string // the key of the note of the action
	sent        []message
	disappeared []message
	owners      map[string]string // by message id, the process whose inbox has the message
}

// findMessages finds the messages that appear and disappear in the step.
func (s *step) findMessages() error {
	n := s.meaning.network
	switch {
	case n == nil:
		return nil
	case n.set != "":
		return s.compareSets()
	}
	s.owners = make(map[string]string)
	names := slices.Concat(slices.Collect(maps.Keys(s.now.inboxes)), slices.Collect(maps.Keys(s.inFlight.boxes)))
	slices.Sort(names)
	for _, owner := range slices.Compact(names) {
		s.compareInbox(owner)
	}
	return nil
}

// compareSets compares the set of messages with that of the previous state. If the network is a map, its values
// are the numbers of copies.
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
	for _, key := range slices.Sorted(maps.Keys(s.inFlight.set)) {
		for queue := s.inFlight.set[key]; len(queue) > now[key]; queue = s.inFlight.set[key] {
			s.disappeared = append(s.disappeared, queue[0])
			s.inFlight.set[key] = queue[1:]
		}
		if len(s.inFlight.set[key]) == 0 {
			delete(s.inFlight.set, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		for range now[key] - len(s.inFlight.set[key]) {
			m := s.inFlight.newMessage(values[key])
			s.sent = append(s.sent, m)
			s.inFlight.set[key] = append(s.inFlight.set[key], m)
		}
	}
	return nil
}

// messageOfKey returns the message that a key of a JSON object represents: JSON allows only texts as keys, so
// the message is written in TLA+.
func messageOfKey(k value) value {
	if plain := k.plain(); k.isText() && plain != "" && strings.Contains("[<", plain[:1]) {
		return parseTLA(plain)
	}
	return k
}

func (f *flight) newMessage(v value) message {
	f.count++
	return message{strconv.Itoa(f.count), v}
}

// compareInbox compares the inbox of a process with that of the previous state: the oldest messages are taken,
// and new ones are appended. If the inbox is a set, or changed in another way, the messages of only one of the
// two states count.
func (s *step) compareInbox(owner string) {
	box := s.now.inboxes[owner]
	before, now := s.inFlight.boxes[owner], box.items()
	taken := 0
	for taken < len(before) && !hasPrefix(now, before[taken:]) {
		taken++
	}
	kept := before[taken:]
	if box.kind == set || taken == len(before) && taken > 1 {
		var left []value
		kept, left = commonMessages(before, now)
		s.disappeared = append(s.disappeared, subtract(before, kept)...)
		now = left
	} else {
		s.disappeared = append(s.disappeared, before[:taken]...)
		now = now[len(kept):]
	}
	kept = slices.Clone(kept)
	for _, v := range now {
		m := s.inFlight.newMessage(v)
		s.sent, kept = append(s.sent, m), append(kept, m)
		s.owners[m.id] = owner
	}
	for _, m := range before {
		s.owners[m.id] = owner
	}
	s.inFlight.boxes[owner] = kept
}

// hasPrefix reports whether the values begin with the given messages.
func hasPrefix(values []value, prefix []message) bool {
	if len(values) < len(prefix) {
		return false
	}
	for i := range prefix {
		if prefix[i].value.json() != values[i].json() {
			return false
		}
	}
	return true
}

// commonMessages returns the messages that also occur in the list, and the values of the list that are not among these
// messages.
func commonMessages(before []message, now []value) (kept []message, left []value) {
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
	for i := len(now) - 1; i >= 0; i-- { // of equal messages the last ones count as new
		if key := now[i].json(); counts[key] > 0 {
			counts[key]--
			left = append(left, now[i])
		}
	}
	slices.Reverse(left)
	return kept, left
}

// subtract returns the messages of all that are not in some.
func subtract(messages, some []message) (left []message) {
	for _, m := range messages {
		if !slices.ContainsFunc(some, func(x message) bool { return x.id == m.id }) {
			left = append(left, m)
		}
	}
	return left
}
