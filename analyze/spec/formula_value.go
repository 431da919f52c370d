package spec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Range is an unknown number between Low and High; nil means unbounded.
type Range struct{ Low, High *big.Rat }

// Value is the result of a formula: a number, a condition or a text. A number or condition may be unknown if a
// [Range] is among the inputs.
type Value struct {
	typ       typ
	low, high limit
	rounded   bool
	truths    truths
	text      string
	// intermediate is a table or function, which occurs only inside an evaluation.
	intermediate any
}

// Number returns the number; ok is false if the value is no number, or an unknown one.
func (v Value) Number() (number Fraction, ok bool) {
	if v.typ != typNumber || v.low.infinite != 0 || v.high.infinite != 0 || v.low.Cmp(v.high.Rat) != 0 {
		return Fraction{}, false
	}
	return Fraction{v.low.Rat, v.rounded}, true
}

// Condition returns whether the condition may be true, and whether it may be false; ok is false if the value is
// no condition.
func (v Value) Condition() (mayHold, mayFail, ok bool) {
	return v.truths&mayBeYes != 0, v.truths&mayBeNo != 0, v.typ == typBool
}

// String returns the value in text form. A number has the fewest decimal digits from which it can be read again.
func (v Value) String() string {
	switch v.typ {
	case typText:
		return v.text
	case typBool:
		return map[truths]string{mayBeYes: "true", mayBeNo: "false", undecided: "open"}[v.truths]
	}
	number, ok := v.Number()
	switch {
	case !ok:
		return v.typeName()
	case number.IsInt():
		return number.Num().String()
	}
	x, _ := number.Float64()
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// typeName returns the type of the value in words.
func (v Value) typeName() string {
	switch v.intermediate.(type) {
	case nil:
		return typNames[v.typ]
	case func([]Value) (any, error):
		return "a function"
	}
	return "a table"
}

// limit is an end of the range of a number; infinite is -1 below all numbers, 1 above, else 0.
type limit struct {
	*big.Rat
	infinite int
}

// below and above are the limits of an unbounded range.
var below, above = limit{infinite: -1}, limit{infinite: 1}

// compare returns the order of two limits.
func (a limit) compare(b limit) int {
	if a.infinite != 0 || b.infinite != 0 {
		return a.infinite - b.infinite
	}
	return a.Cmp(b.Rat)
}

// sign returns -1, 0 or 1.
func (a limit) sign() int {
	if a.infinite != 0 {
		return a.infinite
	}
	return a.Sign()
}

// numberBetween returns a number whose value is known to lie from low to high.
func numberBetween(low, high limit, rounded bool) Value {
	return Value{typ: typNumber, low: low, high: high, rounded: rounded}
}

// exactNumber returns a known number.
func exactNumber(x Fraction) Value {
	return numberBetween(limit{Rat: x.Rat}, limit{Rat: x.Rat}, x.Rounded)
}

// conditionValue returns a condition with these possible truths.
func conditionValue(t truths) Value { return Value{typ: typBool, truths: t} }

// calculation maps the names in a formula to their values, over which it evaluates the formula.
type calculation map[string]any

// value evaluates the expression n.
func (c calculation) value(n *node) (Value, error) {
	switch n.op {
	case "literal":
		return literal(n)
	case "field":
		return c.valueOfName(n)
	case "call":
		return c.call(n)
	case "and", "or":
		return c.junction(n)
	case "not":
		v, err := c.truth(n.operands[0])
		return conditionValue(v.not()), err
	case "if":
		return c.choice(n)
	case "in":
		return c.membership(n)
	}
	a, err := c.value(n.operands[0])
	if err != nil {
		return Value{}, err
	}
	b, err := c.value(n.operands[1])
	if err != nil {
		return Value{}, err
	}
	if arithmeticOf[n.op] != nil {
		return compute(n.op, a, b)
	}
	t, err := compareValues(n.op, a, b)
	return conditionValue(t), err
}

// literal returns the value of a constant in a formula. A decimal is exact: 0.1 is one tenth.
func literal(n *node) (Value, error) {
	switch v := n.value; v.sort {
	case boolean:
		return convert(v.n != 0)
	case textual:
		return convert(v.s)
	case integer:
		return convert(v.n)
	case decimal:
		return convert(v.float())
	}
	if x := n.value.float(); math.IsInf(x, 0) || x == 0 {
		return Value{}, fmt.Errorf("%s is too large a number, or too small", n)
	}
	r, ok := new(big.Rat).SetString(n.value.s)
	if !ok {
		return Value{}, fmt.Errorf("%s is no number", n)
	}
	return exactNumber(Fraction{Rat: r}), nil
}

// convert returns the value of a Go value.
func convert(x any) (Value, error) {
	switch x := x.(type) {
	case Value:
		return x, nil
	case bool:
		return conditionValue(setOfTruth(truthOf(x))), nil
	case string:
		return Value{typ: typText, text: x}, nil
	case int:
		return exactNumber(wholeNumber(int64(x))), nil
	case int64:
		return exactNumber(wholeNumber(x)), nil
	case float64:
		r, ok := decimalNumber(x)
		if !ok {
			return Value{}, errors.New("the value is no number")
		}
		return exactNumber(r), nil
	case *big.Rat:
		return exactNumber(Fraction{Rat: x}), nil
	case Range:
		// A missing end is infinite: the range of the value is unbounded there.
		v := numberBetween(below, above, false)
		if x.Low != nil {
			v.low = limit{Rat: x.Low}
		}
		if x.High != nil {
			v.high = limit{Rat: x.High}
		}
		return v, nil
	}
	return Value{intermediate: x}, nil
}

// valueOfName returns the value of a name, or of a key in its table: type["OK"].
func (c calculation) valueOfName(n *node) (Value, error) {
	v, err := convert(c[n.variable()])
	if err != nil || n.event == "" {
		return v, err
	}
	parts, ok := v.intermediate.(map[string]any)
	if !ok {
		return Value{}, fmt.Errorf("%s has no %s", v.typeName(), n.name)
	}
	part, ok := parts[n.name]
	if !ok {
		part = parts[""]
	}
	return convert(part)
}

// call evaluates a call of a built-in function, or of a function among the values.
func (c calculation) call(n *node) (Value, error) {
	args := make([]Value, len(n.operands))
	for i, k := range n.operands {
		v, err := c.value(k)
		if err != nil {
			return Value{}, err
		}
		args[i] = v
	}
	if i := slices.IndexFunc(numberFunctions, func(f numberFunction) bool { return f.name == n.name }); i >= 0 {
		return numberFunctions[i].applyToRanges(args)
	}
	v, err := convert(c[n.name])
	if err != nil {
		return Value{}, err
	}
	function, ok := v.intermediate.(func([]Value) (any, error))
	if !ok {
		return Value{}, fmt.Errorf("%s is %s, no function; a product is %[1]s*(...)", n.name, v.typeName())
	}
	out, err := function(args)
	if err != nil {
		return Value{}, err
	}
	return convert(out)
}

// applyToRanges applies the function to both ends of each argument's range. That gives the ends of the result, since
// the function is monotone.
func (f *numberFunction) applyToRanges(args []Value) (Value, error) {
	if len(args) == 0 || len(args) > 1 && !f.variadic {
		return Value{}, fmt.Errorf("%s takes another number of arguments", f.name)
	}
	known := true
	low, high := make([]Fraction, len(args)), make([]Fraction, len(args))
	for i, v := range args {
		if v.typ != typNumber {
			return Value{}, fmt.Errorf("%s takes a number, not %s", f.name, v.typeName())
		}
		_, exact := v.Number()
		known = known && exact
		low[i], high[i] = Fraction{v.low.Rat, v.rounded}, Fraction{v.high.Rat, v.rounded}
	}
	if known {
		x, err := f.apply(low)
		return exactNumber(x), err
	}
	// The function is not lower at a higher argument, so its lowest value is at the low ends.
	return numberBetween(f.rangeEnd(low, args, below), f.rangeEnd(high, args, above), true), nil
}

// rangeEnd returns one end of the result's range. It returns otherwise if the argument is unbounded there, or if the
// function has no value.
func (f *numberFunction) rangeEnd(ends []Fraction, args []Value, otherwise limit) limit {
	for i := range args {
		if ends[i].Rat != nil {
			continue
		}
		// An unbounded argument makes the upper end of a max and the lower end of a min unbounded. At the other end it
		// has no effect.
		if !f.variadic || (f.name == "max") == (otherwise.infinite > 0) {
			return otherwise
		}
	}
	finite := slices.DeleteFunc(slices.Clone(ends), func(x Fraction) bool { return x.Rat == nil })
	if len(finite) == 0 {
		return otherwise
	}
	x, err := f.apply(finite)
	if err != nil {
		return otherwise
	}
	return limit{Rat: x.Rat}
}

// truth evaluates a condition.
func (c calculation) truth(n *node) (truths, error) {
	v, err := c.value(n)
	if err == nil && v.typ != typBool {
		err = fmt.Errorf("%s is %s, expected a condition", n, v.typeName())
	}
	return v.truths, err
}

// junction evaluates "and" and "or" from the left. It stops at the part that decides, since later parts may have no
// value then.
func (c calculation) junction(n *node) (Value, error) {
	decides := no
	if n.op == "or" {
		decides = yes
	}
	result := setOfTruth(-decides)
	for _, k := range n.operands {
		t, err := c.truth(k)
		if err != nil {
			return Value{}, err
		}
		result = result.join(t, decides)
		if result == setOfTruth(decides) {
			break
		}
	}
	return conditionValue(result), nil
}

// choice returns the value of a branch, or the range of both values if the condition is unknown.
func (c calculation) choice(n *node) (Value, error) {
	t, err := c.truth(n.operands[0])
	switch {
	case err != nil:
		return Value{}, err
	case t == mayBeYes:
		return c.value(n.operands[1])
	case t == mayBeNo:
		return c.value(n.operands[2])
	}
	a, err := c.value(n.operands[1])
	if err != nil {
		return Value{}, err
	}
	b, err := c.value(n.operands[2])
	switch {
	case err != nil:
		return Value{}, err
	case a.typ == typNumber && b.typ == typNumber:
		return numberBetween(smaller(a.low, b.low), larger(a.high, b.high), a.rounded || b.rounded), nil
	case a.typ == typBool && b.typ == typBool:
		return conditionValue(a.truths | b.truths), nil
	}
	return Value{}, fmt.Errorf("%s is not known, expected two numbers or two conditions to choose from", n.operands[0])
}

// membership evaluates "x in (a, b, ...)".
func (c calculation) membership(n *node) (Value, error) {
	v, err := c.value(n.operands[0])
	if err != nil {
		return Value{}, err
	}
	result := mayBeNo
	for _, k := range n.operands[1:] {
		w, err := c.value(k)
		if err != nil {
			return Value{}, err
		}
		t, err := compareValues("==", v, w)
		if err != nil {
			return Value{}, err
		}
		result = result.join(t, yes)
	}
	return conditionValue(result), nil
}

// smaller returns the lesser of two limits.
func smaller(a, b limit) limit {
	if b.compare(a) < 0 {
		return b
	}
	return a
}

// larger returns the greater of two limits.
func larger(a, b limit) limit {
	if b.compare(a) > 0 {
		return b
	}
	return a
}

// compareValues returns the possible truths of a comparison.
func compareValues(op string, a, b Value) (truths, error) {
	// Conditions have no order, and tables and functions cannot be compared.
	if a.typ != b.typ || a.intermediate != nil || b.intermediate != nil || a.typ == typBool && orders[op] != nil {
		return 0, fmt.Errorf("%s does not go between %s and %s", op, a.typeName(), b.typeName())
	}
	holds, opposite := orders[op], op == "!="
	if holds == nil {
		holds = func(order int) bool { return order == 0 }
	}
	var t truths
	switch a.typ {
	case typBool:
		t = equalTruths(a.truths, b.truths)
	case typText:
		t = setOfTruth(truthOf(holds(strings.Compare(a.text, b.text))))
	default:
		t = comparedRanges(holds, a, b)
	}
	if opposite {
		t = t.not()
	}
	return t, nil
}

// equalTruths returns the possible truths of the equality of two conditions.
func equalTruths(t, u truths) truths {
	if t.decided() && u.decided() {
		return setOfTruth(truthOf(t == u))
	}
	return undecided
}

// comparedRanges tries each order that two numbers may have.
func comparedRanges(holds func(order int) bool, a, b Value) (results truths) {
	if a.low.compare(b.high) < 0 {
		results |= setOfTruth(truthOf(holds(-1)))
	}
	if a.low.compare(b.high) <= 0 && b.low.compare(a.high) <= 0 {
		results |= setOfTruth(truthOf(holds(0)))
	}
	if b.low.compare(a.high) < 0 {
		results |= setOfTruth(truthOf(holds(1)))
	}
	return results
}

// compute applies an operator to numbers. For unknown numbers it returns a range of the result, which may be
// unbounded.
func compute(op string, a, b Value) (Value, error) {
	if a.typ != typNumber || b.typ != typNumber {
		return Value{}, fmt.Errorf("%s does not go between %s and %s", op, a.typeName(), b.typeName())
	}
	x, isKnown := a.Number()
	y, isKnownToo := b.Number()
	if isKnown && isKnownToo {
		z, err := arithmeticOf[op](x, y)
		return exactNumber(z), err
	}
	if isKnownToo && y.Sign() == 0 && (op == "/" || op == "%") {
		_, err := arithmeticOf[op](wholeNumber(1), y)
		return Value{}, err
	}
	// Sums and differences use opposite ends; products, and quotients by a range without 0, have their extremes at
	// the corners of the two ranges. A power is bounded only for a base from 1 and an exponent from 0 on.
	rounded := a.rounded || b.rounded
	anything := numberBetween(below, above, rounded)
	switch op {
	case "+":
		return numberBetween(a.low.plus(b.low), a.high.plus(b.high), rounded), nil
	case "-":
		return numberBetween(a.low.plus(b.high.negative()), a.high.plus(b.low.negative()), rounded), nil
	case "*":
		return corners(a, b, limit.times), nil
	case "/":
		if b.low.sign() > 0 || b.high.sign() < 0 {
			return corners(a, numberBetween(b.high.inverse(), b.low.inverse(), b.rounded), limit.times), nil
		}
	case "**":
		if unit := (limit{Rat: big.NewRat(1, 1)}); a.low.compare(unit) >= 0 && b.low.sign() >= 0 {
			return numberBetween(a.low.power(b.low, unit), a.high.power(b.high, above), true), nil
		}
	}
	return anything, nil
}

// corners returns the range of an operation that is monotone in each operand.
func corners(a, b Value, operate func(x, y limit) limit) Value {
	low, high := above, below
	for _, x := range []limit{a.low, a.high} {
		for _, y := range []limit{b.low, b.high} {
			z := operate(x, y)
			low, high = smaller(low, z), larger(high, z)
		}
	}
	return numberBetween(low, high, a.rounded || b.rounded)
}

// plus adds two lower ends, or two upper ends.
func (a limit) plus(b limit) limit {
	switch {
	case a.infinite != 0:
		return a
	case b.infinite != 0:
		return b
	}
	return limit{Rat: new(big.Rat).Add(a.Rat, b.Rat)}
}

// negative returns -a.
func (a limit) negative() limit {
	if a.infinite != 0 {
		return limit{infinite: -a.infinite}
	}
	return limit{Rat: new(big.Rat).Neg(a.Rat)}
}

// times multiplies two ends: 0 times an unbounded number is 0.
func (a limit) times(b limit) limit {
	sign := a.sign() * b.sign()
	if sign != 0 && (a.infinite != 0 || b.infinite != 0) {
		return limit{infinite: sign}
	}
	if sign == 0 {
		return limit{Rat: new(big.Rat)}
	}
	return limit{Rat: new(big.Rat).Mul(a.Rat, b.Rat)}
}

// inverse returns 1/a for an end that is not 0.
func (a limit) inverse() limit {
	if a.infinite != 0 {
		return limit{Rat: new(big.Rat)}
	}
	return limit{Rat: new(big.Rat).Inv(a.Rat)}
}

// power returns a ** b for a from 1 on and b from 0 on; otherwise if the result is infinite or too large.
func (a limit) power(b, otherwise limit) limit {
	if a.infinite != 0 || b.infinite != 0 {
		return otherwise
	}
	x, err := power(Fraction{Rat: a.Rat}, Fraction{Rat: b.Rat})
	if err != nil {
		return otherwise
	}
	return limit{Rat: x.Rat}
}
