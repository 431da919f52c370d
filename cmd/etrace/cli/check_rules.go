package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/analyze/shard"
	"etrace/analyze/spec"
	"etrace/tracefmt/text"
	"etrace/tracefmt/textfile"
)

// ruleFlags are the flags that give rules in the language of package spec.
type ruleFlags struct {
	files     []string
	rules     []string
	quadratic bool
	// texts are the rules of a plan, read when the plan was made.
	texts []shard.Rules
}

func (f *ruleFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.files, "spec", nil, "examine the rules in this `FILE`")
	cmd.Flags().StringArrayVarP(&f.rules, "rule", "e", nil, "examine this `RULE`")
	cmd.Flags().BoolVar(&f.quadratic, "allow-quadratic", false, "allow rules that compare all pairs of events")
}

// given reports whether there is any rule.
func (f *ruleFlags) given() bool { return len(f.files)+len(f.rules)+len(f.texts) > 0 }

// sources returns the texts of the rules with their names: those of the plan, of files, and of -e.
func (f *ruleFlags) sources() ([]shard.Rules, error) {
	sources := slices.Clone(f.texts)
	for _, file := range f.files {
		rules, err := textfile.Read(file, "rules")
		if strings.Contains(file, " ") && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--spec %q: expected the name of a file of rules; a rule goes with -e", file)
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, shard.Rules{Name: file, Text: string(rules)})
	}
	for i, rule := range f.rules {
		name := "-e"
		if i > 0 {
			name = fmt.Sprintf("-e#%d", i+1)
		}
		sources = append(sources, shard.Rules{Name: name, Text: rule})
	}
	return sources, nil
}

// parse returns the rules as properties. It fails if a rule has the name of another rule, or of one of the properties.
func (f *ruleFlags) parse(properties []*analyze.Property) ([]*analyze.Property, error) {
	sources, err := f.sources()
	if err != nil {
		return nil, err
	}
	var parsed []*analyze.Property
	for _, s := range sources {
		rules, err := spec.Parse(s.Name, s.Text, spec.Options{AllowQuadratic: f.quadratic})
		if err != nil {
			return nil, hintQuotes(s.Text, err)
		}
		for _, r := range rules {
			if slices.ContainsFunc(slices.Concat(properties, parsed), func(p *analyze.Property) bool { return p.Name == r.Name }) {
				return nil, fmt.Errorf("%s: another rule or property to be examined is called %s, expected another name", s.Name, r.Name)
			}
			parsed = append(parsed, r)
		}
	}
	return parsed, nil
}

// hintQuotes adds a hint to the error for a rule of one word: without quotes, the shell splits a rule at its blanks.
func hintQuotes(rule string, err error) error {
	var mistake *spec.Error
	switch {
	case !errors.As(err, &mistake) || len(strings.Fields(rule)) != 1:
		return err
	case !isMissing(rule):
		return fmt.Errorf("%s %s: is a file, expected a rule; --spec %[2]s reads the rules of the file", mistake.File, rule)
	case mistake.Column <= len(rule):
		return err
	}
	return fmt.Errorf("%s %s: the rule ends after one word, expected it in quotes: -e '%[2]s ...'", mistake.File, rule)
}

// propertyFlags select the properties and rules to examine.
type propertyFlags struct {
	ruleFlags
	names  []string
	except []string
}

func (f *propertyFlags) flags(cmd *cobra.Command, known property.Registry) {
	nameProperties(cmd, "only", known, &f.names, "examine only these `NAMES`: properties, rules, default")
	nameProperties(cmd, "except", known, &f.except, "leave out these `NAMES`: properties, rules, default")
	f.ruleFlags.flags(cmd)
}

// byDefault is the name that selects the default properties in a list of names.
const byDefault = "default"

// lookup returns the properties to examine, each once: those named by --only or, without names, the default properties and
// all rules; less those named by --except.
func (f *propertyFlags) lookup(known property.Registry) ([]*analyze.Property, error) {
	// Only a rule of one word can be the name of a property. To look it up reads all properties, which takes longer than the
	// rest of a plan.
	if i := slices.IndexFunc(f.rules, func(rule string) bool { return !strings.Contains(rule, " ") && known.Has(rule) }); i >= 0 {
		return nil, fmt.Errorf("-e %s: is a property, expected a rule; --only %[1]s examines the property", f.rules[i])
	}
	rules, err := f.parse(nil)
	if err != nil {
		return nil, err
	}
	var properties []*analyze.Property
	if !slices.Contains(f.except, byDefault) {
		properties = known.Default()
	}
	if len(f.names) > 0 {
		properties, rules, err = f.selectNamed(known, rules)
		if err != nil {
			return nil, err
		}
	}
	if slices.Contains(f.except, byDefault) {
		properties = slices.DeleteFunc(properties, func(p *analyze.Property) bool { return !p.Asked })
	}
	selected, err := f.exclude(known, append(properties, analyze.Ask(rules)...))
	if err != nil {
		return nil, err
	}
	return selected, checkDistinct(selected)
}

// selectNamed returns the properties and the rules that --only names. If it names no rule, all rules are selected.
func (f *propertyFlags) selectNamed(known property.Registry, rules []*analyze.Property) (properties, alone []*analyze.Property, err error) {
	var names []string
	for _, name := range f.names {
		i := slices.IndexFunc(rules, func(r *analyze.Property) bool { return r.Name == name })
		switch {
		case name == byDefault:
			properties = known.Default()
		case i >= 0:
			alone = append(alone, rules[i])
		default:
			names = append(names, name)
		}
	}
	named, err := known.Named(names...)
	if err != nil && slices.Contains(names, "all") {
		return nil, nil, errors.New("--only all: expected names of properties; without --only all that apply are examined")
	}
	if err != nil {
		return nil, nil, err
	}
	properties = slices.DeleteFunc(properties, func(p *analyze.Property) bool { return slices.Contains(named, p) })
	if alone == nil {
		alone = rules
	}
	return append(properties, analyze.Ask(named)...), alone, nil
}

// checkDistinct returns an error for two properties or rules with the same name.
func checkDistinct(properties []*analyze.Property) error {
	seen := make(map[string]bool)
	for _, p := range properties {
		if seen[p.Name] {
			return fmt.Errorf("%s: another rule or property to be examined is called so, expected another name", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// exclude returns the properties without those named by --except. It fails for an unknown name, and if nothing is left.
func (f *propertyFlags) exclude(known property.Registry, properties []*analyze.Property) ([]*analyze.Property, error) {
	for _, name := range f.except {
		if name == byDefault || slices.ContainsFunc(properties, func(p *analyze.Property) bool { return p.Name == name }) || known.Has(name) {
			continue
		}
		names := append(known.Names(), byDefault)
		for _, p := range properties {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
		return nil, fmt.Errorf("--except: %w", text.Unknown("property", name, names))
	}
	left := slices.DeleteFunc(slices.Clone(properties), func(p *analyze.Property) bool {
		family, _, _ := strings.Cut(p.Name, "(") // bounded-bypass(3) is one of bounded-bypass
		return slices.Contains(f.except, p.Name) || slices.Contains(f.except, family)
	})
	if len(left) == 0 && len(properties) > 0 {
		return nil, errors.New("--except leaves nothing to examine")
	}
	return left, nil
}

// nameProperties adds a flag that takes a list of names of properties.
func nameProperties(cmd *cobra.Command, flag string, known property.Registry, names *[]string, usage string) {
	cmd.Flags().Var((*nameList)(names), flag, usage)
	completeList(cmd, flag, known.Names)
}

// nameList is the value of a flag that takes names, separated by commas. A comma in parentheses belongs to the argument of a
// name: messages-at-most(max(n, 3)). A repeated name counts once.
type nameList []string

func (l *nameList) String() string { return "" }

func (l *nameList) Type() string { return "names" }

// Set implements [pflag.Value]: it adds the names of the text.
func (l *nameList) Set(text string) error {
	depth, from := 0, 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			l.add(text[from:i])
			from = i + 1
		}
	}
	l.add(text[from:])
	return nil
}

// add appends a name, unless the list has it already.
func (l *nameList) add(name string) {
	name = strings.TrimSpace(name)
	if !slices.Contains(*l, name) {
		*l = append(*l, name)
	}
}
