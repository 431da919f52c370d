package logs

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

// maxColumn is the greatest number of values of a column that may name the process.
const maxColumn = 20

// column is the evidence on whether a column at the beginning of the lines names the process.
type column struct {
	// shared is true if lines with different values make the same claim, or claims about critical sections or
	// decisions.
	shared bool
	// sections is the number of values whose lines enter, leave or request a critical section.
	sections int
	// together counts contradictions if all lines are from one process. apart counts contradictions if each value is
	// a process.
	together, apart int
}

// names reports whether the column names the process.
func (c *column) names() bool { return c.apart < c.together || c.sections > 1 && c.apart <= c.together }

// columnOf collects this evidence for a log in one file.
func (s *sample) columnOf(key string, values map[string]bool) *column {
	c := new(column)
	if len(s.files) > 1 || len(values) < 2 || len(values) > maxColumn || inSource(values) || onlyLevels(values) {
		return c
	}
	r := &roles{process: key, names: values, wording: s.shape.wording}
	together, apart := make(history), make(history)
	writer := make(map[string]string) // of a claim
	inSections := make(map[string]bool)
	for _, rec := range s.records {
		name := rec.fields[key]
		if name == "" {
			continue
		}
		k := newSort(rec, s.shape.msg, r)
		k.samples = []*sampled{rec}
		if k.sectionOf() || requestPhrase().MatchString(k.words()) {
			inSections[name] = true
		}
		decided := k.commitment()
		if decided.variable == "" {
			decided = k.choice()
		}
		if cast := k.castKind(); cast != "" {
			if place, _ := (&guesser{sample: s, roles: r}).castMessage(k); place >= 0 {
				decided = decision{cast, k.tokens[place].core, place}
			}
		}
		if s.actor(k, r) == "" || !k.sectionOf() && k.said.kind == noClaim && decided.variable == "" {
			continue
		}
		claimed := writtenClaim{writer: name, term: s.writtenTerm(k, r)}
		switch {
		case decided.variable != "":
			claimed.role = decided.variable + " " + decided.value
		case k.entersSection():
			claimed.role = "inside"
		case k.sectionOf():
			claimed.role = "outside"
		case k.said.kind == takesRole && k.said.object >= 0:
			claimed.role = k.tokens[k.said.object].lower()
		case k.said.kind == takesRole:
			claimed.role = "leader"
		case k.said.kind == isCandidate:
			claimed.role = "candidate"
		case k.said.kind == follows:
			claimed.role = "follower" // several parts of a program report that it steps down
		}
		claim := k.key() + claimed.role
		if decided.variable != "" {
			claim = "decision"
		}
		c.shared = c.shared || writer[claim] != "" && writer[claim] != name
		writer[claim] = name
		c.together += together.see("", claimed)
		c.apart += apart.see(name, claimed)
	}
	c.sections = len(inSections)
	return c
}

// writtenTerm returns the term in a line, or "".
func (s *sample) writtenTerm(k *sort, r *roles) string {
	if len(k.samples) == 0 {
		k.samples = []*sampled{k.first} // a field with the term is sought in these
	}
	m := (&guesser{sample: s, roles: r}).newMeaning(k)
	for place, name := range m.groups {
		if name == "term" {
			return k.tokens[place].core
		}
	}
	return k.first.fields[m.term]
}

// findTwin returns the only process of a log if its lines contradict each other. For example, it enters a critical
// section that it is in, takes a role again, or votes twice in different ways. Then several processes with the same
// name may have written the log.
func (s *sample) findTwin(r *roles) string {
	if len(r.names) != 1 {
		return ""
	}
	// inside has the locks that it holds, taken its last change of role, and ballots its votes and decisions.
	inside, taken, ballots := make(map[string]bool), "", make(map[string]string)
	var takenBy []token // the words of the line of taken
	takenTerm := ""
	place := "" // that the last line about the role of its writer has named
	for i, rec := range s.records {
		k := newSort(rec, s.shape.msg, r)
		// A process writes more before it starts anew, so two starts at the beginning are of two processes.
		starts := i == 1 && startPhrase().MatchString(k.words()) && !electionPhrase().MatchString(k.words())
		if starts && k.key() == newSort(s.records[0], s.shape.msg, r).key() {
			return s.processOf(rec, r)
		}
		ofRole := k.said.kind == takesRole || k.said.kind == isCandidate || k.said.kind == stepsDown
		aboutWriter := k.said.subject == ownSubject && (ofRole || k.sectionOf())
		if at := writtenAt().FindStringSubmatch(rec.fields[s.shape.msg]); at != nil && aboutWriter {
			named := strings.Join(at[1:], "")
			if place != "" && place != named {
				return s.processOf(rec, r)
			}
			place = named
		}
		if mapping.MarksRestart(rec.text) || k.restarts() {
			taken = ""
			clear(inside)
		}
		if rec.fields == nil || k.said.kind == noClaim && s.actor(k, r) != s.processOf(rec, r) {
			continue
		}
		d := k.commitment()
		if d.variable == "" && k.choice().variable == "decided" {
			d = k.choice()
		}
		if d.variable != "" {
			// A process votes once, and decides once, in a transaction or instance.
			ballot := d.variable
			for _, t := range k.tokens { // a number within a name, such as p1, identifies no transaction
				if number().MatchString(t.core) {
					ballot += " " + t.core
				}
			}
			for _, key := range s.ranked(slices.Concat(transactions, instances)) {
				ballot += " " + rec.fields[key]
			}
			if before := ballots[ballot]; before != "" && before != d.value {
				return s.processOf(rec, r)
			}
			ballots[ballot] = d.value
		}
		_, lock := k.lock()
		section := k.sectionOf()
		enters := section && k.entersSection()
		if enters && inside[lock] {
			return s.processOf(rec, r)
		}
		if section {
			inside[lock] = enters
			continue
		}
		// The same words about the same term are the same change. Other words may describe a change once more.
		takes := k.said.kind == takesRole && k.said.subject == ownSubject
		changes := slices.ContainsFunc(k.tokens, func(t token) bool {
			return (changeVerbs[t.lower()] || wonVerbs[t.lower()]) && !stateVerbs[t.lower()]
		})
		change := k.key() + s.writtenTerm(k, r)
		if takes && k.said.object >= 0 {
			change = k.tokens[k.said.object].lower() + " " + change // the key has no role
		}
		again := taken == change || r.process == "file" && takenTerm == s.writtenTerm(k, r) && oneNameApart(takenBy, k.tokens)
		switch {
		case takes && changes && taken != "" && again:
			return s.processOf(rec, r)
		case takes && changes:
			taken, takenTerm, takenBy = change, s.writtenTerm(k, r), k.tokens
		case !takes && (k.said.kind != noClaim || k.concerns(subjects[0].words)):
			taken = ""
		}
	}
	return ""
}

// oneNameApart reports whether two lines differ in one word that is no role, and so may name a process: "node alpha: became
// leader" and "node carol: became leader".
func oneNameApart(a, b []token) bool {
	if len(a) != len(b) {
		return false
	}
	apart := 0
	for i := range a {
		if a[i].lower() == b[i].lower() {
			continue
		}
		if a[i].role || b[i].role { // other roles, not other names
			return false
		}
		apart++
	}
	return apart == 1
}

// writtenAt matches the process of a line at the end of its text, as in "(node 1)", "on node 1", "@n1" and "[n1]".
var writtenAt = text.Pattern(`(?i)(?:[(\[]|\b(?:on|at|by) )(?:node|server|replica|peer|member|process|host|worker)` +
	`[ :=#-]?(\w+)[)\]]?$|(?:^| )[(\[]?@ ?(\w+)[)\]]?$|\[(\w*[A-Za-z.:-][\w.:-]*)\]$`)

// sharedName returns a name that the only process of each of two files has, if they are no parts of one log: their
// times overlap, they have no line in common, and both have lines of one kind about a claim, a section or a decision.
// Without such files it is "".
func (s *sample) sharedName(key string) string {
	type lines struct {
		name, first, last string
		texts, facts      map[string]bool
	}
	files := make(map[string]*lines)
	r := &roles{process: key, names: s.values(key), wording: s.shape.wording}
	timeKey, _ := s.timeField()
	for _, rec := range s.records {
		name := rec.fields[key]
		if name == "" {
			continue
		}
		f := files[rec.file]
		if f == nil {
			f = &lines{name: name, first: rec.fields[timeKey], texts: make(map[string]bool), facts: make(map[string]bool)}
			files[rec.file] = f
		}
		if f.name != name {
			return ""
		}
		f.last = rec.fields[timeKey]
		f.texts[rec.text] = true
		if k := newSort(rec, s.shape.msg, r); k.said.kind != noClaim || k.sectionOf() || k.commitment().variable != "" {
			f.facts[k.words()] = true
		}
	}
	// Two logs of one process, such as one with more levels, have lines in common.
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		for _, earlier := range names[:i] {
			f, g := files[name], files[earlier]
			overlap := f.first <= g.last && g.first <= f.last
			if f.name == g.name && overlap && !intersect(f.texts, g.texts) && intersect(f.facts, g.facts) {
				return f.name
			}
		}
	}
	return ""
}

// intersect reports whether two sets have a common element.
func intersect(a, b map[string]bool) bool {
	for v := range a {
		if b[v] {
			return true
		}
	}
	return false
}

// writtenClaim is the role and term that a line states for its writer. Missing ones are "".
type writtenClaim struct{ writer, role, term string }

// history has the last claims of each process.
type history map[string]*pastClaims

type pastClaims struct {
	term    string
	role    writtenClaim
	leaders map[string]string // who led, by term
}

// see notes a claim of a process. It returns 1 if the claim contradicts earlier claims of the same process: a smaller
// term, or a change to the role that it already has.
func (h history) see(process string, claimed writtenClaim) (contradictions int) {
	past := h[process]
	if past == nil {
		past = &pastClaims{leaders: make(map[string]string)}
		h[process] = past
	}
	// A section is entered and left in turn by one writer; other roles count again only from another writer.
	falls := claimed.term != "" && past.term != "" && lessNumber(claimed.term, past.term)
	last := past.role
	again := claimed.role != "" && claimed.role == last.role && claimed.term == last.term
	if section := claimed.role == "inside" || claimed.role == "outside"; !section {
		again = again && claimed.writer != last.writer
	} else if last.role == "" {
		again = claimed.role == "outside"
	}
	// A leader of a term follows in it only if another leads, so another process has written that.
	follows := claimed.role == "follower" || claimed.role == "candidate"
	if leader := past.leaders[claimed.term]; claimed.term != "" && follows {
		again = again || leader != "" && leader != claimed.writer
	}
	if claimed.role == "leader" && claimed.term != "" {
		again = again || past.leaders[claimed.term] != "" && past.leaders[claimed.term] != claimed.writer
		past.leaders[claimed.term] = claimed.writer
	}
	if claimed.term != "" {
		past.term = claimed.term
	}
	if claimed.role != "" {
		past.role = claimed
	}
	if falls || again {
		return 1
	}
	return 0
}

// lessNumber reports whether a whole number is less than another.
func lessNumber(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return len(a) < len(b) || len(a) == len(b) && a < b
}
