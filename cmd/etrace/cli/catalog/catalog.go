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

// entry is one thing that etrace knows by name.
type entry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Problem is what an algorithm solves, under which lists for people have it.
	Problem string `json:"problem,omitempty"`
	// Text is the whole explanation.
	Text string `json:"-"`
	// Aliases are other words for the thing.
	Aliases []string `json:"-"`
}

func entryOf(name, summary, explanation string) entry {
	return entry{Name: name, Summary: summary, Text: explanation}
}

// Kind is a kind of things.
type Kind struct {
	// Name is what list calls them, Singular what explain calls one of them.
	Name, Singular string
	entries        func() []entry
}

// JSONVersion is the version mark of lists for programs.
const JSONVersion = "etrace.list/1"

// WriteJSON writes a list for programs.
func (k *Kind) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{"format", JSONVersion, "kind", k.Name, "entries", k.entries()})
}

// WriteText writes a list for people, one thing a line, those of a problem together.
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

// Catalog is all that etrace knows, by kind; see [New].
type Catalog []Kind

// Kinds returns the names of the kinds, in order.
func (c Catalog) Kinds() []string {
	var names []string
	for _, k := range c {
		names = append(names, k.Name)
	}
	return names
}

// Lookup returns the kind of that name. The error suggests the nearest.
func (c Catalog) Lookup(name string) (*Kind, error) {
	i := slices.Index(c.Kinds(), name)
	if i < 0 {
		return nil, text.Unknown("kind of list", name, c.Kinds())
	}
	return &c[i], nil
}

// Names returns all names that can be explained, sorted: those of kinds and
// those of things.
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

// explained is a kind, or one of its entries.
type explained struct {
	kind  *Kind
	entry *entry // nil for the kind
}

// find returns all that has the name: ring is an algorithm and a diagram. If nothing has it, it may be the first word of
// names, or any: never, possibly.
func (c Catalog) find(name string) (found []explained, err error) {
	names := c.Names()
	if hyphened := strings.ToLower(strings.ReplaceAll(name, " ", "-")); !slices.Contains(names, name) && slices.Contains(names, hyphened) {
		name = hyphened // "Split brain"
	}
	named := func(candidate string) bool { return candidate == name }
	for _, wider := range [...]func(string) bool{
		func(candidate string) bool { return strings.HasPrefix(candidate, name+"-") },
		func(candidate string) bool { return slices.Contains(strings.Split(candidate, "-"), name) },
	} {
		if !slices.ContainsFunc(names, named) {
			named = wider
		}
	}
	for i := range c {
		k := &c[i]
		if named(k.Name) {
			found = append(found, explained{kind: k})
		}
		for _, e := range k.entries() {
			if named(e.Name) || slices.Contains(e.Aliases, name) {
				found = append(found, explained{k, &e})
			}
		}
	}
	if found == nil {
		err = fmt.Errorf("%w (etrace list shows the names of %s)", text.Unknown("name", name, names), strings.Join(c.Kinds(), ", "))
	}
	return found, err
}

// Explain writes about all that has the name, for people.
func (c Catalog) Explain(w io.Writer, name string) error {
	found, err := c.find(name)
	if err != nil {
		return err
	}
	separator := ""
	for _, match := range found {
		if match.entry != nil {
			_, err = fmt.Fprintf(w, "%s%s (%s)\n\n%s", separator, match.entry.Name, match.kind.Singular, match.entry.Text)
		} else {
			_, err = fmt.Fprintf(w, "%s%s:\n", separator, match.kind.Name)
			if err == nil {
				err = match.kind.WriteText(w)
			}
		}
		if err != nil {
			return err
		}
		separator = "\n"
	}
	return nil
}

// ExplainVersion is the version mark of explanations for programs.
const ExplainVersion = "etrace.explain/1"

// ExplainJSON writes the same for programs: kinds with their entries, and entries with their text.
func (c Catalog) ExplainJSON(w io.Writer, name string) error {
	found, err := c.find(name)
	if err != nil {
		return err
	}
	kinds, entries := []document.Object{}, []document.Object{}
	for _, match := range found {
		if e := match.entry; e != nil {
			entries = append(entries, document.Object{"kind", match.kind.Singular, "name", e.Name, "summary", e.Summary, "problem?", e.Problem, "text", e.Text})
		} else {
			kinds = append(kinds, document.Object{"kind", match.kind.Name, "entries", match.kind.entries()})
		}
	}
	return tracefmt.WriteJSON(w, document.Object{"format", ExplainVersion, "entries", entries, "kinds?", kinds})
}
