package logs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

// meaning is how the lines of a sort are understood.
type meaning struct {
	// groups are the names of tokens.
	groups map[int]string
	// parts are the keys of the rule, such as send: VOTE, to: '${to}'.
	parts []string
	// vars are the variables that the rule assigns, such as role: leader.
	vars  []string
	event string // the event, for the summary
	term  string // the field of the term, "" for none
	// byAct is true if the field with the kind alone decides.
	byAct bool
	// condition is a further condition of the rule. leaders are the words for the role that the rule accepts, or nil
	// for all.
	condition string
	leaders   []string
	// alias is true if the subject is another name of the writer.
	alias bool
}

// guesser finds the meanings of sorts.
type guesser struct {
	*sample
	*roles
	bold bold
	// mutex is true if the log is about a critical section.
	mutex bool
	// locks is true if all lines about critical sections name the lock.
	locks bool
	// casts is true if the log has messages that are broadcast and delivered.
	casts bool
	// decides is about commitment or consensus.
	decides deciding
	// zab is true if the roles are those of ZooKeeper's election.
	zab bool
	// elects is true if some lines name the leader that their writer accepts. A process that leads accepts
	// itself.
	elects bool
	// leads is true if some writers claim to lead. A writer that then accepts another leader follows it.
	leads bool
	// ids has, by the name of a writer, the name by which its sentences call it.
	ids map[string]string
	// ownName is the id of the only writer, which is then the process, or "".
	ownName string
}

// sense is a meaning that a sort may have.
type sense struct {
	// words must match the constant words of the lines, and not must not match. nil is ignored.
	words, not func() *regexp.Regexp
	// acts are values of the act field that are enough without the text.
	acts  map[string]bool
	apply func(g *guesser, k *sort, m *meaning) bool
}

// senses are tried in this order. A sort gets the first sense that applies.
var senses = []sense{
	{apply: (*guesser).decide},
	{apply: (*guesser).cast},
	{apply: (*guesser).message},
	{words: startPhrase, not: electionPhrase, acts: startActs, apply: (*guesser).start},
	{apply: section("enter")},
	{apply: section("exit")},
	{words: requestPhrase, apply: (*guesser).request},
	{words: suspectPhrase, apply: (*guesser).suspect},
	{apply: (*guesser).crash},
	{words: haltPhrase, apply: (*guesser).halt},
}

// meanings returns the meanings of a sort. Lines about their writer and lines about another process each have a
// meaning. If the sort is not understood, it has none.
func (g *guesser) meanings(k *sort) []*meaning {
	words := k.words()
	for _, sense := range senses {
		said := sense.acts[strings.ToLower(k.act)]
		if !said && (sense.words != nil && !sense.words().MatchString(words) || sense.not != nil && sense.not().MatchString(words)) {
			continue
		}
		if m := g.newMeaning(k); sense.apply(g, k, m) && g.attribute(k, m) {
			return []*meaning{m}
		}
	}
	// The terms of different groups are not comparable.
	if g.ungrouped != "" {
		return nil
	}
	if k.said.kind != noClaim {
		return g.claims(k)
	}
	if m := g.newMeaning(k); g.fieldRole(k, m) {
		return []*meaning{m}
	}
	return nil
}

// attribute makes the subject of a sentence without a claim the process of its event. The report of another process, which may have
// lines of its own, is no event.
func (g *guesser) attribute(k *sort, m *meaning) bool {
	ofPeer := m.event == "suspect" || m.event == "send" || m.event == "receive"
	if k.said.subject == ownSubject || m.groups[k.said.subject] != "" || ofPeer || g.ownName != "" {
		return true
	}
	m.groups[k.said.subject] = "subject"
	if g.anonymous() || g.decides.retold && slices.ContainsFunc(m.vars, func(v string) bool { return strings.HasPrefix(v, "vote: ") }) {
		m.parts = append(m.parts, "process: '"+g.numbered(k)+"${subject}'")
		return true
	}
	m.condition = "subject: '${process}'"
	return k.ownSubjects > 0
}

// actor returns the process whose act the sentence describes: its subject, or its writer. A report of another process,
// which may have lines of its own, has none.
func (s *sample) actor(k *sort, r *roles) string {
	writer := s.processOf(k.first, r)
	if k.said.subject == ownSubject || k.tokens[k.said.subject].core == writer {
		return writer
	}
	if r.anonymous() {
		return k.tokens[k.said.subject].core
	}
	return ""
}

// spoken returns the names of processes that sentences may contain. The name of the only file may be a usual word, such as lock.
func (r *roles) spoken() map[string]bool {
	if r.anonymous() && !slices.ContainsFunc(slices.Collect(maps.Keys(r.names)), func(name string) bool { return r.called[name] }) {
		return nil
	}
	return r.names
}

// anonymous reports whether the sentences alone name their writers.
func (r *roles) anonymous() bool { return r.process == "file" && len(r.names) <= 1 }

func (g *guesser) newMeaning(k *sort) *meaning {
	m := &meaning{groups: make(map[int]string)}
	m.term = g.termOf(k, m)
	return m
}

// state makes the rule assign variables, and the term if the lines contain it.
func (m *meaning) state(assignments ...string) {
	m.event = "state"
	m.vars = append(m.vars, assignments...)
}

// note returns a sense that makes a note of this type.
func note(typ string) func(*guesser, *sort, *meaning) bool {
	return func(_ *guesser, _ *sort, m *meaning) bool {
		m.parts, m.event = append(m.parts, "note: "+typ), "note "+typ
		return true
	}
}

// section returns the sense that the writer enters or leaves a critical section.
func section(typ string) func(*guesser, *sort, *meaning) bool {
	return func(g *guesser, k *sort, m *meaning) bool {
		enters := typ == "enter"
		switch {
		case g.naming.unknown != "", enters && k.unreal():
			return false
		case typ != "request" && (!k.sectionOf() || k.entersSection() != enters):
			return false
		}
		note(typ)(g, k, m)
		switch place, name := k.lock(); {
		case !g.locks:
		case place >= 0 && k.tokens[place].value:
			m.groups[place] = "lock"
			m.parts = append(m.parts, "fields: {lock: '${lock}'}")
		default:
			m.parts = append(m.parts, "fields: {lock: "+quoted(name)+"}")
		}
		return true
	}
}

// sectionOf reports whether the lines describe that a process enters or leaves an exclusive critical section.
func (k *sort) sectionOf() bool {
	exits := exitActs[strings.ToLower(k.act)] || exitPhrase().MatchString(k.words()) && !k.announces()
	return (exits || k.entersSection()) && !k.isShared()
}

// isShared reports whether the mode of the lines is shared, as that of readers.
func (k *sort) isShared() bool { return k.shared || sharedPhrase().MatchString(k.words()) }

// entersSection reports whether lines about a critical section are entries.
func (k *sort) entersSection() bool {
	words := k.words()
	return enterActs[strings.ToLower(k.act)] ||
		(enterPhrase().MatchString(words) || k.bare && acquirePhrase().MatchString(words)) && !k.unreal() && !k.announces() // failed to acquire
}

// unreal reports whether a word means that the sentence is not a fact, such as "would".
func (k *sort) unreal() bool {
	return slices.ContainsFunc(k.tokens, func(t token) bool { return unreal(t.lower()) })
}

// lock returns the token that names the lock, and its name. If a field names it, the token is -1 and the name
// is a template. Without a lock the name is "".
func (k *sort) lock() (place int, name string) {
	if i := slices.IndexFunc(k.tokens, func(t token) bool { return t.lock }); i >= 0 {
		return i, k.tokens[i].core
	}
	if k.lockField != "" {
		return -1, "${" + k.lockField + "}"
	}
	for i := 1; i < len(k.tokens); i++ {
		t := k.tokens[i]
		before := strings.Trim(k.tokens[i-1].lower(), ":=")
		if lockWords[before] && t.core != "" && t.lead == "" && !lockTails[t.lower()] {
			return i, t.core
		}
	}
	for _, key := range lockFields {
		if !slices.ContainsFunc(k.samples, func(rec *sampled) bool { return rec.fields[key] == "" }) {
			return -1, "${" + key + "}"
		}
	}
	return -1, ""
}

// request is the sense that the writer wants to enter a critical section. It applies only if other lines are about
// critical sections.
func (g *guesser) request(k *sort, m *meaning) bool {
	_, lock := k.lock()
	return g.mutex && (!g.locks || lock != "") && section("request")(g, k, m)
}

// start is the sense that the process starts. The line must be its first, unless the sentence is about nothing else.
func (g *guesser) start(k *sort, m *meaning) bool {
	first := k.starts > 0 && k.starts == len(k.writers)
	if k.said.kind == takesRole && len(k.leadersAt()) > 0 { // started leading
		return false
	}
	if !g.bold.lives || !first && !k.restarts() || k.restarts() && allMatch(k.writers, ofSystem) {
		return false
	}
	m.event = "start"
	for i, group := range m.groups {
		// Where a process starts, its generation counts its starts.
		if group == "term" && (k.tokens[i].key() == bootWord || i > 0 && strings.Trim(k.tokens[i-1].lower(), ":=") == bootWord) {
			delete(m.groups, i)
			m.term = ""
		}
	}
	return true
}

// crash is the sense that the writer crashes.
func (g *guesser) crash(k *sort, m *meaning) bool {
	crashes := slices.ContainsFunc(k.clauses(), func(c clause) bool {
		negated := slices.ContainsFunc(c.tokens, func(t token) bool { return unreal(t.lower()) })
		return !negated && crashPhrase().MatchString(constantWords(c.tokens, lockWords))
	})
	if !crashes || !g.ofItself(k) {
		return false
	}
	m.parts, m.event = append(m.parts, "crash: "), "crash"
	return true
}

// halt is the sense that the process ends. The line must be among its last.
func (g *guesser) halt(k *sort, m *meaning) bool {
	if !g.bold.lives || !g.ofItself(k) || k.ends == 0 || k.ends < len(k.writers) {
		return false
	}
	m.parts, m.event = append(m.parts, "halt: "), "halt"
	return true
}

// ofItself reports whether the lines name no process except their writer. A name after "node" counts as a process
// even if no line is from it, and so does a field for a peer.
func (g *guesser) ofItself(k *sort) bool {
	writer := g.processOf(k.first, g.roles)
	for i, t := range k.tokens {
		named := t.process || i > 0 && t.value && processNouns[k.tokens[i-1].lower()]
		if named && t.core != writer {
			return false
		}
	}
	return g.field(k, peerFields, func(v string) bool { return v != writer && g.isName(v) }) == ""
}

// suspect is the sense that another process seems to be down.
func (g *guesser) suspect(k *sort, m *meaning) bool {
	if g.ofItself(k) || !k.name(m, "peer", "") {
		return false
	}
	m.parts, m.event = append(m.parts, "suspect: ", "of: '${peer}'"), "suspect"
	return true
}

// fieldRole is the sense that the line states a role or a leader in a field, or is only a word for a role.
func (g *guesser) fieldRole(k *sort, m *meaning) bool {
	acted := strings.ToLower(k.act)
	if len(k.tokens) == 1 && acted == "" {
		acted = k.words()
	}
	// leader=false
	if len(k.tokens) == 2 && leaderRoles[k.tokens[0].lower()] && k.tokens[1].core == failed && k.tokens[1].implied {
		m.state("role: follower")
		return true
	}
	if field := g.field(k, roleFields, func(v string) bool { return roleWords[strings.ToLower(v)] }); field != "" &&
		acted == "" && g.ofWriter(k) {
		for _, rec := range k.samples {
			g.sawRole(rec.fields[field])
		}
		m.state(fmt.Sprintf("role: '${%s}'", field))
	} else if roleWords[acted] && g.ofWriter(k) {
		m.state("role: " + acted)
	} else if flag := k.flag(); flag != "" && acted == "" && g.ofWriter(k) {
		m.state("role: " + map[string]string{"true": "leader", "false": "follower"}[flag])
	}
	if k.leaderless() && acted == "" {
		m.state("elected: null")
	}
	g.addLeader(k, m)
	m.event = "state"
	return len(m.vars) > 0
}

// ofWriter reports whether the words and fields concern only the writer.
func (g *guesser) ofWriter(k *sort) bool {
	for _, t := range k.tokens {
		if otherWords[t.lower()] || unreal(t.lower()) {
			return false
		}
	}
	return g.ofItself(k) && g.field(k, peerFields, isPeer) == ""
}

// sawRole notes a word for a role.
func (g *guesser) sawRole(word string) { g.zab = g.zab || zabWords[strings.ToLower(word)] }

// claims returns the meanings of sentences about their writer and about others. A sentence about another process
// counts only if it names the leader: the writer then accepts this leader.
func (g *guesser) claims(k *sort) (meanings []*meaning) {
	ownClaimed, hearsay := k.said.subject == ownSubject, false
	condition := ""
	var process string
	alias := false
	if k.subjectKey != "" {
		ofWriter := func(rec *sampled) bool { return g.name(rec.fields[k.subjectKey]) == g.processOf(rec, g.roles) }
		if rank(k.subjectKey, subjectFields) >= 0 && len(k.leadersAt()) > 0 {
			m := g.newMeaning(k)
			m.state(fmt.Sprintf("elected: '${%s}'", k.subjectKey))
			return []*meaning{m}
		}
		if !slices.ContainsFunc(k.samples, ofWriter) {
			return nil
		}
		condition = quoted(k.subjectKey) + ": '${process}'"
	}
	if !ownClaimed {
		switch {
		case g.ownName != "":
			ownClaimed = true
		case g.anonymous(): // who writes is named by the sentence alone
			ownClaimed, process = true, "process: '"+g.numbered(k)+"${subject}'"
		case g.speaksOfItself(k):
			ownClaimed, alias = true, true
		default:
			ownClaimed, hearsay = k.ownSubjects > 0, k.hearsay > 0
			condition = "subject: '${process}'"
		}
	}
	for _, leaders := range g.leadersApart(k, ownClaimed) {
		m := g.newMeaning(k)
		m.leaders = leaders
		if k.said.subject >= 0 {
			m.groups[k.said.subject] = "subject"
		}
		m.alias = alias
		if alias {
			m.groups[k.said.subject] = "id"
		}
		if process != "" {
			m.parts = append(m.parts, process)
		}
		m.condition = condition
		if !g.ownClaim(k, m) {
			continue
		}
		if k.said.kind == electedIs && g.leads && ownClaimed && condition == "" {
			accepts := *m
			accepts.condition, accepts.vars = "leader: '${process}'", slices.Clone(m.vars)
			meanings = append(meanings, &accepts)
			m.state("role: follower")
		}
		meanings = append(meanings, m)
	}
	if hearsay && k.said.kind == takesRole {
		m := g.newMeaning(k)
		m.groups[k.said.subject] = "leader"
		m.leaders = k.leadersAt()
		if len(m.leaders) > 0 {
			if k.said.object >= 0 {
				m.groups[k.said.object] = "role"
			}
			m.state("elected: '${leader}'")
			if g.leads { // a leader that reports another leader leads no more
				m.state("role: follower")
			}
			meanings = append(meanings, m)
		}
	}
	return meanings
}

// leadersApart returns the groups of words for roles that need separate rules. If one rule is enough, it returns nil
// as the only group. A separate rule is needed if sentences about leaders contain more than others.
func (g *guesser) leadersApart(k *sort, byWriter bool) [][]string {
	if !byWriter {
		return nil
	}
	if leaders := k.leadersAt(); g.elects && k.said.kind == takesRole && k.said.object >= 0 &&
		len(leaders) > 0 && len(leaders) < len(k.rolesAt(k.said.object)) {
		return [][]string{leaders, nil}
	}
	return [][]string{nil}
}

// leads reports whether all writers of lines with this meaning lead.
func (k *sort) leads(m *meaning) bool {
	return k.said.kind == takesRole && (m.leaders != nil || k.said.object < 0 || len(k.leadersAt()) == len(k.rolesAt(k.said.object)))
}

// numbered returns the text before the number in the names of processes, if the sentences name processes only by
// their numbers. Otherwise it returns "".
func (g *guesser) numbered(k *sort) string {
	prefix := strings.TrimRight(commonStart(g.called), "0123456789")
	for _, subjects := range k.subjects {
		for subject := range subjects {
			if g.called[subject] || !number().MatchString(subject) {
				return ""
			}
			if prefix != "" && g.called[prefix+subject] {
				return prefix
			}
		}
	}
	return ""
}

// leadersAt returns the words in the lines for the role of a leader.
func (k *sort) leadersAt() []string {
	if k.said.object < 0 {
		return []string{"leader"}
	}
	return slices.DeleteFunc(k.rolesAt(k.said.object), func(role string) bool { return !leaderRoles[strings.ToLower(role)] })
}

// speaksOfItself reports whether the subject of the sentences is another name of their writer.
func (g *guesser) speaksOfItself(k *sort) bool {
	apart := k.ownIDs()
	for writer, subjects := range k.subjects {
		for subject := range subjects {
			if g.names[subject] || !apart && g.ids[writer] != subject {
				return false
			}
		}
	}
	return true
}

// ownIDs reports whether each of several writers has its own subject, which no other writer uses.
func (k *sort) ownIDs() bool {
	writer := make(map[string]string)
	for name, subjects := range k.subjects {
		for subject := range subjects {
			if len(subjects) > 1 || writer[subject] != "" {
				return false
			}
			writer[subject] = name
		}
	}
	return len(writer) > 1
}

// findIDs finds the name by which a writer calls itself: the only subject of its sentences, which no other writer has. One of the
// sentences must be about a vote, or another role than that of a leader, since others report who leads.
func (g *guesser) findIDs(sorts []*sort) {
	g.ids = make(map[string]string)
	writers, certain, doubtful := make(map[string]string), make(map[string]bool), make(map[string]bool)
	for _, k := range sorts {
		for writer, subjects := range k.subjects {
			for subject := range subjects {
				// A name that several writers call is of another process.
				if former := cmp.Or(writers[subject], writer); former != writer || cmp.Or(g.ids[writer], subject) != subject {
					doubtful[writer], doubtful[former] = true, true
				}
				g.ids[writer], writers[subject] = subject, writer
				certain[writer] = certain[writer] || k.said.kind == votesFor || k.said.kind == isCandidate ||
					k.said.kind == takesRole && len(k.leadersAt()) < len(k.roles[k.said.object])
			}
		}
	}
	for writer, id := range g.ids {
		if doubtful[writer] || !certain[writer] || g.names[id] {
			delete(g.ids, writer)
		} else if g.anonymous() {
			g.ownName = g.numbered(sorts[slices.IndexFunc(sorts, func(k *sort) bool { return k.subjects[writer] != nil })]) + id
		}
	}
}

// ownClaim adds the claim of the sentence about its writer.
func (g *guesser) ownClaim(k *sort, m *meaning) bool {
	switch said := k.said; said.kind {
	case takesRole:
		if said.object == impliedObject {
			m.state("role: leader")
			break
		}
		m.groups[said.object] = "role"
		for _, word := range k.rolesAt(said.object) {
			g.sawRole(word)
		}
		m.state("role: '${role}'")
	case stepsDown:
		m.state("role: follower")
	case isCandidate:
		m.state("role: candidate")
	case votesFor:
		candidate := "candidate"
		if said.object >= 0 {
			m.groups[said.object] = candidate
		} else if candidate = g.field(k, candidateFields, g.isName); candidate == "" {
			return false
		}
		m.state(fmt.Sprintf("votedFor: '${%s}'", candidate))
		return true
	case electedIs, follows:
		m.groups[said.object] = "leader"
		m.state("elected: '${leader}'")
		if said.kind == follows {
			m.state("role: follower")
		}
		return true
	}
	before := len(m.vars)
	g.addLeader(k, m)
	switch {
	// Where other lines name a leader, the roles of this writer must agree with the variable elected.
	case len(m.vars) > before || !g.elects:
	case k.leads(m):
		m.vars = append(m.vars, "elected: '${process}'")
	case k.said.kind == stepsDown && !slices.ContainsFunc(k.tokens, func(t token) bool { return t.lower() == "following" }):
		m.vars = append(m.vars, "elected: null")
	}
	return true
}

// addLeader adds the leader, if a field names it and the words do not deny it.
func (g *guesser) addLeader(k *sort, m *meaning) {
	if k.unreal() || slices.ContainsFunc(k.tokens, func(t token) bool { return lateWords[t.lower()] }) {
		return
	}
	if field := g.field(k, leaderFields, g.isName); field != "" {
		m.vars = append(m.vars, fmt.Sprintf("elected: '${%s}'", field))
	}
}

// isName reports whether a value is the name of a process or has the same form, as n4 has beside n1 and n2.
func (g *guesser) isName(v string) bool {
	if g.names[v] || !digits().MatchString(v) {
		return g.names[v]
	}
	form := numbers().ReplaceAllString(v, "0")
	for name := range g.names {
		if digits().MatchString(name) && numbers().ReplaceAllString(name, "0") == form {
			return true
		}
	}
	return false
}

var numbers = text.Pattern(`\d+`)

// field returns the most likely field among those with given names that all lines of the sort have and whose values
// are accepted by right.
func (g *guesser) field(k *sort, names []string, right func(string) bool) string {
	for _, key := range g.ranked(names) {
		if key == g.shape.msg || key == g.process || key == g.time || key == g.act {
			continue
		}
		if !slices.ContainsFunc(k.samples, func(r *sampled) bool { return !right(r.fields[key]) }) {
			return key
		}
	}
	return ""
}

// termOf returns the field with the term. In text, that is the number after a word for the term.
func (g *guesser) termOf(k *sort, m *meaning) string {
	for i, t := range k.tokens {
		before := ""
		if i > 0 {
			before = strings.Trim(k.tokens[i-1].lower(), ":=")
		}
		if i > 1 && (before == "is" || before == "now" || before == "of") { // term is 7
			before = strings.Trim(k.tokens[i-2].lower(), ":=")
		}
		after := (t.lead == "" || t.lead == "#") && slices.Contains(termWords, before)
		if number().MatchString(t.core) && (after || slices.Contains(termWords, t.key())) {
			m.groups[i] = "term"
			k.tokens[i].process, k.tokens[i].value = false, true
			return "term"
		}
	}
	for _, key := range g.ranked(mapping.TermFields) { // some of the lines may lack it
		some, right := false, true
		for _, rec := range k.samples {
			v, ok := rec.fields[key]
			some, right = some || ok, right && (!ok || number().MatchString(v))
		}
		if some && right && key != g.act {
			return key
		}
	}
	return ""
}

// name makes a group of the process after one of the words. The word "" allows any place.
func (k *sort) name(m *meaning, name string, after ...string) bool {
	for _, word := range after {
		for i, t := range k.tokens {
			if _, taken := m.groups[i]; taken || !t.process {
				continue
			}
			if word == "" && (i == 0 || peerLeads[k.tokens[i-1].lower()] == "") || i > 0 && k.tokens[i-1].lower() == word || t.key() == word {
				m.groups[i] = name
				return true
			}
		}
	}
	return false
}

// restartPhrase matches a whole sentence in which a process starts.
var restartPhrase = text.Pattern(`^(?:(?:the )?(?:process|node|server|service|system|program|application|app|daemon|replica) )?` +
	`(?:is |was |has )?(?:re-?start(?:ed|ing)?|re-?boot(?:ed|ing)|start(?:ed|ing) up|booting(?: up)?|came (?:back )?up)` +
	`(?: again| after (?:a )?crash)?[.!]*(?: \*)*$`)

// restarts reports whether the whole sentence is that a process starts.
func (k *sort) restarts() bool {
	return restartPhrase().MatchString(strings.Trim(k.words(), "-=*#~<> "))
}

// ofSystem matches the name of a writer that is all processes together.
var ofSystem = text.Pattern(`(?i)^` + mapping.SystemPattern + `$`)
