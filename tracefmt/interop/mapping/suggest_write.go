package mapping

import (
	"fmt"
	"regexp"
	"strings"

	"etrace/tracefmt/text"
)

const (
	// maxRules bounds the sorts of lines that become events with a meaning, maxNotes those
	// that become notes, maxIgnored those that are ignored one by one.
	maxRules, maxNotes, maxIgnored = 60, 5, 15
)

// guess writes a mapping.
func (s *sample) guess(b bold) string {
	r := s.roles()
	if !b.time {
		r.time = ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "# A first mapping, guessed from %s of %s.\n# Read it, mend it, and look at what it makes of each line:\n# etrace import LOG... --map FILE --explain-map\n", s.extent(), s.names())
	s.writeHead(&w, r)
	sorts, nameless := s.sorts(r)
	rules, notes, rest := s.judge(sorts, r, b)
	w.WriteString(headerOf(rules))
	w.WriteString("events:\n")
	for _, x := range rules {
		s.writeRule(&w, x.sort, r, x.meaning)
	}
	if len(notes) > 0 {
		w.WriteString("  # What follows is not understood, but frequent. Make of it what it is: etrace list kinds\n")
	}
	for _, k := range notes {
		s.writeRule(&w, k, r, &meaning{parts: []string{"note: " + k.noteType()}})
	}
	s.writeIgnored(&w, rest, r, nameless)
	return w.String()
}

// judged is a sort of lines with its meaning.
type judged struct {
	*sort
	*meaning
}

// judge says which sorts of lines are events, which notes, and which to ignore.
func (s *sample) judge(sorts []*sort, r *roles, b bold) (rules []judged, notes, rest []*sort) {
	terms := false
	for _, k := range sorts {
		m := k.meaning(s, r, b)
		switch {
		case m != nil && len(rules) < maxRules:
			rules = append(rules, judged{k, m})
			terms = terms || m.term
		case len(notes) < maxNotes && len(k.tokens) > 0 && (k.count > 1 || len(rules)+len(notes) == 0):
			notes = append(notes, k)
		default:
			rest = append(rest, k)
		}
	}
	if len(rules)+len(notes) == 0 {
		notes, rest = sorts[:min(len(sorts), 1)], sorts[min(len(sorts), 1):]
	}
	return rules, notes, rest
}

// writeHead writes how the lines are cut, and what the process and the time are.
func (s *sample) writeHead(w *strings.Builder, r *roles) {
	fmt.Fprintf(w, "lines: %s\n", s.layout.form)
	if s.layout.match != "" {
		fmt.Fprintf(w, "match: %s\n", quoted(s.layout.match))
	}
	process := r.process
	if r.cut != nil {
		process = "process"
		fmt.Fprintf(w, "cut: {%s: %s}\n", quoted(r.process), quoted("/"+r.cut.String()+"/"))
	}
	if r.process == "file" {
		fmt.Fprintf(w, "# No field names the process: it is the file, %s.\n", few(r.names))
	} else {
		fmt.Fprintf(w, "# %s: %s.\n", text.Counted(len(r.names), "process", "processes"), few(r.names))
	}
	fmt.Fprintf(w, "process: '${%s}'\n", process)
	if r.time != "" {
		fmt.Fprintf(w, "time: {from: '${%s}', layout: '%s'}\n", r.time, r.layout)
	}
}

// headerOf is what the header of the run says, and what holds for later lines.
func headerOf(rules []judged) string {
	terms, leads, mutex := false, false, false
	for _, x := range rules {
		all := strings.Join(x.parts, " ")
		terms = terms || x.term
		leads = leads || strings.Contains(all, "role: leader") || strings.Contains(all, "elected:")
		mutex = mutex || strings.Contains(all, "note: enter")
	}
	header := ""
	if terms {
		header += "carry: [term]\n"
	}
	switch {
	case leads:
		header += "run: {problem: election} # or raft: etrace list problems; traits: etrace list traits\n"
	case mutex:
		header += "run: {problem: mutex} # etrace list problems\n"
	}
	return header
}

// writeRule writes the rule of a sort of lines.
func (s *sample) writeRule(w *strings.Builder, k *sort, r *roles, m *meaning) {
	s.writeSeen(w, k)
	fmt.Fprintf(w, "  - {when: {%s}, %s}\n", s.conditions(k, r, m.groups), strings.Join(m.parts, ", "))
}

// writeSeen says in a comment how often there are such lines, and shows the first.
func (s *sample) writeSeen(w *strings.Builder, k *sort) {
	at := fmt.Sprintf("line %d", k.first.line)
	if len(s.files) > 1 {
		at = fmt.Sprintf("%s:%d", text.Printable(k.first.file), k.first.line)
	}
	fmt.Fprintf(w, "  # %s, the first at %s: %s\n", text.Counted(k.count, "line", "lines"), at, text.Printable(text.Short(k.first.text, 100)))
}

// conditions are those of a sort of lines.
func (s *sample) conditions(k *sort, r *roles, groups map[int]string) string {
	var all []string
	if s.layout.odd > 0 && r.process != "file" && s.layout.form == "text" {
		all = append(all, quoted(r.process)+": /./")
	}
	if r.act != "" && k.act != "" {
		all = append(all, quoted(r.act)+": "+inList(k.act))
	}
	switch msg := s.layout.msg; {
	case msg == "":
	case k.literal && len(groups) == 0 && len(k.tokens) > 0:
		all = append(all, quoted(msg)+": "+inList(k.first.fields[msg]))
	case len(k.tokens) > 0:
		all = append(all, quoted(msg)+": "+quoted("/"+k.expression(groups)+"/"))
	}
	if len(all) == 0 {
		all = append(all, "text: /./")
	}
	return strings.Join(all, ", ")
}

// inList is a text as a condition: one that could be read as something else stands in a list.
func inList(s string) string {
	if strings.HasPrefix(s, "/") {
		return "[" + quoted(s) + "]"
	}
	return quoted(s)
}

// writeIgnored writes what is left over: the frequent sorts of it one by one.
func (s *sample) writeIgnored(w *strings.Builder, rest []*sort, r *roles, nameless int) {
	w.WriteString("ignore:\n")
	left, sorts := nameless, 0
	for i, k := range rest {
		if i >= maxIgnored || len(k.tokens) == 0 {
			left += k.count
			sorts++
			continue
		}
		s.writeSeen(w, k)
		fmt.Fprintf(w, "  - {%s}\n", s.conditions(k, r, nil))
	}
	fmt.Fprintf(w, "  # The rest: %s", text.Counted(left, "line", "lines"))
	if sorts > 0 {
		fmt.Fprintf(w, ", %s of these of %s", text.Counted(left-nameless, "line", "lines"), text.Counted(sorts, "sort", "sorts"))
	}
	if nameless > 0 {
		fmt.Fprintf(w, ", %d without a process", nameless)
	}
	w.WriteString(". Without this entry they are listed.\n  - {text: /./}\n")
}

// noteType is a type for notes of such lines: their first constant words.
func (k *sort) noteType() string {
	if k.act != "" {
		return quoted(k.act)
	}
	var list []string
	for _, t := range k.tokens {
		if word := strings.Trim(t.core, ".,:;->"); !t.value && word != "" && len(list) < 4 {
			list = append(list, word)
		}
	}
	if len(list) == 0 {
		return "line"
	}
	return quoted(strings.Join(list, " "))
}

// quoted is a text in single quotes, as YAML has them.
func quoted(s string) string {
	if bare.MatchString(s) && !reserved.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(text.Printable(s), "'", "''") + "'"
}

// bare are texts that need no quotes in YAML: words that mean nothing else there.
var bare = regexp.MustCompile(`^[A-Za-z_]\w+$`)

// reserved are words that mean something else in YAML without quotes.
var reserved = regexp.MustCompile(`^(?i:null|true|false|yes|no|on|off)$`)
