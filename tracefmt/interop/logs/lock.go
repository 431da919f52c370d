package logs

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// lockNaming is how lines about critical sections name the lock: by a field, by a word, or not at all.
type lockNaming struct {
	// field is the field with the name, or "".
	field string
	// place is the place of the word with the name, for each line. It is nil if no word names the lock.
	place map[*sampled]int
	// unknown is the reason why these lines have no rule, or "".
	unknown string
}

// sectionLine is a line about a critical section, with the values that may name the lock. The key of a value is the
// key of its field or word, or the word before it.
type sectionLine struct {
	rec     *sampled
	process string
	enters  bool
	values  map[string]lockValue
	// open is the part of the line that is not read.
	open string
}

// lockValue is a value that may name a lock. place is the place of its word, or -1 for a field.
type lockValue struct {
	text  string
	place int
}

var (
	// lockKeys are keys, or words before a value, for the name of a lock. otherKeys are those for something else,
	// such as the holder or the duration.
	lockKeys = words("lock lockid lockname lockkey mutex mutexid mutexname resource resourceid resourcename key name " +
		"object objectid objectname shard shardid path table tablename section on for of row partition bucket item entity " +
		"semaphore locked unlocked " + beforeLock)
	// otherKeys are those of something else, such as who holds the lock, or how long.
	otherKeys = words("thread threadid threadname tid goroutine pid client clientid user owner ownerid holder holderid " +
		"session sessionid worker workerid caller logger module component host hostname ip addr address trace traceid span " +
		"spanid request requestid req reqid attempt attempts try retries token fence fencing version term epoch seq level " +
		"severity line by from as to after in within waited duration elapsed ms count rank with")
	// sectionVerbs are the verbs about a critical section, sectionWords all words about it that name no lock.
	sectionVerbs = words("enter enters entered entering acquire acquires acquired acquiring got gets took takes obtained " +
		"obtains grabbed holds holding leave leaves leaving left exit exits exited exiting release releases released " +
		"releasing freed frees granted locked unlocked acquire enter lock release leave exit unlock request")
	sectionWords = words("critical section cs lock mutex resource key exclusive distributed write successfully now ok success")
	articles     = words("a an the its")
	moment       = text.Pattern(`^\d{9,}(?:\.\d+)?$`) // in seconds or less since 1970
	duration     = text.Pattern(`^[\d.]+(?:ns|us|µs|ms|s|m|h)$`)
)

// beforeLock is the key for a word before the word "lock".
const beforeLock = "before"

// lockNaming finds out which values name the lock. With the right values, each process enters and leaves each lock in
// turn, and fewer processes are inside at the same time than with one lock.
func (s *sample) lockNaming(r *roles) *lockNaming {
	lines, shared := s.sectionLines(r)
	if shared && len(lines) > 0 {
		return &lockNaming{unknown: unknownShared}
	}
	single := newPairing(lines, func(*sectionLine) string { return "" })
	var best *pairing
	var enter, exit string
	for _, enterKey := range lockKeysOf(lines, true) {
		for _, exitKey := range lockKeysOf(lines, false) {
			p := newPairing(lines, func(l *sectionLine) string {
				if l.enters {
					return l.values[enterKey].text
				}
				return l.values[exitKey].text
			})
			if p.names(single, lockKeys[plainKey(enterKey)]) && (best == nil || p.better(best)) {
				best, enter, exit = p, enterKey, exitKey
			}
		}
	}
	if cmp.Or(best, single).reentries > 0 {
		return &lockNaming{unknown: unknownReentry}
	}
	switch {
	case best == nil:
		// A single process that enters twice may be several, whom the lines name by words.
		twice := single.overlaps > 0 || single.breaks > 0 && r.process == "file" && len(s.files) == 1
		if twice && differ(lines) {
			return &lockNaming{unknown: unknownLock}
		}
		return &lockNaming{unknown: single.attempts(s.shape.attempts)}
	case best.attempts(s.shape.attempts) != "":
		return &lockNaming{unknown: unknownEntry}
	case lines[0].enters && lines[0].values[enter].place < 0, !lines[0].enters && lines[0].values[exit].place < 0:
		return &lockNaming{field: enter}
	}
	place := make(map[*sampled]int)
	for _, l := range lines {
		place[l.rec] = l.values[exit].place
		if l.enters {
			place[l.rec] = l.values[enter].place
		}
	}
	s.addRequests(r, place, best)
	return &lockNaming{place: place}
}

const (
	// unknownLock: the lines differ in what may be the name of the lock or of the process, and one lock would be held
	// twice.
	unknownLock = "locks: " +
		"the lines that enter a critical section differ in words that may name the lock or its holder; no rule takes them"
	unknownReentry = "locks: a process enters twice and leaves twice, so the lock may be reentrant; no rule takes the lines"
	unknownShared  = "locks: some lines enter in a shared mode, as readers do, which excludes only writers; no rule takes the lines"
	unknownEntry   = "locks: a line such as acquire(lock) may be the attempt or the entry; no rule takes them"
)

// attempts returns why the lines may be attempts to enter: two processes would be inside together. If attempts do not
// overlap, neither do the entries, since an entry comes after its attempt.
func (p *pairing) attempts(likely bool) string {
	if likely && p.overlaps > 0 {
		return unknownEntry
	}
	return ""
}

// findAttempts finds out whether lines such as acquire(lock) are attempts or entries. They are entries if other lines
// are requests, or if the lines have a result.
func (s *sample) findAttempts() {
	if !slices.ContainsFunc(s.records, s.mentionsSection) {
		return
	}
	// Any line may show what the verbs of the other lines mean, so all of them are read first.
	entered, bare, resolved, doing := false, false, false, make(map[string]bool)
	for _, rec := range s.records {
		k := newSort(rec, s.shape.msg, &roles{wording: s.shape.wording})
		words := k.words()
		for verb, done := range doneForms {
			doing[verb] = doing[verb] || slices.ContainsFunc(k.tokens, func(t token) bool { return t.lower() == done })
		}
		entered = entered || enterPhrase().MatchString(words)
		resolved = resolved || requestPhrase().MatchString(words)
		if acquirePhrase().MatchString(words) {
			bare = true
			resolved = resolved || results[k.tokens[len(k.tokens)-1].lower()] || k.succeeds()
		}
	}
	s.shape.bare, s.shape.doing = bare && !entered, doing
	s.shape.attempts = s.shape.bare && !resolved
}

// doneForms are the verbs of an act that goes on, and those of the act that is done.
var doneForms = map[string]string{"entering": "entered", "leaving": "left", "exiting": "exited", "dropping": "dropped"}

// announces reports whether the lines only announce what other lines report.
func (k *sort) announces() bool {
	return slices.ContainsFunc(k.tokens, func(t token) bool { return k.doing[t.lower()] })
}

// mentionsSection reports whether a line has a word or field that each line about a critical section has. It spares
// most lines from being cut into words.
func (s *sample) mentionsSection(rec *sampled) bool {
	words := strings.ToLower(rec.fields[s.shape.msg])
	mentions := func(word string) bool { return strings.Contains(words, word) }
	return len(s.shape.locks) > 0 || slices.ContainsFunc([]string{"lock", "mutex", "critical", "section", "cs"}, mentions)
}

// results are words at the end of a call that has returned.
var results = words("ok done success succeeded successful true granted acquired")

// sectionLines returns the lines about exclusive critical sections, in order, and whether other lines enter in a shared
// mode.
func (s *sample) sectionLines(r *roles) (lines []*sectionLine, shared bool) {
	for _, rec := range s.records {
		act := strings.ToLower(rec.fields[r.act])
		if s.processOf(rec, r) == "" || !s.mentionsSection(rec) && !enterActs[act] && !exitActs[act] {
			continue
		}
		k := newSort(rec, s.shape.msg, r)
		enters, process := k.entersSection(), s.actor(k, r)
		shared = shared || enters && k.isShared()
		if process == "" || !k.sectionOf() {
			continue
		}
		l := &sectionLine{rec: rec, process: process, enters: enters, values: make(map[string]lockValue)}
		if k.open {
			l.open = rec.fields[s.shape.msg]
		}
		for i := range k.tokens {
			if key := k.lockKey(i); key != "" && l.values[key].text == "" {
				l.values[key] = lockValue{k.tokens[i].core, i}
			}
		}
		for _, key := range s.shape.keys {
			used := slices.Contains([]string{r.process, r.time, r.act, s.shape.msg}, key)
			if v := rec.fields[key]; v != "" && !used && !otherKeys[plainKey(key)] {
				l.values[key] = lockValue{v, -1}
			}
		}
		lines = append(lines, l)
	}
	// Each file has the lines of a process, so only their times bring them into order.
	if len(s.files) > 1 {
		slices.SortStableFunc(lines, func(a, b *sectionLine) int {
			return cmp.Compare(a.rec.fields[r.time], b.rec.fields[r.time])
		})
	}
	return lines, shared
}

// addRequests adds the words of other lines that name one of the locks.
func (s *sample) addRequests(r *roles, place map[*sampled]int, p *pairing) {
	for _, rec := range s.records {
		if _, known := place[rec]; known || rec.fields == nil {
			continue
		}
		k := newSort(rec, s.shape.msg, r)
		if !requestPhrase().MatchString(k.words()) {
			continue
		}
		if i := slices.IndexFunc(k.tokens, func(t token) bool { return p.users[t.core] != nil }); i >= 0 {
			place[rec] = i
		}
	}
}

// lockKey returns the key of the word at a place, or the word before it. It returns "" if the word cannot name a
// lock.
func (k *sort) lockKey(i int) string {
	t := &k.tokens[i]
	word := t.lower()
	// A word with a key, in quotes, or at the end is a name also if it looks like an article: key=a.
	named := t.key() != "" || strings.ContainsAny(t.lead, "\"'`") || articles[word] && i+1 == len(k.tokens)
	if t.process || slices.ContainsFunc([]func() *regexp.Regexp{punctuation, duration, moment}, func(p func() *regexp.Regexp) bool {
		return p().MatchString(t.core)
	}) || sectionWords[word] ||
		sectionVerbs[word] || (articles[word] || lockTails[word]) && !named {
		return ""
	}
	key, before := t.key(), ""
	for j := i - 1; j >= 0 && before == ""; j-- {
		if word := &k.tokens[j]; !punctuation().MatchString(word.core) && !articles[word.lower()] {
			before = plainKey(word.core)
		}
	}
	key = cmp.Or(key, before)
	switch {
	case key == "id" && lockWords[before]:
		return "lockid"
	case i+1 < len(k.tokens) && lockWords[k.tokens[i+1].lower()]: // acquired orders lock
		return beforeLock
	case otherKeys[key]:
		return ""
	case key == "": // orders: lock acquired
		return "first"
	}
	return key
}

// lockKeysOf returns the keys that all lines with an entry have, or all lines with an exit. Keys of locks come first.
func lockKeysOf(lines []*sectionLine, enters bool) []string {
	count, total := make(map[string]int), 0
	for _, l := range lines {
		if l.enters == enters {
			total++
			for key := range l.values {
				count[key]++
			}
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < total })
	keys := slices.Sorted(maps.Keys(count))
	isLock := func(key string) bool { return lockKeys[plainKey(key)] }
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !isLock(key) }), slices.DeleteFunc(keys, isLock),
	)
}

// differ reports whether the lines with an entry differ in a value that may name a lock.
func differ(lines []*sectionLine) bool {
	first, open := make(map[string]string), ""
	for _, l := range lines {
		if l.enters && open != "" && open != l.open {
			return true
		}
		if l.enters {
			open = l.open
		}
		for key, v := range l.values {
			if l.enters && first[key] != "" && first[key] != v.text {
				return true
			}
			if l.enters {
				first[key] = v.text
			}
		}
	}
	return false
}

// pairing counts how entries and exits fit together, if certain values name the locks.
type pairing struct {
	users map[string]map[string]bool // the processes that enter, by lock
	// pairs counts exits after an entry of the same process. breaks counts a second entry or exit without the other
	// in between.
	pairs, breaks int
	overlaps      int // entries while another process is inside
	// reentries counts exits of a process that has left once for two entries, where another has entered in between.
	reentries int
}

// holder is what a process has done with a lock.
type holder struct {
	inside bool
	depth  int  // entries without an exit
	passed bool // another process has entered since the exit, while depth is positive
}

// newPairing counts for the locks that the function returns.
func newPairing(lines []*sectionLine, lock func(*sectionLine) string) *pairing {
	p := &pairing{users: make(map[string]map[string]bool)}
	holders := make(map[string]map[string]*holder)
	for _, l := range lines {
		name := lock(l)
		if holders[name] == nil {
			holders[name] = make(map[string]*holder)
		}
		h := holders[name][l.process]
		if h == nil {
			h = new(holder)
			holders[name][l.process] = h
		}
		switch was := h.inside; {
		case !l.enters && was:
			p.pairs++
		case l.enters == was:
			p.breaks++
		}
		// A second exit after two entries shows that the lock was still held after the first exit.
		if !l.enters {
			if !h.inside && h.depth > 0 && h.passed {
				p.reentries++
			}
			h.inside, h.depth = false, max(0, h.depth-1)
			continue
		}
		if !h.inside {
			h.depth, h.passed = 0, false
		}
		h.inside = true
		h.depth++
		overlaps := 0
		for process, holder := range holders[name] {
			if process != l.process && holder.inside {
				overlaps = 1
			}
			holder.passed = holder.passed || holder != h && !holder.inside
		}
		p.overlaps += overlaps
		if p.users[name] == nil {
			p.users[name] = make(map[string]bool)
		}
		p.users[name][l.process] = true
	}
	return p
}

// names reports whether the values name the locks. If their key is not usual for locks, several processes must share
// a value, and the values must explain more than a single lock.
func (p *pairing) names(single *pairing, ofLock bool) bool {
	if len(p.users) < 2 || p.pairs == 0 || p.pairs < single.pairs || p.breaks > single.breaks {
		return false
	}
	shared := slices.ContainsFunc(slices.Collect(maps.Values(p.users)), func(users map[string]bool) bool { return len(users) > 1 })
	return ofLock || shared && (p.overlaps < single.overlaps || p.breaks < single.breaks)
}

// better reports whether the values explain the lines better than others.
func (p *pairing) better(q *pairing) bool {
	return cmp.Or(cmp.Compare(p.pairs, q.pairs), cmp.Compare(q.breaks, p.breaks), cmp.Compare(q.overlaps, p.overlaps)) > 0
}
