package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:       "list KIND",
		Short:     "List what etrace knows: " + joined(a.catalogNames()),
		ValidArgs: a.catalogNames(),
		Args:      atMost(1, "one of "+joined(a.catalogNames())),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("list: expected one of %s", joined(a.catalogNames()))
			}
			i := slices.Index(a.catalogNames(), args[0])
			if i < 0 {
				return text.Unknown("kind of list", args[0], a.catalogNames())
			}
			return a.list(&a.catalogs()[i], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON for programs, etrace.list/1")
	return cmd
}

func (a *app) list(c *catalog, asJSON bool) error {
	entries := c.entries()
	if asJSON {
		return tracefmt.WriteJSON(a.out, struct {
			Format  string  `json:"format"`
			Kind    string  `json:"kind"`
			Entries []entry `json:"entries"`
		}{"etrace.list/1", c.name, entries})
	}
	width := 0
	for _, e := range entries {
		width = max(width, len(e.Name))
	}
	for _, e := range entries {
		if _, err := fmt.Fprintf(a.out, "%-*s  %s\n", width, e.Name, e.Summary); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) explainCommand() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Explain an algorithm, property, construct of rules, diagram, format, event kind, scenario key or verdict",
		Example: `  etrace explain chang-roberts
  etrace explain election-safety
  etrace explain leads-to            # a form of rules, docs/language.md
  etrace explain scenario --schema   # JSON Schema of scenario files`,
		Args: atMost(1, "a name"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return a.explainable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("explain: expected a name; etrace list shows names")
			case schema && args[0] != "scenario":
				return fmt.Errorf("explain: only scenario has a --schema")
			case schema:
				_, err := a.out.Write(scenario.Schema())
				return err
			}
			return a.explain(args[0])
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "with scenario: print the JSON Schema of scenario files")
	return cmd
}

func (k *registries) explainable() []string {
	var names []string
	for _, c := range k.catalogs() {
		names = append(names, c.name)
		for _, e := range c.entries() {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// explain prints all that has the name: ring is an algorithm and a diagram. If
// nothing has it, it may be the first word of names: never, raft.
func (a *app) explain(name string) error {
	named := func(other string) bool { return other == name }
	if !slices.ContainsFunc(a.explainable(), named) {
		named = func(other string) bool { return strings.HasPrefix(other, name+"-") }
	}
	if !slices.ContainsFunc(a.explainable(), named) {
		return text.Unknown("name", name, a.explainable())
	}
	return a.writeFile("-", func(w io.Writer) error {
		separator := ""
		for _, c := range a.catalogs() {
			if named(c.name) {
				fmt.Fprintf(w, "%s%s:\n", separator, c.name)
				if err := (&app{out: w}).list(&c, false); err != nil {
					return err
				}
				separator = "\n"
			}
			for _, e := range c.entries() {
				if named(e.Name) {
					fmt.Fprintf(w, "%s%s (%s)\n\n%s", separator, e.Name, c.singular, e.Text)
					separator = "\n"
				}
			}
		}
		return nil
	})
}

func joined(names []string) string { return strings.Join(names, ", ") }

// complete lets the shell complete the value of a flag.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	completeBy(cmd, flag, func(string) []string { return values() })
}

// completeList lets the shell complete the last name of a list with commas.
func completeList(cmd *cobra.Command, flag string, values func() []string) {
	completeBy(cmd, flag, func(typed string) []string {
		list := slices.Clone(values())
		for i := range list {
			list[i] = typed[:strings.LastIndex(typed, ",")+1] + list[i]
		}
		return list
	})
}

func completeBy(cmd *cobra.Command, flag string, values func(typed string) []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return values(typed), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is not declared
	}
}
