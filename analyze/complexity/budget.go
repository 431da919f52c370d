package complexity

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"etrace/tracefmt/text"
)

// Budget is a bound on the cost of a run: an expression over its counts such
// as "messages <= 3*n-1".
type Budget struct {
	text    string
	program *vm.Program
}

// budgetEnv is what a budget may refer to.
type budgetEnv struct {
	N         int              `expr:"n"`
	Messages  int64            `expr:"messages"`
	Delivered int64            `expr:"delivered"`
	Lost      int64            `expr:"lost"`
	ToCrashed int64            `expr:"to_crashed"`
	InFlight  int64            `expr:"in_flight"`
	Depth     int64            `expr:"depth"`
	Events    int64            `expr:"events"`
	Time      float64          `expr:"time"`
	Type      map[string]int64 `expr:"type"`
	Bytes     int64            `expr:"bytes"`
	Bits      int64            `expr:"bits"`
}

// BudgetWords explains the words of the budget language, for help texts.
const BudgetWords = `n (processes, without clients, controllers, observers, learners), messages (sent), delivered, lost, to_crashed, in_flight, depth (causal), events,
time (of the last delivery), type["OK"] (messages of a type), bytes and bits (of what is sent), log2(x), H(n) = 1 + 1/2 + ... + 1/n, min, max, ceil, floor; operators + - * / **,
comparisons, and, or, not`

// longestBudget bounds the text, and with it the depth of its parentheses.
const longestBudget = 1000

// ParseBudget compiles the text of a budget.
func ParseBudget(source string) (*Budget, error) {
	if len(source) > longestBudget {
		return nil, fmt.Errorf("a budget of %d bytes, expected at most %d", len(source), longestBudget)
	}
	if err := checkWords("budget", source, budgetNames); err != nil {
		return nil, fmt.Errorf("budget %q: %w", source, err)
	}
	program, err := compile(source, expr.Env(budgetEnv{}), expr.AsBool())
	if err != nil {
		return nil, fmt.Errorf("budget %q: %s", source, explained(err, budgetNames))
	}
	return &Budget{source, program}, nil
}

func (b *Budget) String() string { return b.text }

// Kept reports whether the run keeps within the budget, as far as it is recorded; see
// [Budget.Judge].
func (b *Budget) Kept(s *Stats) (bool, error) {
	env := b.env(s)
	out, err := expr.Run(b.program, env)
	if err != nil {
		return false, fmt.Errorf("budget %q: %s", b.text, explained(err, nil))
	}
	kept, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("budget %q: the value is %v, expected true or false", b.text, out)
	}
	return kept, nil
}

// env are the counts of the run.
func (b *Budget) env(s *Stats) budgetEnv {
	env := budgetEnv{
		N: s.Processes - s.aside, Messages: s.Messages.Sent, Delivered: s.Messages.Delivered, Lost: s.Messages.Lost,
		ToCrashed: s.Messages.ToCrashed, InFlight: s.Messages.InFlight, Depth: s.CausalDepth, Events: s.Events, Type: s.Messages.ByType,
	}
	if s.LastDelivery != nil {
		env.Time = *s.LastDelivery
	}
	if carried := s.Messages.Carried; carried != nil {
		env.Bytes = carried.Bytes
		if carried.Bits != nil {
			env.Bits = *carried.Bits
		}
	}
	return env
}

// budgetNames are the names in BudgetWords.
var budgetNames = append([]string{
	"n", "messages", "delivered", "lost", "to_crashed", "in_flight", "depth", "events", "time", "type", "bytes", "bits", "H", "log2",
}, builtins...)

// types are the message types that the budget names.
func (b *Budget) types() []string {
	tree, err := parser.Parse(b.text)
	if err != nil {
		return nil
	}
	var v typeVisitor
	ast.Walk(&tree.Node, &v)
	return v.names
}

type typeVisitor struct{ names []string }

// Visit implements [ast.Visitor].
func (v *typeVisitor) Visit(node *ast.Node) {
	member, ok := (*node).(*ast.MemberNode)
	if !ok {
		return
	}
	of, isName := member.Node.(*ast.IdentifierNode)
	if name, isText := member.Property.(*ast.StringNode); isName && isText && of.Value == "type" {
		v.names = append(v.names, name.Value)
	}
}

// firstLine is what an error of expr says; the rest draws a caret below the text.
func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// checkWords refuses what is no part of the language of budgets and formulas
// though expr has it, lists and loops over them above all: any of them ends,
// and soon.
func checkWords(what, source string, known []string) error {
	tree, err := parser.Parse(source)
	if err != nil {
		return errors.New(explained(err, known))
	}
	v := wordVisitor{what: what, known: known}
	ast.Walk(&tree.Node, &v)
	return cmp.Or(v.err, v.unknown)
}

type wordVisitor struct {
	what  string // budget or formula
	known []string
	err   error
	// unknown is the first name that is not known, said only if nothing else is wrong: a text may
	// name things itself.
	unknown error
}

// Visit implements [ast.Visitor].
func (v *wordVisitor) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.UnaryNode,
		*ast.MemberNode, *ast.CallNode, *ast.ConditionalNode:
		return
	case *ast.IdentifierNode:
		if !slices.Contains(v.known, n.Value) { // which expr overlooks in the argument of a function
			v.unknown = cmp.Or(v.unknown, text.Unknown("name", n.Value, v.known))
		}
	case *ast.BuiltinNode:
		if slices.Contains(builtins, n.Name) {
			return
		}
		v.err = cmp.Or(v.err, text.Unknown("name", n.Name, v.known))
	case *ast.BinaryNode:
		if slices.Contains(operators, n.Operator) {
			return
		}
		v.err = cmp.Or(v.err, fmt.Errorf("a %s has no operator %s", v.what, n.Operator))
	default:
		v.err = cmp.Or(v.err, fmt.Errorf("at column %d stands what no %s has, a list or a name of its own", (*node).Location().From+1, v.what))
	}
}

var builtins = []string{"min", "max", "ceil", "floor"}

var operators = []string{"+", "-", "*", "/", "%", "**", "^", "<", "<=", ">", ">=", "==", "!=", "and", "&&", "or", "||"}
