package complexity

import (
	"fmt"
	"math/big"

	"etrace/analyze/spec"
)

// Budget is a bound on the cost of a run: a condition over its counts in the language of formulas, such as
// "messages <= 3*n-1".
type Budget struct{ formula *spec.Formula }

// BudgetWords explains the words of the budget language, for help texts.
const BudgetWords = `    n            the number of processes, without clients, controllers, observers and learners
    messages     the messages sent; delivered, lost, to_crashed and in_flight count them by fate
    type["OK"]   the messages sent of a type
    bytes, bits  the size of the payloads sent
    depth        the length of the longest causal chain
    time         the time of the last delivery
    events       the number of events

A budget may also contain ` + spec.FormulaWords

// budgetNames are the names explained by BudgetWords.
var budgetNames = []string{
	"n", "messages", "delivered", "lost", "to_crashed", "in_flight", "depth", "events", "time", "type", "bytes", "bits",
}

// ParseBudget reads a budget. It fails for unknown names and for a formula that is no condition; the error is
// one line.
func ParseBudget(source string) (*Budget, error) {
	formula, err := spec.ParseFormula(source, budgetNames)
	if err != nil {
		return nil, fmt.Errorf("budget %w", err)
	}
	b := &Budget{formula}
	// This evaluation, with unknown counts, checks only the types of the values.
	unknown := map[string]any{}
	for _, name := range budgetNames {
		unknown[name] = spec.Range{}
	}
	unknown["type"] = map[string]any{"": spec.Range{}}
	_, err = b.judge(unknown)
	return b, err
}

func (b *Budget) String() string { return b.formula.String() }

// Judge reports whether a run keeps the budget. The answer is Open if unrecorded events could change it. It
// fails for a formula without meaning for the run.
func (b *Budget) Judge(s *Stats) (Answer, error) { return b.judge(s.counts()) }

// judge evaluates the budget for given counts. It fails if the budget is no condition, or uses a count in a
// wrong way.
func (b *Budget) judge(counts map[string]any) (Answer, error) {
	value, err := b.formula.Evaluate(counts)
	if err != nil {
		return Open, fmt.Errorf("budget %w", err)
	}
	mayHold, mayFail, ok := value.Condition()
	switch {
	case !ok:
		return Open, fmt.Errorf("budget %q: expected a condition, such as messages <= 3*n-1, and it is a number or a text", b)
	case !mayFail:
		return Kept, nil
	case !mayHold:
		return Broken, nil
	}
	return Open, nil
}

// counts returns the counts of the run by their names in budgets.
func (s *Stats) counts() map[string]any {
	values := map[string]any{"n": s.Processes - s.nonParticipants}
	count := func(name string, n int64) { values[name] = s.bounds.span(name, new(big.Rat).SetInt64(n)) }
	count("messages", s.Messages.Sent)
	count("delivered", s.Messages.Delivered)
	count("lost", s.Messages.Lost)
	count("to_crashed", s.Messages.ToCrashed)
	count("in_flight", s.Messages.InFlight)
	count("depth", s.CausalDepth)
	count("events", s.Events)
	count("bytes", 0)
	count("bits", 0)
	if carried := s.Messages.Carried; carried != nil {
		count("bytes", carried.Bytes)
		if carried.Bits != nil {
			count("bits", *carried.Bits)
		}
	}
	last := new(big.Rat)
	if s.LastDelivery != nil {
		last.SetString(fmt.Sprint(*s.LastDelivery)) // 0.1 is one tenth
	}
	values["time"] = s.bounds.span("time", last)
	types := map[string]any{"": s.bounds.span("type", new(big.Rat))} // the key "" is for types without messages
	for name, n := range s.Messages.ByType {
		types[name] = s.bounds.span("type", new(big.Rat).SetInt64(n))
	}
	values["type"] = types
	return values
}

// span returns the range of the true count, given the recorded one.
func (b bounds) span(name string, count *big.Rat) spec.Range {
	r := spec.Range{Low: count, High: count}
	if bound := b[name]; bound != exact && bound != atMost {
		r.High = nil
	}
	if bound := b[name]; bound == atMost || bound == near || bound == unmeasured {
		r.Low = new(big.Rat)
	}
	return r
}

// types returns the message types that the budget names.
func (b *Budget) types() []string { return b.formula.Parts("type") }
