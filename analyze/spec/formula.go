package spec

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"etrace/tracefmt/text"
)

// FormulaWords lists what formulas may contain besides the names of values, for help texts.
const FormulaWords = `numbers and words, + - * / % **, comparisons, and, or, not, c ? x : y, min, max, ceil, ` +
	`floor, log2(x), H(n) = 1 + 1/2 + ... + 1/n`

// Formula is an expression of the rule language over named values, such as "3*n-1". It has no events and no
// processes, and computes with exact numbers.
type Formula struct {
	source string
	root   *node
}

// longestFormula bounds the bytes of a formula, and so its nesting.
const longestFormula = 1000

// formulaText is the grammar of a formula: one expression.
type formulaText struct {
	Expr *orExpr `parser:"@@"`
}

// formulaParser treats the kinds of events as names, since a formula has no events. Names have no hyphens: n-s is
// a difference.
var formulaParser = sync.OnceValue(func() *participle.Parser[formulaText] {
	return participle.MustBuild[formulaText](
		participle.Lexer(tokensWith(`[a-zA-Z_]\w*`)),
		participle.Elide("Comment", "Space"),
		participle.Map(func(t lexer.Token) (lexer.Token, error) {
			if slices.Contains(keywords, t.Value) {
				t.Type = language().Symbols()["Keyword"]
			}
			return t, nil
		}, "Ident"),
		participle.UseLookahead(2),
	)
})

// ParseFormula reads a formula over values with these names. The error is one line and begins with the quoted
// formula.
func ParseFormula(source string, names []string) (*Formula, error) {
	f, err := parseFormula(source, names)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text.Short(source, 200), err)
	}
	return f, nil
}

// parseFormula parses a formula and checks its names. The error is one line, and suggests the notation of the
// language if that of another was used.
func parseFormula(source string, names []string) (*Formula, error) {
	if len(source) > longestFormula {
		return nil, fmt.Errorf("%d bytes, expected at most %d", len(source), longestFormula)
	}
	err := checkSize(source)
	var parsed *formulaText
	if err == nil {
		parsed, err = formulaParser().ParseString("", source)
	}
	var root *node
	if err == nil {
		root, err = lower(parsed.Expr)
	}
	if err == nil {
		err = checkNames(root, names)
	}
	if err != nil {
		return nil, foreignNotationError(source, oneLine(withLine("", source, err)))
	}
	return &Formula{source, root}, nil
}

// checkNames refuses unknown names, and constructs of rules: so every formula can be evaluated, and terminates.
func checkNames(root *node, names []string) (err error) {
	known := slices.Clone(names)
	for _, f := range numberFunctions {
		known = append(known, f.name)
	}
	slices.Sort(known)
	fault := func(n *node, format string, args ...any) {
		if err == nil {
			err = errorf(n.pos(), format, args...)
		}
	}
	root.walk(func(n *node) {
		// Quantifiers, has and null need a run; a formula has none.
		switch {
		case n.op == "has" || n.op == "forall" || n.op == "exists":
			fault(n, "%s belongs to rules about events, not to formulas", n.op)
		case n.op == "literal" && n.value.sort == null:
			fault(n, "null belongs to rules about events, not to formulas")
		case n.op != "field" && n.op != "call": // it has no name to look up
		case !slices.Contains(known, n.variable()):
			fault(n, "%v", text.Unknown("name", n.variable(), known))
		case len(n.path) > 0:
			fault(n, "%s has no parts", n.variable())
		}
	})
	return err
}

// variable returns the name of the value that a field or call begins with: type in type["OK"].
func (n *node) variable() string {
	if n.event != "" {
		return n.event
	}
	return n.name
}

// Parts returns the keys that the formula reads of a table: OK in type["OK"].
func (f *Formula) Parts(name string) (parts []string) {
	f.root.walk(func(n *node) {
		if n.op == "field" && n.event == name {
			parts = append(parts, n.name)
		}
	})
	return parts
}

// String returns the formula as it was written.
func (f *Formula) String() string { return f.source }

// Evaluate returns the value of the formula for the values of its names: int, int64, float64, [*big.Rat],
// [Range], string and bool, map[string]V of these, and func(args []Value) (any, error). The error is one line.
func (f *Formula) Evaluate(values map[string]any) (Value, error) {
	v, err := calculation(values).value(f.root)
	if err != nil {
		return Value{}, fmt.Errorf("%q: %w", f.source, err)
	}
	return v, nil
}

// foreignNotations are notations of other languages, with the notation to use here. $0 is the match of the expression,
// $1 and $2 its groups.
var foreignNotations = []struct {
	expr *regexp.Regexp
	doc  string
}{
	{regexp.MustCompile(`\b([0-9]+(?:\.[0-9]+)?)\s*([A-DF-Za-df-z]\w*|\()`), "${0}: an operator is missing, expected ${1}*${2}"},
	{regexp.MustCompile(`\bn\s*\(`), "${0}: an operator is missing, expected n*("},
	{regexp.MustCompile(`\)\s*(\w+|\()`), "${0}: an operator is missing, expected )*${1}"},
	{regexp.MustCompile(`(\w+|\))²`), "${0}: expected ${1}^2"},
	{regexp.MustCompile(`(\w+|\))³`), "${0}: expected ${1}^3"},
	{regexp.MustCompile(`[·×⋅]`), "${0}: expected *"},
	{regexp.MustCompile(`[−–]`), "${0}: expected -"},
	{
		regexp.MustCompile(`\b(?:ln|log|lg|ld|log10)\b`),
		"there is no $0, expected log2(n), to the base 2, or H(n), the harmonic number, which is about 0.577 " +
			"above the natural logarithm",
	},
}

// foreignNotationError returns an error for the notation of another language in a formula, else err.
func foreignNotationError(formula string, err error) error {
	for _, h := range foreignNotations {
		if at := h.expr.FindStringSubmatchIndex(formula); at != nil {
			return errors.New(string(h.expr.ExpandString(nil, h.doc, formula, at)))
		}
	}
	return err
}

// ReservedWords returns the words that cannot name values in formulas.
func ReservedWords() []string {
	reserved := slices.Clone(keywords)
	for _, f := range numberFunctions {
		reserved = append(reserved, f.name)
	}
	return reserved
}

// cached has parsed formulas: see [Evaluate].
var cached = struct {
	sync.Mutex
	parsed map[string]*Formula
}{parsed: map[string]*Formula{}}

// maxCached bounds the number of cached formulas: some come from traces.
const maxCached = 1024

// Evaluate returns the value of a formula over these values. It caches parsed formulas, since thousands of runs
// of one plan may use the same formula. It is safe for concurrent use.
func Evaluate(source string, values map[string]any) (Value, error) {
	names := slices.Sorted(maps.Keys(values))
	key := source + "\x00" + strings.Join(names, ",")
	cached.Lock()
	f := cached.parsed[key]
	cached.Unlock()
	if f == nil {
		var err error
		f, err = ParseFormula(source, names)
		if err != nil {
			return Value{}, err
		}
		cached.Lock()
		if len(cached.parsed) < maxCached {
			cached.parsed[key] = f
		}
		cached.Unlock()
	}
	return f.Evaluate(values)
}
