package logs

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/envelope"
	"etrace/tracefmt/text"
)

// A line that no rule takes may have facts that rules take from others. If it has a word of the subject, the guess declares that
// the log, as it is read, has only some of the facts of that subject.

// subjects lists words about a subject, with the kinds of facts that such lines may be about.
var subjects = []struct {
	words map[string]bool
	facts []tracefmt.Fact
}{
	{
		words("leader leading leadership elected primary master coordinator follower following candidate"),
		[]tracefmt.Fact{tracefmt.StateOf("elected"), tracefmt.StateOf("epoch"), tracefmt.StateOf("role"), tracefmt.StateOf("term")},
	},
	{words("vote votes voted voting"), []tracefmt.Fact{tracefmt.StateOf("votedFor"), tracefmt.StateOf("vote")}},
	{
		words("commit commits committed committing abort aborts aborted aborting rollback rolled prepared decide decided decides"),
		[]tracefmt.Fact{tracefmt.StateOf("decided")},
	},
	{
		words("lock locked locking unlock unlocked mutex acquire acquires acquired release releases released section"),
		[]tracefmt.Fact{{Kind: tracefmt.Note}},
	},
	{words("broadcast broadcasts broadcasted deliver delivers delivered"), []tracefmt.Fact{{Kind: tracefmt.Note}}},
}

// insidePhrase matches lines from within a critical section. They neither enter nor leave it.
var insidePhrase = text.Pattern(`\b(?:in|inside|within) (?:the |my |a )?(?:critical )?section$`)

// maxPartial is how many processes are declared separately as partly recorded.
const maxPartial = 16

// partial returns a declaration of facts that are partly recorded: some lines have a rule for them, and lines without
// a rule may also be about them. It returns "" if there are no such facts. For a process without any such rule, the
// facts are declared as not recorded.
func (x *suggestion) partial() string {
	made, writers := x.made()
	some, byProcess := make(map[string]bool), make(map[string]bool)
	apart := x.named() && len(x.names) <= maxPartial
	if x.unsure != "" { // what one process records may be what several do, so none of its facts is complete
		for key := range made {
			some[key+"=some"] = true
			for name := range writers {
				apart = len(writers) == 1 && plainName().MatchString(name) && !slices.ContainsFunc(x.rules, (*guessed).names)
				byProcess[name+":"+key+"=some"] = true
			}
		}
	}
	for _, k := range x.leftSorts() {
		for _, subject := range subjects {
			if !k.concerns(subject.words) {
				continue
			}
			for _, rec := range k.samples {
				name := x.processOf(rec, x.roles)
				if !writers[name] || x.retold(newSort(rec, x.shape.msg, x.roles)) {
					continue
				}
				apart = apart && plainName().MatchString(name)
				for _, f := range subject.facts {
					if key := f.String(); made[key] {
						some[key+"=some"], byProcess[name+":"+key+"=some"] = true, true
					}
				}
			}
		}
	}
	if apart {
		some = byProcess
	}
	return strings.Join(slices.Sorted(maps.Keys(some)), ",")
}

// unreadMembers returns the quoted names of other processes in lines that have no rule. If all lines are from one process, only
// lines about leaders and votes count. Without these names it would be the only member.
func (x *suggestion) unreadMembers() (names []string) {
	switch {
	case x.unsure != "":
		return nil
	case !x.anonymous():
		return x.neighbours()
	}
	found := make(map[string]bool)
	for _, k := range x.leftSorts() {
		// Other lines count members, ports and files.
		if !slices.ContainsFunc(k.tokens, func(t token) bool { return subjects[0].words[t.lower()] || subjects[1].words[t.lower()] }) {
			continue
		}
		for i := 1; i < len(k.tokens); i++ {
			t, before := &k.tokens[i], k.tokens[i-1].lower()
			if (peerLeads[before] != "" || before == "peer" || leaderRoles[before]) && t.key() == "" && t.name() &&
				digits().MatchString(t.core) && t.core != x.ownName && !x.names[t.core] && !k.counts(i) {
				found[quoted(t.core)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// neighbours returns the quoted names in lines without a rule that have the form of the names of processes, with a
// number that is not much greater than theirs.
func (x *suggestion) neighbours() []string {
	forms, first, greatest := make(map[string]bool), "", 0
	for name := range x.names {
		if form := interop.FormOf(name); form != "0" && strings.HasSuffix(form, "0") {
			forms[form] = true
			first += name[:1]
			greatest = max(greatest, lastNumber(name))
		}
	}
	found := make(map[string]bool)
	if len(forms) == 0 || x.tally == nil {
		return nil
	}
	for line := range x.tally.left {
		for name := range calledIn(line) {
			// Most words differ in their first letter, which is compared first.
			digit := name[len(name)-1]
			if digit < '0' || digit > '9' || strings.IndexByte(first, name[0]) < 0 && (name[0] < '0' || name[0] > '9') ||
				x.names[x.name(name)] {
				continue
			}
			if forms[interop.FormOf(name)] && lastNumber(name) <= greatest+maxBeyond {
				found[quoted(name)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// maxBeyond is how far the number of a process without lines may be above all numbers of processes with lines. A name
// such as n40 beside n1 to n3 is more likely something else.
const maxBeyond = 16

// lastNumber returns the number at the end of a name.
func lastNumber(name string) int {
	n, _ := strconv.Atoi(name[len(strings.TrimRight(name, "0123456789")):])
	return n
}

// calledIn returns the words of a line that may be names: letters and digits with signs inside.
func calledIn(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line != "" {
			name := calledAtStart(line)
			if name != "" && !yield(name) {
				return
			}
			line = line[max(1, len(name)):]
		}
	}
}

// findBystanders finds the writers whose lines were all examined, and only deny something or quote other processes. Their lines do
// not count as left over. Other lines without a rule may have a fault.
func (x *suggestion) findBystanders() {
	if x.partly() || x.ownName != "" {
		return
	}
	_, writers := x.made()
	if !slices.ContainsFunc(slices.Collect(maps.Keys(x.names)), func(name string) bool { return !writers[name] }) {
		return
	}
	// One line that may state something is enough: what it states may be a fault.
	lines, states := make(map[string][]string), make(map[string]bool)
	for _, k := range x.leftSorts() {
		for _, rec := range k.samples {
			name := x.processOf(rec, x.roles)
			lines[name] = append(lines[name], envelope.PlainLine([]byte(rec.text)))
			states[name] = states[name] || !k.unreal() && !k.retells() && k.subjectKey == ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if name == "" || writers[name] || states[name] {
			continue
		}
		x.bystanders = append(x.bystanders, quoted(name))
		for _, line := range lines[name] {
			x.tally.lines -= x.tally.left[line]
			delete(x.tally.left, line)
		}
	}
}

// retold reports whether a line is about another process that has lines of its own.
func (x *suggestion) retold(k *sort) bool {
	if k.said.subject < 0 {
		return false
	}
	subject := x.name(k.tokens[k.said.subject].core)
	return subject != x.processOf(k.first, x.roles) && x.names[subject]
}

// named reports whether the writer of each line is the process of its events. It is false if a sentence names another
// process, or another name.
func (x *suggestion) named() bool {
	return (x.process != "file" || len(x.files) > 1) && !slices.ContainsFunc(x.rules, func(rule *guessed) bool { return rule.alias })
}

// names reports whether the sentences name the process of the events.
func (rule *guessed) names() bool {
	return slices.ContainsFunc(rule.parts, func(part string) bool { return strings.HasPrefix(part, "process: ") })
}

// made returns the facts for which rules exist, and the processes of the lines with these rules.
func (x *suggestion) made() (facts, writers map[string]bool) {
	facts, writers = make(map[string]bool), make(map[string]bool)
	for _, rule := range x.rules {
		for name := range rule.writers {
			// A rule for lines whose field names their writer is for some of the writers.
			ofName := func(rec *sampled) bool {
				return x.processOf(rec, x.roles) == name && x.name(rec.fields[rule.subjectKey]) == name
			}
			if rule.subjectKey == "" || rule.condition == "" || slices.ContainsFunc(rule.samples, ofName) {
				writers[name] = true
			}
		}
		if strings.HasPrefix(rule.event, "note ") {
			facts[tracefmt.Note.String()] = true
		}
		for _, v := range rule.vars {
			name, _, _ := strings.Cut(v, ":")
			facts[tracefmt.StateOf(name).String()] = true
		}
		if rule.term != "" && len(rule.vars) > 0 {
			facts[tracefmt.StateOf(x.termVariable()).String()] = true
		}
	}
	return facts, writers
}

// concerns reports whether the lines may be about a subject. Messages and negated sentences are not. But the loss of
// leadership is a fact.
func (k *sort) concerns(subject map[string]bool) bool {
	if k.verb != "" && k.castKind() == "" || insidePhrase().MatchString(k.words()) || k.announces() {
		return false
	}
	found := false
	for i := range k.tokens {
		word := k.tokens[i].lower()
		// A word such as "lost" counts as a negation, unless the leadership is lost.
		lost := strings.HasPrefix(word, "los") && i+1 < len(k.tokens) && leaderRoles[k.tokens[i+1].lower()]
		if unreal(word) && !lost {
			return false
		}
		found = found || subject[word] || subject[k.tokens[i].key()]
	}
	// Of an open sort, the tokens are only the first words.
	return found || k.open && slices.ContainsFunc(letters().FindAllString(strings.ToLower(k.first.text), -1), func(w string) bool {
		return subject[w]
	})
}

// letters matches words, also within TO_LEADER.
var letters = text.Pattern(`\pL+`)
