package logs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Commitment: participants vote yes or no, and all decide to commit or to abort. Consensus: processes propose values,
// and decide one of them. A log may have many transactions or instances; each is a run.

var (
	yesPhrase = text.Pattern(`\bvot(?:e|es|ed|ing) (?:is |was |to )?(?:yes|commit|ok|ready)\b` +
		`|\b(?:is |now )?(?:prepared|ready) to commit\b|\bprepared(?: \*)?$`)
	noPhrase     = text.Pattern(`\bvot(?:e|es|ed|ing) (?:is |was |to )?(?:no|abort)\b|\bcannot commit\b`)
	commitPhrase = text.Pattern(`\b(?:committed|commits|committing)\b` +
		`|\b(?:decision|decide|decided|decides|outcome|global)(?: is| to| on)? commit\b|^commit(?: \*)?$`)
	abortPhrase = text.Pattern(`\b(?:aborted|aborts|aborting|rolled back|rolling back)\b` +
		`|\b(?:decision|decide|decided|decides|outcome|global)(?: is| to| on)? abort\b|^abort(?: \*)?$`)
	entryPhrase  = text.Pattern(`\b(?:index|entry|entries|log|offset|snapshot|config|configuration)\b`)
	transactions = []string{"tx", "txn", "txid", "tid", "xid", "gid", "transaction", "transactionid"}
	instances    = []string{"slot", "instance", "instanceid", "height"}
	proposeVerbs = words("propose proposes proposed proposing")
	decideVerbs  = words("decide decides decided deciding decision chose chosen choosing learned agreed")
	// choiceNouns are the words that begin a proposal or decision: proposal=x.
	choiceNouns = map[string]string{
		"proposal": "proposed", "propose": "proposed", "proposed": "proposed", "decision": "decided",
		"decide": "decided", "decided": "decided",
	}
	beforeValue  = words("value on the a as is of")
	valueFields  = []string{"value", "v", "proposal", "decision", "decided", "val"}
	withoutSigns = strings.NewReplacer(":", "", "=", "", "_", " ", "-", " ")
)

// decision is a vote, proposal or decision that a sentence states for its writer.
type decision struct {
	variable, value string
	// place is the token with the value, or -1 if a field has it or it is constant.
	place int
}

// commitment returns the vote or decision of a participant in a commit, or the zero decision.
func (k *sort) commitment() decision {
	words := withoutSigns.Replace(constantWords(k.tokens, ownWord))
	switch {
	case k.verb != "", entryPhrase().MatchString(words):
	case noPhrase().MatchString(words):
		return decision{"vote", "no", -1}
	case slices.ContainsFunc(k.tokens, func(t token) bool {
		word := t.lower() // ready to commit
		return unreal(word) && word != "ready" && !strings.HasPrefix(word, "abort")
	}):
	case yesPhrase().MatchString(words):
		return decision{"vote", "yes", -1}
	case commitPhrase().MatchString(words):
		return decision{"decided", "commit", -1}
	case abortPhrase().MatchString(words):
		return decision{"decided", "abort", -1}
	}
	return decision{}
}

// choice returns the proposal or decision of a process in consensus, by the verb and the value after it.
func (k *sort) choice() decision {
	if k.verb != "" || k.said.kind != noClaim || k.unreal() {
		return decision{}
	}
	for i := range min(len(k.tokens), 4) {
		variable, place := "", i+1
		switch word, key := k.tokens[i].lower(), k.tokens[i].key(); {
		case i == 0 && choiceNouns[key] != "": // decision=x
			variable, place = choiceNouns[key], i
		case i == 0 && choiceNouns[word] != "":
			variable = choiceNouns[word]
		case proposeVerbs[word]:
			variable = "proposed"
		case decideVerbs[word]:
			variable = "decided"
		default:
			continue
		}
		for place < len(k.tokens) && (beforeValue[k.tokens[place].lower()] || punctuation().MatchString(k.tokens[place].core)) {
			place++
		}
		if place == len(k.tokens) {
			return decision{variable, "", -1} // a field may have it
		}
		t := &k.tokens[place]
		// A value ends the sentence, or an instance follows.
		if t.process || t.lower() == "to" || place+1 < len(k.tokens) && !inInstance[k.tokens[place+1].lower()] &&
			!slices.Contains(instances, k.tokens[place+1].key()) {
			return decision{}
		}
		return decision{variable, t.core, place}
	}
	return decision{}
}

// inInstance are the words between a value and its instance.
var inInstance = words("in for at from slot instance height")

// findChoice marks the value of a proposal or decision as a word that varies.
func (k *sort) findChoice() {
	if d := k.choice(); d.place >= 0 && d.variable != "" && k.commitment().variable == "" {
		k.tokens[d.place].value = true
	}
}

// deciding is the problem of a log about commitment or consensus.
type deciding struct {
	problem string // "" for none
	// run is the field with the transaction or instance, or "" if all lines are about one. mark is the pattern that
	// extracts it from the text.
	run, mark string
	// retold: no process writes its own vote, so what the coordinator writes of the votes counts.
	retold bool
}

// findDeciding finds out whether the log is about commitment or consensus. It is if it has votes and decisions, or
// proposals and a decision for one of them.
func (g *guesser) findDeciding(sorts []*sort) {
	seen, proposed, decided := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	var commitments, choices []*sort
	voted := false
	for _, k := range sorts {
		if d := k.commitment(); d.variable != "" {
			seen[d.variable] = true
			commitments = append(commitments, k)
			voted = voted || d.variable == "vote" && (k.said.subject == ownSubject || k.ownSubjects > 0)
		}
		d := k.choice()
		if d.variable == "" {
			continue
		}
		choices = append(choices, k)
		for _, rec := range k.samples {
			values := proposed
			if d.variable == "decided" {
				values = decided
			}
			values[g.chosen(rec, d)] = true
		}
	}
	// A log in which no decided value was proposed is about other decisions.
	agreed := false
	for value := range decided {
		agreed = agreed || value != "" && proposed[value]
	}
	switch {
	case seen["vote"] && seen["decided"]:
		g.decides = g.keyOf(tracefmt.Commit, commitments, transactions)
		g.decides.retold = !voted
	case agreed:
		g.decides = g.keyOf(tracefmt.Consensus, choices, instances)
	}
}

// chosen returns the value in a line with a proposal or decision.
func (g *guesser) chosen(rec *sampled, d decision) string {
	if d.place >= 0 {
		return newSort(rec, g.shape.msg, g.roles).tokens[d.place].core
	}
	for _, key := range g.ranked(valueFields) {
		if v := rec.fields[key]; v != "" {
			return v
		}
	}
	return ""
}

// keyOf finds the field that names the transaction or instance of each line. If only some lines name it, no problem
// is assumed.
func (g *guesser) keyOf(problem string, sorts []*sort, keys []string) deciding {
	mark := `(?i)\b(?:` + strings.Join(keys, "|") + `)\s?[=:#]?\s?(?<run>[\w.-]*\d[\w.-]*)`
	re := regexp.MustCompile(mark)
	named, total, field := 0, 0, ""
	for i, k := range sorts {
		for _, rec := range k.samples {
			total++
			if re.MatchString(rec.fields[g.shape.msg]) {
				named++
			}
		}
		key := g.field(k, keys, func(v string) bool { return v != "" })
		if i > 0 && key != field {
			return deciding{}
		}
		field = key
	}
	switch {
	case named == total:
		return deciding{problem: problem, run: "run", mark: mark}
	case named > 0 && field == "":
		return deciding{}
	}
	return deciding{problem: problem, run: field}
}

// undecided returns what is read of decisions, if a line may be about one. Otherwise it is "".
func (s *sample) undecided() string {
	for _, rec := range s.records {
		if word := decisionWord().FindString(rec.text); word != "" {
			return fmt.Sprintf("; %s may be of a decision: such lines are read if they begin as proposed X and decided X do, or as voted "+
				"yes and committed, and if all or none name the instance or transaction", text.Quote(word))
		}
	}
	return ""
}

var decisionWord = text.Pattern(`(?i)\b(?:propos|decid|decision|commit|abort|agreed|consensus|chosen|learned)\w*`)

var (
	coordinatorName = text.Pattern(`(?i)^(?:coord|coordinator|tm|transaction-?manager)(?:[-_.]?\d+)?$`)
	votePhrase      = text.Pattern(`\b(?:prepare|can[ _-]?commit|votes? ?req(?:uest)?)\b`)
	answerPhrase    = text.Pattern(`\b(?:ok|ack|yes|no|reply|replies|resp|response|answer)\b`)
)

// coordinator returns the process that asks the others for their votes or is called coordinator. It returns "" if no
// process or several processes do.
func (x *suggestion) coordinator() string {
	if x.decides.problem != tracefmt.Commit {
		return ""
	}
	found := make(map[string]bool)
	for name := range x.names {
		if coordinatorName().MatchString(name) {
			found[name] = true
		}
	}
	// The participants answer by the words of the request, so an answer and a negation show no coordinator.
	for _, rec := range x.records {
		k := newSort(rec, x.shape.msg, x.roles)
		asks := k.verb == "send" || x.endsSpan(k.act) == "send" || slices.ContainsFunc(k.tokens[:min(len(k.tokens), 3)], func(t token) bool {
			return askVerbs[t.lower()]
		})
		negated := slices.ContainsFunc(k.tokens, func(t token) bool { return undone[t.lower()] && t.lower() != "to" })
		words := withoutSigns.Replace(strings.ToLower(rec.fields[x.shape.msg]))
		if process := x.processOf(rec, x.roles); process != "" && asks && !negated && votePhrase().MatchString(words) &&
			!answerPhrase().MatchString(words) {
			found[process] = true
		}
	}
	if len(found) != 1 {
		return ""
	}
	for name := range found {
		return name
	}
	return ""
}

// askVerbs are verbs at the beginning of lines in which a coordinator asks for votes.
var askVerbs = words("asking asks asked requesting requests requested collecting broadcasting preparing")

// decide tries to read the lines of kind k as votes, proposals or decisions of the process that writes them. If they
// are, it adds the assignment to the meaning m and returns true.
func (g *guesser) decide(k *sort, m *meaning) bool {
	d := k.commitment()
	if g.decides.problem == tracefmt.Consensus {
		d = k.choice()
	}
	if g.decides.problem == "" || d.variable == "" {
		return false
	}
	value := quoted(d.value)
	switch field := g.field(k, valueFields, func(v string) bool { return v != "" }); {
	case d.place >= 0:
		m.groups[d.place], value = "value", "'${value}'"
	case d.value != "": // the value is a constant
	case field == "":
		return false
	default:
		value = "'${" + field + "}'"
	}
	m.state(d.variable + ": " + value)
	m.term = ""
	return true
}
