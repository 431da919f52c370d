package catalog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// entry is a name that etrace knows, with its explanation.
type entry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Problem is the problem that an algorithm solves. Text lists are grouped by it.
	Problem string `json:"problem,omitempty"`
	// Text is the explanation.
	Text string `json:"-"`
	// Aliases are other words that find the entry.
	Aliases []string `json:"-"`
}

// entryOf returns an entry without a problem and aliases.
func entryOf(name, summary, explanation string) entry {
	return entry{Name: name, Summary: summary, Text: explanation}
}

// Kind is a kind of names, such as algorithms or event kinds.
type Kind struct {
	// Name is the name of the kind in etrace list, Singular the word for one of its names in etrace explain.
	Name, Singular string
	entries        func() []entry
}

// JSONVersion is the version of the JSON of etrace list.
const JSONVersion = "etrace.list/1"

// WriteJSON writes the names of the kind with their summaries as JSON.
func (k *Kind) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{"format", JSONVersion, "kind", k.Name, "entries", k.entries()})
}

// WriteText writes a line for each name of the kind, grouped by problem.
func (k *Kind) WriteText(w io.Writer) error {
	entries := k.entries()
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.Problem, b.Problem) })
	width, problem := 0, ""
	for _, e := range entries {
		width = max(width, len(e.Name))
	}
	var b strings.Builder
	for i, e := range entries {
		if e.Problem != problem {
			problem = e.Problem
			b.WriteString(strings.Repeat("\n", min(i, 1)) + problem + ":\n")
		}
		fmt.Fprintf(&b, "%-*s  %s\n", width, e.Name, e.Summary)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Catalog is the list of all kinds; see [New].
type Catalog []Kind

// Kinds returns the names of the kinds, in their order.
func (c Catalog) Kinds() []string {
	var names []string
	for _, k := range c {
		names = append(names, k.Name)
	}
	return names
}

// Lookup returns the kind with the name. The error for an unknown name suggests the nearest.
func (c Catalog) Lookup(name string) (*Kind, error) {
	i := slices.Index(c.Kinds(), name)
	if i >= 0 {
		return &c[i], nil
	}
	for _, plural := range []string{name + "s", strings.TrimSuffix(name, "y") + "ies"} {
		if slices.Contains(c.Kinds(), plural) {
			return nil, text.Meant("kind of list", name, plural)
		}
	}
	return nil, text.Unknown("kind of list", name, c.Kinds())
}

// Names returns all names that etrace explain accepts, sorted: kinds, entries and aliases.
func (c Catalog) Names() []string {
	names := c.Kinds()
	for _, k := range c {
		for _, e := range k.entries() {
			names = append(append(names, e.Name), e.Aliases...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// explained is a result of [Catalog.find]: an entry and its kind or, with entry nil, a kind.
type explained struct {
	kind  *Kind
	entry *entry
}

// find returns the kinds and entries with the name; ring is an algorithm and a diagram. If nothing has the name, it
// returns those whose names begin with it or, failing these, contain all its words, and guessed is true. It fails
// without any result.
func (c Catalog) find(name string) (found []explained, guessed bool, err error) {
	names := c.Names()
	asked := name
	if !slices.Contains(names, name) {
		name = strings.ToLower(strings.Join(strings.Fields(name), "-")) // "Split brain"
		for _, k := range c {
			if name == k.Singular && !slices.Contains(names, name) {
				name = k.Name
			}
			// "bully algorithm" means bully.
			thing := strings.TrimSuffix(name, "-"+k.Singular)
			if slices.Contains(names, thing) && !slices.Contains(names, name) {
				name = thing
			}
		}
	}
	words := strings.Split(name, "-")
	named := func(word string) bool { return word == name }
	for _, wider := range [...]func(string) bool{
		func(word string) bool { return strings.HasPrefix(word, name+"-") },
		func(candidate string) bool {
			parts := strings.Split(candidate, "-")
			return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(parts, word) })
		},
	} {
		if !slices.ContainsFunc(names, named) {
			named, guessed = wider, true
		}
	}
	for i := range c {
		k := &c[i]
		if named(k.Name) {
			found = append(found, explained{kind: k})
		}
		for _, e := range k.entries() {
			if named(e.Name) || slices.ContainsFunc(e.Aliases, named) {
				found = append(found, explained{k, &e})
			}
		}
	}
	if found == nil {
		hint := ""
		if near := text.Nearest(name, names); near != "" {
			hint = fmt.Sprintf(", did you mean %q?", near)
		}
		err = fmt.Errorf("unknown name %s%s; etrace list KIND shows the names of %s", text.Quote(asked), hint, text.And(c.Kinds()))
	}
	return found, guessed, err
}

// Explain writes the explanations of all that has the name.
func (c Catalog) Explain(w io.Writer, name string) error {
	found, guessed, err := c.find(name)
	if err != nil {
		return err
	}
	separator := ""
	if guessed {
		separator = fmt.Sprintf("Nothing is called %s. These names contain its words:\n\n", text.Printable(name))
	}
	for _, item := range found {
		if item.entry != nil {
			_, err = fmt.Fprintf(w, "%s%s (%s)\n\n%s", separator, item.entry.Name, item.kind.Singular, item.entry.Text)
		} else if _, err = fmt.Fprintf(w, "%s%s:\n", separator, item.kind.Name); err == nil {
			err = item.kind.WriteText(w)
		}
		if err != nil {
			return err
		}
		separator = "\n"
	}
	return nil
}

// ExplainVersion is the version of the JSON of etrace explain.
const ExplainVersion = "etrace.explain/1"

// ExplainJSON writes the explanations of all that has the name as JSON: kinds with their entries, and entries with
// their texts.
func (c Catalog) ExplainJSON(w io.Writer, name string) error {
	found, _, err := c.find(name)
	if err != nil {
		return err
	}
	kinds, entries := []document.Object{}, []document.Object{}
	for _, item := range found {
		if e := item.entry; e != nil {
			entries = append(entries, document.Object{
				"kind", item.kind.Singular, "name", e.Name, "summary", e.Summary, "problem?", e.Problem,
				"text", e.Text,
			})
		} else {
			kinds = append(kinds, document.Object{"kind", item.kind.Name, "entries", item.kind.entries()})
		}
	}
	return tracefmt.WriteJSON(w, document.Object{"format", ExplainVersion, "entries", entries, "kinds?", kinds})
}
