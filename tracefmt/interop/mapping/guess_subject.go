package mapping

import "slices"

// A sentence about a critical section, a vote, a decision or a crash may be about another process than its writer: node w1 acquired
// lock, lock released by w1, lock granted to w1, vote yes from p1.

// findSubject finds the process that a sentence without a claim is about.
func (k *sort) findSubject() {
	if k.said.kind != noClaim || k.verb != "" || len(k.tokens) < 2 {
		return
	}
	first := 0
	// A noun of one or two letters, as in "id 7", may be of a request.
	for first < len(k.tokens)-1 && (articles[k.tokens[first].lower()] || len(k.tokens[first].core) > 2 && k.nounAt(first)) {
		first++
	}
	if t := &k.tokens[first]; t.process || first > 0 && t.name() && k.nounAt(first-1) {
		k.about = first
	}
	for i := 1; i < len(k.tokens) && k.about == ownSubject; i++ {
		before := i - 1
		for before > 0 && (articles[k.tokens[before].lower()] || k.nounAt(before)) {
			before--
		}
		t, word := &k.tokens[i], k.tokens[before].lower()
		passive := agentLeads[word] != nil && slices.ContainsFunc(k.tokens[:before], func(t token) bool { return agentLeads[word][t.lower()] })
		if passive && t.lead == "" && t.name() {
			k.about = i
		}
	}
	if k.about != ownSubject {
		k.tokens[k.about].value, k.tokens[k.about].subject = true, true
	}
}

// nounAt reports whether a word for processes is at the place.
func (k *sort) nounAt(i int) bool { return processNouns[k.tokens[i].lower()] }

// agentLeads are the words before the process that a sentence is about, and the words that come before these.
var agentLeads = map[string]map[string]bool{
	"by":   words("acquired taken obtained granted released freed dropped entered left held locked unlocked voted committed aborted"),
	"to":   words("granted given assigned"),
	"from": words("vote votes voted yes no"),
}

// actor returns the process whose act the sentence describes: its subject, or its writer. A report of another process, which may have
// lines of its own, has none.
func (s *sample) actor(k *sort, r *roles) string {
	writer := s.processOf(k.first, r)
	if k.about == ownSubject || k.tokens[k.about].core == writer {
		return writer
	}
	if r.anonymous() {
		return k.tokens[k.about].core
	}
	return ""
}

// retold reports whether a line is about another process that has lines of its own.
func (x *suggestion) retold(k *sort) bool {
	place := k.about
	if k.said.kind != noClaim {
		place = k.said.subject
	}
	if place < 0 {
		return false
	}
	subject := x.name(k.tokens[place].core)
	return subject != x.processOf(k.first, x.roles) && x.names[subject]
}
