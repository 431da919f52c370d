package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/experiment/hunt"
	"etrace/analyze/experiment/suite"
	"etrace/analyze/lint"
	"etrace/analyze/property"
	"etrace/analyze/report"
	"etrace/analyze/spec"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/render"
	"etrace/render/diagram"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Known has the registries of all that etrace knows. A program may add to them.
type Known struct {
	Algorithms   algorithm.Registry
	Properties   property.Registry
	Formats      interop.Registry
	Diagrams     diagram.Registry
	Pictures     render.Registry
	Reports      text.Registry[*report.Format]
	SuiteReports text.Registry[*suite.Format]
	StatsReports text.Registry[*complexity.Format]
	LintRules    lint.Registry
	// Maps returns the ready maps. It is a function because reading them takes some milliseconds.
	Maps func() mapping.Registry
}

// New returns the catalog of the registries.
func New(k Known) Catalog {
	return Catalog{
		{"algorithms", "algorithm", entriesOf(k.Algorithms.All, algorithmEntry)},
		{"constructs", "construct of the language of rules", constructEntries},
		{"diagrams", "diagram", entriesOf(k.Diagrams.All, diagramEntry)},
		{"faults", "fault of hunts", faultEntries},
		{"formats", "foreign format", entriesOf(k.Formats.All, formatEntry)},
		{"functions", "function of the language of rules", functionEntries},
		{"json-formats", "format of --json", jsonEntries},
		{"keys", "key of JSON Lines", keyEntries},
		{"kinds", "event kind", kindEntries},
		{"lint-rules", "lint rule", entriesOf(k.LintRules.All, lintEntry)},
		{"maps", "ready map", mapEntries(k.Maps)},
		{"mutants", "mutant", mutantEntries(k.Algorithms.All())},
		{"pictures", "picture format", entriesOf(k.Pictures.All, pictureEntry)},
		{
			"problems", "problem",
			entriesOf(tracefmt.Problems().All, func(p tracefmt.Problem) entry { return problemEntry(p, k.Properties.All()) }),
		},
		{"properties", "property", entriesOf(k.Properties.All, func(p *analyze.Property) entry { return propertyEntry(p, k.Algorithms.All()) })},
		{"reports", "report format", entriesOf(k.Reports.All, reportEntry)},
		{"roles", "role of a member", entriesOf(tracefmt.MemberRoles().All, roleEntry)},
		{"scenario", "scenario key", scenarioEntries},
		{"stats-reports", "format of message counts", entriesOf(k.StatsReports.All, reportEntry)},
		{"suite-reports", "suite report format", entriesOf(k.SuiteReports.All, reportEntry)},
		{"topics", "topic", entriesOf(topics, func(t topic) entry { return topicEntry(t, k.Properties.All()) })},
		{"traits", "trait of a run", entriesOf(tracefmt.Traits().All, func(t tracefmt.Trait) entry { return traitEntry(t, k.Properties.All()) })},
		{"verdicts", "verdict", verdictEntries},
	}
}

// entriesOf returns a function that converts each thing to an entry when a list or an explanation needs it.
func entriesOf[T any](things func() []T, convert func(T) entry) func() []entry {
	return func() (list []entry) {
		for _, thing := range things() {
			list = append(list, convert(thing))
		}
		return list
	}
}

// algorithmEntry returns the entry of an algorithm.
func algorithmEntry(a *algorithm.Algorithm) entry {
	return entry{Name: a.Name, Summary: text.FirstSentence(a.Doc), Text: explainAlgorithm(a), Problem: a.Problem}
}

// explainAlgorithm returns the document of an algorithm, and its traits, bounds, tolerated faults, messages, variables,
// timers, parameters and mutants.
func explainAlgorithm(a *algorithm.Algorithm) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nProblem: %s\nSource: %s\n", a.Doc, a.Problem, a.Source)
	if a.Needs != algorithm.AnyGraph {
		fmt.Fprintf(&b, "Needs: %s\n", a.Needs)
	}
	if a.FIFO {
		b.WriteString("Channels: must be FIFO; with --reorder, the run states no traits of the algorithm\n")
	}
	values, err := a.Resolve(nil)
	if err != nil {
		return b.String() // a test resolves the defaults of every algorithm
	}
	described, err := describe(a)
	if err != nil {
		fmt.Fprintf(&b, "\n%v\n", err)
		return b.String()
	}
	section := func(title string, rows [][2]string) {
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", title)
		}
		for _, r := range rows {
			b.WriteString(strings.TrimRight(fmt.Sprintf("  %-28s %s", r[0], r[1]), " ") + "\n")
		}
	}
	traits, bounds := a.Promises(values)
	section("Promises (traits), with the default parameters", traitRows(traits))
	b.WriteString(boundsTable(bounds))
	var tolerated [][2]string
	for i := range a.Tolerates {
		t := &a.Tolerates[i]
		breaks := ""
		if t.Breaks != "" {
			breaks = "; with more faults, " + t.Breaks
		}
		tolerated = append(tolerated, [2]string{t.Name() + " " + t.Faults.Suffer(1), fmt.Sprintf("%s%s (%s)", t.Amount(), breaks, t.Source)})
	}
	section("Tolerated faults (number of faulty processes)", tolerated)
	section("Messages", described[0])
	section("Variables", described[1])
	section("Timers", described[2])
	var params [][2]string
	for _, p := range a.Parameters() {
		params = append(params, [2]string{p.Name + "=" + p.Default, p.Doc + " (" + p.Allowed() + ")"})
	}
	section("Parameters, with their defaults", params)
	b.WriteString(explainMutants(a))
	return b.String()
}

// described has the messages, variables and timers of an algorithm as rows of name and meaning: first those with the default
// parameters, then the additions of other values.
type described [3][][2]string

// describe returns the messages, variables and timers of an algorithm for all values of its parameters.
func describe(a *algorithm.Algorithm) (d described, err error) {
	err = d.add(a, nil, "")
	for _, p := range a.Params {
		for _, word := range p.Words {
			err = cmp.Or(err, d.add(a, map[string]string{p.Name: word}, "with "+p.Name+"="+word+": "))
		}
	}
	return d, err
}

// add adds the rows with these parameter values, except rows with a known name. remark precedes the meaning in each added
// row.
func (d *described) add(a *algorithm.Algorithm, params map[string]string, remark string) error {
	values, err := a.Resolve(params)
	if err != nil {
		return err
	}
	protocol, err := a.Protocol(values)
	if err != nil {
		return err
	}
	messages, variables, timers := protocol.Describe()
	for i, rows := range [...][][2]string{messages, variables, timers} {
		for _, row := range rows {
			if !slices.ContainsFunc(d[i], func(known [2]string) bool { return known[0] == row[0] }) {
				d[i] = append(d[i], [2]string{row[0], strings.TrimSuffix(remark+row[1], ": ")})
			}
		}
	}
	return nil
}

// explainMutants returns the section on the mutants of an algorithm, with a command that shows each of them.
func explainMutants(a *algorithm.Algorithm) string {
	var b strings.Builder
	for i, m := range a.Mutants {
		if i == 0 {
			b.WriteString("\nMutants (parameter mutant), each with a deliberate fault, and a run that shows it:\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n      breaks %s\n", m.Name, m.Doc, strings.Join(m.Breaks, ", "))
		if s, err := scenario.Showing(a, &a.Mutants[i]); err == nil { // a test parses all
			fmt.Fprintf(&b, "      etrace record %s\n", s.CommandLine())
		}
	}
	return b.String()
}

// mutantEntries returns an entry for each mutant. Mutants of different algorithms may have the same name.
func mutantEntries(algorithms []*algorithm.Algorithm) func() []entry {
	return func() []entry {
		var list []entry
		for _, a := range algorithms {
			for i := range a.Mutants {
				list = append(list, mutantEntry(a, &a.Mutants[i]))
			}
		}
		slices.SortStableFunc(list, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
		return list
	}
}

// mutantEntry returns the entry of a mutant, with the commands that record and check a run that shows it.
func mutantEntry(a *algorithm.Algorithm, m *algorithm.Mutant) entry {
	does := fmt.Sprintf("%s: %s", a.Name, m.Doc)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nMutant of: %s\nBreaks: %s\n", m.Doc, a.Name, strings.Join(m.Breaks, ", "))
	if s, err := scenario.Showing(a, m); err == nil { // a test parses all
		file := m.Name + ".db"
		fmt.Fprintf(
			&b,
			"\nThis run violates the property with the mutant, and not without it:\n    etrace record %s -o %s\n    etrace check %s",
			s.CommandLine(), file, file,
		)
		for _, p := range m.Breaks {
			fmt.Fprintf(&b, " --only %s", scenario.ShellWord(p))
		}
		b.WriteString("\n")
	}
	return entryOf(m.Name, does, b.String())
}

// propertyEntry returns the entry of a property: its definition, or its rule, and a row for each of its attributes.
func propertyEntry(p *analyze.Property, algorithms []*algorithm.Algorithm) entry {
	brief, examined := text.FirstSentence(p.Doc), "by default"
	switch {
	case p.Bind != nil:
		parameter, _, _ := strings.Cut(p.Argument, ",")
		examined = fmt.Sprintf("only when named, as %s(%s)", p.Name, parameter)
	case p.OnRequest:
		examined = "only when named"
	}
	if examined != "by default" {
		brief += " (" + examined + ")"
	}
	if p.OfRecord {
		examined = "by default in simulated runs; in recordings only when named, since etrace lint checks recordings"
	}
	var b strings.Builder
	b.WriteString(cmp.Or(p.Text, p.Doc) + "\n\n")
	for _, row := range [...][2]string{
		{"Kind", string(p.Kind)},
		{"Problem", cmp.Or(p.Problem, "any") + aboutMostly(p.About)},
		{"Argument", p.Argument},
		{"Needs", p.Needs},
		{"Traits", readTraits(p)},
		{"Promised by", strings.Join(promising(p.Presumed, algorithms), ", ")},
		{"Assumes", p.Assumption},
		{"Source", p.Source},
		{"Examined", examined},
		{"A witness omits", p.WitnessOmits},
	} {
		if row[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", row[0], row[1])
		}
	}
	if p.ViolatedBy != nil || p.ExcusedBy != nil {
		fmt.Fprintf(&b, "Events that must be in the record:\n%s\n", text.Indent(needsText(p), "  "))
	}
	return entryOf(p.Name, brief, b.String())
}

// promising returns the names of the algorithms that state all these traits, nil if there are no traits.
func promising(traits []string, algorithms []*algorithm.Algorithm) (names []string) {
	for _, a := range algorithms {
		promised := tracefmt.Run{Traits: a.Traits}
		lacks := func(trait string) bool { return !promised.States(trait) }
		if len(traits) > 0 && !slices.ContainsFunc(traits, lacks) {
			names = append(names, a.Name)
		}
	}
	return names
}

// aboutMostly returns the remark on a property that applies to runs of any problem but was made for certain problems.
func aboutMostly(problems []string) string {
	if problems == nil {
		return ""
	}
	return " (made for " + strings.Join(problems, ", ") + ")"
}

// faultEntries returns the faults that a hunt may add.
func faultEntries() []entry {
	var list []entry
	for _, f := range hunt.Faults().All() {
		brief := f.Doc
		if f.Harm >= hunt.Unreliable {
			brief += " (only when named by --hunt-faults)"
		}
		list = append(list, entryOf(f.Name, brief, brief+"\n"))
	}
	return list
}

// constructEntries returns the constructs of the language of rules. Their names have hyphens in place of blanks: leads-to,
// at-most.
func constructEntries() []entry {
	var list []entry
	for _, c := range spec.Constructs() {
		for name := range strings.SplitSeq(strings.TrimPrefix(c.Name, "each ... "), ", ") {
			name = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
			list = append(list, entryOf(name, strings.ReplaceAll(c.Syntax, "\n", "; "), explainConstruct(c)))
		}
	}
	return list
}

// explainConstruct returns the syntax, the meaning, the verdicts and an example of a construct.
func explainConstruct(c spec.Construct) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", text.Indent(c.Syntax, "    "), c.Doc)
	for _, row := range [...][2]string{{"Quiescent run", c.Quiescent}, {"Stopped run", c.Stopped}, {"Proven loop", c.Loop}} {
		if row[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", row[0], row[1])
		}
	}
	fmt.Fprintf(&b, "Example:\n%s\n", text.Indent(c.Example, "    "))
	return b.String()
}

// functionEntries returns an entry for each way to call a function of the language of rules.
func functionEntries() []entry {
	var list []entry
	for _, f := range spec.Functions() {
		list = append(list, entryOf(f.Name, f.Syntax+": "+f.Doc, fmt.Sprintf("%s\n\n%s\n", text.Indent(f.Syntax, "    "), f.Doc)))
	}
	return list
}

// mapEntries returns the ready maps with their whole texts, which users copy and change. Other names of a map have entries
// of their own.
func mapEntries(maps func() mapping.Registry) func() []entry {
	return func() []entry {
		var list []entry
		for _, m := range maps().All() {
			list = append(list, entryOf(m.Name, m.Doc, m.Text))
			for _, alias := range m.Others {
				line := "another name of " + m.Name
				list = append(list, entryOf(alias, line, fmt.Sprintf("%s, %s:\n\n%s", alias, line, m.Text)))
			}
		}
		slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.Name, b.Name) })
		return list
	}
}

func diagramEntry(d diagram.Diagram) entry {
	return entryOf(d.Name, text.FirstSentence(d.Doc), d.Doc+"\n")
}

func pictureEntry(f render.Format) entry {
	return entryOf(f.Name, text.FirstSentence(f.Doc), f.Doc+"\n")
}

// formatEntry returns the entry of a foreign format: its direction, what an export keeps, its details and its flags.
func formatEntry(f interop.Format) entry {
	use := "import and export"
	switch {
	case f.Write == nil:
		use = "import"
	case f.Read == nil:
		use = "export"
	}
	long := fmt.Sprintf("%s\n\nFor: %s\nSource: %s\n", f.Doc, use, f.Source)
	if survives := f.Survives(); survives != "" {
		long += "What survives: " + survives + ".\n"
	}
	if f.Describe != nil {
		long += "\n" + f.Describe()
	}
	long += explainOptions("import", f.ReadOptions) + explainOptions("export", f.WriteOptions)
	return entryOf(f.Name, text.FirstSentence(f.Doc), long)
}

// explainOptions lists the flags that a format adds to a command.
func explainOptions(command string, options []interop.Option) string {
	var b strings.Builder
	for i, o := range options {
		if i == 0 {
			fmt.Fprintf(&b, "Flags of %s:\n", command)
		}
		fmt.Fprintf(&b, "    %s  %s", strings.TrimRight("--"+o.Name+" "+o.Arg, " "), o.Doc)
		if o.Default != "" {
			fmt.Fprintf(&b, " (default %s)", o.Default)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func reportEntry[R, S any](f *document.Format[R, S]) entry {
	return entryOf(f.Name, text.FirstSentence(f.Doc), f.Doc+"\n")
}

// lintEntry returns the entry of a rule of lint: its severity, the expectation, and the repair of a finding.
func lintEntry(r *lint.Rule) entry {
	brief := fmt.Sprintf("%s: %s", r.Severity, text.FirstSentence(r.Doc))
	long := fmt.Sprintf("%s\n\nSeverity: %s", r.Doc, r.Severity)
	if r.Severity != lint.Note {
		long += "; a note if unrecorded events may explain the finding"
	}
	if traits := r.Promises(); traits != nil {
		long += ", and in a run that does not state the trait " + strings.Join(traits, ", ")
	}
	long += "\n"
	if r.Expected != "" {
		long += "Expected: " + r.Expected + "\n"
	}
	if repair := r.Repair(); repair != "" {
		long += "With --repair: " + repair + ".\n"
	}
	return entryOf(r.Name, brief, long)
}

// kindEntries returns the kinds of events.
func kindEntries() []entry {
	var list []entry
	for _, k := range tracefmt.Kinds() {
		info := k.Info()
		text := info.Doc + "\n"
		if info.PeerRole != "" {
			text += "\nPeer: " + info.PeerRole + "\n"
		}
		list = append(list, entryOf(info.Name, info.Doc, text))
	}
	return list
}

// completenessExamples are values of --complete with their meanings; a test parses them.
const completenessExamples = `  all                                  all that happened is recorded
  timers=none,state.elected=some    no timers, not every change of elected
  n3:none                           nothing of process n3
  n3:send=all,gap=n1@120-240           its sends; of n1 some is missing around these seqs
`

// keyEntries returns the keys of JSON Lines, and an entry for each part of a run with all its keys.
func keyEntries() []entry {
	var list []entry
	for _, part := range tracefmt.JSONLParts() {
		var page strings.Builder
		for _, k := range part.Keys {
			brief := fmt.Sprintf("%s: %s: %s", part.Name, k.Value, k.Doc)
			list = append(list, entryOf(k.Name, brief, fmt.Sprintf("In the %s of a run in JSON Lines: %s\n\n%s\n", part.Name, k.Value, k.Doc)))
			fmt.Fprintf(&page, "  %-12s %s: %s\n", k.Starred(), k.Value, k.Doc)
		}
		more := "(etrace explain jsonl has an example.)\n"
		if part.Name == "complete" {
			more = "On the command line, --complete COMPLETENESS: " + tracefmt.CompletenessForm + ":\n\n" + completenessExamples + "\n" + more
		}
		list = append(list, entryOf(part.Name, part.Doc, fmt.Sprintf("%s. Keys with * are required:\n\n%s\n%s", part.Doc, page.String(), more)))
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// scenarioEntries returns the keys of scenarios, each as a flag and in a file.
func scenarioEntries() []entry {
	var list []entry
	for _, k := range scenario.Keys {
		arg := k.Arg
		if k.Switch {
			arg = "on|off"
		}
		text := fmt.Sprintf("%s\n\nFlag: --%s %s\nIn a scenario file: %s: %s\n", k.Doc, k.Name, arg, k.Name, arg)
		if flag, file := k.Forms(); flag != "" {
			text += fmt.Sprintf("\n%s\n\nExample:\n    %s\n    %s\n", k.More, flag, file)
		}
		list = append(list, entryOf(k.Name, k.Doc, text))
	}
	return list
}

// verdictEntries returns the verdicts with the exit status of check.
func verdictEntries() []entry {
	var list []entry
	for _, v := range analyze.Verdicts {
		list = append(list, entryOf(string(v.Verdict), v.Meaning, fmt.Sprintf("%s\n\nExit status of check: %s\n", v.Meaning, v.Exit)))
	}
	return list
}
