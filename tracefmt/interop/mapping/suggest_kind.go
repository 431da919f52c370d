package mapping

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sort is lines that differ only in numbers, names and the like.
type sort struct {
	tokens  []token
	open    bool   // there is more after the tokens
	spaced  bool   // there is more than one blank between words
	act     string // the value of the field that says what the line is about
	first   *sampled
	count   int
	starts  int             // how many of them are the first line of their process
	writers map[string]bool // the processes
	literal bool            // the words are all that there is, and none varies
}

// token is a word of a line.
type token struct {
	lead, core, trail string
	// value: the word varies.
	value bool
	// process: it is the name of one.
	process bool
}

// maxTokens bounds the words by which lines are told apart.
const maxTokens = 14

// sorts are the sorts of the lines that have a process, the most frequent first, and how many
// lines have none.
func (s *sample) sorts(r *roles) (all []*sort, nameless int) {
	byKey := make(map[string]*sort)
	seen := make(map[string]bool)
	for _, rec := range s.records {
		process := rec.fields[r.process]
		if r.process == "file" {
			process = rec.file
		}
		process = r.name(process)
		if rec.fields == nil || process == "" {
			nameless++
			continue
		}
		k := newSort(rec, s.layout.msg, r)
		key := k.key()
		if byKey[key] == nil {
			k.writers = make(map[string]bool)
			byKey[key] = k
			all = append(all, k)
		}
		byKey[key].count++
		byKey[key].writers[process] = true
		if !seen[process] {
			seen[process] = true
			byKey[key].starts++
		}
	}
	slices.SortStableFunc(all, func(a, b *sort) int { return cmp.Compare(b.count, a.count) })
	return all, nameless
}

// newSort cuts the words of a line.
func newSort(rec *sampled, msg string, r *roles) *sort {
	k := &sort{first: rec}
	if r.act != "" {
		k.act = rec.fields[r.act]
	}
	words := strings.Fields(rec.fields[msg])
	if len(words) > maxTokens || len(rec.fields[msg]) > 2000 {
		words, k.open = words[:min(len(words), maxTokens)], true
	}
	for _, w := range words {
		t := newToken(w, r.names)
		if strings.Contains(w, "{") && !strings.Contains(w, "}") || len(w) > 80 { // a structure begins
			k.open = true
			break
		}
		k.tokens = append(k.tokens, t)
	}
	k.spaced = !strings.HasPrefix(rec.fields[msg], strings.Join(words, " "))
	k.literal = !k.open && !k.spaced && !slices.ContainsFunc(k.tokens, func(t token) bool { return t.value }) && rec.fields[msg] == strings.Join(words, " ")
	return k
}

var (
	tokenParts = regexp.MustCompile(`^([\[({"'<#]*(?:[A-Za-z_.]+[=:#])?[\["'<]*)([^=]+?)([\])}"'>,.;:!?]*)$`)
	digits     = regexp.MustCompile(`\d`)
	plainWord  = regexp.MustCompile(`^[\pL'_/-]+$`)
)

// newToken takes a word apart: what it begins and ends with, and whether the rest varies.
func newToken(word string, names map[string]bool) token {
	at := tokenParts.FindStringSubmatch(word)
	if at == nil || at[2] == "" {
		return token{core: word, value: !plainWord.MatchString(word) && !punctuation.MatchString(word)}
	}
	t := token{lead: at[1], core: at[2], trail: at[3]}
	t.process = names[t.core]
	t.value = t.process || digits.MatchString(t.core) || !plainWord.MatchString(t.core)
	return t
}

var punctuation = regexp.MustCompile(`^[^\w\s]{1,3}$`)

// key is the same for lines of a sort.
func (k *sort) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q%v", k.act, k.spaced)
	for _, t := range k.tokens {
		switch {
		case t.process:
			b.WriteString(" " + t.lead + "\x01" + t.trail)
		case t.value && number.MatchString(t.core):
			b.WriteString(" " + t.lead + "\x04" + t.trail)
		case t.value && plainName.MatchString(t.core):
			b.WriteString(" " + t.lead + "\x05" + t.trail)
		case t.value:
			b.WriteString(" " + t.lead + "\x02" + t.trail)
		default:
			b.WriteString(" " + t.lead + t.core + t.trail)
		}
	}
	if k.open {
		b.WriteString(" \x03")
	}
	return b.String()
}

// words are the constant words, in small letters.
func (k *sort) words() string {
	var list []string
	for _, t := range k.tokens {
		if !t.value {
			list = append(list, strings.ToLower(t.core))
		} else {
			list = append(list, "*")
		}
	}
	return strings.Join(list, " ")
}

// expression is a pattern of the lines, in which the tokens of groups are named.
func (k *sort) expression(groups map[int]string) string {
	var b strings.Builder
	begin, blank, end := "^", " ", "$"
	if k.spaced {
		begin, blank, end = `^\s*`, `\s+`, `\s*$`
	}
	b.WriteString(begin)
	for i, t := range k.tokens {
		if i > 0 {
			b.WriteString(blank)
		}
		b.WriteString(regexp.QuoteMeta(t.lead))
		name, named := groups[i]
		switch {
		case named && number.MatchString(t.core) && !t.process:
			fmt.Fprintf(&b, `(?<%s>\d+)`, name)
		case named && plainName.MatchString(t.core):
			fmt.Fprintf(&b, `(?<%s>[\w.@-]*\w)`, name)
		case named:
			fmt.Fprintf(&b, `(?<%s>\S+)`, name)
		case t.value && number.MatchString(t.core) && !t.process:
			b.WriteString(`\d+`)
		case t.value && plainName.MatchString(t.core):
			b.WriteString(`[\w.@-]+`)
		case t.value:
			b.WriteString(`\S+`)
		default:
			b.WriteString(regexp.QuoteMeta(t.core))
		}
		b.WriteString(regexp.QuoteMeta(t.trail))
	}
	if !k.open {
		b.WriteString(end)
	}
	return b.String()
}

var (
	number    = regexp.MustCompile(`^\d+$`)
	plainName = regexp.MustCompile(`^[\w.@-]*\w$`)
)
