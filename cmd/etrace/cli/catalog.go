package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/render/diagram"
	"etrace/render/format"
	"etrace/replay/experiment"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// entry is one thing that etrace knows by name.
type entry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Text is the whole explanation.
	Text string `json:"-"`
}

// catalog is a kind of things, for list and explain. All texts come from the
// registries that the code itself works with.
type catalog struct {
	name     string // what list calls them
	singular string
	entries  func() []entry
}

var catalogs = []catalog{
	{"algorithms", "algorithm", algorithmEntries},
	{"diagrams", "diagram", diagramEntries},
	{"faults", "fault of hunts", faultEntries},
	{"formats", "foreign format", formatEntries},
	{"kinds", "event kind", kindEntries},
	{"pictures", "picture format", pictureEntries},
	{"properties", "property", propertyEntries},
	{"reports", "report format", reportEntries},
	{"scenario", "scenario key", scenarioEntries},
	{"suite-reports", "suite report format", suiteReportEntries},
	{"verdicts", "verdict", verdictEntries},
}

func catalogNames() []string {
	var names []string
	for _, c := range catalogs {
		names = append(names, c.name)
	}
	return names
}

// summary is the first sentence of a text.
func summary(doc string) string {
	first, _, _ := strings.Cut(doc, "\n\n")
	first = strings.Join(strings.Fields(first), " ")
	if i := strings.Index(first, ". "); i >= 0 {
		first = first[:i]
	}
	return strings.TrimSuffix(first, ".")
}

func algorithmEntries() []entry {
	var list []entry
	for _, a := range algorithm.All() {
		list = append(list, entry{a.Name, summary(a.Doc), explainAlgorithm(a)})
	}
	return list
}

func explainAlgorithm(a *algorithm.Algorithm) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nProblem: %s\nSource: %s\n", a.Doc, a.Problem, a.Source)
	values, err := a.Resolve(nil)
	if err != nil {
		return b.String() // a test resolves the defaults of every algorithm
	}
	messages, variables, timers := a.New(values).Describe()
	section := func(title string, rows [][2]string) {
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", title)
		}
		for _, r := range rows {
			b.WriteString(strings.TrimRight(fmt.Sprintf("  %-28s %s", r[0], r[1]), " ") + "\n")
		}
	}
	section("Messages", messages)
	section("Variables", variables)
	section("Timers", timers)
	var params [][2]string
	for _, p := range a.Params {
		params = append(params, [2]string{p.Name + "=" + p.Default, p.Doc + " (" + p.Allowed() + ")"})
	}
	section("Parameters, with their defaults", params)
	return b.String()
}

func propertyEntries() []entry {
	var list []entry
	for _, p := range property.All() {
		brief, examined := summary(p.Doc), "by default"
		if p.OnRequest || p.Bind != nil {
			examined = "only when named"
			brief += " (" + examined + ")"
		}
		var b strings.Builder
		b.WriteString(p.Doc + "\n\n")
		for _, row := range [...][2]string{
			{"Rule", p.Rule},
			{"Kind", string(p.Kind)},
			{"Problem", orAny(p.Problem)},
			{"Argument", p.Argument},
			{"Needs", p.Needs},
			{"Assumes", p.Assumption},
			{"Source", p.Source},
			{"Examined", examined},
		} {
			if row[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", row[0], row[1])
			}
		}
		list = append(list, entry{p.Name, brief, b.String()})
	}
	return list
}

func orAny(problem string) string {
	if problem == "" {
		return "any"
	}
	return problem
}

func diagramEntries() []entry {
	var list []entry
	for _, d := range diagram.All() {
		list = append(list, entry{d.Name, summary(d.Doc), d.Doc + "\n"})
	}
	return list
}

func pictureEntries() []entry {
	var list []entry
	for _, f := range format.All() {
		list = append(list, entry{f.Name, summary(f.Doc), f.Doc + "\n"})
	}
	return list
}

func formatEntries() []entry {
	var list []entry
	for _, f := range interop.All() {
		use := "import and export"
		switch {
		case f.Write == nil:
			use = "import"
		case f.Read == nil:
			use = "export"
		}
		list = append(list, entry{f.Name, summary(f.Doc), fmt.Sprintf("%s\n\nFor: %s\nSource: %s\n", f.Doc, use, f.Source)})
	}
	return list
}

func reportEntries() []entry {
	var list []entry
	for _, f := range report.All() {
		list = append(list, entry{f.Name, summary(f.Doc), f.Doc + "\n"})
	}
	return list
}

func suiteReportEntries() []entry {
	var list []entry
	for _, f := range experiment.Formats() {
		list = append(list, entry{f.Name, summary(f.Doc), f.Doc + "\n"})
	}
	return list
}

func kindEntries() []entry {
	var list []entry
	for _, k := range tracefmt.Kinds() {
		info := k.Info()
		text := info.Doc + "\n"
		if info.PeerRole != "" {
			text += "\nPeer: " + info.PeerRole + "\n"
		}
		list = append(list, entry{info.Name, info.Doc, text})
	}
	return list
}

func scenarioEntries() []entry {
	var list []entry
	for _, k := range scenario.Keys {
		arg := k.Arg
		if k.Switch {
			arg = "on|off"
		}
		text := fmt.Sprintf("%s\n\nFlag: --%s %s\nIn a scenario file: %s: %s\n", k.Doc, k.Name, arg, k.Name, arg)
		list = append(list, entry{k.Name, k.Doc, text})
	}
	return list
}

func verdictEntries() []entry {
	var list []entry
	for _, v := range analyze.Verdicts {
		list = append(list, entry{string(v.Verdict), v.Meaning, v.Meaning + "\n"})
	}
	return list
}

func (a *app) listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:       "list KIND",
		Short:     "List what etrace knows: " + joined(catalogNames()),
		ValidArgs: catalogNames(),
		Args:      atMost(1, "one of "+joined(catalogNames())),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("list: expected one of %s", joined(catalogNames()))
			}
			i := slices.Index(catalogNames(), args[0])
			if i < 0 {
				return tracefmt.Unknown("kind of list", args[0], catalogNames())
			}
			return a.list(&catalogs[i], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON for programs")
	return cmd
}

func (a *app) list(c *catalog, asJSON bool) error {
	entries := c.entries()
	if asJSON {
		return a.printJSON(struct {
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
		Short: "Explain an algorithm, property, diagram, format, event kind, scenario key or verdict",
		Example: `  etrace explain chang-roberts
  etrace explain election-safety
  etrace explain scenario --schema   # JSON Schema of scenario files`,
		Args: atMost(1, "a name"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return explainable(), cobra.ShellCompDirectiveNoFileComp
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

func explainable() []string {
	var names []string
	for _, c := range catalogs {
		names = append(names, c.name)
		for _, e := range c.entries() {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// explain prints all that has the name: ring is an algorithm and a diagram.
func (a *app) explain(name string) error {
	return a.writeFile("-", func(w io.Writer) error {
		found := 0
		for i := range catalogs {
			c := &catalogs[i]
			if c.name == name {
				found++
				fmt.Fprintf(w, "%s:\n", name)
				if err := (&app{out: w}).list(c, false); err != nil {
					return err
				}
			}
			for _, e := range c.entries() {
				if e.Name != name {
					continue
				}
				if found++; found > 1 {
					fmt.Fprintln(w)
				}
				fmt.Fprintf(w, "%s (%s)\n\n%s", name, c.singular, e.Text)
			}
		}
		if found == 0 {
			return tracefmt.Unknown("name", name, explainable())
		}
		return nil
	})
}

func joined(names []string) string { return strings.Join(names, ", ") }

// complete lets the shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is not declared
	}
}
