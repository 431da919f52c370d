package logs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// sort is a group of lines that differ only in numbers, names and similar words.
type sort struct {
	tokens []token
	// open is true if further words follow the tokens.
	open bool
	// spaced is true if some words are separated by more than one blank.
	spaced bool
	// act is the value of the field with the kind of the line.
	act     string
	first   *sampled
	samples []*sampled
	// starts is how many of the lines are the first line of their process.
	starts int
	// ends is how many are the last line of their process.
	ends int
	// writers are the processes that write such lines.
	writers map[string]bool
	// literal is true if the lines consist of these words only and no word varies.
	literal bool
	// send or receive, if a word means it
	verb string
	// roles has the words for roles in the lines, by the place of the token.
	roles map[int]map[string]bool
	said  claim
	// The numbers of lines whose subject is their writer, and whose subject is another process.
	ownSubjects, hearsay int
	subjects             map[string]map[string]bool // by writer
	lockField            string                     // the field that names the lock
	bare                 bool                       // acquire(lock) enters
	doing                map[string]bool            // see [wording]
	outcomes             []outcome
	subjectKey           string // the field that may name the process of the claim
	shared               bool   // a field shows that the lock is shared
	named                bool   // the sentence is one word, such as the name of an event
	numbered             bool   // see [clause]
}

// token is a word of a line.
type token struct {
	lead, core, trail string
	// value is true if the word varies between lines.
	value bool
	// process: it names a process; role: it is a role; typ: it is the type of a message; who: it names the
	// subject of the sentence; lock: it names a lock.
	process, role, typ, subject, lock bool
	// glued is true if no blank precedes the token, as for the arguments of a call.
	glued bool
	// implied: a field beside the sentence implies the token. field is the field that has it, or "".
	implied bool
	field   string
}

// maxTokens is how many words of a line decide its sort.
const maxTokens = 14

// sorts returns the sorts of all lines with a process, the most frequent first.
func (s *sample) sorts(r *roles) (sorts []*sort) {
	byKey := make(map[string]*sort)
	last := make(map[string]*sort)
	for _, rec := range s.records {
		process := s.processOf(rec, r)
		if process == "" {
			continue
		}
		line := newSort(rec, s.shape.msg, r)
		key := line.key()
		k := byKey[key]
		if k == nil {
			k = line
			k.writers, k.roles, k.subjects = make(map[string]bool), make(map[int]map[string]bool), make(map[string]map[string]bool)
			byKey[key] = k
			sorts = append(sorts, k)
		}
		k.take(line)
		k.takeSubject(line, process, r)
		k.writers[process] = true
		if last[process] == nil {
			k.starts++
		}
		last[process] = k
	}
	for _, k := range last {
		k.ends++
	}
	slices.SortStableFunc(sorts, func(a, b *sort) int { return cmp.Compare(len(b.samples), len(a.samples)) })
	return sorts
}

// processOf returns the process of a line, or "".
func (s *sample) processOf(rec *sampled, r *roles) string {
	if rec.fields == nil {
		return ""
	}
	if r.process == "file" {
		return r.name(rec.file)
	}
	return r.name(rec.fields[r.process])
}

// newSort splits the message of a line into tokens.
func newSort(rec *sampled, msg string, r *roles) *sort {
	k := &sort{first: rec, bare: r.bare, doing: r.doing, numbered: r.numbered}
	if r.act != "" {
		k.act = rec.fields[r.act]
	}
	words := strings.Fields(rec.fields[msg])
	if len(words) > maxTokens || len(rec.fields[msg]) > 2000 {
		words, k.open = words[:min(len(words), maxTokens)], true
	}
	for i, w := range words {
		if strings.Contains(w, "{") && !strings.Contains(w, "}") || len(w) > 80 { // a structure begins
			k.open = true
			break
		}
		k.tokens = append(k.tokens, tokensOf(w, i == 0 && keyed(words[1:]), r.spoken())...)
	}
	for i := range k.tokens {
		if k.articleAt(i) {
			k.tokens[i].process, k.tokens[i].value = false, false
		}
	}
	k.named = len(words) <= 1 && !k.open
	k.takeFields(rec, r)
	k.findVerb()
	k.findClaim()
	k.takeOthers(rec, r)
	k.findChoice()
	k.findLock(rec, r.naming)
	k.spaced = !strings.HasPrefix(rec.fields[msg], strings.Join(words, " "))
	k.literal = !k.open && !k.spaced && !slices.ContainsFunc(k.tokens, func(t token) bool { return t.value && !t.implied }) &&
		rec.fields[msg] == strings.Join(words, " ")
	return k
}

// articleAt reports whether the word "a" is an article and not the name of a process: it is not the first word, and a
// noun follows.
func (k *sort) articleAt(i int) bool {
	if i == 0 || i+1 == len(k.tokens) || k.tokens[i].core != "a" || k.tokens[i].lead != "" || k.tokens[i].trail != "" {
		return false
	}
	// A process called a acts, or is named before a preposition or a term: a noun after the word shows the article.
	next := &k.tokens[i+1]
	word := next.lower()
	noun := plainWord().MatchString(next.core) && next.lead == "" && !isVerb(word) && !followLeads[word] && !clauseWords[word]
	return roleWords[word] || noun && peerLeads[word] == "" && !slices.Contains(termWords, word)
}

var (
	tokenParts = text.Pattern(`^([\[({"'<#]*(?:[A-Za-z_.-]*[A-Za-z_.][=:#])?[\["'<]*)([^=]+?)([\])}"'>,.;:!?]*)$`)
	digits     = text.Pattern(`\d`)
	plainWord  = text.Pattern(`^[\pL'_/-]+$`)
)

// newToken splits a word into the signs before and after it and the rest, and determines whether the rest varies.
func newToken(word string, names map[string]bool) token {
	if isLetters(word) { // most words are
		return token{core: word, value: names[word], process: names[word]}
	}
	at := tokenParts().FindStringSubmatch(word)
	if at == nil || at[2] == "" || punctuation().MatchString(word) {
		return token{core: word, value: !plainWord().MatchString(word) && !punctuation().MatchString(word)}
	}
	if core := strings.Trim(word, signs); names[core] {
		before, after, _ := strings.Cut(word, core)
		return token{lead: before, core: core, trail: after, value: true, process: true}
	}
	t := token{lead: at[1], core: at[2], trail: at[3]}
	t.process = names[t.core]
	t.value = t.process || digits().MatchString(t.core) || !plainWord().MatchString(t.core) && !punctuation().MatchString(t.core)
	return t
}

// isLetters reports whether a word consists of ASCII letters.
func isLetters(word string) bool {
	for i := range len(word) {
		if c := word[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return word != ""
}

// tokensOf splits a text without blanks that has several words: a call with its arguments, such as
// acquire(lock=orders), or the name of an event, such as became_leader.
func tokensOf(word string, named bool, names map[string]bool) []token {
	if names[strings.Trim(word, signs)] {
		return []token{newToken(word, names)}
	}
	var parts []string
	if at := roleChange().FindStringSubmatch(word); at != nil && areRoles(at[1], at[3]) {
		parts = at[1:]
	} else if at := call().FindStringSubmatch(word); at != nil {
		parts = append(wordInName().FindAllString(at[1], -1), strings.SplitAfter(at[2], ",")...)
	} else if named && eventName().MatchString(word) {
		parts = wordInName().FindAllString(word, -1)
	}
	if len(parts) < 2 {
		return []token{newToken(word, names)}
	}
	var tokens []token
	for _, part := range parts {
		if part == "" {
			continue
		}
		core := strings.TrimRight(part, "(_-")
		t := newToken(core, names)
		t.trail += part[len(core):]
		t.glued = len(tokens) > 0
		tokens = append(tokens, t)
	}
	return tokens
}

// areRoles reports whether both words are roles.
func areRoles(a, b string) bool {
	return roleWords[strings.ToLower(a)] && roleWords[strings.ToLower(b)]
}

// keyed reports whether all words are fields, such as term=3.
func keyed(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(w, "=") })
}

var (
	roleChange = text.Pattern(`^([A-Za-z]+)(=>|->|→)([A-Za-z]+)$`)
	call       = text.Pattern(`^([A-Za-z_][\w.]*\()([^\s(){}]+\)?\W*)$`)
	eventName  = text.Pattern(`^(?:[A-Za-z]+(?:[_-][A-Za-z]+)+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+)$`)
	wordInName = text.Pattern(`[A-Z]*[a-z\d.]*[_(-]?`)
)

// signs are the signs that a word may begin and end with.
const signs = `[](){}"'<>,.;:!?`

var punctuation = text.Pattern(`^[!-/:-@[-^{-~–—→←]{1,3}$`)

// lower returns the word in lower case.
func (t *token) lower() string { return strings.ToLower(t.core) }

// key returns the key of a token key=value, in lower case and without signs. For other tokens it returns "".
func (t *token) key() string {
	if strings.HasSuffix(t.lead, "#") {
		return "id"
	}
	if !strings.ContainsAny(t.lead, "=:") {
		return ""
	}
	return plainKey(t.lead)
}

// findVerb finds the verb for sending or receiving a message, and the type of the message. The type may vary between
// lines of the sort.
func (k *sort) findVerb() {
	at := k.verbAt()
	if at < 0 {
		return
	}
	next := at + 1
	for next < len(k.tokens) && (fillers[k.tokens[next].lower()] || arrows[k.tokens[at].core] && next == at+1) {
		next++
	}
	if next >= len(k.tokens) {
		return
	}
	t := &k.tokens[next]
	if lockWords[t.lower()] { // got the lock
		k.verb = ""
		return
	}
	ends := next+1 == len(k.tokens) || k.tokens[next+1].value || t.trail != "" ||
		peerLeads[k.tokens[next+1].lower()] != "" || arrows[k.tokens[at].core]
	if ends && !t.value && messageType().MatchString(t.core) && !untyped[t.lower()] && peerLeads[t.lower()] == "" {
		t.value, t.typ = true, true
	}
}

var messageType = text.Pattern(`^[A-Za-z][A-Za-z_-]*$`)

// verbAt returns the place of this verb among the first three words, or -1.
func (k *sort) verbAt() int {
	about := false // a message
	for i := range min(len(k.tokens), 3) {
		word := k.tokens[i].lower()
		switch {
		case k.tokens[i].lead != "" || undone[word]:
			return -1
		case word == "tx" && i+1 < len(k.tokens) && digits().MatchString(k.tokens[i+1].core): // a transaction
		case sendVerbs[word] && (!arrows[word] || i == 0), about && outWords[word]:
			k.verb = "send"
			return i
		case receiveVerbs[word] && (!arrows[word] || i == 0), about && inWords[word]:
			k.verb = "receive"
			return i
		}
		about = messageWords[word]
	}
	return -1
}

// findClaim finds whom the sentence is about and what it claims of this process, including the words that vary between
// lines.
func (k *sort) findClaim() {
	message := k.verb != "" && slices.ContainsFunc(k.tokens, func(t token) bool { return peerLeads[t.lower()] != "" })
	if !message {
		k.said = k.claim()
	}
	if k.said.kind == noClaim {
		k.said.subject = k.actorAt()
	}
	if k.said.subject >= 0 {
		k.tokens[k.said.subject].value, k.tokens[k.said.subject].subject = true, true
	}
	switch object := k.said.object; {
	case k.said.kind == noClaim || object < 0: // the sentence names no process
	case k.said.kind == takesRole:
		k.tokens[object].value, k.tokens[object].role = true, true
	default:
		k.tokens[object].value, k.tokens[object].subject = true, true
	}
}

// key returns a key that is equal for lines of the same sort. A control character replaces each token whose text
// differs between these lines, one character for each meaning of tokens.
func (k *sort) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q%v%v%q%v", k.act, k.spaced, k.said, k.lockField, k.outcomes)
	for _, t := range k.tokens {
		if !t.glued {
			b.WriteByte(' ')
		}
		b.WriteString(t.lead)
		switch {
		// The first mark that fits counts: a word that names a lock may look like a number.
		case t.lock:
			b.WriteString("\x08")
		case t.role:
			b.WriteString("\x07")
		case t.typ:
			b.WriteString("\x06")
		case t.process, t.subject:
			b.WriteString("\x01")
		case t.value && number().MatchString(t.core):
			b.WriteString("\x04")
		case t.value && processName().MatchString(t.core):
			b.WriteString("\x05")
		case t.value:
			b.WriteString("\x02")
		default:
			b.WriteString(t.core)
		}
		b.WriteString(t.trail)
	}
	if k.open {
		b.WriteString(" \x03")
	}
	return b.String()
}

// findLock notes the token or field that names the lock of the line.
func (k *sort) findLock(rec *sampled, n *lockNaming) {
	if n == nil {
		return
	}
	if i, named := n.place[rec]; named && i < len(k.tokens) {
		k.tokens[i].value, k.tokens[i].lock = true, true
	}
	if n.field != "" && rec.fields[n.field] != "" {
		k.lockField = n.field
	}
}

// words are the constant words, in small letters.
func (k *sort) words() string { return constantWords(k.tokens, lockWords) }

// constantWords returns the constant words, and those keys that are in a list.
func constantWords(tokens []token, keys map[string]bool) string {
	var list []string
	for _, t := range tokens {
		if key := t.key(); keys[key] { // acquired lock=x
			list = append(list, key)
		}
		if !t.value || t.role {
			list = append(list, t.lower())
		} else {
			list = append(list, "*")
		}
	}
	return strings.Join(list, " ")
}

// expression returns a regular expression for the lines, with named groups for the tokens of the meaning.
func (k *sort) expression(m *meaning) string {
	var b strings.Builder
	begin, blank, end := "^", " ", "$"
	if k.spaced {
		begin, blank, end = `^\s*`, `\s+`, `\s*$`
	}
	b.WriteString(begin)
	for i, t := range k.tokens {
		if t.implied {
			continue
		}
		if i > 0 && !t.glued {
			b.WriteString(blank)
		}
		b.WriteString(regexp.QuoteMeta(t.lead) + k.group(i, m) + regexp.QuoteMeta(t.trail))
	}
	if !k.open {
		b.WriteString(end)
	}
	return b.String()
}

// group returns the expression for one token, with its name in the meaning.
func (k *sort) group(i int, m *meaning) string {
	name, named := m.groups[i]
	pattern := k.pattern(i, named)
	if !named {
		return pattern
	}
	if k.tokens[i].role && m.leaders != nil {
		pattern = strings.Join(m.leaders, "|")
	}
	return fmt.Sprintf("(?<%s>%s)", name, pattern)
}

// pattern returns the expression for one token.
func (k *sort) pattern(i int, named bool) string {
	switch t := k.tokens[i]; {
	case !t.value && !named:
		return regexp.QuoteMeta(t.core)
	case t.lock:
		return `\S+?`
	case t.role && named:
		return strings.Join(k.rolesAt(i), "|")
	// The cases run from the narrowest pattern to the widest: the first that fits keeps other lines out.
	case t.role, t.typ:
		return `[\w-]+`
	case number().MatchString(t.core) && !t.process:
		return `\d+`
	case t.process && !plainName().MatchString(t.core), t.subject, named:
		return `[\w.@:-]*\w`
	case plainName().MatchString(t.core) && named:
		return `[\w.@-]*\w`
	case plainName().MatchString(t.core):
		return `[\w.@-]+`
	}
	return `\S+`
}

// rolesAt returns the words for roles that the lines have at a place.
func (k *sort) rolesAt(i int) []string { return slices.Sorted(maps.Keys(k.roles[i])) }

// takeSubject notes the subject of a line.
func (k *sort) takeSubject(line *sort, writer string, r *roles) {
	if line.said.subject < 0 {
		return
	}
	subject := r.name(line.tokens[line.said.subject].core)
	if subject == writer {
		k.ownSubjects++
	} else {
		k.hearsay++
	}
	if k.subjects[writer] == nil {
		k.subjects[writer] = make(map[string]bool)
	}
	k.subjects[writer][subject] = true
}

// take adds a line to the sort.
func (k *sort) take(line *sort) {
	k.samples = append(k.samples, line.first)
	for i, t := range line.tokens {
		if !t.role {
			continue
		}
		if k.roles[i] == nil {
			k.roles[i] = make(map[string]bool)
		}
		k.roles[i][t.core] = true
	}
}

var (
	number    = text.Pattern(`^\d+$`)
	plainName = text.Pattern(`^[\w.@-]*\w$`)
	// processName is the name or the address of a process.
	processName = text.Pattern(`^[\w.@-]*\w(?::\d+)?$`)
)
