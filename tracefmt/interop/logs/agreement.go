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

// roles has the purpose of each field of a log. "" means that no field has this purpose.
type roles struct {
	process string // the field, or "file"
	// cut is a pattern that extracts the process from that field. It is nil if the whole value is the process.
	cut   *regexp.Regexp
	names map[string]bool
	// called are the names by which lines call processes.
	called map[string]bool
	time   string
	layout string
	// act is the field with the kind of the line, such as send or receive.
	act string
	// acts is true if act decides which lines are ends of messages.
	acts bool
	// naming is how lines name locks. It is nil while this is not known yet.
	naming *lockNaming
	// unsure is a column at the beginning of lines that may also name the process, while the file is taken as the
	// process. It is "" if there is no such column.
	unsure string
	// twin is the only process of the log, if its lines may come from several processes; see [sample.findTwin].
	// Otherwise it is "".
	twin string
	wording
	// group is the field with the group whose leader or follower a writer is, or "". ungrouped is the reason why lines
	// about roles have no rule, since a field may name groups; or "".
	group, ungrouped string
	// groupMark is the pattern that extracts the group from the text, or "".
	groupMark string
	// numbered: a number follows a role that no other process has, such as follower 2.
	numbered bool
}

// numberedRole is a role with a number, such as its term.
var numberedRole = text.Pattern(`(?i)\b(?:follower|candidate|backup|secondary|slave|standby)\s+\d+\b`)

// rename gives a group of the head another name.
func (s *sample) rename(from, target string) {
	s.shape.match = strings.Replace(s.shape.match, "(?<"+from+">", "(?<"+target+">", 1)
	for i, g := range s.shape.groups {
		if g == from {
			s.shape.groups[i] = target
		}
	}
	for _, r := range s.records {
		if v, ok := r.fields[from]; ok {
			r.fields[target] = v
		}
	}
}

// termColumn matches a column with a term, such as [term 7].
var termColumn = text.Pattern(`(?i)^(?:raft ?)?(?:term|epoch|view)[ :=#]+\d+$`)

// findTermColumn takes the number in a column with a term for the term.
func (s *sample) findTermColumn() {
	for i, group := range s.shape.groups {
		begin := strings.Index(s.shape.match, "(?<"+group+">")
		if begin < 0 || slices.Contains(s.shape.keys, "term") || !allMatch(s.values(group), termColumn) {
			continue
		}
		length := strings.IndexByte(s.shape.match[begin:], ')') + 1
		s.shape.match = s.shape.match[:begin] + `[A-Za-z][A-Za-z ]*[ :=#]+(?<term>\d+)` + s.shape.match[begin+length:]
		s.shape.groups[i] = "term"
		s.shape.keys = append(s.shape.keys, "term")
		for _, rec := range s.records {
			if v, ok := rec.fields[group]; ok {
				rec.fields["term"] = numbers().FindString(v)
				delete(rec.fields, group)
			}
		}
	}
}

// values returns the values of a field.
func (s *sample) values(key string) map[string]bool {
	names := make(map[string]bool)
	for _, r := range s.records {
		if v, ok := r.fields[key]; ok {
			names[v] = true
		}
		if v, ok := r.pairs[key]; ok {
			names[v] = true
		}
	}
	return names
}

// roles finds the purpose of the fields.
func (s *sample) roles() *roles {
	s.findTermColumn()
	r := &roles{wording: s.shape.wording}
	r.numbered = slices.ContainsFunc(s.records, func(rec *sampled) bool { return numberedRole().MatchString(rec.fields[s.shape.msg]) })
	r.time, r.layout = s.timeField()
	r.act = s.actField()
	for v := range s.values(r.act) {
		r.acts = r.acts || sendActs[strings.ToLower(v)] || receiveActs[strings.ToLower(v)]
	}
	peers := s.peers()
	r.called = peers
	r.process, r.unsure = s.processField(peers)
	if slices.Contains(s.shape.groups, r.process) {
		s.rename(r.process, "node")
		r.process = "node"
	}
	r.names = s.values(r.process)
	if r.process == "file" {
		for _, f := range s.records {
			r.names[f.file] = true
		}
		// The file of n1 may be called raft.n1.log: then a part of the names of files agrees with the names in lines.
		if len(s.files) > 1 && agreement(r.names, peers, nil) == 0 {
			if cut := cutOf(r.names, peers); agreement(r.names, peers, cut) > 1 {
				r.cut = cut
			}
		}
	} else {
		r.cut = cutOf(r.names, peers)
	}
	names := make(map[string]bool)
	for name := range r.names {
		names[r.name(name)] = true
	}
	r.names = names
	r.naming = s.lockNaming(r)
	if r.unsure == "" {
		r.twin = s.findTwin(r)
	}
	if r.twin == "" && len(s.files) > 1 && r.process != "file" {
		r.twin = r.name(s.sharedName(r.process))
	}
	s.findGroup(r)
	s.findUnreadTerm(r)
	return r
}

// actField returns the field that names the kind of a line by known words. It is never the field with the text of the
// message. A field with a usual name comes first. Otherwise it is a field with words for sending in some lines and
// for receiving in others.
func (s *sample) actField() string {
	for _, key := range s.ranked(actFields) {
		if key == s.shape.msg {
			continue
		}
		if values := s.values(key); len(values) <= 40 && slices.ContainsFunc(slices.Collect(maps.Keys(values)), isAct) {
			return key
		}
	}
	for _, key := range s.shape.keys {
		if key != s.shape.msg && s.firstWord(key, sendActs) != "" && s.firstWord(key, receiveActs) != "" {
			return key
		}
	}
	return ""
}

// firstWord returns the first of the words that the field has in some line, or "".
func (s *sample) firstWord(key string, words map[string]bool) string {
	for _, value := range slices.Sorted(maps.Keys(s.values(key))) {
		if words[strings.ToLower(value)] {
			return value
		}
	}
	return ""
}

// unheard describes a field that has words for sending or receiving but is not read for them. It also lists
// the names of fields that are read so. It returns "" without such a field.
func (s *sample) unheard() string {
	for _, key := range s.shape.keys {
		if key == s.shape.msg || rank(key, actFields) >= 0 {
			continue
		}
		if word := cmp.Or(s.firstWord(key, sendActs), s.firstWord(key, receiveActs)); word != "" {
			return fmt.Sprintf(
				"; the field %s says %s, but such words are expected in a field %s", text.Quote(key),
				text.Quote(word), text.Or(actFields),
			)
		}
	}
	return ""
}

// isAct reports whether a word is a kind of line: send or receive.
func isAct(word string) bool {
	word = strings.ToLower(word)
	return slices.ContainsFunc([]map[string]bool{
		sendActs, receiveActs, startActs, enterActs, exitActs, roleWords,
	}, func(known map[string]bool) bool {
		return known[word]
	})
}

// cutOf returns the pattern that extracts the process from the values of a field. It is the pattern with the most
// results among the names that other processes use. Without such a pattern it returns nil.
func cutOf(names, peers map[string]bool) *regexp.Regexp {
	var best *regexp.Regexp
	highest := agreement(names, peers, nil)
	consider := func(pattern string, minimum int) {
		re := regexp.MustCompile(pattern)
		if hits := agreement(names, peers, re); hits > highest || hits == highest && hits <= minimum {
			best, highest = re, max(hits, minimum)
		}
	}
	if dotted(names) {
		consider(`^(?<process>[^.]+)`, len(names))
	}
	if prefix := shared(names); prefix != "" && !digits().MatchString(prefix) {
		consider("^"+regexp.QuoteMeta(prefix)+`(?<process>.*)`, 0)
	}
	if componentsOf(names, func(tail string) bool { return peers[tail] || numberedName().MatchString(tail) }) {
		consider(component, len(names)-1)
	}
	if allMatch(names, hosted) {
		consider(hosted().String(), -1)
	}
	if prefix := commonStart(names); prefix != "" {
		consider("^"+regexp.QuoteMeta(prefix)+`(?<process>.*)`, -1)
	}
	return best
}

// component matches the name of a process after that of a part of it, such as raft/n1.
const component = `^[\w.-]+[/:](?<process>[\w.-]+)$`

var (
	componentName = text.Pattern(component)
	numberedName  = text.Pattern(`^[A-Za-z]+[-_]?\d+$`)
)

// componentsOf reports whether all names are of parts of processes: a process has several parts, several processes have one,
// and each process has a name of this kind.
func componentsOf(names map[string]bool, isProcess func(string) bool) bool {
	parts, processes := make(map[string]string), make(map[string]string)
	shared, several := false, false
	for name := range names {
		at := componentName().FindStringSubmatchIndex(name)
		if at == nil || !isProcess(name[at[2]:]) {
			return false
		}
		part, process := name[:at[2]], name[at[2]:]
		shared = shared || cmp.Or(parts[part], process) != process
		several = several || cmp.Or(processes[process], part) != part
		parts[part], processes[process] = process, part
	}
	return shared && several
}

// hosted matches the name of a process with its host, such as n1@localhost.
var hosted = text.Pattern(`^(?<process>[^@.:]+)[@.:]`)

// agreement returns how many of the names, cut by a pattern, are names that other processes use.
func agreement(names, peers map[string]bool, re *regexp.Regexp) (hits int) {
	r := &roles{cut: re}
	for name := range names {
		if peers[r.name(name)] {
			hits++
		}
	}
	return hits
}

// name returns the process that a value of a field names.
func (r *roles) name(value string) string {
	if r.cut != nil {
		if at := r.cut.FindStringSubmatch(value); at != nil {
			return at[1]
		}
	}
	return value
}

// dotted reports whether some names are other names with a dot and a suffix, such as n1 and n1.raft.
func dotted(names map[string]bool) bool {
	for name := range names {
		if host, _, ok := strings.Cut(name, "."); ok && names[host] {
			return true
		}
	}
	return false
}

// timeField returns the field of the time and its layout, or "".
func (s *sample) timeField() (key, layout string) {
	for _, key := range s.ranked(timeFields) {
		if values := s.values(key); len(values) > 0 {
			if layout := mapping.LayoutOf(values); layout != "" {
				return key, layout
			}
		}
	}
	if s.shape.fixed != "" {
		return "time", s.shape.fixed
	}
	for _, key := range s.shape.keys {
		if values := s.values(key); len(values) > 1 && 2*s.having(key) > len(s.records) {
			// Small numbers are counts more often than seconds, so an unnamed field of seconds is no time.
			if layout := mapping.LayoutOf(values); layout != "" && layout != "s" {
				return key, layout
			}
		}
	}
	if arrivals := make(map[string]bool); s.arrivals {
		for _, r := range s.records {
			if r.arrival != "" {
				arrivals[r.arrival] = true
			}
		}
		if layout := mapping.LayoutOf(arrivals); layout != "" {
			return "arrival", layout
		}
	}
	return "", ""
}

// processField returns the field with the name of the process, or "file". In the latter case, unsure is a column that
// may also have the name.
func (s *sample) processField(peers map[string]bool) (best, unsure string) {
	best = "file"
	highest := 0
	sources := slices.ContainsFunc(s.records, func(rec *sampled) bool { return rec.file != s.records[0].file })
	for i, key := range s.processKeys(peers) {
		values := s.values(key)
		if slices.Contains(s.shape.groups, key) && s.namesGroups(key) {
			continue
		}
		if plain := plainKey(key); (plain == "id" || plain == "name") && agreement(values, peers, nil) == 0 && s.lockedBy() {
			continue // of the lock
		}
		if len(values) == 0 || len(values) > maxProcesses || allMatch(values, pointer) ||
			inSource(values) || 2*s.having(key) < len(s.records) || onlyLevels(values) {
			continue
		}
		if len(values) == 1 && (sources || rank(key, processFields) >= unsureProcess) ||
			s.mixed(key) && rank(key, processFields) >= unsureProcess {
			continue
		}
		// The files name the processes, unless lines call the processes by such names.
		if len(s.files) > 1 && agreement(values, peers, cutOf(values, peers)) == 0 {
			if name := s.sharedName(key); name != "" {
				s.shape.shared = name
				continue
			}
		}
		score := 1
		head := slices.Contains(s.shape.groups, key) && key != nounedGroup
		if !head {
			score += max(0, 10-i)
		}
		if len(values) > 1 && len(s.files) == 1 {
			score += 5
		}
		cut, named := &roles{cut: cutOf(values, peers)}, true
		hits, names := 0, make(map[string]bool)
		for v := range values {
			names[cut.name(v)] = true
			named = named && endsInDigit().MatchString(v)
			if peers[cut.name(v)] {
				score += 20
				hits++
			}
			if endsInDigit().MatchString(v) {
				score++
			}
		}
		claimed := false // by lines that show whose they are
		if head && hits == 0 && (!named || allMatch(values, number) && (len(values) < 4 || len(values) < s.having(key))) {
			c := s.columnOf(key, values)
			claimed = c.names()
			if c.shared && !claimed {
				unsure = cmp.Or(unsure, key)
			}
		}
		unsure := head || rank(key, processFields) >= unsureProcess
		if len(names) == len(values) { // else the values are of parts of processes
			names = values
		}
		if !claimed && hits == 0 && unsure && s.having(key) > 2 && manyValues(names, s.having(key)) {
			continue // a number of each line
		}
		if head && hits == 0 && !named && !claimed || key == "pid" && score < 20 {
			continue // a thread, or a part of the program
		}
		if score > highest {
			best, highest = key, score
		}
	}
	if best == "file" {
		// No single process would have made the claims of these fields. A field of another name may be a group, such as a shard.
		for _, key := range s.shape.keys {
			writer := rank(key, writerFields) >= 0
			if 2*s.having(key) < len(s.records) || !writer && !s.hasNoPurpose(key) || !s.columnOf(key, s.values(key)).names() {
				continue
			}
			if writer {
				best = key
				break
			}
			unsure = cmp.Or(unsure, key)
		}
	}
	if best != "file" {
		unsure = ""
	}
	return best, unsure
}

// lockedBy reports whether a field such as worker names who enters and leaves critical sections.
func (s *sample) lockedBy() bool {
	return slices.ContainsFunc(s.ranked(writerFields), func(key string) bool {
		c := s.columnOf(key, s.values(key))
		return c.sections > 1 && c.names()
	})
}

// hasNoPurpose reports whether the name of a field does not show what the field is for.
func (s *sample) hasNoPurpose(key string) bool {
	purposes := [][]string{
		timeFields, messageFields, fromFields, toFields, peerFields, typeFields, actFields, mapping.TermFields, leaderFields, candidateFields,
		roleFields, transactions, instances, valueFields, lockFields,
	}
	return key != s.shape.msg && !slices.ContainsFunc(purposes, func(names []string) bool { return rank(key, names) >= 0 }) &&
		!lockKeys[plainKey(key)] && !otherKeys[plainKey(key)]
}

// maxProcesses is the greatest number of values of a field that names the process.
const maxProcesses = 256

// inSource reports whether the values are places in the source of a program, such as node.py:26.
func inSource(values map[string]bool) bool { return allMatch(values, sourcePlace) }

var sourcePlace = text.Pattern(`[\w/]+\.(?:go|py|js|ts|java|rs|c|cc|cpp|h|rb|ex|erl|scala|kt|cs|hs|lua|php|` +
	`swift)(?::\d+)+\)?$|^\w+(?:\.\w+)*\(\w+\.\w+:\d+\)$`)

// unsureProcess is the rank from which on a field often has another purpose.
const unsureProcess = 2 * 24

// mixed reports whether several files have a common value of the field.
func (s *sample) mixed(key string) bool {
	file := make(map[string]string)
	for _, r := range s.records {
		v, ok := r.fields[key]
		if ok && file[v] == "" {
			file[v] = r.file
		}
		if ok && file[v] != r.file {
			return true
		}
	}
	return false
}

var (
	endsInDigit = text.Pattern(`\d$`)
	pointer     = text.Pattern(`^0x[0-9a-fA-F]+$`) // such as the number of a thread
)

func onlyLevels(values map[string]bool) bool { return allMatch(values, levelWord) }

// allMatch reports whether a pattern matches all of the values.
func allMatch(values map[string]bool, pattern func() *regexp.Regexp) bool {
	for v := range values {
		if !pattern().MatchString(v) {
			return false
		}
	}
	return true
}

var levelWord = text.Pattern(`^` + levelPattern + `$`)

// processKeys returns the fields that may name the process.
func (s *sample) processKeys(peers map[string]bool) []string {
	head := slices.DeleteFunc(slices.Clone(s.shape.groups), func(g string) bool { return g == "time" || g == "level" })
	keys := append(s.ranked(processFields), head...)
	for _, key := range s.shape.keys {
		if !slices.Contains(keys, key) && key != s.shape.msg && s.isCalled(key, peers) {
			keys = append(keys, key)
		}
	}
	return keys
}

// isCalled reports whether the values of a field are names that processes use for others. Fields for
// senders, receivers, peers, leaders and candidates do not count.
func (s *sample) isCalled(key string, peers map[string]bool) bool {
	for _, names := range [][]string{fromFields, toFields, peerFields, leaderFields, candidateFields} {
		if rank(key, names) >= 0 {
			return false
		}
	}
	values := s.values(key)
	for v := range values {
		if !peers[v] || number().MatchString(v) {
			return false
		}
	}
	return len(values) > 1
}

// peers returns the words after "to" and "from", and the values of fields with such names.
func (s *sample) peers() map[string]bool {
	names := make(map[string]bool)
	fields := slices.Concat(s.ranked(fromFields), s.ranked(toFields), s.ranked(peerFields))
	for _, rec := range s.records {
		for _, key := range fields {
			if v := rec.fields[key]; v != "" {
				names[v] = true
			}
		}
		addCalled(names, rec.fields[s.shape.msg])
	}
	return names
}

// addCalled adds the words of a text at places where a process is named: after a preposition, a noun or an arrow.
func addCalled(names map[string]bool, line string) {
	// A scan by hand, since a regular expression tries each place of each line of a sample.
	line = head400(line)
	found := 0
	for at := 0; at < len(line) && found < 4; {
		end := at
		for end < len(line) && text.IsWordByte(line[end]) {
			end++
		}
		between, leads := " \t\n\f\r", false
		switch word := strings.ToLower(line[at:end]); {
		case end == at:
			end++
			leads = end < len(line) && (line[at:end+1] == "->" || line[at:end+1] == "<-")
			if leads {
				end++
			}
		case beforeCalled[word]:
			between, leads = between+"=", true
		case end < len(line) && line[end] == '=' && keysOfCalled[word]:
			between, leads = "=", true
		default:
			leads = nounsOfCalled[word]
		}
		tail := strings.TrimLeft(line[end:], between)
		if !leads || len(tail) == len(line)-end {
			at = end
			continue
		}
		name := calledAtStart(tail)
		at = len(line) - len(tail) + len(name)
		if name == "" {
			continue
		}
		found++
		next := calledAtStart(strings.TrimLeft(line[at:], " "))
		if !followLeads[strings.ToLower(name)] && !(number().MatchString(name) && otherWords[strings.ToLower(next)]) { // 4 other members
			names[name] = true
		}
	}
}

// calledAtStart returns the name at the start of a text: letters and digits with signs inside.
func calledAtStart(line string) string {
	isSign := func(c byte) bool { return strings.IndexByte(".@:-", c) >= 0 }
	end := 0
	for end < len(line) && (text.IsWordByte(line[end]) || end > 0 && isSign(line[end])) {
		end++
	}
	for end > 0 && isSign(line[end-1]) {
		end--
	}
	return line[:end]
}

// beforeCalled are words after which a process is named, also behind =; keysOfCalled only behind it, nounsOfCalled only as a word
// of its own.
var (
	beforeCalled  = words("to from for is by following peer leader coordinator master member candidate")
	keysOfCalled  = words("votedfor voted_for votefor vote_for")
	nounsOfCalled = words("node server replica process participant worker acceptor")
)

// head400 is the beginning of a text.
func head400(s string) string { return s[:min(len(s), 400)] }

// shared returns the common beginning of all names, up to a sign such as a dot. For a single name it is "".
func shared(names map[string]bool) string {
	prefix := commonStart(names)
	return prefix[:strings.LastIndexAny(prefix, ".:/= ")+1]
}

// commonStart returns the common beginning of all names. For a single name it is "".
func commonStart(names map[string]bool) string {
	if len(names) < 2 {
		return ""
	}
	sorted := slices.Sorted(maps.Keys(names))
	first, last := sorted[0], sorted[len(sorted)-1]
	n := 0
	for n < len(first) && n < len(last) && first[n] == last[n] {
		n++
	}
	return first[:n]
}
