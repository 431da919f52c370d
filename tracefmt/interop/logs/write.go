package logs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

const (
	// maxRules is the greatest number of sorts that get a rule. maxLeft is how many sorts without a rule are listed,
	// with one line each.
	maxRules, maxLeft = 60, 15
	// maxSeen is how many characters of a line a comment shows.
	maxSeen = 100
)

// suggestion is a mapping that was guessed.
type suggestion struct {
	*guesser
	rules []*guessed
	// carry is the term variable that a rule takes from an earlier line if its line has no term.
	carry string
	// sequence is the field that numbers the lines of a process or file, or "". sequenceMark is the pattern that
	// extracts it from a line.
	sequence, sequenceMark string
	sequenceOfFile         bool
	// left are the sorts that are not understood.
	left  []*sort
	tally *tally
	// bystanders are the quoted names of writers whose lines state nothing of themselves.
	bystanders []string
}

// guessed is a rule of a suggestion.
type guessed struct {
	*sort
	*meaning
	conditions string
}

// suggest guesses a mapping.
func (s *sample) suggest(r *roles, b bold) *suggestion {
	if !b.time {
		timeless := *r
		timeless.time = ""
		r = &timeless
	}
	x := &suggestion{guesser: &guesser{sample: s, roles: r, bold: b}}
	sorts := s.sorts(r)
	x.mutex = slices.ContainsFunc(sorts, func(k *sort) bool {
		return k.entersSection()
	})
	x.locks = !slices.ContainsFunc(sorts, func(k *sort) bool {
		_, lock := k.lock()
		return k.sectionOf() && lock == ""
	})
	x.elects = slices.ContainsFunc(sorts, func(k *sort) bool {
		hearsay := k.said.kind == takesRole && k.hearsay > 0 && len(k.leadersAt()) > 0
		return k.said.kind == electedIs || k.said.kind == follows || hearsay || x.field(k, leaderFields, x.isName) != ""
	})
	x.leads = slices.ContainsFunc(sorts, func(k *sort) bool {
		return k.said.kind == takesRole && (k.said.subject == ownSubject || k.ownSubjects > 0) && len(k.leadersAt()) > 0
	})
	x.casts = x.broadcasts(sorts)
	x.findIDs(sorts)
	x.findDeciding(sorts)
	if x.decides.problem == "" {
		x.decides.run, x.decides.mark = x.group, x.groupMark
	}
	byAct := make(map[string]*guessed)
	// What the log is about is known now, and some meanings depend on it.
	for _, k := range sorts {
		meanings := x.meanings(k)
		// The most frequent sorts come first, so that the bound leaves out rare lines.
		if len(meanings) == 0 || len(x.rules)+len(meanings) > maxRules {
			x.left = append(x.left, k)
			continue
		}
		for _, m := range meanings {
			x.add(&guessed{k, m, x.conditionsOf(k, m)}, byAct)
		}
	}
	x.carryTerm()
	x.findSequence()
	return x
}

// carryTerm lets a line about a role without a term use the last term of the process.
func (x *suggestion) carryTerm() {
	term, without := "", false
	for _, rule := range x.rules {
		if rule.claimsRole() && rule.term != "" {
			term = rule.term
		}
		without = without || rule.claimsRole() && !rule.namesLeader() && rule.term == ""
	}
	if term == "" || !without {
		return
	}
	// The leader that a line names may lead in a later term than the last one of the writer.
	x.carry = term
	for _, rule := range x.rules {
		if rule.claimsRole() && !rule.namesLeader() && rule.term == "" {
			rule.term = term
		}
	}
}

// namesLeader reports whether the rule names a leader that may be another process than the writer.
func (rule *guessed) namesLeader() bool {
	return slices.ContainsFunc(rule.vars, func(v string) bool {
		return strings.HasPrefix(v, "elected: ") && v != "elected: null" && v != "elected: '${process}'"
	})
}

// claimsRole reports whether the rule gives the writer a role.
func (rule *guessed) claimsRole() bool {
	return slices.ContainsFunc(rule.vars, func(v string) bool { return strings.HasPrefix(v, "role: ") })
}

// add adds a rule. Of rules whose only condition is the same act, it adds one.
func (x *suggestion) add(rule *guessed, byAct map[string]*guessed) {
	if rule.byAct {
		short := x.actCondition(rule.sort)
		if merged := byAct[short]; merged == nil {
			rule.conditions, byAct[short] = short, rule
		} else if slices.Equal(merged.parts, rule.parts) {
			maps.Copy(merged.writers, rule.writers)
			return
		}
	}
	x.rules = append(x.rules, rule)
}

// body returns the part of a rule that makes events.
func (x *suggestion) body(m *meaning) string {
	vars := m.vars
	// The terms of several processes of one name are not comparable.
	if m.term != "" && x.twin == "" && (m.event == "state" || m.event == "start") {
		vars = append(slices.Clone(vars), fmt.Sprintf("%s: '${%s}'", x.termVariable(), m.term))
	}
	parts := m.parts
	switch {
	case len(vars) > 0:
		parts = append(slices.Clone(parts), fmt.Sprintf("%s: {%s}", m.event, strings.Join(vars, ", ")))
	case m.event == "start":
		parts = append(slices.Clone(parts), "start: ")
	}
	return strings.Join(parts, ", ")
}

// termVariable returns the name of the variable for the term in this problem.
func (x *suggestion) termVariable() string {
	if x.zab {
		return "epoch"
	}
	return "term"
}

// String returns the mapping as text. If the lines were read by it, the text includes the results.
func (x *suggestion) String() string {
	var w strings.Builder
	fmt.Fprintf(
		&w,
		"# A first mapping, guessed from %s of %s.\n# Read it, mend it, and look at what it makes of each line:\n# "+
			"etrace import LOG... --map FILE --explain-map\n",
		x.extent(), x.fileNames(),
	)
	x.writeHead(&w)
	if x.carry != "" {
		fmt.Fprintf(&w, "carry: [%s]\n", quoted(x.carry))
	}
	w.WriteString(x.header())
	w.WriteString("events:\n")
	for i, rule := range x.rules {
		if x.tally != nil && x.tally.took[i] > 0 {
			x.writeSeen(&w, "  # ", rule.sort, x.tally.took[i])
		}
		fmt.Fprintf(&w, "  - {when: {%s}, %s}\n", rule.conditions, x.body(rule.meaning))
	}
	if x.tally != nil {
		x.writeSummary(&w)
	}
	return w.String()
}

// writeHead writes how the lines are cut, and which fields are the process and the time.
func (x *suggestion) writeHead(w *strings.Builder) {
	if names := x.layers.Names(); len(names) > 0 {
		fmt.Fprintf(w, "envelope: [%s]\n", strings.Join(names, ", "))
	}
	if x.tests {
		fmt.Fprintf(w, "split: %s\n", quoted(mapping.TestMark))
	}
	fmt.Fprintf(w, "lines: %s\n", x.shape.form)
	if x.shape.begin != "" {
		fmt.Fprintf(w, "# The other lines, such as stack traces, continue the one before.\nbegin: %s\n", quoted(x.shape.begin))
	}
	if x.shape.match != "" && x.shape.within == "" {
		fmt.Fprintf(w, "match: %s\n", quoted(x.shape.match))
	}
	var cuts []string
	if x.shape.within != "" {
		cuts = append(cuts, quoted(x.shape.within)+": "+quoted("/"+x.shape.match+"/"))
	}
	if x.shape.inner != "" {
		cuts = append(cuts, "rest: "+x.shape.inner)
	}
	// If the members are named by a part of the field, a cut makes that part a field of its own.
	process := x.process
	switch {
	case x.roles.cut == nil:
	case x.process == "file":
		process = "process"
		fmt.Fprintf(w, "file: %s\n", quoted(x.roles.cut.String()))
	default:
		process = "process"
		cuts = append(cuts, quoted(x.process)+": "+quoted("/"+x.roles.cut.String()+"/"))
	}
	if x.decides.mark != "" {
		cuts = append(cuts, quoted(x.shape.msg)+": "+quoted("/"+x.decides.mark+"/"))
	}
	if x.sequenceMark != "" {
		cuts = append(cuts, "text: "+quoted("/"+x.sequenceMark+"/"))
	}
	if len(cuts) > 0 {
		fmt.Fprintf(w, "cut: {%s}\n", strings.Join(cuts, ", "))
	}
	// The comment beside the process is what a reader has to check first.
	named := "'${" + process + "}'"
	switch {
	case x.ownName != "":
		named = quoted(x.ownName)
		fmt.Fprintf(w, "# The sentences call their writer %s.\n", text.Printable(x.ownName))
	case x.process == "file":
		fmt.Fprintf(w, "# No field names the process: it is the file, %s.\n", few(x.names))
	default:
		fmt.Fprintf(w, "# %s: %s.\n", text.Counted(len(x.names), "process", "processes"), few(x.roles.names))
	}
	fmt.Fprintf(w, "process: %s\n", named)
	if x.unsure != "" {
		var names []string
		for _, name := range slices.Sorted(maps.Keys(x.values(x.unsure))) {
			names = append(names, quoted(name))
		}
		fmt.Fprintf(w, "# Possible processes: their lines look alike.\nmembers: [%s]\n", strings.Join(names, ", "))
	}
	if members := x.unreadMembers(); len(members) > 0 {
		fmt.Fprintf(w, "# Other processes, which lines without a rule name.\nmembers: [%s]\n", strings.Join(members, ", "))
	} else if x.twin != "" {
		fmt.Fprintf(w, "# %s.\nmembers: [%s]\n", x.otherOfName(), quoted(x.twin+"~2"))
	}
	if len(x.bystanders) > 0 {
		fmt.Fprintf(w, "# Their lines deny something, or quote other processes.\nignore: [{%s: [%s]}]\n", quoted(process),
			strings.Join(x.bystanders, ", "))
	}
	if coordinator := x.coordinator(); coordinator != "" {
		fmt.Fprintf(w, "roles: {%s: %s}\n", quoted(coordinator), tracefmt.Coordinator)
	}
	if x.decides.run != "" {
		fmt.Fprintf(w, "# Each transaction, instance or group is a run.\nruns: '${%s}'\n", x.decides.run)
	}
	if x.sequence != "" {
		number := fmt.Sprintf("'${%s}'", x.sequence)
		if x.sequenceOfFile {
			number = "{number: " + number + ", of: file}"
		}
		fmt.Fprintf(w, "# Where this number skips, lines are missing.\nsequence: %s\n", number)
	}
	if slices.ContainsFunc(x.rules, func(rule *guessed) bool { return rule.alias }) {
		w.WriteString("alias: '${id}'\n")
	}
	if x.time != "" {
		fmt.Fprintf(w, "time: {from: '${%s}', layout: '%s'}\n", x.time, x.layout)
	} else {
		fmt.Fprintf(w, "# No time was found%s: the lines are taken in their order.\n", x.likeTime())
	}
}

// likeTime returns the question whether a certain field with ascending values is the time, or "".
func (x *suggestion) likeTime() string {
	for _, group := range x.shape.groups {
		last, rises := "", 0
		for _, rec := range x.records {
			v := rec.fields[group]
			if !digits().MatchString(v) || len(v) < len(last) || len(v) == len(last) && v < last {
				rises = 0
				break
			}
			if v != last {
				rises++
			}
			last = v
		}
		if rises > 1 && group != x.process {
			return fmt.Sprintf(" (is it ${%s}?)", group)
		}
	}
	return ""
}

// account summarises the findings.
func (x *suggestion) account() string {
	said := text.And(x.whats())
	if layout := x.layout; strings.Contains(layout, "04") && !strings.Contains(layout, "06") {
		lacks := "date"
		if strings.Contains(layout, "02") || strings.Contains(layout, "_2") {
			lacks = "year"
		}
		said += "; the times have no " + lacks
	}
	if x.time == "" {
		said += "; no time was found" + x.likeTime()
	}
	if some := x.partial(); some != "" {
		reason := "since lines that may be about them are not understood"
		if x.unsure != "" {
			reason = "since the processes are not certain"
		}
		said += "; " + reason + ": " + some
	}
	if x.unsure != "" {
		said += "; " + x.severalProcesses()
	}
	if x.twin != "" {
		said += "; " + x.otherOfName()
	}
	if shared := x.shape.shared; shared != "" && x.process == "file" {
		said += fmt.Sprintf("; several files have lines of %s alone, so the file is the process", text.Printable(shared))
	}
	// The reader sees the doubts last.
	for _, doubt := range x.doubts() {
		said += "; " + doubt
	}
	return said
}

// header returns the header of the run.
func (x *suggestion) header() string {
	leads, terms, votes := false, false, false
	for _, rule := range x.rules {
		meanings := strings.Join(rule.vars, " ")
		leads = leads || strings.Contains(meanings, "role: ") || strings.Contains(meanings, "elected: ")
		votes = votes || strings.Contains(meanings, "votedFor: ")
		terms = terms || rule.term != "" && strings.Contains(meanings, "role: ")
	}
	problem := "election"
	switch {
	case x.decides.problem != "" && !leads:
		problem = x.decides.problem
	case x.mutex && !leads:
		problem = "mutex"
	case x.zab:
		problem = "zab"
	// Votes, and roles with terms, are the mark of Raft; an election without them has no terms to compare.
	case votes || terms:
		problem = "raft"
	case x.casts && !leads:
		problem = tracefmt.Broadcast
	case !leads:
		return ""
	}
	if x.mutex && problem != tracefmt.Mutex {
		problem += ", traits: [" + tracefmt.Locks + "]"
	}
	if some := x.partial(); some != "" {
		return fmt.Sprintf(
			"# Lines that may be about these are not understood. With rules for them, drop complete.\n"+
				"run: {problem: %s, complete: '%s'}\n",
			problem, some,
		)
	}
	return fmt.Sprintf(
		"run: {problem: %s} # etrace list problems, etrace list traits; and how complete the log is, as complete: "+
			"'crash=all,halt=all,recover=all'\n",
		problem,
	)
}

// writeSeen writes a comment with the number of lines of a sort, and the first of them.
func (x *suggestion) writeSeen(w *strings.Builder, begin string, k *sort, count int) {
	at := fmt.Sprintf("line %d", k.first.line)
	if len(x.files) > 1 {
		at = fmt.Sprintf("%s:%d", text.Printable(k.first.file), k.first.line)
	}
	line := k.first.text
	if msg := k.first.fields[x.shape.msg]; len(line) > maxSeen && x.shape.form == "text" && msg != "" {
		line = msg
	}
	fmt.Fprintf(w, "%s%s, the first at %s: %s\n", begin, text.Counted(count, "line", "lines"), at, text.Printable(text.Short(line, maxSeen)))
}

// conditionsOf returns the conditions for a sort.
func (x *suggestion) conditionsOf(k *sort, m *meaning) string {
	var meanings []string
	if x.shape.odd > 0 && x.process != "file" && x.shape.form == "text" {
		meanings = append(meanings, quoted(x.process)+": /./")
	}
	if x.act != "" && k.act != "" {
		meanings = append(meanings, x.actCondition(k))
	}
	switch msg := x.shape.msg; {
	case msg == "":
	case k.literal && !k.varies(m) && len(k.tokens) > 0:
		meanings = append(meanings, quoted(msg)+": "+inList(k.first.fields[msg]))
	case len(k.tokens) > 0:
		meanings = append(meanings, quoted(msg)+": "+quoted("/"+k.expression(m)+"/"))
	}
	for i, t := range k.tokens {
		if t.field != "" {
			meanings = append(meanings, quoted(t.field)+": "+quoted("/^(?:"+k.group(i, m)+")$/"))
		}
	}
	for _, o := range k.outcomes {
		if o.key == k.subjectKey { // a claim has a condition on it
			continue
		}
		meanings = append(meanings, quoted(o.key)+": "+o.condition)
	}
	if m.condition != "" {
		meanings = append(meanings, m.condition)
	}
	// A rule needs a condition; this one matches every line.
	if len(meanings) == 0 {
		meanings = append(meanings, "text: /./")
	}
	return strings.Join(meanings, ", ")
}

// varies reports whether a word of the sentence itself has a name in the meaning.
func (k *sort) varies(m *meaning) bool {
	for i := range m.groups {
		if !k.tokens[i].implied {
			return true
		}
	}
	return false
}

func (x *suggestion) actCondition(k *sort) string { return quoted(x.act) + ": " + inList(k.act) }

// inList returns a text as a condition. If YAML could misread it, it is in a list.
func inList(s string) string {
	if strings.HasPrefix(s, "/") || strings.Contains(s, "${") || s == "" {
		return "[" + quoted(s) + "]"
	}
	return quoted(s)
}

// quoted returns a text in single quotes, as in YAML.
func quoted(s string) string {
	if bare().MatchString(s) && !reserved().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(text.Printable(s), "'", "''") + "'"
}

// bare matches texts that need no quotes in YAML.
var bare = text.Pattern(`^[A-Za-z_]\w+$`)

// reserved are words that mean something else in YAML without quotes.
var reserved = text.Pattern(`^(?i:null|true|false|yes|no|on|off)$`)
