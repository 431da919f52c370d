package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"etrace/cmd/etrace/cli/catalog"
	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// listCommand returns the command list, which prints the names of one kind.
func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	kinds := joined(catalog.New(a.Known).Kinds())
	cmd := &cobra.Command{
		Use:       "list KIND",
		Short:     "List what etrace knows: " + kinds,
		ValidArgs: catalog.New(a.Known).Kinds(),
		Args:      atMost(1, "one of "+kinds),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("list: expected one of %s", kinds)
			}
			kind, err := catalog.New(a.Known).Lookup(args[0])
			switch {
			case err != nil:
				return err
			case asJSON:
				return kind.WriteJSON(a.out)
			}
			return kind.WriteText(a.out)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, "+catalog.JSONVersion)
	return cmd
}

// explainCommand returns the command explain, which prints the text on a name, the schema of scenarios, or the facts
// that properties need.
func (a *app) explainCommand() *cobra.Command {
	var schema, needs, asJSON bool
	var rules ruleFlags
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Explain an algorithm, a property, a word of the field",
		Long: `Explain a name (etrace list shows them) or a word of the field, such as quorum.
--needs: the facts that a recording must have to decide properties or rules.`,
		Example: `  etrace explain split-brain
  etrace explain scenario --schema   # JSON Schema of scenario files
  etrace explain --needs single-leader fifo`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return catalog.New(a.Known).Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case needs:
				return a.explainNeeds(args, &rules, asJSON)
			case len(args) == 0:
				return fmt.Errorf("explain: expected a name; etrace list shows names")
			case schema && args[0] != "scenario":
				return fmt.Errorf("explain: only scenario has a --schema")
			case schema:
				_, err := a.out.Write(scenario.Schema())
				return err
			}
			known := catalog.New(a.Known)
			explain := known.Explain
			if asJSON {
				explain = known.ExplainJSON
			}
			name := strings.Join(args, " ") // such as split brain
			err := a.print(func(w io.Writer) error { return explain(w, name) })
			isUnknown := func(arg string) bool { return !slices.Contains(known.Names(), arg) }
			if err != nil && len(args) > 1 && !slices.ContainsFunc(args, isUnknown) {
				return fmt.Errorf("explain: nothing is called %s, expected one name: %s", text.Quote(name), text.Or(args))
			}
			if err != nil && slices.Contains(commandNames(cmd.Root()), name) {
				return fmt.Errorf("explain: %s is a command, expected a name; etrace %[1]s --help explains the command", name)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "with scenario: print its JSON Schema")
	cmd.Flags().BoolVar(&needs, "needs", false, "print what a recording must have to decide these")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, "+catalog.ExplainVersion+", or with --needs "+catalog.NeedsVersion)
	rules.flags(cmd)
	return cmd
}

// explainNeeds prints the facts that a recording must have to decide properties and rules.
func (a *app) explainNeeds(names []string, rules *ruleFlags, asJSON bool) error {
	if len(names) == 0 && !rules.given() {
		return fmt.Errorf("explain --needs: expected names of properties, or rules; etrace list properties")
	}
	named, err := a.Properties.Named(names...)
	if err != nil {
		return fmt.Errorf("%w; --needs is of properties, and with -e of rules", err)
	}
	more, err := rules.parse(named)
	if err != nil {
		return err
	}
	needs := catalog.Needs(slices.Concat(named, more))
	if asJSON {
		return needs.WriteJSON(a.out)
	}
	return a.print(needs.WriteText)
}

// joined returns the names, separated by commas.
func joined(names []string) string { return strings.Join(names, ", ") }

// complete makes the shell complete the value of a flag.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	completeBy(cmd, flag, func(string) []string { return values() })
}

// completeList makes the shell complete the last name of a list with commas.
func completeList(cmd *cobra.Command, flag string, values func() []string) {
	completeBy(cmd, flag, func(typed string) []string {
		list := slices.Clone(values())
		for i := range list {
			list[i] = typed[:strings.LastIndex(typed, ",")+1] + list[i]
		}
		return list
	})
}

// completeBy makes the shell complete a flag with the values for the text typed so far.
func completeBy(cmd *cobra.Command, flag string, values func(typed string) []string) {
	register(cmd, flag, func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return values(typed), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeFor makes the shell complete a flag whose values depend on the arguments.
func completeFor(cmd *cobra.Command, flag string, values func(args []string) []string) {
	register(cmd, flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return values(args), cobra.ShellCompDirectiveNoFileComp
	})
}

// register stores a completion function in the value of the flag. Only a process that completes passes it to cobra; see
// [registerCompletions].
func register(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	f := cmd.Flags().Lookup(flag)
	f.Value = completed{f.Value, values}
	if f.DefValue == "[]" { // pflag would show it, since it does not see that this is a list
		f.DefValue = ""
	}
}

// completed is the value of a flag, with the function that completes it in the shell.
type completed struct {
	pflag.Value
	values cobra.CompletionFunc
}

// registerCompletions passes the completion functions of the command, and of the commands below it, to cobra. Cobra
// keeps a registered function, and with it the command, until the process ends; so only a process that completes does
// this.
func registerCompletions(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if c, ok := f.Value.(completed); ok {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, c.values) // fails only for a missing flag
		}
	})
	for _, sub := range cmd.Commands() {
		registerCompletions(sub)
	}
}
