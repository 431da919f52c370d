package spec

import (
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

// Options of a parse.
type Options struct {
	// AllowQuadratic admits rules whose two patterns share no key, so that each pair of events may have to be
	// compared.
	AllowQuadratic bool
	// ofLibrary is set for rules of the library, whose authors did not know the names of the run.
	ofLibrary bool
}

// maxTextLength and maxNesting bound the size and nesting of a text of rules.
const (
	maxTextLength = 1 << 16
	maxNesting    = 50
)

// Parse compiles rules and returns a property for each, in their order. name is the name of the file, or how
// errors should call the text. A rule without a name is called by the file's name and its line. Errors have the
// type *[Error].
func Parse(name, source string, o Options) ([]*analyze.Property, error) {
	source = strings.TrimPrefix(source, "\ufeff") // the byte order mark of some editors
	properties, err := parse(name, source, o)
	if err != nil {
		return nil, withLine(name, source, err)
	}
	return properties, nil
}

// parse compiles a text of rules. Its errors have a position but not the text around it.
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
		p, err := item.Rule.property(name, source, fluents, o)
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

// checkSize refuses very large and deeply nested texts, before the parser recurses into them.
func checkSize(source string) error {
	if len(source) > maxTextLength {
		return errorf(lexer.Position{}, "the rules have %d bytes, expected at most %d", len(source), maxTextLength)
	}
	if strings.Count(source, "(") <= maxNesting {
		return nil
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
		if depth > maxNesting {
			return errorf(t.Pos, "parentheses nest at most %d deep", maxNesting)
		}
	}
}

// fluents returns the fluents of a file. It compiles each, so that mistakes in unused fluents are found, too.
func (f *file) fluents() ([]*fluentItem, error) {
	var list []*fluentItem
	p := newProgram("")
	for _, item := range f.Items {
		if item.Fluent == nil {
			continue
		}
		if _, ok := p.fluentOf[item.Fluent.Name]; ok {
			return nil, errorf(item.Fluent.Pos, "there is a fluent %s already", item.Fluent.Name)
		}
		for _, f := range functions {
			if f.name == item.Fluent.Name && !f.replaceable {
				return nil, errorf(item.Fluent.Pos, "%s is a function, expected another name for the fluent", f.name)
			}
		}
		if err := item.Fluent.compile(p, list); err != nil {
			return nil, err
		}
		list = append(list, item.Fluent)
	}
	return list, nil
}

// property compiles the rule to a property, with the documentation and requirements of its head.
func (r *ruleItem) property(file, source string, fluents []*fluentItem, o Options) (*analyze.Property, error) {
	c := newCompiler(r, fluents, o)
	plan, err := r.Body.Form.compile(c)
	if err != nil {
		return nil, err
	}
	head := analyze.Property{
		Name: r.Name, Doc: "The rule: " + c.scope.program.rule, Source: "a rule",
		Needs: plan.needs,
	}
	if head.Name == "" {
		head.Name = fmt.Sprintf("%s:%d", file, r.Pos.Line)
	} else {
		head.Text = strings.TrimSpace(source[r.Pos.Offset:r.EndPos.Offset])
	}
	var l lowering
	if r.Doc != "" {
		head.Doc = l.word(r.Body.Tokens, r.Doc)
		if o.ofLibrary {
			c.scope.program.citation = text.FirstSentence(head.Doc)
		}
	}
	for _, line := range r.Head {
		if err := line.addTo(&head, plan, c, &l); err != nil {
			return nil, err
		}
	}
	return plan.property(head, c.scope.program), l.err
}

// Library compiles a text of rules of the library. It panics on a mistake.
func Library(name, source string) []*analyze.Property {
	rules, err := Parse(name, source, Options{ofLibrary: true})
	if err != nil {
		panic(err)
	}
	return rules
}
