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

const levelPattern = `(?i:trace|debug|info|notice|warn|warning|error|err|critical|fatal|severe|config|fine|finer|` +
	`finest|panic|dpanic|trc|dbg|inf|wrn|ftl|vrb)`

// head is the common beginning of most lines: time, level, process and similar fields.
type head struct {
	// pieces are the parts of its pattern.
	pieces []string
	// groups are the named groups of the pattern.
	groups []string
	// layout is the layout of the time, or "".
	layout string
	// blank is true if the last piece ends in a blank.
	blank bool
	// open is true if a bracket before the time is not closed yet.
	open bool
	// plain is the named group of a word without brackets just before the message text, or "".
	plain string
	// called are the names that messages use for a peer or a leader.
	called map[string]bool
	// writers are the values of the fields of the head that differ between lines; one of these fields may name the process.
	writers map[string]bool
	// twoLines: the time has a line of its own.
	twoLines bool
	// compiled are the pieces that were tried.
	compiled map[string]*regexp.Regexp
}

// piece is a possible next part of the head.
type piece struct {
	pattern string
	// written is its form in the mapping, or "" if it is the pattern.
	written string
	// field is the name of its group, or "" without a group. few is true if the field must have few values.
	field string
	few   bool
	// levelled: the level follows the word, in a group of its own.
	levelled bool
	// blank: it ends in a blank.
	blank bool
	// agreed is true if its values are names by which other lines call processes.
	agreed bool
	// plain is true for a word without a mark that is not a known word of a sentence.
	plain bool
	// colon: a word with a colon after it.
	colon bool
	// values are the values that the lines have of it.
	values map[string]bool
	// bare: no sign encloses the word or follows it.
	bare bool
	// skips: it leaves out a word before the time.
	skips bool
}

// maxHeads is the number of lines that are examined for the head.
const maxHeads = 500

// maxHeadBytes is how many bytes of a line are examined.
const maxHeadBytes = 1 << 10

// newHead finds the head piece by piece. Nine of ten lines must have the next piece; for the time, most lines are
// enough.
func newHead(records []*sampled, twoLines bool) *head {
	h := &head{twoLines: twoLines, called: make(map[string]bool), writers: make(map[string]bool), compiled: make(map[string]*regexp.Regexp)}
	for _, r := range records {
		addCalled(h.called, r.text)
	}
	var rests []string
	step := len(records)/maxHeads + 1
	for i := 0; i < len(records); i += step {
		first := records[i].text
		if mapping.MarksRestart(first) {
			continue
		}
		rests = append(rests, first[:min(len(first), maxHeadBytes)])
	}
	seen := len(rests)
	for len(h.pieces) < 16 {
		next, left, ok := h.next(rests, seen)
		if !ok {
			break
		}
		h.pieces = append(h.pieces, cmp.Or(next.written, next.pattern))
		if next.field != "" {
			h.groups = append(h.groups, next.field)
			if next.levelled {
				h.groups = append(h.groups, "level")
			}
			if len(next.values) > 1 && next.field != "time" && next.field != "level" {
				maps.Copy(h.writers, next.values)
			}
		}
		// A bracket before the time may enclose the level and a name, too.
		h.open = (h.open || next.field == "time" && strings.HasPrefix(next.pattern, `\[`)) && !strings.Contains(next.pattern, `\]`)
		if next.plain {
			h.plain = next.field
		}
		h.blank = next.blank || next.field == "" || strings.HasSuffix(next.pattern, " ")
		rests = left
	}
	if h.layout == "" && len(h.groups) == 0 {
		return new(head)
	}
	return h
}

func (h *head) pattern() string { return strings.Join(h.pieces, "") }

// dropPlain removes the plain word and everything after it.
func (h *head) dropPlain() {
	at := slices.IndexFunc(h.pieces, func(p string) bool { return strings.Contains(p, "(?<"+h.plain+">") })
	h.pieces = h.pieces[:at]
	h.groups = h.groups[:slices.Index(h.groups, h.plain)]
}

// untilTime returns the pattern of the head up to the time.
func (h *head) untilTime() string {
	timed := slices.IndexFunc(h.pieces, func(p string) bool { return strings.Contains(p, "(?<time>") })
	return strings.Join(h.pieces[:max(timed+1, min(1, len(h.pieces)))], "")
}

// next returns the piece with which most of the lines continue, and what follows it in each line.
func (h *head) next(rests []string, total int) (p piece, left []string, ok bool) {
	pieces := slices.Concat(h.agreed(), h.candidates(), h.constants(rests))
	if h.twoLines && len(h.pieces) > 0 && strings.Contains(h.pieces[len(h.pieces)-1], "(?<time>") {
		// The rest of the first line may end with the name of the process.
		field := h.nextGroup(agreedGroup)
		pieces = []piece{
			{pattern: `[^\n]*\s(?<` + field + `>` + calledName + `)\n\s*`, field: field, agreed: true, blank: true},
			{pattern: `[^\n]*\n\s*`, blank: true},
		}
	}
	for _, p := range pieces {
		re := h.compiled["^"+p.pattern]
		if re == nil {
			re = regexp.MustCompile("^" + p.pattern)
			h.compiled["^"+p.pattern] = re
		}
		left, values := matching(re, rests)
		// Half of all lines and nine tenths of the present ones must go on alike. A time may be missing in more.
		if 2*len(left) <= total || p.field != "time" && 10*len(left) < 9*len(rests) {
			continue
		}
		if p.agreed && !h.agree(values) {
			continue
		}
		// A writer after the column of the writers is the subject of the sentence: n1 INFO n2 is the leader.
		if p.bare && slices.ContainsFunc(slices.Collect(maps.Keys(values)), func(v string) bool { return h.writers[v] }) {
			continue
		}
		if numbersRun(values) || counts(values, left) {
			continue
		}
		if p.plain && (anyKnown(values) || !repeated(re, rests)) {
			continue
		}
		ofSentence := func(v string) bool { return isVerb(v) || stateWord(v) }
		if p.few && slices.ContainsFunc(slices.Collect(maps.Keys(values)), ofSentence) {
			continue
		}
		many := len(values) > 1 && manyValues(values, len(left)) && !repeated(re, rests)
		column := p.colon && len(left) == len(rests) && areNames(values) || p.levelled && len(values) < len(left)
		if p.few && (len(values) > 64 || many && !column) {
			continue
		}
		if p.field == "time" {
			h.layout = mapping.LayoutOf(values)
			if h.layout == "" {
				continue
			}
		}
		if word, after, ok := h.wordBefore(rests); p.skips && ok {
			return word, after, true
		}
		p.values = values
		return p, left, true
	}
	return piece{}, nil, false
}

// wordBefore returns the piece for a word before the time, unless it is a level or has many values.
func (h *head) wordBefore(rests []string) (p piece, left []string, ok bool) {
	field := h.nextGroup("")
	p = piece{pattern: "(?<" + field + `>[A-Za-z][\w.-]*)\s+`, field: field, blank: true}
	left, p.values = matching(regexp.MustCompile("^"+p.pattern), rests)
	return p, left, 10*len(left) >= 9*len(rests) && len(p.values) > 1 && !onlyLevels(p.values) && !manyValues(p.values, len(left))
}

// manyValues reports whether a word has too many values for the name of a process in this number of lines. One word
// with a few numbers, such as n1 and n2, is a name even in a log of two lines.
func manyValues(values map[string]bool, lines int) bool {
	if 2*len(values) <= lines {
		return false
	}
	stems := map[string]bool{}
	for v := range values {
		stems[strings.TrimRight(v, "0123456789")] = true
	}
	return len(values) > 8 || len(stems) > 1 || stems[""]
}

// stateWord reports whether a word announces a role, as in "state: leader".
func stateWord(word string) bool {
	word = strings.ToLower(word)
	return word == "state" || word == "role" || word == "mode" || word == "status"
}

// areNames reports whether words before colons may be names: there are several, and none is a part of a sentence.
func areNames(values map[string]bool) bool {
	for v := range values {
		if roleWords[strings.ToLower(v)] && !coordinatorName().MatchString(v) || slices.Contains(termWords, strings.ToLower(v)) {
			return false
		}
	}
	return !anyKnown(values) && len(values) > 1 && len(values) <= maxColumn
}

var letter = text.Pattern(`^[A-Za-z]$`)

// anyKnown reports whether one of the words is a known word of sentences. Several single letters are names, although
// "a" is also an article.
func anyKnown(values map[string]bool) bool {
	letters := len(values) > 1 && allMatch(values, letter)
	return !letters && slices.ContainsFunc(slices.Collect(maps.Keys(values)), isKnown)
}

// repeated reports whether the word is a name despite its many values: the same sentence of several words follows two
// of its values.
func repeated(re *regexp.Regexp, lines []string) bool {
	names, first := make(map[string]bool), make(map[string]string)
	again := false
	for _, line := range lines {
		at := re.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		name, sentence := line[at[2]:at[3]], numbers().ReplaceAllString(line[at[1]:], "0")
		again = again || first[sentence] != "" && first[sentence] != name && strings.Contains(sentence, " ")
		names[name], first[sentence] = true, name
	}
	return again && len(names) <= maxColumn && len(names) < len(lines)
}

// constants returns the piece for a word without meaning that is the same in all lines, such as the number of an
// operating system process, dashes, or "Node". A verb or a role belongs to the message. So does "node" after a column
// that may name the writer, since the name after it may be another process.
func (h *head) constants(rests []string) []piece {
	count := make(map[string]int)
	for _, tail := range rests {
		word, _, _ := strings.Cut(tail, " ")
		count[word]++
	}
	// Nine tenths of the lines have the word, so at most one word passes, whatever the order of the map.
	for word, n := range count {
		lower := strings.ToLower(strings.Trim(word, ":,"))
		if 10*n < 9*len(rests) || word == "" || len(rests) < 3 || isVerb(lower) || roleWords[lower] ||
			unreal(lower) || selfWords[strings.ToLower(word)] || otherWords[lower] ||
			stateWord(lower) || leaderRoles[lower] || lockWords[lower] || isAct(lower) ||
			slices.Contains(transactions, lower) || slices.Contains(instances, lower) || slices.Contains(termWords, lower) ||
			processNouns[lower] && len(h.writers) > 0 {
			continue
		}
		return []piece{{pattern: regexp.QuoteMeta(word) + `\s+`, blank: true}}
	}
	return nil
}

// matching returns the rest of each line that matches, and the values of the group.
func matching(re *regexp.Regexp, lines []string) (left []string, values map[string]bool) {
	values = make(map[string]bool)
	for _, line := range lines {
		at := re.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		if len(at) > 2 && at[2] >= 0 {
			values[line[at[2]:at[3]]] = true
		}
		left = append(left, line[at[1]:])
	}
	return left, values
}

// calledName matches the name of a process, with its port.
const calledName = `[\w.@-]*\w(?::\d+)?`

// agreed returns the pieces that may be the name of the process because other lines use their values as names.
func (h *head) agreed() (pieces []piece) {
	if slices.ContainsFunc(h.groups, func(group string) bool { return strings.HasSuffix(group, agreedGroup) }) {
		return nil
	}
	field := h.nextGroup(agreedGroup)
	group := "(?<" + field + ">" + calledName + ")"
	for _, form := range [][2]string{
		{`\[`, `\]:?`},
		{`\[\S*/`, `\]:?`},
		{`<`, `>:?`},
		{`\(`, `\):?`},
		{`[^\s=]*[=({\[]+`, `[\])}]+:?`},
		{``, `(?::[\w<>$.]+)*:\d+ - `},
		{``, `: `},
		{``, ` - `},
		{``, `\s+\| `},
		{``, `\s*=?>+\s+`},
		{``, `:`},
		{`\w+=`, `\s+`},
		{``, `\s+`},
	} {
		pieces = append(pieces, piece{
			pattern: form[0] + group + form[1], field: field,
			agreed: true, bare: form == [2]string{``, `\s+`}, blank: strings.HasSuffix(form[1], `\s+`),
		})
	}
	return pieces
}

// agreedGroup is the end of the names of groups found in this way.
const agreedGroup = "name"

// agree reports whether most of the values are names by which lines call processes.
func (h *head) agree(values map[string]bool) bool {
	hits := 0
	for v := range values {
		if roleWords[strings.ToLower(v)] && !coordinatorName().MatchString(v) {
			return false // role: follower -> leader
		}
		if h.called[v] {
			hits++
		}
	}
	return hits > 1 && 2*hits > len(values) && len(values) <= maxProcesses
}

// candidates returns the possible next pieces, the best first.
func (h *head) candidates() (pieces []piece) {
	add := func(field string, few bool, before, pattern, written, after string) {
		group := func(p string) string { return before + "(?<" + field + ">" + p + ")" + after }
		pieces = append(pieces, piece{pattern: group(pattern), written: group(cmp.Or(written, pattern)), field: field, few: few})
	}
	if h.layout == "" {
		for _, m := range mapping.Spellings {
			if m.Counter {
				continue
			}
			add("time", false, m.Before, m.Pattern, "", "")
			add("time", false, m.Before+`\S+\s+`, m.Pattern, "", "") // such as the number of the process
			pieces[len(pieces)-1].skips = len(h.pieces) == 0
			add("time", false, `\[ *`, m.Pattern, "", `\]`)
			add("time", false, `\[ *`, m.Pattern, "", ``)
		}
	}
	if !slices.Contains(h.groups, "level") {
		add("level", false, `\[`, levelPattern, `[A-Za-z]+`, `\s*\]`)
		add("level", false, ``, levelPattern, `[A-Za-z]+`, `\b:?`)
	}
	if h.open {
		pieces = append(pieces, piece{pattern: `\]:?\s*`})
	}
	if len(h.pieces) > 0 && !h.blank {
		for _, sign := range []string{` - `, ` \| `, ` – `, `: `, `\s+`, `:`} {
			pieces = append(pieces, piece{pattern: sign})
		}
	}
	name := h.nextGroup("")
	if h.layout != "" && !slices.Contains(h.groups, "level") {
		add(name, true, ``, `[A-Za-z][\w.@-]*`, "", `\s+(?<level>`+levelPattern+`)\b:?`)
		last := &pieces[len(pieces)-1]
		last.levelled, last.written = true, strings.Replace(last.pattern, levelPattern, "[A-Za-z]+", 1)
	}
	if h.open {
		add(name, false, ``, `[^\]\[\s]+`, "", `\]`)
	}
	add(name, false, `\[`, `[^\]]*`, "", `\]`)
	add(name, false, ``, `[\w./-]+\.\w+:\d+`, "", `\]?`)
	add(name, true, `(?:node|server|replica|peer|process|member|host|id)=`, `[\w.@:-]*\w`, "", `\s+`)
	add(name, true, `\(`, `[A-Za-z][\w./-]*`, "", `\)(?::\s+|\s+)`)
	add(name, false, `<`, `[^>]*`, "", `>`)
	add(name, false, `\{`, `[^}]*`, "", `\}`)
	add(name, true, `\w+\[`, `[A-Za-z][\w.-]*`, "", `\]:?`)
	// The spans of Rust, the one of a process first, and then the module.
	const spans = `(?:\w+\{[^}]*\}:)*`
	for _, span := range []string{spans + `(?:node|server|replica|peer|process|member|host|worker)`, `\w+`} {
		add(name, true, span+`\{\w+="?`, `[\w.@:-]*\w`, "", `"?[^}]*\}:`+spans+`\s+`)
	}
	add(name, true, ``, `[A-Za-z_]\w*(?:::\w+)+`, "", `: `)
	for _, after := range []string{` - `, `\s+\| `, `\s*=?>+ `, `: `} { // a place in the program may follow the name
		add(name, true, ``, `[A-Za-z][\w.$/@-]*`, "", after)
		pieces[len(pieces)-1].colon = after == `: `
		for _, number := range []string{`\d{1,3}`, `[0-9a-f]{8,40}`} {
			add(name, true, ``, number, "", after)
			pieces[len(pieces)-1].colon = after == `: `
		}
		add(name, true, ``, `[A-Za-z][\w.$/@-]*`, "", `(?::[\w<>$.]+)*:\d+`+after)
	}
	if len(h.pieces) == 1 && slices.Equal(h.groups, []string{"level"}) {
		add(name, true, ``, `[A-Za-z][\w.-]*`, "", `:`) // as Python writes them by default
	}
	add(name, true, ``, `[A-Za-z][\w.-]*\d`, "", `\b`)
	pieces[len(pieces)-1].bare = true
	if h.nouned() {
		add(name, true, ``, `[\w.@-]*\w`, "", `\b:?\s+`)
	}
	if len(h.pieces) == 0 {
		add(name, false, ``, counter, "", ` `)
		add(name, false, ``, `\d+`, "", ` `)
	}
	if (h.blank || len(h.pieces) == 0) && h.plain == "" {
		for _, word := range []string{`[A-Za-z][\w.-]*`, `\d{1,3}`} {
			pieces = append(pieces, piece{pattern: "(?<" + name + ">" + word + `)\s+`, field: name, few: true, blank: true, plain: true, bare: true})
		}
	}
	if len(h.pieces) == 1 && strings.Contains(h.pieces[0], counter) {
		add(name, true, ``, `[A-Z][A-Z0-9]{2,9}`, "", ` `) // the topic
	}
	return pieces
}

// numbersRun reports whether the values name a transaction, an instance or a term, such as tx=41.
func numbersRun(values map[string]bool) bool {
	for v := range values {
		key, _, ok := strings.Cut(v, "=")
		key = plainKey(key)
		if !ok || !slices.Contains(slices.Concat(transactions, instances, termWords), key) {
			return false
		}
	}
	return len(values) > 0
}

// counts reports whether the values are counts of processes, as in "2 nodes became follower".
func counts(values map[string]bool, rests []string) bool {
	return allMatch(values, number) && slices.ContainsFunc(rests, func(tail string) bool {
		words := strings.Fields(tail)
		return len(words) > 1 && processNouns[strings.TrimSuffix(strings.ToLower(words[0]), "s")] && isVerb(words[1])
	})
}

// isKnown reports whether a word occurs in sentences about the actions of processes.
func isKnown(word string) bool {
	word = strings.ToLower(word)
	return strings.HasSuffix(word, "ing") || strings.HasSuffix(word, "ed") || isAct(word) || unreal(word) ||
		isVerb(word) || slices.ContainsFunc([]map[string]bool{
		startVerbs, sectionWords, lockWords, selfWords, quietWords, otherWords, clauseWords, stateNouns,
	}, func(known map[string]bool) bool { return known[word] })
}

// isVerb reports whether a word is the verb of a claim.
func isVerb(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc([]map[string]bool{
		sendVerbs, receiveVerbs, changeVerbs, voteVerbs, stepVerbs, wonVerbs, takeVerbs, acceptVerbs, castVerbs,
		deliverVerbs, sectionVerbs, proposeVerbs, decideVerbs,
	}, func(known map[string]bool) bool { return known[word] })
}

// nouned reports whether the last piece is a noun before a name, such as "Node" in "Node 3".
func (h *head) nouned() bool {
	return len(h.pieces) > 0 && processNouns[strings.ToLower(strings.TrimSuffix(h.pieces[len(h.pieces)-1], `\s+`))]
}

// nounedGroup is the group of the name after such a word.
const nounedGroup = "node"

// nextGroup returns the name of the next group for a word.
func (h *head) nextGroup(ending string) string {
	if h.nouned() && !slices.Contains(h.groups, nounedGroup) {
		return nounedGroup
	}
	if len(h.pieces) > 0 {
		last := strings.ToLower(strings.TrimSuffix(h.pieces[len(h.pieces)-1], `\s+`))
		if slices.Contains(groupFields, last) && !slices.Contains(h.groups, last) {
			return last
		}
	}
	return fmt.Sprintf("word%d%s", len(h.groups)+1, ending)
}

// counter is a number that lines begin with, of a clock without a unit.
const counter = `\d{4,}`

// few lists some of the values, for a comment.
func few(values map[string]bool) string {
	var list []string
	for v := range values {
		list = append(list, text.Short(text.Printable(v), 30))
	}
	slices.Sort(list)
	return text.And(text.Few(list, 5))
}
