package spec

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/analyze"
	"etrace/tracefmt"
)

// Options of a parse.
type Options struct {
	// AllowQuadratic admits rules whose two patterns share no key, so that
	// each event may have to be compared with every other.
	AllowQuadratic bool
	// ofLibrary: nobody who wrote the rule knew the names of the run.
	ofLibrary bool
}

// mostText and mostNesting bound what a text of rules may ask of the parser.
const (
	mostText    = 1 << 16
	mostNesting = 50
)

// Parse reads rules and returns each as a property, in their order. name is
// that of the file, or what else the errors should call the text. A rule
// without a name of its own is called by the file's and its line. Mistakes are
// of the type *[Error].
func Parse(name, source string, o Options) ([]*analyze.Property, error) {
	source = strings.TrimPrefix(source, "\ufeff") // the byte order mark of some editors
	properties, err := parse(name, source, o)
	if err != nil {
		return nil, located(name, source, err)
	}
	return properties, nil
}

func parse(name, source string, o Options) ([]*analyze.Property, error) {
	if err := checkSize(source); err != nil {
		return nil, err
	}
	parsed, err := parser().ParseString("", source)
	if err != nil {
		return nil, err
	}
	fluents, err := parsed.fluents()
	if err != nil {
		return nil, err
	}
	var properties []*analyze.Property
	lines := map[string]int{}
	for _, item := range parsed.Items {
		if item.Rule == nil {
			continue
		}
		p, err := item.Rule.property(name, fluents, o)
		if err != nil {
			return nil, err
		}
		if line := lines[p.Name]; line != 0 {
			return nil, errorf(item.Rule.Pos, "there is a rule %s already, in line %d", p.Name, line)
		}
		lines[p.Name] = item.Rule.Pos.Line
		properties = append(properties, p)
	}
	if len(properties) == 0 {
		return nil, errorf(lexer.Position{}, "there is no rule, expected one such as: never count(live()) < 1")
	}
	return properties, nil
}

// checkSize refuses texts that no person has written, before the parser
// recurses into them.
func checkSize(source string) error {
	if len(source) > mostText {
		return errorf(lexer.Position{}, "the rules have %d bytes, expected at most %d", len(source), mostText)
	}
	tokens, err := language().LexString("", source)
	if err != nil {
		return err
	}
	for depth := 0; ; {
		t, err := tokens.Next()
		switch {
		case err != nil:
			return err
		case t.EOF():
			return nil
		case t.Value == "(":
			depth++
		case t.Value == ")":
			depth--
		}
		if depth > mostNesting {
			return errorf(t.Pos, "parentheses nest at most %d deep", mostNesting)
		}
	}
}

// fluents returns the fluents of a file. They are compiled here once, so that
// mistakes are found in those that no rule uses, too.
func (f *file) fluents() ([]*fluentItem, error) {
	var all []*fluentItem
	p := newProgram("")
	for _, item := range f.Items {
		if item.Fluent == nil {
			continue
		}
		if _, ok := p.fluentOf[item.Fluent.Name]; ok {
			return nil, errorf(item.Fluent.Pos, "there is a fluent %s already", item.Fluent.Name)
		}
		for _, f := range functions {
			if f.name == item.Fluent.Name && !f.yields {
				return nil, errorf(item.Fluent.Pos, "%s is a function, expected another name for the fluent", f.name)
			}
		}
		if err := item.Fluent.compile(p, all); err != nil {
			return nil, err
		}
		all = append(all, item.Fluent)
	}
	return all, nil
}

func (r *ruleItem) property(file string, fluents []*fluentItem, o Options) (*analyze.Property, error) {
	c := newCompiler(r, fluents, o)
	plan, err := r.Body.Form.compile(c)
	if err != nil {
		return nil, err
	}
	name, doc := r.Name, "The rule: "+c.scope.program.rule
	if name == "" {
		name = fmt.Sprintf("%s:%d", file, r.Pos.Line)
	}
	if r.Doc != "" {
		var l lowering
		if doc = l.word(r.Body.Tokens, r.Doc); l.err != nil {
			return nil, l.err
		}
	}
	return plan.property(name, doc, c.scope.program), nil
}

// Rule makes a property of a rule in the library: head has the name, the
// documentation and all that the text of the rule does not say. The text may
// define fluents before its one rule.
func Rule(head analyze.Property, source string) (*analyze.Property, error) {
	rules, err := Parse(head.Name, source, Options{ofLibrary: true})
	if err != nil {
		return nil, err
	}
	if len(rules) != 1 {
		return nil, fmt.Errorf("%s: %d rules, expected one", head.Name, len(rules))
	}
	rule := rules[0]
	head.Kind, head.Rule, head.New = rule.Kind, rule.Rule, rule.New
	if head.Convicts != nil && !(slices.Equal(head.Convicts, rule.Convicts) && slices.Equal(head.Acquits, rule.Acquits) && slices.Equal(head.Triggers, rule.Triggers)) {
		return nil, fmt.Errorf("%s: by the rule %v convict, %v acquit, and %v trigger", head.Name, rule.Convicts, rule.Acquits, rule.Triggers)
	}
	head.Convicts, head.Acquits, head.Triggers = rule.Convicts, rule.Acquits, rule.Triggers
	if head.Needs == "" {
		head.Needs = rule.Needs
	}
	return &head, nil
}

// Must is [Rule] for the library, whose head says the kind, too. The rule is
// read when a monitor is first needed, so that a program which checks nothing does not
// pay for it; then it panics on a mistake. On which facts it rests the
// head says, too, and must say what follows from the rule.
func Must(head analyze.Property, source string) *analyze.Property {
	lazy := head
	read := sync.OnceValue(func() *analyze.Property {
		p, err := Rule(head, source)
		if err == nil && p.Kind != head.Kind {
			err = fmt.Errorf("%s: the rule is of the kind %s", head.Name, p.Kind)
		}
		if err != nil {
			panic(err)
		}
		return p
	})
	lazy.Rule = strings.Join(strings.Fields(source), " ")
	lazy.New = func(run *tracefmt.Run) analyze.Monitor { return read().New(run) }
	return &lazy
}
