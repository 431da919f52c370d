package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Named is a thing that a [Registry] finds by its name.
type Named interface {
	// Key is the name under which it is found.
	Key() string
}

// Checked is a [Named] thing that can be incomplete: a registry refuses it then.
type Checked interface {
	// Check says what is missing, nil for nothing.
	Check() error
}

// Registry is a list of named things of one kind, sorted by name. It is a
// value: [Registry.With] returns a longer list and leaves the shorter one as
// it is, so that no program changes what another part of it relies on. The
// zero registry is empty.
type Registry[T Named] struct {
	what string
	all  []T
}

// NewRegistry returns the registry of the things, which errors call what:
// "algorithm". It sorts them by name. A missing name, or two that are equal,
// are mistakes of the program and panic.
func NewRegistry[T Named](what string, all ...T) Registry[T] {
	r, err := Registry[T]{what: what}.With(all...)
	if err != nil {
		panic(err)
	}
	return r
}

// With returns the registry with more things. A missing name, one that is
// taken, and a thing that is not complete (see [Checked]) are errors.
func (r Registry[T]) With(more ...T) (Registry[T], error) {
	for _, v := range more {
		if c, ok := any(v).(Checked); ok {
			if err := c.Check(); err != nil {
				return r, fmt.Errorf("%s %s: %w", r.what, Quote(v.Key()), err)
			}
		}
	}
	all := slices.Concat(r.all, more)
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(a.Key(), b.Key()) })
	for i, v := range all {
		switch {
		case v.Key() == "":
			return r, fmt.Errorf("%s without a name", indefinite(r.what))
		case i > 0 && all[i-1].Key() == v.Key():
			return r, fmt.Errorf("two of the kind %s are named %s", r.what, Quote(v.Key()))
		}
	}
	return Registry[T]{r.what, all}, nil
}

// Replacing returns the registry with the thing in the place of that of its name. A name that
// is not there is an error.
func (r Registry[T]) Replacing(thing T) (Registry[T], error) {
	i := slices.Index(r.Names(), thing.Key())
	if i < 0 {
		return r, Unknown(r.what, thing.Key(), r.Names())
	}
	all := slices.Clone(r.all)
	all[i] = thing
	return Registry[T]{r.what, all}, nil
}

func indefinite(noun string) string {
	if noun != "" && strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// IsZero reports whether it is the zero registry, in place of which a library
// may take one of its own.
func (r Registry[T]) IsZero() bool { return r.what == "" && r.all == nil }

// All returns the things in the order of their names.
func (r Registry[T]) All() []T { return slices.Clone(r.all) }

// Find returns the first thing of which is says so, in the order of their names.
func (r Registry[T]) Find(is func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(r.all, is); i >= 0 {
		return r.all[i], true
	}
	return found, false
}

// Names returns their names, in order.
func (r Registry[T]) Names() []string {
	names := make([]string, len(r.all))
	for i, v := range r.all {
		names[i] = v.Key()
	}
	return names
}

// Lookup returns the thing of that name. The error suggests the nearest name.
func (r Registry[T]) Lookup(name string) (T, error) {
	found, ok := r.Get(name)
	if !ok {
		return found, Unknown(r.what, name, r.Names())
	}
	return found, nil
}

// Get returns the thing of that name, if there is one. Unlike Lookup it suggests no nearest name, which takes long.
func (r Registry[T]) Get(name string) (found T, ok bool) {
	return r.Find(func(v T) bool { return v.Key() == name })
}

// Has reports whether a thing has that name.
func (r Registry[T]) Has(name string) bool {
	_, ok := r.Get(name)
	return ok
}

// mostListed is how many names an error lists: some three lines of a terminal. Of more it lists
// a few if it has none to suggest.
const (
	mostListed = 30
	fewListed  = 5
	mostMeant  = 8
)

// Unknown is the error for a name that is not among the known: it suggests the
// nearest, and lists all of them when there are few enough to be read, not searched; a few
// of many that are all far off.
func Unknown(what, name string, known []string) error {
	hint := ""
	if several := withWord(name, known); len(several) > 1 && Misspelt(name, known) == "" {
		hint = ", did you mean one of " + strings.Join(several[:min(len(several), mostMeant)], ", ") + "?"
	} else if near := Nearest(name, known); near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	switch {
	case len(known) <= mostListed:
		hint += " (known: " + strings.Join(known, ", ") + ")"
	case hint == "":
		hint = fmt.Sprintf(" (known: %s and %d more)", strings.Join(known[:fewListed], ", "), len(known)-fewListed)
	}
	return fmt.Errorf("unknown %s %s%s", what, Quote(name), hint)
}

// withWord returns the known names of which the name is one of the words between hyphens.
func withWord(name string, known []string) (names []string) {
	for _, k := range known {
		if slices.Contains(strings.Split(k, "-"), strings.ToLower(name)) {
			names = append(names, k)
		}
	}
	return names
}

// Meant is the error for a name that is not known by that word, but by another.
func Meant(what, name, known string) error {
	return fmt.Errorf("unknown %s %s, did you mean %q?", what, Quote(name), known)
}

// Nearest returns the known name that was meant; "" if none is so near that it may have
// been: at most a third of the letters are slips. Of those that are equally near it is the nearest without its hyphens,
// the first. A name that goes on after it, as total-order-broadcast after total-order, is nearer than any with more than
// one slip. So is the only one that begins with it,
// and the longest with which it begins.
func Nearest(name string, known []string) string {
	if longer := longer(name, known); longer != "" && Misspelt(name, known) == "" {
		return longer
	}
	if shorter := shorter(name, known); shorter != "" && Misspelt(name, known) == "" {
		return shorter
	}
	near, best, unhyphened := "", max(1, len(name)/3)+1, 0
	for _, k := range known {
		if len(name) > longestWord {
			break
		}
		word, other := strings.ToLower(name), strings.ToLower(k)
		d, bare := distance(word, other), distance(hyphens.Replace(word), hyphens.Replace(other))
		if d < best && d < len(name) || d == best && near != "" && bare < unhyphened {
			near, best, unhyphened = k, d, bare
		}
	}
	return near
}

// longer returns the first known name that goes on after a hyphen, or else the only one that goes on.
func longer(name string, known []string) string {
	const fewest = 2 // letters that say something
	if len(name) < fewest {
		return ""
	}
	if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(k, name+"-") }); i >= 0 {
		return known[i]
	}
	only := ""
	for _, k := range known {
		switch {
		case k == name || !strings.HasPrefix(k, name):
		case only != "":
			return ""
		default:
			only = k
		}
	}
	return only
}

// shorter returns the longest known name that begins the name, which goes on with letters.
func shorter(name string, known []string) (longest string) {
	const fewest = 4 // letters: fewer begin too many other words
	for _, k := range known {
		if len(k) >= fewest && len(k) > len(longest) && strings.HasPrefix(name, k) && isWord(name[len(k):]) {
			longest = k
		}
	}
	return longest
}

func isWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// Misspelt returns the known name that a name is but for a slip of the pen: one letter too many,
// too few, another one or two that have changed places, two such slips in a name of six letters
// or more; case, hyphens and underscores do not count. "" if it is near none, or a known one.
func Misspelt(name string, known []string) string {
	if slices.Contains(known, name) || len(name) > longestWord {
		return ""
	}
	word, meant, least := hyphens.Replace(strings.ToLower(name)), "", 3
	for _, k := range known {
		other := hyphens.Replace(strings.ToLower(k))
		if d := distance(word, other); d < least && (d < 2 || min(len(word), len(other)) >= 6) {
			meant, least = k, d
		}
	}
	return meant
}

var hyphens = strings.NewReplacer("-", "", "_", "")

// distance is the edit distance of Levenshtein, over bytes; neighbours that have changed places
// are one edit.
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
