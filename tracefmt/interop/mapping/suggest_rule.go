package mapping

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// meaning is what the lines of a sort are taken for.
type meaning struct {
	groups map[int]string // names of tokens
	parts  []string       // keys of the rule: state: {role: leader}
	term   bool           // it has, or may carry, a term
}

var (
	sendWords    = regexp.MustCompile(`^(?:\S+ )?(?:re)?(?:send|sends|sending|sent|->|tx|ask|asking)\b`)
	receiveWords = regexp.MustCompile(`^(?:\S+ )?(?:receive|receives|received|receiving|recv|got|get|gets|handling|<-|rx)\b`)
	sendActs     = regexp.MustCompile(`(?i)^(?:send|sends|sent|sending|tx|out)$`)
	receiveActs  = regexp.MustCompile(`(?i)^(?:receive|receives|received|recv|deliver|delivered|rx|in)$`)
	leaderWords  = regexp.MustCompile(`\b(?:becomes?|became|becoming|elected|won|wins|entering|as|am|is|my|new|now)\b.*\b(?:leader|coordinator|primary|master)\b|\b(?:leader|coordinator|primary|master)(?: node)? is\b`)
	noLeader     = regexp.MustCompile(`\b(?:follower|candidate|lost|lose|loses|losing|catch|no|not|down|without|waiting|unknown)\b`)
	candidate    = regexp.MustCompile(`\b(?:becomes?|became|becoming|entering|now|am)\b.*\bcandidate\b`)
	follower     = regexp.MustCompile(`\b(?:becomes?|became|becoming|entering|now|am)\b.*\bfollower\b|\b(?:steps?|stepped|stepping) down\b`)
	votes        = regexp.MustCompile(`\b(?:votes?|voted|voting)\b.*\b(?:for|to) \*`)
	voteNot      = regexp.MustCompile(`\b(?:refus\w+|reject\w+|den\w+|ask\w+|request\w*|not|receiv\w+|got)\b`)
	entersWords  = regexp.MustCompile(`\b(?:enter|enters|entered|entering|acquired|acquires)\b.*\b(?:critical|cs|section|lock|mutex)\b`)
	leavesWords  = regexp.MustCompile(`\b(?:leave|leaves|leaving|left|exit|exits|exited|exiting|released|releases)\b.*\b(?:critical|cs|section|lock|mutex)\b`)
	startWords   = regexp.MustCompile(`^(?:\S+ ){0,2}(?:start|starts|started|starting|boot|booting|booted|up|launched|initialised|initialized)\b`)
	electionWord = regexp.MustCompile(`\belection\b`)
)

// meaning returns what a sort of lines means, nil for a sort without one that is known.
func (k *sort) meaning(s *sample, r *roles, b bold) *meaning {
	m := &meaning{groups: make(map[int]string)}
	words := k.words()
	m.term = k.findTerm(m, r)
	switch {
	case b.messages && k.message(m, r, b, words):
		return m
	case b.lives && k.starts > 0 && k.starts == len(k.writers) && startWords.MatchString(words) && !electionWord.MatchString(words):
		m.parts = append(m.parts, "start: ")
	case entersWords.MatchString(words):
		m.parts = append(m.parts, "note: enter")
	case leavesWords.MatchString(words):
		m.parts = append(m.parts, "note: exit")
	case votes.MatchString(words) && !voteNot.MatchString(words) && k.role(m, "candidate", "for", "to"):
		m.state("votedFor: '${candidate}'")
	case candidate.MatchString(words):
		m.state("role: candidate")
	case follower.MatchString(words):
		m.state("role: follower")
	case leaderWords.MatchString(words) && !noLeader.MatchString(words):
		if k.role(m, "leader", "leader", "coordinator", "is", "elected", "") {
			m.state("elected: '${leader}'")
		} else {
			m.state("role: leader")
		}
	default:
		return nil
	}
	return m
}

// state says that variables have values.
func (m *meaning) state(assignment string) {
	if m.term {
		assignment += ", term: '${term}'"
	}
	m.parts = append(m.parts, "state: {"+assignment+"}")
}

// findTerm names the number after the word term, and reports whether there is a term.
func (k *sort) findTerm(m *meaning, r *roles) bool {
	for i, t := range k.tokens {
		before := ""
		if i > 0 {
			before = strings.Trim(strings.ToLower(k.tokens[i-1].core), ":=")
		}
		lead := strings.ToLower(strings.Trim(t.lead, "([{<\"'=:"))
		if slices.Contains(termWords, lead) || t.lead == "" && slices.Contains(termWords, before) {
			if number.MatchString(t.core) && !(t.process && lead == "") || number.MatchString(t.core) && slices.Contains(termWords, before) {
				m.groups[i] = "term"
				k.tokens[i].process, k.tokens[i].value = false, true
				return true
			}
		}
	}
	return r.term == "term" && number.MatchString(k.first.fields["term"])
}

var termWords = []string{"term", "currentterm", "epoch", "ballot", "round", "view"}

// role names the process that comes after one of the words, "" for anywhere.
func (k *sort) role(m *meaning, name string, after ...string) bool {
	for _, word := range after {
		for i, t := range k.tokens {
			if _, taken := m.groups[i]; taken || !t.process {
				continue
			}
			if word == "" || i > 0 && strings.EqualFold(k.tokens[i-1].core, word) {
				m.groups[i] = name
				return true
			}
		}
	}
	return false
}

// message says that the lines are one end of messages, where they are.
func (k *sort) message(m *meaning, r *roles, b bold, words string) bool {
	sends := sendActs.MatchString(k.act) || !r.acts && k.act == "" && sendWords.MatchString(words)
	receives := receiveActs.MatchString(k.act) || !r.acts && k.act == "" && receiveWords.MatchString(words)
	if !sends && !receives && !r.acts {
		sends, receives = sendWords.MatchString(words), receiveWords.MatchString(words)
	}
	if sends == receives {
		return false
	}
	kind, key, field := "send", "to", r.to
	if receives {
		kind, key, field = "receive", "from", r.from
	}
	peer, named := k.structuredPeer(r, field), true
	if peer == "" {
		if peer = key; !k.peerAfter(m, key) {
			return false
		}
	}
	m.parts = append(m.parts, fmt.Sprintf("%s: %s, %s: '${%s}'", kind, k.messageType(m, r), key, peer))
	sender := "process"
	if receives {
		sender = peer
	}
	if named = b.names && k.messageName(m, r); named {
		id := "id"
		if r.id != "" && k.first.fields[r.id] != "" {
			id = r.id
		}
		m.parts = append(m.parts, fmt.Sprintf("message: '${%s}/${%s}'", sender, id))
	}
	if m.term {
		m.parts = append(m.parts, "term: '${term}'")
	}
	return true
}

// structuredPeer is the field that has the other end, "" for none.
func (k *sort) structuredPeer(r *roles, field string) string {
	for _, f := range []string{field, r.peer} {
		if f != "" && k.first.fields[f] != "" && f != r.process {
			return f
		}
	}
	return ""
}

// peerAfter names the word after the preposition, which is a process or looks like one.
func (k *sort) peerAfter(m *meaning, preposition string) bool {
	for i, t := range k.tokens {
		if i == 0 || !t.value || !plainName.MatchString(t.core) || !digits.MatchString(t.core) && !t.process || t.lead != "" {
			continue
		}
		before := strings.ToLower(k.tokens[i-1].core)
		if _, taken := m.groups[i]; !taken && (before == preposition || preposition == "to" && before == "->" || preposition == "from" && before == "<-") {
			m.groups[i] = preposition
			return true
		}
	}
	return false
}

// messageType is the type of the messages, as a value of a mapping.
func (k *sort) messageType(m *meaning, r *roles) string {
	if r.typ != "" && k.first.fields[r.typ] != "" {
		return "'${" + r.typ + "}'"
	}
	var list []string
	verb := false
	for i, t := range k.tokens {
		word := strings.ToLower(t.core)
		if verb && prepositions[word] {
			break
		}
		if verb && !t.value && m.groups[i] == "" && !fillers[word] && plainWord.MatchString(t.core) {
			list = append(list, t.core)
		}
		verb = verb || sendWords.MatchString(word) || receiveWords.MatchString(word)
	}
	if len(list) == 0 {
		return "message"
	}
	return quoted(strings.Join(list[:min(len(list), 3)], " "))
}

// The words that end the type of a message, and those that do not belong to it.
var (
	prepositions = map[string]bool{"to": true, "from": true, "->": true, "<-": true}
	fillers      = map[string]bool{"a": true, "an": true, "the": true, "message": true}
)

// messageName names the number that tells messages apart, such as #7 or id=7.
func (k *sort) messageName(m *meaning, r *roles) bool {
	if r.id != "" && k.first.fields[r.id] != "" {
		return true
	}
	for i, t := range k.tokens {
		lead := strings.ToLower(t.lead)
		if _, taken := m.groups[i]; !taken && t.value && !t.process && (strings.HasSuffix(lead, "#") || strings.HasSuffix(lead, "id=") || strings.HasSuffix(lead, "id:")) {
			m.groups[i] = "id"
			return true
		}
	}
	return false
}
