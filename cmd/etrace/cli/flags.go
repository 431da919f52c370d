package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// formFlags select the form of a report.
type formFlags struct {
	format string
	json   bool
}

func (f *formFlags) flags(cmd *cobra.Command, thing string, names func() []string) {
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORM` of the "+thing+": "+joined(names()))
	cmd.Flags().BoolVar(&f.json, "json", false, "short for --format json")
	complete(cmd, "format", names)
}

// name returns the name of the selected form.
func (f *formFlags) name() string {
	if f.json {
		return "json"
	}
	return f.format
}

// A flagGroup is a part of a command's flags that belong together.
type flagGroup struct {
	title string
	flags []string
	// replacement, unless "", is the command whose help describes the flags; this help then lists only their names.
	replacement string
}

// groupFlags makes the help of a command list its flags in these groups. Flags in no group come last.
func groupFlags(cmd *cobra.Command, groups ...flagGroup) {
	cmd.SetUsageFunc(func(*cobra.Command) error { // most commands are run, and show no help
		cmd.SetUsageFunc(nil)
		cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), defaultFlagUsages, groupedUsages(cmd, groups), 1))
		return cmd.Usage()
	})
}

// groupedUsages returns the help text of the flags of a command.
func groupedUsages(cmd *cobra.Command, groups []flagGroup) string {
	cmd.InitDefaultHelpFlag()
	further := flagGroup{title: "Further flags"}
	grouped := map[string]bool{}
	for _, g := range groups {
		for _, name := range g.flags {
			grouped[name] = true
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if !grouped[f.Name] {
			further.flags = append(further.flags, f.Name)
		}
	})
	var b strings.Builder
	for _, g := range append(groups, further) {
		set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.flags {
			set.AddFlag(cmd.Flags().Lookup(name))
		}
		usages := set.FlagUsages()
		if g.replacement != "" {
			usages = columnsOf(g.flags)
			g.title += " (" + g.replacement + ")"
		}
		b.WriteString("\n" + g.title + ":\n" + usages)
	}
	return strings.NewReplacer("{{", "", "}}", "").Replace(strings.TrimSpace(b.String()))
}

// columnsOf returns the names of flags in lines of four.
func columnsOf(names []string) string {
	var b strings.Builder
	for line := range slices.Chunk(names, 4) {
		for _, name := range line {
			fmt.Fprintf(&b, "  --%-20s", name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// defaultFlagUsages is where the template of cobra lists a command's flags.
const defaultFlagUsages = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
