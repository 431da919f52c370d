package catalog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Needs are properties whose needs are printed: the facts that a recording must have for each verdict. See
// [analyze.Property].
type Needs []*analyze.Property

// NeedsVersion is the version of the JSON of etrace explain --needs.
const NeedsVersion = "etrace.needs/1"

// WriteText writes a line for each verdict of each property.
func (n Needs) WriteText(w io.Writer) error {
	for _, p := range n {
		if _, err := fmt.Fprintf(w, "%s (%s)\n%s\n", text.Printable(p.Name), p.Kind, text.Indent(needsText(p), "  ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "With fewer events, a property does not apply (first line) or may be unknown.")
	return err
}

// needsText returns a line for each verdict of a property, without the last end of line.
func needsText(p *analyze.Property) string {
	applies := text.And(factKeys(p.Triggers))
	if applies == "" {
		applies = text.Or(factKeys(p.ViolatedBy))
	}
	var lines []string
	for _, row := range [...][3]string{
		{"to apply", "some ", applies},
		{"for violated", "all ", text.And(factKeys(p.ExcusedBy))},
		{"for satisfied", "all ", text.And(factKeys(p.ViolatedBy))},
	} {
		records := "nothing more"
		if row[2] != "" {
			records = row[1] + row[2]
		}
		lines = append(lines, fmt.Sprintf("%-13s  %s", row[0], records))
	}
	return strings.Join(lines, "\n")
}

// factKeys returns the facts in the words of --complete. A group replaces the kinds of events if all its kinds are among the
// facts.
func factKeys(facts []tracefmt.Fact) []string {
	var keys []string
	left := slices.Clone(facts)
	for _, group := range tracefmt.GroupNames() {
		matches := func(f tracefmt.Fact) bool {
			return f.Variable == "" && slices.Contains(tracefmt.GroupKinds(group), f.Kind)
		}
		kinds := tracefmt.GroupKinds(group)
		complete := !slices.ContainsFunc(kinds, func(k tracefmt.Kind) bool { return !slices.Contains(left, tracefmt.Fact{Kind: k}) })
		if complete && len(kinds) > 1 {
			keys, left = append(keys, group), slices.DeleteFunc(left, matches)
		}
	}
	for _, f := range left {
		keys = append(keys, text.Printable(f.String()))
	}
	return keys
}

// WriteJSON writes the facts for each verdict of each property as JSON.
func (n Needs) WriteJSON(w io.Writer) error {
	return tracefmt.WriteJSON(w, document.Object{
		"format", NeedsVersion,
		"properties", document.List(n, func(p *analyze.Property) document.Object {
			return document.Object{
				"name", p.Name, "kind", p.Kind, "applies", keysOf(p.Triggers), "violated", keysOf(p.ExcusedBy),
				"satisfied", keysOf(p.ViolatedBy),
			}
		}),
	})
}

// keysOf returns the facts as texts, without groups.
func keysOf(facts []tracefmt.Fact) []string {
	keys := []string{}
	for _, f := range facts {
		keys = append(keys, f.String())
	}
	return keys
}
