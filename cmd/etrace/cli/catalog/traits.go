package catalog

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// traitEntry returns the entry of a trait, with the properties that read it.
func traitEntry(t tracefmt.Trait, properties []*analyze.Property) entry {
	var readers []string
	for _, p := range properties {
		if slices.Contains(p.Traits(), t.Name) {
			readers = append(readers, p.Name)
		}
	}
	doc := t.Doc + "\n"
	for _, part := range []struct {
		title string
		names []string
	}{{"Includes", t.Includes}, {"Read by", readers}} {
		if len(part.names) > 0 {
			doc += fmt.Sprintf("\n%s: %s\n", part.title, strings.Join(part.names, ", "))
		}
	}
	return entryOf(t.Name, strings.TrimSuffix(t.Doc, "."), doc)
}

// readTraits describes how a property uses the traits of a run, "" if it uses none.
func readTraits(p *analyze.Property) string {
	var parts []string
	for _, part := range []struct {
		traits []string
		means  string
	}{
		{p.Required, "required: the property does not apply to other runs"},
		{p.Presumed, "expected: other runs are examined only if the property is named"},
		{p.Excluded, "runs with it are not examined, unless the property is named"},
		{p.Mentioned, "makes explanations more detailed"},
		{best(p), "or best in the header is required: the property does not apply to other runs"},
	} {
		if len(part.traits) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", strings.Join(part.traits, ", "), part.means))
		}
	}
	return strings.Join(parts, "; ")
}

// best returns the trait that defines the best process if the property needs a best process, else nil.
func best(p *analyze.Property) []string {
	if p.NeedsBest {
		return []string{tracefmt.GreatestWins}
	}
	return nil
}

// traitRows returns the names of traits with their meanings.
func traitRows(names []string) [][2]string {
	var rows [][2]string
	for _, name := range names {
		doc := ""
		if t, err := tracefmt.Traits().Lookup(name); err == nil {
			doc = t.Doc
		}
		rows = append(rows, [2]string{name, doc})
	}
	return rows
}

// boundsTable returns the section on the bounds of an algorithm, "" if it has none.
func boundsTable(bounds []tracefmt.Bound) string {
	if len(bounds) == 0 {
		return ""
	}
	var b strings.Builder
	complexity.WriteBounds(&b, bounds) // a strings.Builder never fails
	return "\nBounds on the messages of a failure-free run with simultaneous start:\n" +
		text.Indent(strings.TrimSuffix(b.String(), "\n"), "  ") + "\n"
}
