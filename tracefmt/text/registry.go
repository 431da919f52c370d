package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Named is a thing that a [Registry] finds by its name.
type Named interface {
	// Key returns the name.
	Key() string
}

// Checked is a [Named] thing that can be incomplete; a registry then refuses it.
type Checked interface {
	// Check returns what is missing, nil for nothing.
	Check() error
}

// Registry is a list of named things of one kind, sorted by name. It is a value: [Registry.With] returns a
// longer list and leaves the original unchanged, so no part of a program can change the list of another. The
// zero registry is empty.
type Registry[T Named] struct {
	noun string
	late func() []T // makes the things at the first call; nil for an empty registry
}

// NewRegistry returns the registry of the things; noun is the word for errors, such as "algorithm". It panics
// if a name is missing or occurs twice, which is a mistake of the program.
func NewRegistry[T Named](noun string, things ...T) Registry[T] {
	r, err := Registry[T]{noun: noun}.With(things...)
	if err != nil {
		panic(err)
	}
	return r
}

// LateRegistry is [NewRegistry] for things that are made at the first access.
func LateRegistry[T Named](noun string, things func() []T) Registry[T] {
	return Registry[T]{noun, sync.OnceValue(func() []T { return NewRegistry(noun, things()...).list() })}
}

// registryOf returns the registry of sorted things.
func registryOf[T Named](noun string, things []T) Registry[T] {
	return Registry[T]{noun, func() []T { return things }}
}

// list returns the things, which must not be changed.
func (r Registry[T]) list() []T {
	if r.late == nil {
		return nil
	}
	return r.late()
}

// With returns the registry with more things. It fails if a name is missing or taken, or if a thing is
// incomplete (see [Checked]).
func (r Registry[T]) With(more ...T) (Registry[T], error) {
	for _, v := range more {
		if c, ok := any(v).(Checked); ok {
			if err := c.Check(); err != nil {
				return r, fmt.Errorf("%s %s: %w", r.noun, Quote(v.Key()), err)
			}
		}
	}
	things := slices.Concat(r.list(), more)
	slices.SortStableFunc(things, func(a, b T) int { return cmp.Compare(a.Key(), b.Key()) })
	for i, v := range things {
		switch {
		case v.Key() == "":
			return r, fmt.Errorf("%s without a name", Indefinite(r.noun))
		case i > 0 && things[i-1].Key() == v.Key():
			return r, fmt.Errorf("two of the kind %s are named %s", r.noun, Quote(v.Key()))
		}
	}
	return registryOf(r.noun, things), nil
}

// Replacing returns the registry with the thing in place of the one with its name. It fails without one.
func (r Registry[T]) Replacing(thing T) (Registry[T], error) {
	i := slices.Index(r.Names(), thing.Key())
	if i < 0 {
		return r, Unknown(r.noun, thing.Key(), r.Names())
	}
	things := slices.Clone(r.list())
	things[i] = thing
	return registryOf(r.noun, things), nil
}

// Indefinite returns a noun with its article: an event, a run.
func Indefinite(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// IsZero reports whether this is the zero registry, which a library may replace by its own.
func (r Registry[T]) IsZero() bool { return r.noun == "" && r.late == nil }

// All returns the things in the order of their names.
func (r Registry[T]) All() []T { return slices.Clone(r.list()) }

// Find returns the first thing in the order of names that matches.
func (r Registry[T]) Find(matches func(T) bool) (found T, ok bool) {
	for _, v := range r.list() {
		if matches(v) {
			return v, true
		}
	}
	return found, false
}

// Names returns the names in order.
func (r Registry[T]) Names() []string {
	var names []string
	for _, v := range r.list() {
		names = append(names, v.Key())
	}
	return names
}

// Lookup returns the thing with the given name. The error suggests the closest name.
func (r Registry[T]) Lookup(name string) (T, error) {
	found, ok := r.Get(name)
	if !ok {
		return found, Unknown(r.noun, name, r.Names())
	}
	return found, nil
}

// Get returns the thing with the given name, if it exists. Unlike Lookup it makes no suggestion, which is slow.
func (r Registry[T]) Get(name string) (found T, ok bool) {
	return r.Find(func(v T) bool { return v.Key() == name })
}

// Has reports whether a thing has the name.
func (r Registry[T]) Has(name string) bool {
	_, ok := r.Get(name)
	return ok
}

// The limits for lists of names in an error.
const (
	mostListed = 30 // a complete list: about three lines of a terminal
	fewListed  = 5  // the examples of a longer list
	mostMeant  = 8  // the suggestions
)

// Unknown returns the error for an unknown name. It suggests the closest known name, or lists all known names
// if they are few. For a long list without a close name it shows some.
func Unknown(noun, name string, known []string) error {
	several, near := withWord(name, known), Nearest(name, known)
	if near == "" && len(several) == 1 {
		near = several[0]
	}
	hint := ""
	switch {
	case isList(name, known):
		hint = ", expected the name of one"
	case len(several) > 1 && Misspelt(name, known) == "":
		hint = ", did you mean one of " + strings.Join(several[:min(len(several), mostMeant)], ", ") + "?"
	case near != "":
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	switch {
	case len(known) == 0:
		hint = ", and no name is known"
	case len(known) <= mostListed:
		hint += " (known: " + strings.Join(known, ", ") + ")"
	case hint == "":
		hint = fmt.Sprintf(" (known: %s and %d more)", strings.Join(known[:fewListed], ", "), len(known)-fewListed)
	}
	return fmt.Errorf("unknown %s %s%s", noun, Quote(name), hint)
}

// isList reports whether a user gave all names, or several known ones with commas, where one was expected.
func isList(name string, known []string) bool {
	names := strings.Split(name, ",")
	isUnknown := func(n string) bool { return !slices.Contains(known, strings.TrimSpace(n)) }
	return strings.EqualFold(name, "all") || len(names) > 1 && !slices.ContainsFunc(names, isUnknown)
}

// numerals are the signs of number words in abbreviations, as in 2pc.
var numerals = map[string]string{"two": "2", "three": "3"}

// abbreviation returns the first letters of the words of a name: 2pc for two-phase-commit.
func abbreviation(name string) string {
	short := ""
	for _, word := range strings.Split(name, "-") {
		if word != "" {
			short += cmp.Or(numerals[word], word[:1])
		}
	}
	return short
}

// withWord returns the known names that contain the name as a word between hyphens, or else all words of the name, or
// that the name abbreviates.
func withWord(name string, known []string) (names []string) {
	name = strings.ToLower(name)
	wanted := []string{name}
	if !slices.ContainsFunc(known, func(k string) bool { return slices.Contains(strings.Split(k, "-"), name) }) {
		wanted = strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	}
	for _, k := range known {
		words := strings.Split(k, "-")
		lacks := func(w string) bool { return !slices.Contains(words, w) }
		if len(words) > 1 && name == abbreviation(k) || len(wanted) > 0 && !slices.ContainsFunc(wanted, lacks) {
			names = append(names, k)
		}
	}
	return names
}

// Meant returns the error for a name that is known under another word.
func Meant(noun, name, known string) error {
	return fmt.Errorf("unknown %s %s, did you mean %q?", noun, Quote(name), known)
}

// Nearest returns the known name that was probably meant, "" if none is close: at most a third of the letters
// may be wrong. Ties go to the name that is closest without hyphens, then to the first. A known name that is
// the beginning of the name up to a hyphen, as total-order of total-order-broadcast, is closer than any with
// more than one wrong letter. So are the only known name that begins with the name, and the longest that the
// name begins with.
func Nearest(name string, known []string) string {
	if longer := continuation(name, known); longer != "" && Misspelt(name, known) == "" {
		// Each rule applies only if the earlier ones found nothing as close.
		return longer
	}
	if shorter := knownBeginning(name, known); shorter != "" && Misspelt(name, known) == "" {
		return shorter
	}
	near, best, unhyphened := "", max(1, len(strings.TrimLeft(name, "-"))/3)+1, 0
	for _, k := range known {
		if len(name) > longestWord {
			break
		}
		word, candidate := strings.ToLower(name), strings.ToLower(k)
		d, bare := distance(word, candidate), distance(hyphens.Replace(word), hyphens.Replace(candidate))
		isCloser := d < best && d < len(name)
		winsTie := d == best && near != "" && bare < unhyphened
		if isCloser || winsTie {
			near, best, unhyphened = k, d, bare
		}
	}
	return near
}

// continuation returns the first known name that continues the name after a hyphen, otherwise the only name that
// continues it.
func continuation(name string, known []string) string {
	const fewest = 2 // shorter beginnings match too much
	if len(name) < fewest {
		return ""
	}
	if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(k, name+"-") }); i >= 0 {
		return known[i]
	}
	unique := ""
	for _, k := range known {
		switch {
		case k == name || !strings.HasPrefix(k, name):
		case unique != "":
			return ""
		default:
			unique = k
		}
	}
	return unique
}

// knownBeginning returns the longest known name that is the beginning of the name, followed by letters.
func knownBeginning(name string, known []string) (longest string) {
	const fewest = 4 // letters: fewer begin too many other words
	for _, k := range known {
		if len(k) >= fewest && len(k) > len(longest) && strings.HasPrefix(name, k) && isWord(name[len(k):]) {
			longest = k
		}
	}
	return longest
}

// isWord reports whether a text consists of letters.
func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// Misspelt returns the known name that a name misspells. One slip is allowed: a letter too many or
// too few, a wrong letter, or two swapped letters; two slips in a name of six letters or more. Case, hyphens
// and underscores do not count. It returns "" for a known name, or without a close one.
func Misspelt(name string, known []string) string {
	if slices.Contains(known, name) || len(name) > longestWord {
		return ""
	}
	word, meant, fewest := hyphens.Replace(strings.ToLower(name)), "", 3
	for _, k := range known {
		candidate := hyphens.Replace(strings.ToLower(k))
		if d := distance(word, candidate); d < fewest && (d < 2 || min(len(word), len(candidate)) >= 6) {
			meant, fewest = k, d
		}
	}
	return meant
}

// hyphens removes hyphens and underscores.
var hyphens = strings.NewReplacer("-", "", "_", "")

// distance returns the Levenshtein distance in bytes, where swapped neighbours count as one edit.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	above := slices.Clone(row) // the row before the last one
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], above[j-1]+1)
			}
		}
		above, row = row, next
	}
	return row[len(b)]
}
