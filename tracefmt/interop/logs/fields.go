package logs

import (
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Fields beside a sentence may complete it or deny it: {"event":"role","value":"leader"}, {"msg":"acquire
// lock","ok":false}, {"msg":"acquire lock","error":"timeout"}.

var (
	// outcomeFields show by a word whether the act of the sentence succeeded. A value of errorFields means that it
	// failed.
	outcomeFields = []string{
		"success", "succeeded", "ok", "granted", "acquired", "accepted", "won", "result", "outcome", "status",
	}
	errorFields  = []string{"error", "err", "exception", "errormessage", "errormsg", "errortext"}
	goodOutcomes = words("true ok success succeeded successful granted acquired accepted won done")
	badOutcomes  = words("false failed failure fail denied rejected refused error timeout timedout lost")
	// leadFlags show whether the writer leads.
	leadFlags = words("isleader isprimary ismaster iscoordinator amleader leading")
	// modeFields may have a word of sharedModes: several processes hold such a lock together.
	modeFields  = []string{"mode", "lockmode", "locktype", "access", "accessmode", "type", "kind"}
	sharedModes = words("shared share read reader rlock")
	// modeFlags are fields that show with this value that the mode is shared.
	modeFlags = map[string]string{
		"shared": "true", "readonly": "true", "isshared": "true", "exclusive": "false", "isexclusive": "false",
	}
	// othersFields may name the process that the sentence is about.
	othersFields  = slices.Concat(peerFields, fromFields, subjectFields)
	subjectFields = []string{"member", "memberid", "subject", "who"}
	// pairFields complete an event that consists of a name, such as role or vote.
	pairFields = []string{
		"value", "val", "arg", "data", "result", "answer", "vote", "decision", "outcome", "verdict", "role", "newrole",
	}
	pairedWords = words("yes no commit abort committed aborted")
	// ownWord are pairFields whose name belongs to the sentence.
	ownWord = words("vote decision outcome verdict")
	// pairedLeads are the last words of an event whose value is a process.
	pairedLeads = words("leader coordinator primary master elected following for vote voted")
	// eventFields may have the sentence, or the name of an event, if no field of messageFields does.
	eventFields = []string{
		"body", "renderedmessage", "messagetemplate", "mt", "shortmessage", "log", "description", "eventtype",
		"eventname", "evt", "ev", "type", "kind", "name", "what", "operation", "m",
	}
)

// wording is what the lines of a log show about the meaning of its words and fields.
type wording struct {
	// bare is true if acquire(lock) is the entry into a critical section, because no other line is.
	bare bool
	// doing are the verbs that only announce an act, since another line reports the act: entering, where a line has
	// entered.
	doing map[string]bool
	// outcomes and pairs are the fields that deny and complete sentences, locks those with the name of a lock.
	outcomes, pairs, locks []string
	// flags are fields that show whether the writer leads, or that name no leader in some lines.
	flags []string
	// modes are the fields with the mode of a lock.
	modes []string
	// peerKeys are the fields that may name another process than the writer.
	peerKeys []string
}

// failed is the word that a field implies by which the act of a sentence has failed.
const failed = "failed"

// outcome is a field that shows whether an act succeeded, and its condition in a rule.
type outcome struct {
	key, condition string
	good           bool
}

// findWording finds the fields that deny and complete sentences.
func (s *sample) findWording() {
	// A field with other words, such as yes or leader, completes a sentence instead.
	for _, key := range append(s.ranked(outcomeFields), s.ranked(pairFields)...) {
		values := s.values(key)
		known := !slices.ContainsFunc(slices.Collect(maps.Keys(values)), func(v string) bool {
			v = strings.ToLower(v)
			return !goodOutcomes[v] && !badOutcomes[v]
		})
		if known && key != s.shape.msg && !slices.Contains(s.shape.outcomes, key) {
			s.shape.outcomes = append(s.shape.outcomes, key)
		}
	}
	isMessage := func(key string) bool { return key == s.shape.msg }
	s.shape.outcomes = append(s.shape.outcomes, slices.DeleteFunc(s.ranked(errorFields), isMessage)...)
	s.shape.locks = s.ranked(lockFields)
	s.shape.peerKeys = s.ranked(othersFields)
	s.shape.modes = slices.DeleteFunc(s.ranked(modeFields), func(key string) bool {
		return key == s.shape.msg || !slices.ContainsFunc(slices.Collect(maps.Keys(s.values(key))), func(v string) bool {
			return sharedModes[strings.ToLower(v)]
		})
	})
	for _, key := range s.shape.keys {
		values := s.values(key)
		if modeFlags[plainKey(key)] != "" && allMatch(values, boolean) {
			s.shape.modes = append(s.shape.modes, key)
		}
		if leadFlags[plainKey(key)] && allMatch(values, boolean) || rank(key, leaderFields) >= 0 && values[""] {
			s.shape.flags = append(s.shape.flags, key)
		}
	}
	s.shape.pairs = slices.DeleteFunc(s.ranked(pairFields), func(key string) bool {
		return key == s.shape.msg || slices.Contains(s.shape.outcomes, key)
	})
}

// takeFields notes the outcome of the line, and completes its sentence by a field.
func (k *sort) takeFields(rec *sampled, r *roles) {
	// Each field that splits lines of equal words into sorts becomes a condition of their rules.
	for _, key := range r.outcomes {
		value, has := rec.fields[key]
		fails := badOutcomes[strings.ToLower(value)]
		condition := inList(value)
		switch {
		case !has:
			condition = "null"
		case rank(key, errorFields) >= 0 && value != "":
			condition, fails = "/./", true
		}
		k.outcomes = append(k.outcomes, outcome{key, condition, goodOutcomes[strings.ToLower(value)]})
		if fails {
			k.tokens = append(k.tokens, token{core: failed, implied: true})
		}
	}
	for _, key := range r.modes {
		if value := rec.fields[key]; value != "" {
			word := strings.ToLower(value)
			k.shared = k.shared || sharedModes[word] || modeFlags[plainKey(key)] == word
			k.outcomes = append(k.outcomes, outcome{key: key, condition: inList(value)})
		}
	}
	for _, key := range r.flags {
		value, has := rec.fields[key]
		condition := inList(value)
		switch {
		case !has:
			condition = "null"
		case value != "" && !boolean().MatchString(value):
			condition = "/./"
		}
		k.outcomes = append(k.outcomes, outcome{key: key, condition: condition})
	}
	if !k.named {
		return
	}
	lock := slices.ContainsFunc(r.locks, func(key string) bool { return rec.fields[key] != "" })
	if lock && len(k.tokens) == 1 && sectionVerbs[k.tokens[0].lower()] {
		k.tokens = append(k.tokens, token{core: "lock", implied: true})
	}
	last := ""
	if len(k.tokens) > 0 {
		last = k.tokens[len(k.tokens)-1].lower()
	}
	for _, key := range r.pairs {
		value := rec.fields[key]
		word := strings.ToLower(value)
		named := r.names[value] && pairedLeads[last]
		switch keyWord := plainKey(key); {
		case !named && !roleWords[word] && !pairedWords[word], last == "" && !ownWord[plainKey(key)]:
			continue
		case named && strings.HasPrefix(last, "vote"):
			k.tokens = append(k.tokens, token{core: "for", implied: true})
		case ownWord[keyWord] && last != keyWord:
			k.tokens = append(k.tokens, token{core: keyWord, implied: true})
		}
		t := token{core: value, field: key, implied: true, process: named, value: named}
		k.tokens = append(k.tokens, t)
		return
	}
}

// takeOthers notes which fields may name the process that takes a role.
func (k *sort) takeOthers(rec *sampled, r *roles) {
	if k.said.kind != takesRole || k.said.subject != ownSubject {
		return
	}
	for _, key := range r.peerKeys {
		if value, has := rec.fields[key]; key != r.process && has && r.names[r.name(value)] {
			k.subjectKey = key
			k.outcomes = append(k.outcomes, outcome{key: key, condition: "/./"})
			return
		}
	}
	for _, key := range r.peerKeys {
		if _, has := rec.fields[key]; key != r.process && !has {
			k.outcomes = append(k.outcomes, outcome{key: key, condition: "null"})
		}
	}
}

// succeeds reports whether a field of the line shows that the act succeeded.
func (k *sort) succeeds() bool {
	return slices.ContainsFunc(k.outcomes, func(o outcome) bool { return o.good })
}

// flag returns the value of a field that shows whether the writer leads, or "".
func (k *sort) flag() string {
	for _, o := range k.outcomes {
		if value := strings.Trim(o.condition, "'"); leadFlags[plainKey(o.key)] && boolean().MatchString(value) {
			return strings.ToLower(value)
		}
	}
	return ""
}

// leaderless reports whether a field for the leader is empty.
func (k *sort) leaderless() bool {
	return slices.ContainsFunc(k.outcomes, func(o outcome) bool {
		return rank(o.key, leaderFields) >= 0 && o.condition == "['']"
	})
}

var boolean = text.Pattern(`^(?i:true|false)$`)

// speaks reports whether the values of a field describe acts, as sentences or as names of events.
func (s *sample) speaks(key string) bool {
	r := &roles{wording: wording{pairs: s.ranked(pairFields)}}
	return slices.ContainsFunc(s.records, func(rec *sampled) bool {
		k := newSort(rec, key, r)
		return k.said.kind != noClaim || k.sectionOf() || k.castKind() != "" ||
			k.commitment().variable != "" || k.choice().variable != ""
	})
}

// findEvents takes a field for the sentence that has the names of events.
func (s *sample) findEvents() {
	for _, key := range s.ranked(eventFields) {
		if 2*s.having(key) > len(s.records) && s.speaks(key) {
			s.shape.msg = key
			return
		}
	}
}
