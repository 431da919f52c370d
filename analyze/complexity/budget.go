package complexity

import (
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// Budget is a bound on the cost of a run: an expression over its counts such
// as "messages <= 3*n-1".
type Budget struct {
	text    string
	program *vm.Program
}

// budgetEnv is what a budget may speak of.
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
}

// BudgetWords explains the words of the budget language, for help texts.
const BudgetWords = `n (processes), messages (sent), delivered, lost, to_crashed, in_flight, depth (causal), events,
time (of the last delivery), type["OK"] (messages of a type), log2(x); operators + - * / ** and comparisons`

// ParseBudget compiles the text of a budget.
func ParseBudget(text string) (*Budget, error) {
	log2 := expr.Function("log2", func(args ...any) (any, error) {
		switch x := args[0].(type) {
		case int:
			return math.Log2(float64(x)), nil
		case int64:
			return math.Log2(float64(x)), nil
		case float64:
			return math.Log2(x), nil
		}
		return nil, fmt.Errorf("log2 of %v", args[0])
	}, new(func(int) float64), new(func(int64) float64), new(func(float64) float64))
	program, err := expr.Compile(text, expr.Env(budgetEnv{}), expr.AsBool(), log2)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // the rest draws a caret below the text
		return nil, fmt.Errorf("budget %q: %s", text, first)
	}
	return &Budget{text, program}, nil
}

func (b *Budget) String() string { return b.text }

// Kept reports whether the run keeps within the budget.
func (b *Budget) Kept(s *Stats) (bool, error) {
	env := budgetEnv{
		N: s.Processes, Messages: s.Messages.Sent, Delivered: s.Messages.Delivered, Lost: s.Messages.Lost,
		ToCrashed: s.Messages.ToCrashed, InFlight: s.Messages.InFlight, Depth: s.CausalDepth, Events: s.Events, Type: s.Messages.ByType,
	}
	if s.LastDelivery != nil {
		env.Time = *s.LastDelivery
	}
	out, err := expr.Run(b.program, env)
	if err != nil {
		return false, fmt.Errorf("budget %q: %w", b.text, err)
	}
	return out.(bool), nil
}
