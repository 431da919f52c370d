package logs

import (
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// A log is written by processes about themselves and about others. A claim counts for its writer only if the
// subject of the sentence is the writer: the first person, the name of the writer, or no subject at all. The
// same words with another subject are hearsay; with a negation, a condition or an intention they are no fact.
// A sentence that is not understood claims nothing, since a wrong leader makes a wrong verdict.

// claim is what the words of a line state about a process.
type claim struct {
	kind claimKind
	// subject is the token with the name of the subject, or ownSubject for the writer. Sentences about a critical
	// section, a vote, a decision or a crash have no claim, but they have a subject.
	subject int
	// object is the token with the role, or with the process that is elected or voted for. It is impliedObject if no
	// word names it.
	object int
}

type claimKind int

const (
	noClaim claimKind = iota
	// takesRole: the subject has the role of the object.
	takesRole
	// electedIs: the writer takes the object for the leader; follows: and is a follower itself.
	electedIs
	follows
	// votesFor: the subject votes for the object.
	votesFor
	// stepsDown: the subject leads no more, or follows; isCandidate: it is a candidate.
	stepsDown
	isCandidate
)

// ownSubject is the subject of a sentence about its writer. impliedObject is the object of a sentence such as
// "won the election" or "voted". noSubject is an unknown subject.
const (
	ownSubject    = -1
	impliedObject = -2
	noSubject     = -3
)

var (
	// changeVerbs are verbs after which the subject has the role that follows.
	changeVerbs = words("become becomes became becoming turn turns turned turning enter enters entered entering " +
		"switch switches switched switching " +
		"transition transitions transitioned transitioning convert converts converted converting move moves moved " +
		"moving change changes changed changing " +
		"promote promotes promoted promoting declare declares declared declaring elected now is am are i'm we're " +
		"assume assumes assumed assuming " +
		"acquire acquires acquired acquiring act acts acting demoted")
	// participles need no subject: "timeout reached becoming candidate".
	participles = words("becoming entering switching transitioning converting moving changing promoting declaring assuming acquiring stepping")
	// A negation may follow stateVerbs. Passive verbs are also read from their object.
	stateVerbs = words("is am are i'm we're now elected")
	wonVerbs   = words("won win wins winning")
	// takeVerbs are verbs after which leadership is taken.
	takeVerbs = words("take takes took taking acquire acquires acquired acquiring assume assumes assumed assuming gain gains " +
		"gained gaining seize seizes seized seizing")
	startVerbs = words("start starts started starting begin begins beginning begun")
	stepVerbs  = words("step steps stepped stepping")
	// loseVerbs are verbs after which leadership is lost.
	loseVerbs = words("lost lose loses losing relinquish relinquishes relinquished relinquishing release releases released " +
		"releasing revoke revoked surrender surrenders surrendered surrendering yield yields yielded yielding gave give gives " +
		"giving drop drops dropped dropping resign resigns resigned resigning abdicate abdicated transferred expired")
	stopVerbs = words("stop stops stopped stopping cease ceases ceased ceasing")
	voteVerbs = words("vote votes voted voting grant grants granted granting cast casts casting")
	// Words in between may occur between the verb and the role.
	between = words("a an the as to into new now from in state role mode itself himself herself myself ourselves " +
		"self be -> => --> → leadership of is am been raft current its own state: role:")
	// stateNouns are what changes when the writer takes a role.
	stateNouns = words("state role mode status raft current my own our local transition change server's node's internal")
	// selfWords name the writer, quietWords nothing.
	selfWords  = words("i me self myself we us i'm we're this")
	quietWords = words("has have had was been just then successfully the a an now finally also node server process " +
		"member replica peer broker instance host raft at in on id this local is are am > >>> -> - * ok so and info: received leadership")
	// otherWords mean that the subject is another process, if no name follows.
	otherWords = words("peer other another remote its their his her they he someone somebody neighbor neighbour")
	// leaderRoles are the words for the role of who leads.
	leaderRoles = words("leader leading primary master coordinator leadership")
	// unrealWords make of a sentence a negation, a condition, a wish, an attempt or a question.
	unrealWords = words("not no never none nobody neither nor cannot can't couldn't didn't doesn't don't isn't " +
		"wasn't won't wouldn't aren't haven't hasn't n't " +
		"without insufficient unable lost lose loses losing lack lacks lacking try tries tried trying attempt " +
		"attempts attempted attempting want wants wanted wanting " +
		"will would should could can may might must shall if when whenever unless until before wait waits waiting " +
		"expect expects expected expecting " +
		"about ready pending blocked queued waiting need needs needed request requests requested requesting go goes " +
		"prevent prevents prevented abort " +
		"aborts aborted aborting cancel cancelled canceled " +
		"ignore ignores ignored ignoring skip skips skipped skipping unknown down dead unreachable invalid wrong " +
		"whether possible possibly eligible old former previous ex " +
		"ask asks asked asking why how longer instead suspected suspect suspects stale silent unresponsive overdue busy contended")
	unrealStems = []string{"fail", "refus", "reject", "den", "error", "disconnect", "miss", "unhealth"}
	// lateWords are of what should have come from a leader.
	lateWords = words("timeout timeouts expired expires late overdue")
	// clauseWords begin a clause of their own.
	clauseWords = words("because since but so while after although however therefore and with")
	// votedKeys are the keys of a vote, as in "votedFor=n2 term=3".
	votedKeys = words("votedfor votefor")
	// nameKeys are the keys of a name, as in "leader id=2".
	nameKeys = words("id name node server process member peer address addr")
	// acceptVerbs are verbs by which the subject takes the object for something.
	acceptVerbs = words("accept accepts accepted accepting acknowledge acknowledges acknowledged acknowledging recognize " +
		"recognizes recognized recognizing recognise recognises recognised recognising adopt adopts adopted adopting " +
		"confirm confirms confirmed confirming")
	// beforeLeader are the words between the word leader and the name of the leader.
	beforeLeader = words("address addr is now changed to node server process member = as the set id of for in at term epoch ballot round view")
	// followLeads may follow a role that is meant for the writer, before a term or a count.
	followLeads = words("at in for of on with by state role mode now node since after")
)

// unreal reports whether a word, such as "would", means that the clause is not a fact.
func unreal(word string) bool {
	if unrealWords[word] || strings.HasSuffix(word, "n't") {
		return true
	}
	return slices.ContainsFunc(unrealStems, func(stem string) bool {
		return strings.HasPrefix(word, stem) && word != "denoted" && word != "dense"
	})
}

// clause is a part of a sentence with one verb.
type clause struct {
	tokens []token
	first  int // the number of the clause's first token in the sentence
	// numbered is true if a number follows each role in the log, so that such a number does not name a leader.
	numbered bool
}

// clauses splits the sentence at signs and conjunctions.
func (k *sort) clauses() (clauses []clause) {
	begin := 0
	cut := func(end int) {
		if end > begin {
			clauses = append(clauses, clause{k.tokens[begin:end], begin, k.numbered})
		}
	}
	for i := range k.tokens {
		t := &k.tokens[i]
		switch word := t.lower(); {
		case clauseWords[word] && i > begin:
			cut(i)
			begin = i
		case word == "-" && i == 1: // a name before a sentence
			begin = i + 1
		case strings.HasSuffix(t.trail, ",") && i == begin+2 && t.name() && isSelf(k.tokens[begin:i]): // I am n2, the leader
		case strings.ContainsAny(t.trail, ",;.!"), strings.Contains(t.trail, ":") && !stateNouns[word] && !announces(k.tokens[begin:i+1]):
			cut(i + 1)
			begin = i + 1
		}
	}
	cut(len(k.tokens))
	return clauses
}

// isSelf reports whether the words are "I am" or "we are".
func isSelf(tokens []token) bool {
	return selfWords[tokens[0].lower()] && stateVerbs[tokens[1].lower()]
}

// announces reports whether the words announce the name of a leader after a colon, as in "leader:" and "leader of
// term 2:".
func announces(tokens []token) bool {
	role := slices.IndexFunc(tokens, func(t token) bool { return leaderRoles[t.lower()] })
	return role >= 0 && !slices.ContainsFunc(tokens[role+1:], func(t token) bool {
		return !beforeLeader[t.lower()] && !number().MatchString(t.core)
	})
}

// claim returns the first claim of the sentence. Reported speech and questions have no claim.
func (k *sort) claim() claim {
	if k.retells() {
		return claim{}
	}
	var first claim
	for _, c := range k.clauses() {
		switch said := c.claim(); {
		case first.kind == noClaim:
			first = said
		case said.kind == follows && first.kind == takesRole && first.object >= 0 && !leaderRoles[k.tokens[first.object].lower()]:
			return said // a secondary, and following n3
		}
	}
	return first
}

// retells reports whether the sentence is a question, or quotes a process, perhaps its writer at another time.
func (k *sort) retells() bool {
	for i := range k.tokens {
		t := &k.tokens[i]
		retold := strings.Contains(t.trail, ":") && (retellings[t.lower()] || t.process && i > 0 && agentLeads[k.tokens[i-1].lower()] != nil)
		// After "votes received:" comes a number or a name.
		if strings.Contains(t.trail, "?") || retold && i+1 < len(k.tokens) && !k.tokens[i+1].value {
			return true
		}
	}
	return reported().MatchString(k.words()) || slices.ContainsFunc(k.clauses(), func(c clause) bool { return c.quotes() })
}

var (
	// retellings are words before a colon after which a sentence of another process or time is repeated.
	retellings = words("received recv heard reported forwarded relayed replayed replay dump history previous previously " +
		"last earlier before old quote quoted echo copy example expected")
	reported = text.Pattern(`\breported by\b|\baccording to\b`)
)

var speechVerb = text.Pattern(`^(?:claim(?:s|ed|ing)?|sa(?:y|ys|id|ying)|t(?:ell|ells|old))$`)

// quotes reports whether the clause introduces or contains reported speech, as after "claims:".
func (c *clause) quotes() bool {
	verb := slices.IndexFunc(c.tokens, func(t token) bool { return speechVerb().MatchString(t.lower()) })
	return verb > 0 || verb == 0 && strings.Contains(c.tokens[0].trail, ":")
}

// claim returns the claim of the clause. A clause that is not a fact has none.
func (c *clause) claim() claim {
	if said := c.resigned(); said.kind != noClaim {
		return said
	}
	for i := range c.tokens {
		if word := c.word(i); unreal(word) && !(word == "down" && stepVerbs[c.word(i-1)]) && !c.formerAt(i) {
			return claim{}
		}
	}
	if said := c.vote(); said.kind != noClaim {
		return said
	}
	if said := c.won(); said.kind != noClaim {
		return said
	}
	if said := c.change(); said.kind != noClaim {
		return said
	}
	if said := c.elected(); said.kind != noClaim {
		return said
	}
	// A dump of the state has a role beside the vote, and the role counts more.
	voted := slices.IndexFunc(c.tokens, func(t token) bool { return votedKeys[t.key()] && t.name() })
	if voted < 0 || c.ofPeer() {
		return claim{}
	}
	return claim{votesFor, ownSubject, c.first + voted}
}

// resigned recognises "SUBJECT is no longer leader" and "SUBJECT lost leadership". Only these negations state a fact.
func (c *clause) resigned() claim {
	if verb := slices.IndexFunc(c.tokens, func(t token) bool { return c.loses(t.lower()) }); verb >= 0 {
		for i := range c.tokens {
			if word := c.word(i); i != verb && unreal(word) || i == verb+1 && word == "by" && c.word(verb) == "lost" { // will lose, lost by n1
				return claim{}
			}
		}
		return c.withoutObject(stepsDown, verb)
	}
	at := c.index("longer")
	if at < 1 || c.word(at-1) != "no" {
		return claim{}
	}
	role := at + 1
	for articles[c.word(role)] || c.word(role) == "a" {
		role++
	}
	subject := c.subject(at-1, false)
	if !leaderRoles[c.word(role)] || subject == noSubject {
		return claim{}
	}
	return claim{stepsDown, subject, impliedObject}
}

// loses reports whether a verb of the clause ends leadership, as in "lost leadership", "leadership has been revoked",
// "stopped leading", "resigned as leader" and "demoted".
func (c *clause) loses(verb string) bool {
	at := c.index(verb)
	if verb == "demoted" || verb == "demoting" {
		return at+1 == len(c.tokens) || !c.tokens[at+1].name()
	}
	next := at + 1
	for articles[c.word(next)] || beforeLost[c.word(next)] {
		next++
	}
	switch role := c.word(next); {
	case stopVerbs[verb]:
		return role == "leading" || role == "lead" || leaderRoles[role] && (c.next(at) == "being" || c.next(at) == "as")
	case !loseVerbs[verb]:
		return false
	case next == len(c.tokens) && (strings.HasPrefix(verb, "resign") || strings.HasPrefix(verb, "abdicat")): // nothing else is resigned
		return true
	case role == "leadership", leaderRoles[role] && (heldWords[c.next(next)] || c.word(next-1) == "as"):
		return true
	}
	return c.word(0) == "leadership" && !slices.ContainsFunc(c.tokens[1:at], func(t token) bool { return !quietWords[t.lower()] })
}

var (
	// beforeLost are the words between such a verb and what is lost.
	beforeLost = words("up as being to our my over")
	// heldWords are the words after a role for what its holder loses.
	heldWords = words("lock lease role status position")
)

// vote recognises "SUBJECT voted for OBJECT", "granted vote to OBJECT" and "vote granted to OBJECT".
func (c *clause) vote() claim {
	verb := -1
	for i := range c.tokens {
		// The noun is no verb: votes of a majority.
		if word := c.word(i); verb < 0 && voteVerbs[word] && word != "vote" && (word != "votes" || c.next(i) == "for") {
			verb = i
		}
	}
	// The noun is the verb where nothing but the candidate follows: "vote for n2".
	if first := c.index("vote"); verb < 0 && first >= 0 && c.next(first) == "for" {
		verb = first
	}
	if verb < 0 {
		return claim{}
	}
	vote := strings.HasPrefix(c.tokens[verb].lower(), "vot")
	for i := range c.tokens {
		t := &c.tokens[i]
		switch word := t.lower(); {
		case word == "vote" || word == "votes":
			vote = true
		case word == "by" || word == "from" || word == "received":
			return claim{}
		case i > verb && vote && (c.before(i, "for") || c.before(i, "to") || c.before(i, "candidate") ||
			t.key() != "to" && rank(t.key(), candidateFields) >= 0) && t.name():
			subject := c.subject(verb, c.word(verb-1) == "vote") // vote granted to OBJECT
			if subject == noSubject {
				return claim{}
			}
			return claim{votesFor, subject, c.first + i}
		}
	}
	if subject := c.subject(verb, true); vote && subject == ownSubject {
		return claim{votesFor, subject, impliedObject}
	}
	return claim{}
}

// won recognises "won the election", "stepping down" and "starting election round".
func (c *clause) won() claim {
	for i := range c.tokens {
		word := c.tokens[i].lower()
		kind, object := noClaim, impliedObject
		switch {
		case wonVerbs[word] && c.has(i, "election", "leadership", "campaign"), c.takesLeadership(i):
			kind = takesRole
		case wonVerbs[word] && i == 1 && (c.word(0) == "election" || c.word(0) == "campaign") &&
			c.next(i) != "by" && c.tokens[i].trail == "":
			return claim{takesRole, ownSubject, impliedObject}
		case stepVerbs[word] && (c.next(i) == "down" || c.next(i) == "aside"):
			kind = stepsDown
		case startVerbs[word] && c.next(i) == "leading" && !c.continues(i+1), startVerbs[word] && c.next(i) == "to" && c.next(i+1) == "lead":
			return c.withoutObject(takesRole, i)
		// A started election makes a candidate in this form only; "starting election timer" does not.
		case startVerbs[word] && c.next(i) == "election" &&
			c.next(i+1) == "round", (word == "standing" || word == "running") && c.next(i) == "for" &&
			(c.next(i+1) == "election" || leaderRoles[c.next(i+1)]), word == "campaigning":
			kind = isCandidate
		default:
			continue
		}
		ofItself := participles[word] || word == "winning" || kind == isCandidate || strings.HasSuffix(word, "ing") && takeVerbs[word]
		if subject := c.subject(i, ofItself); subject != noSubject {
			return claim{kind, subject, object}
		}
	}
	return claim{}
}

// withoutObject returns a claim without an object, whose verb needs no subject.
func (c *clause) withoutObject(kind claimKind, verb int) claim {
	if subject := c.subject(verb, true); subject != noSubject {
		return claim{kind, subject, impliedObject}
	}
	return claim{}
}

// takesLeadership reads "took leadership of term 2", "takes over the leadership" and "leadership acquired".
func (c *clause) takesLeadership(verb int) bool {
	if !takeVerbs[c.word(verb)] {
		return false
	}
	if c.word(0) == "leadership" && quietWords[c.word(verb-1)] {
		return c.next(verb) != "by"
	}
	next := verb + 1
	for word := c.word(next); word == "over" || word == "the" || word == "up"; word = c.word(next) {
		next++
	}
	return c.word(next) == "leadership" && (next+1 == len(c.tokens) || !c.continues(next))
}

// change recognises "SUBJECT became leader", and the state as a field, such as "state: leader".
func (c *clause) change() claim {
	for i := range c.tokens {
		role := &c.tokens[i]
		if !roleWords[role.lower()] || role.lead != "" && strings.ContainsAny(role.lead, "[(") {
			continue
		}
		if formerKeys[role.key()] || arrows[c.next(i)] && roleWords[c.next(i+1)] { // from=candidate to=leader
			continue
		}
		if rank(role.key(), roleFields) >= 0 && role.key() != "to" {
			if c.ofPeer() {
				return claim{}
			}
			if first := &c.tokens[0]; first.process && first.key() == "" { // n1 reports state=leader
				return claim{takesRole, c.first, c.first + i}
			}
			return claim{takesRole, ownSubject, c.first + i}
		}
		verb := c.verbBefore(i)
		isWord := func(t token) bool { return !punctuation().MatchString(t.core) }
		if !slices.ContainsFunc(c.tokens[:i], isWord) && (c.first == 0 && c.heading(i) || i == 0 && len(c.tokens) == 2 && c.next(0) == "now") {
			verb = 0
		}
		if verb < 0 || c.continues(i) {
			continue
		}
		if verb > 0 && c.tokens[verb-1].lower() == "to" { // votes to become leader
			return claim{}
		}
		if subject := c.subject(verb, participles[c.tokens[verb].lower()] || verb == i); subject != noSubject {
			return claim{takesRole, subject, c.first + i}
		}
		return claim{}
	}
	return claim{}
}

// formerKeys are keys for the role before a change.
var formerKeys = words("from old oldrole oldstate prev prevrole prevstate previous previousrole previousstate was last")

// ofPeer reports whether the clause is about another process, as in peer=n1 role=leader.
func (c *clause) ofPeer() bool {
	return slices.ContainsFunc(c.tokens, func(t token) bool {
		return t.lower() == "peer" || rank(t.key(), []string{"peer", "remote", "other", "neighbor"}) >= 0
	})
}

// verbBefore returns the verb of change that the role belongs to, or -1. Only words such as "the" may be between
// them, and before "to" also other roles.
func (c *clause) verbBefore(role int) int {
	for i := role - 1; i >= 0; i-- {
		word := c.tokens[i].lower()
		switch {
		case i == 2 && c.tokens[i].name() && isSelf(c.tokens): // I am n2
		case c.tokens[i].value && !roleWords[word]:
			return -1
		case changeVerbs[word]:
			// "is now", "am now": the verb is the first of them
			for i > 0 && stateVerbs[c.tokens[i-1].lower()] {
				i--
			}
			return i
		case word == "as" && (startVerbs[c.word(i-1)] || c.word(i-1) == "serving"):
			return i - 1
		case word == "over" && takeVerbs[c.word(i-1)]: // taking over as primary
			return i - 1
		case between[word], roleWords[word], stateNouns[word]:
		default:
			return -1
		}
	}
	// Without a verb only "leader -> follower" is left, or "state: leader".
	if noun := strings.Trim(c.word(role-1), ":"); stateNouns[noun] && noun != "current" ||
		role > 1 && arrows[c.tokens[role-1].lower()] && roleWords[c.tokens[role-2].lower()] {
		first := role
		for first > 0 && (between[c.tokens[first-1].lower()] || roleWords[c.tokens[first-1].lower()] || stateNouns[c.tokens[first-1].lower()]) {
			first--
		}
		if first == 0 || c.tokens[first-1].value {
			return first
		}
	}
	return -1
}

// continues reports whether the words after the role give it to another process or change its meaning. Examples are
// "leader n2", "leader is n2", "leader of queue 7" and "leader election".
func (c *clause) continues(role int) bool {
	if strings.Contains(c.tokens[role].trail, ":") && role+1 < len(c.tokens) && c.tokens[role+1].name() { // leader: n2
		return true
	}
	if role+1 >= len(c.tokens) || strings.ContainsAny(c.tokens[role].trail, ",;:.)") {
		return false
	}
	next := &c.tokens[role+1]
	word := next.lower()
	switch {
	case next.lead != "" || next.key() != "" || slices.Contains(termWords, word): // (term 3), term=3
		return false
	case word == "of" || word == "for" || word == "on":
		after := c.next(role + 1)
		if after == "the" || after == "this" || after == "a" {
			after = c.next(role + 2)
		}
		ofTerm := slices.Contains(termWords, strings.TrimRight(after, "=:0123456789"))
		return !ofTerm && !groupNouns[after] && after != "cluster" && after != "ring"
	case followLeads[word], arrows[word]:
		return arrows[word] && roleWords[c.next(role+1)]
	case punctuation().MatchString(next.core):
		return false
	}
	return true
}

// heading reports whether the clause is only a role with its term, such as "leader of term 3".
func (c *clause) heading(role int) bool {
	return !slices.ContainsFunc(c.tokens[role+1:], func(t token) bool {
		word := strings.Trim(t.lower(), "=:")
		return t.lead != "(" && !followLeads[word] && !punctuation().MatchString(t.core) && !slices.Contains(termWords, word) &&
			!number().MatchString(t.core) && !slices.Contains(termWords, t.key())
	})
}

// counts reports whether a number counts what follows it, as in "2 nodes" and "1 second(s)".
func (c *clause) counts(i int) bool {
	next := i + 1
	for otherWords[c.word(next)] {
		next++
	}
	if !number().MatchString(c.word(i)) || next >= len(c.tokens) {
		return false
	}
	noun, plural := strings.CutSuffix(c.word(next), "s")
	return processNouns[noun] || countedNouns[noun] && (plural || strings.HasPrefix(c.tokens[next].trail, "("))
}

// counts reports whether a number of the line counts what follows it.
func (k *sort) counts(i int) bool { return (&clause{tokens: k.tokens}).counts(i) }

// countedNouns are nouns after numbers, except those for processes.
var countedNouns = words("nanosecond microsecond millisecond second minute hour time vote byte tick attempt")

// signedWord is the name of an event, as in "+sdown master n1".
var signedWord = text.Pattern(`^[+-][a-z]`)

// elected recognises "leader is OBJECT", "new leader OBJECT", "following OBJECT" and "OBJECT is the new leader".
func (c *clause) elected() claim {
	for i := range c.tokens {
		t := &c.tokens[i]
		if !t.name() || slices.Contains(termWords, c.word(i-1)) || groupNouns[t.key()] || c.counts(i) || signedWord().MatchString(c.word(0)) {
			continue
		}
		if strings.Contains(t.lead, "(") && !t.process && !digits().MatchString(t.core) { // LEADING (n.state)
			continue
		}
		if rank(t.key(), leaderFields) >= 0 || c.accepts(i) {
			return claim{electedIs, ownSubject, c.first + i}
		}
		if t.key() != "" && !nameKeys[t.key()] { // leader term=1
			continue
		}
		if number().MatchString(t.core) && (c.numbered || !t.process) && t.key() == "" && leaderRoles[c.word(i-1)] { // leader 2
			continue
		}
		for before := i - 1; before >= 0 && t.lead == strings.TrimLeft(t.lead, "=:"); before-- {
			word := strings.Trim(c.tokens[before].lower(), ":=")
			following := word == "following" || leaderRoles[word] &&
				(c.word(before-1) == "following" || articles[c.word(before-1)] && c.word(before-2) == "following")
			if !following && (leaderRoles[word] && word != "leadership" || word == "elected") {
				return claim{electedIs, ownSubject, c.first + i}
			}
			if following {
				return claim{follows, ownSubject, c.first + i}
			}
			if c.formerAt(before) { // changed from n1 to OBJECT
				before--
				continue
			}
			if !beforeLeader[word] && !(number().MatchString(word) && slices.Contains(termWords, c.word(before-1))) {
				break
			}
		}
	}
	if c.word(0) == "following" && leaderRoles[c.word(len(c.tokens)-1)] {
		return claim{stepsDown, ownSubject, impliedObject}
	}
	return claim{}
}

// formerAt reports whether the word at a place is the former value of a change, as in "from none to n2".
func (c *clause) formerAt(i int) bool { return c.word(i-1) == "from" && c.next(i) == "to" }

// accepts recognises "accepted OBJECT as the new leader".
func (c *clause) accepts(object int) bool {
	role := object + 2
	for articles[c.word(role)] || c.word(role) == "new" || c.word(role) == "our" {
		role++
	}
	return object > 0 && acceptVerbs[c.word(object-1)] && c.next(object) == "as" && leaderRoles[c.word(role)]
}

// subject returns the subject of the verb at a place: the token with its name, ownSubject or noSubject.
func (c *clause) subject(verb int, participle bool) int {
	named, hasOther, unknown := noSubject, false, false
	for i := range verb {
		t := &c.tokens[i]
		word := t.lower()
		switch {
		case roleWords[word] && t.lead != "": // Node at n1 [Leader] entering ...
		case i == 0 && c.first == 0 && t.lead == "(" && !t.process: // (VI_1) entering
		case word == "a" && i+1 == verb && !t.process: // no verb follows an article
			return noSubject
		case c.counts(i):
			return noSubject
		case !t.process && (groupNouns[word] || groupNouns[t.key()] || groupNouns[c.word(i-1)]): // shard s1 became leader
		case i > 0 && t.glued && strings.HasSuffix(c.tokens[i-1].trail, "("): // VRRP_Instance(VI_1)
			unknown = true
		case t.name() && !slices.Contains(termWords, c.word(i-1)) && !slices.Contains(termWords, t.key()):
			if named != noSubject && !t.process {
				return noSubject
			}
			named = c.first + i
		case selfWords[word]:
			return ownSubject
		case otherWords[word]:
			hasOther = true
		case quietWords[word], stateNouns[word], punctuation().MatchString(t.core), number().MatchString(t.core):
		case between[word] && verb == len(c.tokens)-1:
		default:
			unknown = true
		}
	}
	switch {
	case unknown && named != noSubject && !participle:
		return noSubject
	case named != noSubject:
		return named
	case hasOther, unknown && !participle:
		return noSubject
	}
	return ownSubject
}

// actorAt returns the subject of a sentence without a claim, by its name at the beginning or as the agent of a passive
// verb: node w1 acquired lock, lock released by w1, lock granted to w1, vote yes from p1. Without a name it is
// ownSubject.
func (k *sort) actorAt() int {
	if k.verb != "" || len(k.tokens) < 2 {
		return ownSubject
	}
	first := 0
	// A noun of one or two letters, as in "id 7", may be of a request.
	for first < len(k.tokens)-1 && (articles[k.tokens[first].lower()] || len(k.tokens[first].core) > 2 && k.nounAt(first)) {
		first++
	}
	if t := &k.tokens[first]; t.process || first > 0 && t.name() && k.nounAt(first-1) {
		return first
	}
	for i := 1; i < len(k.tokens); i++ {
		before := i - 1
		for before > 0 && (articles[k.tokens[before].lower()] || k.nounAt(before)) {
			before--
		}
		t, word := &k.tokens[i], k.tokens[before].lower()
		passive := slices.ContainsFunc(k.tokens[:before], func(t token) bool { return agentLeads[word][t.lower()] })
		if passive && t.lead == "" && t.name() {
			return i
		}
	}
	return ownSubject
}

// nounAt reports whether a word for processes is at the place.
func (k *sort) nounAt(i int) bool { return processNouns[k.tokens[i].lower()] }

// agentLeads are the words before the process that a sentence is about, and the words that come before these.
var agentLeads = map[string]map[string]bool{
	"by": words("acquired taken obtained granted released freed dropped entered left held locked unlocked voted " +
		"committed aborted"),
	"to":   words("granted given assigned"),
	"from": words("vote votes voted yes no"),
}

// name reports whether the token may be the name of a process.
func (t *token) name() bool {
	return (t.process || t.value) && !t.role && !roleWords[t.lower()] && processName().MatchString(t.core)
}

// word returns a word in lower case, or "" outside the clause.
func (c *clause) word(i int) string {
	if i < 0 || i >= len(c.tokens) {
		return ""
	}
	return c.tokens[i].lower()
}

func (c *clause) next(i int) string { return c.word(i + 1) }

// index returns the place of a word, or -1.
func (c *clause) index(word string) int {
	return slices.IndexFunc(c.tokens, func(t token) bool { return t.lower() == word })
}

func (c *clause) before(i int, word string) bool {
	return c.word(i-1) == word || (c.word(i-1) == "node" || c.word(i-1) == "server" ||
		c.word(i-1) == "candidate" || c.word(i-1) == "process") &&
		c.word(i-2) == word
}

// has reports whether one of the words occurs after the place.
func (c *clause) has(i int, any ...string) bool {
	return slices.ContainsFunc(c.tokens[i+1:], func(t token) bool { return slices.Contains(any, t.lower()) })
}
